"""What is set aside is a fifth, chosen by hash alone, in two halves that share nothing, and leaves no text in what is learned from."""

import json
import tempfile
from collections import Counter
from pathlib import Path

from ibidem_training import aside, leaks

LONG = "The pump in the cellar of the northern mill was replaced by hand in the spring of that year by nobody else"


def row(question, passage, group="g", answerable=1):
    return {"question": question, "passage": passage, "answerable": answerable, "answer": None, "answer_start": None, "group": group}


def test_a_fifth_of_every_set_is_chosen_whatever_the_order_and_halves_alternate():
    groups = [("epqa", f"product {number}") for number in range(101)] + [("timeqa", "one article")]
    chosen = aside.choose(groups)
    assert chosen == aside.choose(reversed(groups))
    assert Counter(group.split()[0] for group in chosen) == {"epqa": 21, "timeqa": 1}
    assert Counter(half for group, half in chosen.items() if group.startswith("epqa")) == {"one": 11, "two": 10}


def test_the_manifest_has_hashes_and_halves_alone():
    chosen = aside.manifest()
    assert len(chosen) > 3_000
    for group, half in chosen.items():
        name, hashed = group.split()
        assert name in aside.SETS and half in aside.HALVES and len(hashed) == 12 and int(hashed, 16) >= 0
    for name in aside.SETS:
        halves = Counter(half for group, half in chosen.items() if group.startswith(f"{name} "))
        assert abs(halves["one"] - halves["two"]) <= 1, name


def test_sentences_of_one_policy_are_found_by_the_questions_of_few():
    rows = [row("Can Acme see my mail?", "We read no mail."), row("Can Acme see my mail?", "We keep logs."), row("Does Bolt sell data?", "We sell nothing.")]
    rows += [row("Who?", "We read no mail."), row("Who?", "We sell nothing."), *[row("Who?", f"Sentence {number}.") for number in range(aside.ASKED_OF_MANY)]]
    first, again, other, *common = aside.by_policy(rows)
    assert first == again != other
    assert common[0] == first and common[1] == other and common[2] == ()


def test_a_question_on_anothers_passage_is_aside_only_where_both_are():
    chosen = {f"boolq {aside.digest('boolq', name)}": half for name, half in (("A", "one"), ("B", "one"), ("C", "two"))}

    def half(*groups):
        return aside.half_of(aside.Row("boolq", groups, "", "", 0, None), chosen)

    assert [half("A"), half("A", "B"), half("A", "C"), half("A", "D"), half("D", "E"), half()] == ["one", "one", "neither", "neither", None, None]


def test_nothing_is_learned_from_that_shares_a_run_with_what_is_set_aside():
    name = next(group for group in (f"article {number}" for number in range(10_000)) if f"timeqa {aside.digest('timeqa', group)}" in chosen_too())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "training/reader/timeqa_human.jsonl"
        path.parent.mkdir(parents=True)
        path.write_text("".join(json.dumps(one) + "\n" for one in (row("Who replaced the pump in the mill?", LONG, name), row("Who paid?", "Nobody knows who paid.", "free"))))
        original, aside.manifest = aside.manifest, chosen_too
        try:
            known = leaks.Leaks(Path(folder))
        finally:
            aside.manifest = original
        assert known.find(f"As it is told, {LONG}.") == "set aside"
        assert known.find("who replaced the pump in the mill") == "set aside"
        assert known.find("Nobody knows who paid.") is None


def chosen_too():
    return {f"timeqa {aside.digest('timeqa', f'article {number}')}": "one" for number in range(3)}
