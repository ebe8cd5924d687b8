"""The reader's sets of the second gathering, as parts of the mixture: people's unanswerable questions each beside an
answerable one of its paragraph, judged passages of products, yes or no, everyday language, times, negation and tables."""

import random
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from . import folders, leaks
from .near import Near
from .rows import Row
from .texts import content

# Files with people's unanswerable questions of SQuAD 2.0, and those that have answerable ones of the same paragraphs.
UNANSWERABLE = ("squad2_part", "squad2_unanswerable_pairs", "squad2_pairs_recased", "squad2_unanswerable_sentences")
ANSWERABLE = (*UNANSWERABLE, "squad1_44", "flan_squad")
# Their groups are articles: the same article has the same group in all of them.
ARTICLES = ("squad1_44", "squad2_part", "squad2_unanswerable_pairs")
# How many answerable questions on negation are read for each that is not: nearly all of them are.
NEGATION_ANSWERED = 4


def known(data: Path, name: str) -> Iterable[dict]:
    path = folders.learned_from(data, "reader", name)
    return leaks.rows(path) if path else []


def group_of(name: str, group: str) -> str:
    return f"squad/{group}" if name in ARTICLES else f"{name}/{group}"


def row_of(name: str, row: dict) -> Row:
    span = (row["answer_start"], row["answer_start"] + len(row["answer"])) if row["answer"] else None
    kind = f"{name}: {'answerable' if row['answerable'] else 'not'}"
    return Row(row["question"], row["passage"], row["answerable"], span, kind, group_of(name, str(row["group"])))


def pairs(data: Path, dice: random.Random) -> Iterable[Row]:
    """Each unanswerable question with the answerable one of its paragraph that shares most words with it: one unit, which
    is read in one batch."""
    by_passage = defaultdict(list)
    for name in ANSWERABLE:
        for row in known(data, name):
            if row["answerable"]:
                by_passage[row["passage"]].append(row_of(name, row))
    number = 0
    for name in UNANSWERABLE:
        for row in known(data, name):
            beside = by_passage.get(row["passage"])
            if row["answerable"] or not beside:
                continue
            wanted = set(content(row["question"]))
            best = max(beside, key=lambda one: len(wanted & set(content(one.question))))
            if len(beside) > 1:  # each answerable question once, while there are others
                beside.remove(best)
            number += 1
            for one in (row_of(name, row), best):
                title = one.group.removeprefix("squad/").replace("_", " ") if one.group.startswith("squad/") and number % 3 else ""
                span = one.span and tuple(at + len(title) + 1 for at in one.span) if title else one.span
                passage = f"{title}\n{one.passage}" if title else one.passage
                yield Row(one.question, passage, one.answerable, span, f"squad2 pairs: {'answerable' if one.answerable else 'not'}", best.group, f"pair {number}")


def as_they_are(*names: str) -> Callable:
    def part(data: Path, _: random.Random) -> Iterable[Row]:
        for name in names:
            yield from (row_of(name, row) for row in known(data, name))

    return part


def negation(data: Path, dice: random.Random) -> Iterable[Row]:
    rows = [row_of("condaqa", row) for row in known(data, "condaqa")]
    unanswered = [row for row in rows if not row.answerable]
    answered = [row for row in rows if row.answerable]
    yield from unanswered
    yield from dice.sample(answered, min(len(answered), NEGATION_ANSWERED * len(unanswered)))


def against_the_nearest(*names: str) -> Callable:
    """Sets that have answerable questions only: each question also against the nearest passage of its set without the answer."""

    def part(data: Path, dice: random.Random) -> Iterable[Row]:
        for name in names:
            rows = [row_of(name, row) for row in known(data, name)]
            texts = sorted({row.passage for row in rows})
            near = Near(texts)
            for row in rows:
                yield row
                answer = row.passage[slice(*row.span)].lower() if row.span else None
                others = [texts[at] for at in near.best(row.question, 6) if texts[at] != row.passage and not (answer and answer in texts[at].lower())]
                if others:
                    yield Row(row.question, dice.choice(others[:3]), 0, None, f"{name}: other passage", row.group)

    return part


PARTS = {
    "pairs": pairs,
    "products": as_they_are("epqa_dev"),
    "yes_or_no": as_they_are("boolq_full", "boolq_other_passage"),
    "articles": against_the_nearest("squadshifts_new_wiki"),
    "everyday": against_the_nearest("squadshifts_reddit", "squadshifts_amazon_reviews"),
    "times": as_they_are("timeqa_human"),
    "negation": negation,
    "tables": as_they_are("fetaqa_tables"),
}
