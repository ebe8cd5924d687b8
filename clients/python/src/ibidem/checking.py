"""Joins the two: a whole text checked by a server."""

import re
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ibidem.client import Client, Problem, Unreachable
from ibidem.texts import Stop

# What the API takes for one claim.
MOST_SOURCES = 16
# A passage of Ibidem, as its ids, its API and its pages name it.
PASSAGE = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?::|/(?:passages/)?)(\d{1,6})")


def _texts_in(value: Any) -> Iterator[str]:
    """The texts anywhere in `value`, to whatever depth: at most 10,000 parts of it and 4,000,000 characters."""
    waiting, left, room = [value], 10_000, 4_000_000
    while waiting and left and room > 0:
        left -= 1
        one = waiting.pop()
        if isinstance(one, str):
            yield one[:100_000]
            room -= min(len(one), 100_000)
        elif isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


def passages_named(value: Any) -> list[str]:
    """The first passages of Ibidem that are named anywhere in `value`, as many as a claim can be held against."""
    found = (match for text in _texts_in(value) for match in PASSAGE.finditer(text))
    return list(dict.fromkeys(f"{match[1]}:{int(match[2])}" for match in found))[:MOST_SOURCES]


def verdicts_by(
    ibidem: Client, sources: Iterable[str] = (), collections: Iterable[str] = (),
    texts: Iterable[str | tuple[str | None, str]] = (),
) -> Callable[[str, float], str]:
    """What `check_text` asks: each claim held against `sources` and `texts`, or, where there are neither or a source is
    gone, against the texts alone or what a search in `collections` finds."""
    named, brought, among = list(sources)[:MOST_SOURCES], [texts] if isinstance(texts, str) else list(texts), list(collections)

    def verdict_of(claim: str, seconds: float) -> str:
        deadline = time.monotonic() + seconds
        against, waited = list(named), False
        while True:
            left = max(0.01, deadline - time.monotonic())
            try:
                return ibidem.check(claim, sources=against, texts=brought, collections=among, timeout=left)[0].verdict
            except Unreachable:
                raise Stop("time" if time.monotonic() >= deadline else "unreachable") from None
            except Problem as problem:
                pause = problem.retry_after or 1.0
                if problem.status == 404 and against:
                    against = []
                elif problem.status in (429, 503) and not waited and pause < deadline - time.monotonic():
                    waited = True
                    time.sleep(pause)
                elif problem.status in (401, 403, 404, 429) or problem.type.endswith("unknown_collection"):
                    raise Stop("refused") from None
                elif problem.status >= 500:
                    raise Stop("unreachable") from None
                else:
                    raise

    return verdict_of
