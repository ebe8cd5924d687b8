"""Rows of the second gathering: pairs stand side by side, and what is set against the nearest passage has no answer there."""

import gzip
import json
import random
import tempfile
from pathlib import Path

from ibidem_training import gathered, packing, reader_sets, verifier_sets

TEXT = "The mill was built in 1804. It burned down in 1911 and was never rebuilt."


def row(question, passage=TEXT, answer=None, group="Mill"):
    start = passage.index(answer) if answer else None
    return {"question": question, "passage": passage, "answerable": int(answer is not None), "answer": answer, "answer_start": start, "group": group}


def folder_with(**files):
    folder = tempfile.TemporaryDirectory()
    for name, rows in files.items():
        path = Path(folder.name) / f"training/two/reader/{name}.jsonl.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        with gzip.open(path, "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(one) + "\n" for one in rows)
    return folder


def test_an_unanswerable_question_stands_beside_the_answerable_one_it_was_made_from():
    answered = [row("When was the mill built?", answer="1804"), row("When did it burn down?", answer="1911")]
    with folder_with(squad1_44=answered, squad2_unanswerable_pairs=[row("When was the mill bought?"), row("Who paid?", "Nobody asked.")]) as name:
        found = list(gathered.pairs(Path(name), random.Random(1)))
    assert [one.question for one in found] == ["When was the mill bought?", "When was the mill built?"]
    assert found[0].unit == found[1].unit and found[0].group == found[1].group and found[0].passage == found[1].passage
    assert found[1].passage[slice(*found[1].span)] == "1804"


def test_the_nearest_other_passage_does_not_have_the_answer():
    texts = [f"The mill of village {number} was built in 18{number}." for number in range(10, 20)]
    rows = [row("When was the mill built?", text, text[-5:-1]) for text in texts]
    with folder_with(squadshifts_new_wiki=rows) as name:
        found = list(gathered.PARTS["articles"](Path(name), random.Random(1)))
    assert sum(not one.answerable for one in found) == len(rows)
    for before, other in zip(found[::2], found[1::2], strict=True):
        assert before.answerable and not other.answerable
        assert before.passage[slice(*before.span)] not in other.passage


def test_rows_of_a_held_out_paragraph_are_learned_from_nowhere():
    aside = next(f"Article {number}" for number in range(1000) if reader_sets.held_out(f"squad/Article {number}"))
    with tempfile.TemporaryDirectory() as out:
        known = gathered.leaks.Known()
        files = reader_sets.Files(Path(out), known)
        files.write("pairs", [gathered.row_of("squad1_44", row("When was the mill built?", answer="1804", group=aside))])
        files.write("people", [gathered.row_of("flan_squad", row("When did the mill burn down?", answer="1911", group="abc"))])
        files.close()
        assert files.dropped == {f"people: {reader_sets.HELD_OUT}": 1}
        assert len((Path(out) / "held_out.jsonl").read_text().splitlines()) == 1


def test_half_of_the_experts_answers_choose_and_are_not_learned_from():
    halves = [verifier_sets.chosen_on(f"question {number}") for number in range(400)]
    assert 150 < sum(halves) < 250


def test_a_tokenizer_written_otherwise_is_the_same_tokenizer():
    with tempfile.TemporaryDirectory() as name:
        runs = Path(name)
        for base, written in (("one", '{"a": 1, "b": 2}'), ("other", '{"b":2,"a":1}'), ("third", '{"a": 2}')):
            (runs / "bases" / base).mkdir(parents=True)
            (runs / "bases" / base / "tokenizer.json").write_text(written)
        one, other, third = (packing.folder(runs, "reader", base) for base in ("one", "other", "third"))
        assert one == other != third
