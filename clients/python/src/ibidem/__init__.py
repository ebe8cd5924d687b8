"""A client of Ibidem with the standard library alone: `Ibidem(url, key)` asks, streams and checks."""

from ibidem.asking import Answer, Citation, Ibidem, Sentence
from ibidem.checking import passages_named, verdicts_by
from ibidem.client import ClaimCheck, ClaimPassage, ClaimText, IbidemError, Problem, UnexpectedReply, Unreachable
from ibidem.texts import CheckedText, Limits, Stop, check_text, rendered, unmarked

__all__ = [
    "Answer", "CheckedText", "Citation", "ClaimCheck", "ClaimPassage", "ClaimText", "Ibidem", "IbidemError", "Limits", "Problem",
    "Sentence", "Stop", "UnexpectedReply", "Unreachable", "check_text",
    "passages_named", "rendered", "unmarked", "verdicts_by",
]  # fmt: skip
