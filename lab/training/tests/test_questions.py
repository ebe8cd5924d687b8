"""Questions of our own: answers stand where they are said to stand, and what is not answered is asked on the same notes."""

import random

from ibidem_training import asked, bilingual, documents, facts, leaks, reader_sets


def test_every_written_document_has_questions_of_both_kinds_and_answers_that_stand_in_it():
    known = asked.all_notes()
    assert len(known) >= 2_000
    for document in {note.document for note in known}:
        asked_of = [one for note in known if note.document == document for one in note.asked]
        answered = [one for one in asked_of if one[1]]
        assert answered and len(answered) < len(asked_of), document
        for wordings, is_answered, span in asked_of:
            assert all(wordings) and (is_answered or not span), (document, wordings)


def test_an_answer_moves_with_its_note():
    rows = list(asked.rows(random.Random(1), 40, every=4))
    said = "\n\n".join(note.text[span[0] : span[1]] for note in asked.all_notes() for _, _, span in note.asked if span)
    spanned = [row for part, _, _, row in rows if part in ("written", "sections") and row.span]
    assert len(spanned) > 300
    assert all(row.passage[row.span[0] : row.span[1]] in said for row in spanned)


def test_what_is_set_aside_is_learned_from_nowhere():
    rows = list(asked.rows(random.Random(1), 40, every=4))
    aside = [part for note in asked.all_notes() if note.held_out for part in note.text.split(". ") if len(part.split()) > 3]
    learned = "\n".join(row.passage for _, _, held_out, row in rows if not held_out)
    assert len(aside) > 25
    assert not [part for part in aside if part in learned]


def test_without_its_answer_a_note_does_not_have_it():
    written = asked.Written(asked.all_notes(), random.Random(1))
    text = "Bikes stand in the yard. Cars stand in the hall. Nothing stands at the gate."
    at = text.index("in the hall")
    assert written.without(text, (at, at + 11)) == "Bikes stand in the yard. Nothing stands at the gate."


def test_statements_are_asked_as_yes_or_no_how_many_and_who():
    dice = random.Random(1)
    assert asked.asked_whether("travel requests", "are approved by the team lead") == "Are travel requests approved by the team lead?"
    assert asked.asked_whether("maps", "cannot be renewed") == "Can maps be renewed?"
    assert asked.asked_whether("maps", "have to be returned") == "Do maps have to be returned?"
    assert asked.asked_how_many("rooms", "hold up to {n} people", dice) == "How many people do rooms hold?"
    assert asked.asked_how_many("maps", "are lent for {n} days", dice) in ("How long are maps lent?", "For how many days are maps lent?")
    assert asked.asked_who("orders", "are decided by the team lead") == "Who are orders decided by?"


def test_questions_on_composed_documents_have_both_answers_and_point_into_them():
    dice = random.Random(2)
    for maker in (*dict.fromkeys(documents.MADE), bilingual.questions):
        rows = [row for _ in range(60) for row in maker(dice)]
        assert {row.answerable for row in rows} == {True, False}
        for row in rows:
            assert row.answerable or row.span is None
            if row.span:
                assert 0 <= row.span[0] < row.span[1] <= len(row.passage)


def test_a_case_lies_in_the_row_that_decides_it():
    dice = random.Random(4)
    rows = [row for _ in range(200) for row in documents.bands(dice) if row.span and " | " in row.passage]
    assert len(rows) > 40
    for row in rows:
        line = next(one for one in row.passage.splitlines() if one.endswith(row.passage[row.span[0] : row.span[1]]))
        figures = [int(one) for one in "".join(sign if sign.isdigit() or sign == "," else " " for sign in line.split(" | ")[0]).replace(",", "").split()]
        value = int("".join(sign for sign in row.question if sign.isdigit()))
        lowest, highest = (0, figures[0]) if line.startswith("up to") else (figures[0], figures[1] if len(figures) > 1 else 10**9)
        assert lowest <= value <= highest, (line, row.question)


def test_nothing_of_our_own_is_in_a_test_set_of_the_repository():
    found = leaks.Leaks.of_repository()
    rows = [row for rows in reader_sets.of_our_own(30, every=12).values() for row in rows]
    rows += [reader_sets.row_of(row, "facts") for row in asked.Composed(facts.matters(), random.Random(1)).rows()]
    assert len(rows) > 1000
    texts = [text for row in rows for text in (row.question, row.passage)]
    texts += [text for note in asked.all_notes() for text in (note.text, *(one for wordings, _, _ in note.asked for one in wordings))]
    assert [text for text in texts if found.find(text)] == []
