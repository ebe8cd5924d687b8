"""A question that is typed otherwise asks the same: figures, names and what denies stay."""

import random

from ibidem_training.typed import as_searched, mistyped, slip, typed

QUESTION = "How many of the 12 rooms in Seeburg may not be booked for meetings before 08:30?"


def test_a_typing_error_touches_no_figure_and_no_name():
    dice = random.Random(1)
    seen = {mistyped(QUESTION, dice) for _ in range(200)}
    assert len(seen) > 100
    for one in seen:
        assert "12" in one and "Seeburg" in one and "08:30" in one
        assert abs(len(one) - len(QUESTION)) <= 3


def test_a_slip_changes_a_word_by_one_letter_and_keeps_its_first():
    dice = random.Random(2)
    for _ in range(200):
        word = slip("rooms", dice)
        assert word[0] == "r" and abs(len(word) - 5) <= 1


def test_a_search_phrase_keeps_what_asks_and_what_denies():
    assert as_searched("When may the rooms not be booked?") == "when rooms not booked"
    assert as_searched("Who is it?") == "Who is it?"


def test_most_questions_stay_as_they_are():
    dice = random.Random(3)
    same = sum(typed(QUESTION, dice) == QUESTION for _ in range(1_000))
    assert 600 < same < 800
