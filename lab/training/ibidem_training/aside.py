"""What is set aside before anything is trained: a fifth of the groups of seven sets, for measuring questions on strangers' texts.

A group is what a reader would call one document: an article, a policy, a table, a product page, a passage. The groups of
a set are sorted by the hash of their names; the first fifth is set aside, in two halves that alternate. `aside.txt` has
the hashes, so that the choice cannot move when the rows or this code change. It has no text. Nothing is trained or chosen
on what is set aside, and `leaks` keeps every row out that shares a run of words with it.
"""

import argparse
import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from . import folders, leaks

MANIFEST = folders.REPOSITORY / "lab/training/aside.txt"
EVERY = 5
HALVES = ("one", "two")
# A question that many policies were asked says nothing about which policy a sentence is from.
ASKED_OF_MANY = 30


@dataclass(frozen=True)
class Row:
    """A row of a set with the groups that its texts belong to: two where a question is held against another's passage."""

    name: str
    groups: tuple[str, ...]
    question: str
    passage: str
    answerable: int
    answer: str | None


def title(row: dict) -> str:
    return row["passage"].split(" -- ", 1)[0]


def by_group(rows: list[dict]) -> list[tuple[str, ...]]:
    return [(row["group"],) for row in rows]


def by_title(rows: list[dict]) -> list[tuple[str, ...]]:
    return [(title(row),) for row in rows]


def by_both_titles(rows: list[dict]) -> list[tuple[str, ...]]:
    return [(row["group"], title(row)) for row in rows]


def by_first_line(rows: list[dict]) -> list[tuple[str, ...]]:
    """A product page: all pieces that stand under one product's name."""
    return [(row["passage"].split("\n", 1)[0],) for row in rows]


def by_policy(rows: list[dict]) -> list[tuple[str, ...]]:
    """The rows do not name their policy. Sentences that a question of few policies was asked of are of one policy; sentences
    that only common questions were asked of belong to none that is known."""
    spelled = [row["question"].lower() for row in rows]
    times = Counter(spelled)
    parent: dict[str, str] = {}

    def root(text: str) -> str:
        while parent.setdefault(text, text) != text:
            text = parent[text]
        return text

    for row, question in zip(rows, spelled, strict=True):
        if times[question] <= ASKED_OF_MANY:
            parent[root(f"passage {row['passage']}")] = root(f"question {question}")
    members = defaultdict(list)
    for text in list(parent):
        members[root(text)].append(text)
    named = {text: min(texts) for texts in members.values() for text in texts}
    return [(name,) if (name := named.get(f"passage {row['passage']}")) else () for row in rows]


# Each set: its files, and how their rows are grouped. Files of one set have the same groups.
SETS = {
    "boolq": (("boolq_full", by_title), ("boolq_other_passage", by_both_titles)),
    "covidqa": (("covidqa", by_group),),
    "epqa": (("epqa_dev", by_first_line),),
    "fetaqa": (("fetaqa_tables", by_group),),
    "privacyqa": (("privacyqa", by_policy),),
    "squadshifts_amazon_reviews": (("squadshifts_amazon_reviews", by_group),),
    "squadshifts_new_wiki": (("squadshifts_new_wiki", by_group),),
    "squadshifts_reddit": (("squadshifts_reddit", by_group),),
    "timeqa": (("timeqa_human", by_group),),
}


def digest(name: str, group: str) -> str:
    return hashlib.sha256(f"{name}/{group}".encode()).hexdigest()[:12]


def rows_of(data: Path, name: str) -> Iterable[Row]:
    for file, grouped in SETS[name]:
        if path := folders.learned_from(data, "reader", file):
            rows = list(leaks.rows(path))
            for row, groups in zip(rows, grouped(rows), strict=True):
                yield Row(name, groups, row["question"], row["passage"], row["answerable"], row["answer"])


def choose(groups: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Of each set's groups the first fifth by hash, and which half each goes to."""
    digests = defaultdict(set)
    for name, group in groups:
        digests[name].add(digest(name, group))
    chosen = {}
    for name in sorted(digests):
        first = sorted(digests[name])[: -(-len(digests[name]) // EVERY)]
        chosen |= {f"{name} {one}": HALVES[at % 2] for at, one in enumerate(first)}
    return chosen


def manifest(path: Path = MANIFEST) -> dict[str, str]:
    """Set and hash of every group that is set aside, and its half."""
    lines = [line.rsplit(" ", 1) for line in path.read_text(encoding="utf-8").splitlines() if line]
    return {group: half for group, half in lines}


def half_of(row: Row, aside: dict[str, str]) -> str | None:
    """The half that a row belongs to; `neither` where only one of its groups is set aside, or they are in two halves."""
    halves = {aside.get(f"{row.name} {digest(row.name, group)}") for group in row.groups}
    if halves in ({None}, set()):
        return None
    return halves.pop() if len(halves) == 1 else "neither"


def rows(data: Path) -> Iterable[tuple[str, Row]]:
    """Every row that is set aside, with its half."""
    aside = manifest()
    for name in SETS:
        for row in rows_of(data, name):
            if half := half_of(row, aside):
                yield half, row


def texts(data: Path) -> Iterable[str]:
    """What nothing that is learned from may share a run of words with: questions, passages, and passages without the line
    of their title, as other sets have them."""
    aside = manifest()
    seen = set()
    for name in SETS:
        for row in rows_of(data, name):
            inside = [f"{name} {digest(name, group)}" in aside for group in row.groups]
            if not any(inside):
                continue
            # The first group is the question's; the last one is the passage's.
            found = [row.question] if inside[0] else []
            if inside[-1]:
                found += [row.passage, row.passage.partition("\n")[2], row.passage.partition(" -- ")[2]]
            for text in found:
                if text and text not in seen:
                    seen.add(text)
                    yield text


def write(data: Path, out: Path) -> dict[str, Counter]:
    """The rows of both halves. A row of the second that shares a run of words with the first is in neither."""
    out.mkdir(parents=True, exist_ok=True)
    found = defaultdict(list)
    for half, row in rows(data):
        found[half].append(row)
    first = leaks.Known(("one", text) for row in found["one"] for text in (row.passage, row.question))
    kept = {"one": found["one"], "two": [row for row in found["two"] if not first.find(row.passage)]}
    counts = {"left out": Counter(row.name for row in found["two"]) - Counter(row.name for row in kept["two"])}
    for half, chosen in kept.items():
        with open(out / f"{half}.jsonl", "w", encoding="utf-8") as file:
            for row in chosen:
                print(json.dumps({"set": row.name, "group": row.groups[0], "question": row.question, "passage": row.passage,
                                  "answerable": row.answerable, "answer": row.answer}, ensure_ascii=False), file=file)  # fmt: skip
        counts[half] = Counter(row.name for row in chosen)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--choose", action="store_true", help="write the manifest, once; without it the manifest decides")
    options = parser.parse_args()
    data = folders.data()
    chosen = choose((name, group) for name in SETS for row in rows_of(data, name) for group in row.groups)
    if options.choose:
        if MANIFEST.exists():
            raise SystemExit(f"{MANIFEST.name} is there: what is set aside must not move")
        MANIFEST.write_text("".join(f"{group} {half}\n" for group, half in sorted(chosen.items())), encoding="utf-8")
    elif chosen != manifest():
        raise SystemExit(f"the rows of the data folder would choose other groups than {MANIFEST.name} has: these are not the rows that it was made from")
    for half, counts in write(data, folders.runs() / "aside").items():
        print(half, sum(counts.values()), dict(counts))


if __name__ == "__main__":
    main()
