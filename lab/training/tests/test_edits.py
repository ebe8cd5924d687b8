"""Edits: what they change, and that they know which words."""

import random

from ibidem_training import edits, reader_sets, rules, texts

PASSAGE = (
    "The Harbour Bridge was opened in March 1932 by the Premier. It has 53,000 tonnes of steel and is longer than the "
    "Hell Gate Bridge. After long debate, the city kept the tolls. Cars, buses and bicycles cross it every day."
)


def test_a_false_edit_marks_what_it_changed():
    cases = [
        ("number", "It has 53,000 tonnes of steel."),
        ("date", "The bridge was opened in March 1932."),
        ("unit", "It has 53,000 tonnes of steel."),
        ("negation", "The city was pleased with the tolls."),
        ("opposite", "It is longer than the other bridge."),
    ]
    for kind, sentence in cases:
        for seed in range(20):
            changed, spans = edits.FALSE[kind](sentence, random.Random(seed), PASSAGE)
            assert changed != sentence, kind
            assert spans, kind
            for begin, end in spans:
                assert 0 <= begin < end <= len(changed), kind
            outside = changed[: spans[0][0]]
            assert sentence.startswith(outside), kind


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


def test_changes_of_more_than_one_place_are_marked():
    cases = [
        ("swapped", "The Harbour Bridge is longer than the Hell Gate Bridge in New York.", 2),
        ("overstated", "Some cars may cross it.", 1),
    ]
    for kind, sentence, marked in cases:
        for seed in range(20):
            made = edits.FALSE[kind](sentence, random.Random(seed), PASSAGE)
            if made:
                changed, spans = made
                assert changed != sentence, kind
                assert len(spans) == marked, kind
                assert all(changed[begin:end].strip() == changed[begin:end] != "" for begin, end in spans), kind


def test_names_in_a_list_are_not_swapped():
    for seed in range(20):
        assert edits.swapped("They invited Anna Berg, John Moss, Carl Hill and Eva Lund.", random.Random(seed), "") is None


def test_what_is_said_by_the_way_becomes_a_sentence():
    made = edits.drawn_out("The bridge, which was opened in March 1932, has tolls.", random.Random(1), PASSAGE)
    assert made == ("The bridge was opened in March 1932.", [])
    assert edits.drawn_out("In the end, the city kept the tolls, as before.", random.Random(1), PASSAGE) is None


def test_nothing_is_left_out_where_something_is_denied():
    assert edits.shortened("Cars are not allowed on the old bridge in the morning.", random.Random(1), PASSAGE) is None
    assert edits.shortened("The old bridge was opened for all the cars in March 1932.", random.Random(1), PASSAGE) is None
    assert edits.shortened("The old wooden bridge was opened for cars in March 1932.", random.Random(1), PASSAGE) == ("The old wooden bridge was opened for cars.", [])


def test_a_capital_inside_a_sentence_is_no_synonym():
    for seed in range(20):
        assert edits.synonym("He moved to the Large Area.", random.Random(seed), "") is None


def test_a_trimmed_passage_keeps_its_answer_or_does_not_answer():
    filler = " ".join(f"Sentence number {at} of the old chronicle speaks of the harvest and the weather." for at in range(12))
    passage = f"{filler} The dam was closed in 1977. {filler}"
    start = passage.index("1977")
    for seed in range(40):
        row = reader_sets.trimmed(reader_sets.Row("When was the dam closed?", passage, 1, (start, start + 4), "x", "g"), random.Random(seed))
        assert row.answerable == ("1977" in row.passage)
        if row.answerable:
            assert row.passage[row.span[0] : row.span[1]] == "1977"


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
