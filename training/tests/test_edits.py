"""Edits: what they change, and that they know which words."""

import random

import pytest

from ibidem_training import edits, rules, texts

PASSAGE = (
    "The Harbour Bridge was opened in March 1932 by the Premier. It has 53,000 tonnes of steel and is longer than the "
    "Hell Gate Bridge. After long debate, the city kept the tolls. Cars, buses and bicycles cross it every day."
)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("number", "It has 53,000 tonnes of steel."),
        ("date", "The bridge was opened in March 1932."),
        ("unit", "It has 53,000 tonnes of steel."),
        ("negation", "The city was pleased with the tolls."),
        ("opposite", "It is longer than the other bridge."),
    ],
)
def test_a_false_edit_marks_what_it_changed(kind, sentence):
    for seed in range(20):
        changed, spans = edits.FALSE[kind](sentence, random.Random(seed), PASSAGE)
        assert changed != sentence
        assert spans
        for begin, end in spans:
            assert 0 <= begin < end <= len(changed)
        outside = changed[: spans[0][0]]
        assert sentence.startswith(outside)


def test_an_invented_detail_is_marked_and_the_rest_is_kept():
    pool = edits.Pool([PASSAGE, "The tower, which was painted red in the autumn by volunteers, burned down."], random.Random(1))
    for seed in range(20):
        made = edits.invented("The city kept the tolls.", random.Random(seed), PASSAGE, pool)
        if made:
            changed, [(begin, end)] = made
            assert (changed[:begin] + changed[end:]).replace(" ", "").replace(",", "").startswith("Thecitykeptthetolls")


def test_faithful_edits_keep_every_figure_and_name():
    for seed in range(50):
        changed, _ = edits.paraphrased("In March 1932, the Premier opened the Harbour Bridge.", random.Random(seed), PASSAGE)
        assert "Premier" in changed
        assert "Harbour Bridge" in changed


def test_a_synonym_is_no_opposite():
    for word, others in edits.SYNONYMS.items():
        assert not set(others) & set(edits.ANTONYMS.get(word, [])), word


def test_the_heading_decides_what_an_item_means():
    dice = random.Random(3)
    for _ in range(200):
        for made in rules.claims(dice):
            assert made.label in (0, 1, 2)
            assert (made.label == 0) == (not made.spans)
        for asked in rules.questions(dice):
            if asked.span:
                assert asked.answerable
                assert 0 <= asked.span[0] < asked.span[1] <= len(asked.passage)


def test_a_window_keeps_what_the_claim_is_about_and_the_order():
    premise = " ".join(f"Filler sentence number {at} says nothing of interest at all." for at in range(60))
    premise += " The dam was closed in 1977. " + premise
    kept = texts.window(premise, "The dam was closed.", 60)
    assert "The dam was closed in 1977." in kept
    assert len(kept.split()) <= 60


def test_initials_and_abbreviations_end_no_sentence():
    assert texts.sentences("J. R. Smith met Dr. Jones. They spoke.") == ["J. R. Smith met Dr. Jones.", "They spoke."]
