"""Passages and claims of our own: what is marked, and that what is called false is not said."""

import random

from ibidem_training import facts


def test_every_wording_of_a_predicate_has_the_figure_or_none():
    for matter in facts.matters():
        assert len(matter.subjects) >= 3, matter.title
        assert len(matter.predicates) >= 6, matter.title
        for said, denied in matter.predicates:
            assert len({"{n}" in wording for wording in said}) == 1, said
            assert denied, said
            assert not set(said) & set(denied), said


def test_no_wording_stands_for_two_things():
    for matter in facts.matters():
        among = [wording for subject in matter.subjects for wording in subject]
        among += [wording for said, _ in matter.predicates for wording in said]
        assert len(among) == len(set(among)), matter.title


def test_what_is_false_is_marked_and_what_is_faithful_is_not():
    seen = set()
    for claim, _ in facts.rows(random.Random(1), 300):
        seen.add(claim.kind)
        assert ("faithful" in claim.kind) == (claim.label == facts.SUPPORTED) == (not claim.spans), claim
        for begin, end in claim.spans:
            assert 0 <= begin < end <= len(claim.claim), claim
            assert claim.claim[begin:end].strip() == claim.claim[begin:end], claim
        assert "{n}" not in claim.premise + claim.claim, claim
    assert {"merged", "merged half", "exchanged", "both, but one is not", "figure of another", "denied", "faithful, reworded"} <= seen


def test_every_note_has_claims_of_both_kinds_and_shares_its_words_with_none_of_them():
    for note in facts.notes():
        assert note.text.count(".") + note.text.count("\n") >= 3, note.heading
        assert sum(not spans for _, spans in note.claims) >= 3, note.heading
        assert sum(bool(spans) for _, spans in note.claims) >= 3, note.heading
        assert not any(claim in note.text for claim, _ in note.claims), note.heading


def test_a_figure_of_another_is_not_the_figure_of_this():
    for claim, _ in facts.rows(random.Random(2), 200):
        if claim.kind == "figure of another":
            ((begin, end),) = claim.spans
            assert claim.claim[begin:end].isdigit() or claim.claim[begin:end] in facts.SPELLED.values()


def test_matters_that_are_set_aside_are_not_learned_from():
    aside = {matter.title for matter in facts.matters() if matter.held_out}
    assert aside
    for claim, held_out in facts.rows(random.Random(3), 200):
        if not held_out:
            assert not any(title in claim.premise for title in aside), claim
