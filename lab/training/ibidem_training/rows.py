"""A question with a passage, as the reader learns from it, and a question as somebody asked it."""

from dataclasses import dataclass


@dataclass
class Row:
    question: str
    passage: str
    answerable: int
    span: tuple[int, int] | None
    kind: str
    group: str
    # Rows of one unit are read in one batch.
    unit: str | None = None


@dataclass
class Asked:
    question: str
    passage: str
    answer: str | None
    start: int | None
    group: str
    name: str
    title: str
