"""Questions to a server of Ibidem, and its answers as typed values."""

import http.client
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ibidem.client import LARGEST_REPLY, OPTIONAL_TEXT, Client, Problem, UnexpectedReply, Unreachable, _of, _parsed


@dataclass(frozen=True)
class Citation:
    """A passage that a claim of the answer rests on. `raw` has every field as it came."""

    marker: int
    source_id: str
    document_name: str
    snippet: str
    link: str | None
    raw: dict[str, Any] = field(repr=False, compare=False)

    @classmethod
    def of(cls, body: Any) -> "Citation":
        source, document, snippet = (_of(body, name, str) for name in ("source_id", "document_name", "snippet"))
        return cls(_of(body, "marker", int), source, document, snippet, _of(body, "link", OPTIONAL_TEXT), body)


@dataclass(frozen=True)
class Sentence:
    """A verified sentence of a stream."""

    text: str
    citations: tuple[Citation, ...]
    raw: dict[str, Any] = field(repr=False, compare=False)

    @classmethod
    def of(cls, body: Any) -> "Sentence":
        return cls(_of(body, "text", str), tuple(map(Citation.of, _of(body, "citations", list))), body)


@dataclass(frozen=True)
class Answer:
    """The whole reply to a question: an answer with citations, or a refusal with its reason."""

    request_id: str
    action: str
    text: str
    refused: bool
    reason: str | None
    why: str | None
    citations: tuple[Citation, ...]
    warnings: tuple[str, ...]
    raw: dict[str, Any] = field(repr=False, compare=False)

    @classmethod
    def of(cls, body: Any) -> "Answer":
        request_id, action, text = (_of(body, name, str) for name in ("request_id", "action", "answer"))
        reason, why = (_of(body, name, OPTIONAL_TEXT) for name in ("reason", "why"))
        citations, warnings = tuple(map(Citation.of, _of(body, "citations", list))), tuple(_of(body, "warnings", list))
        return cls(request_id, action, text, _of(body, "refused", bool), reason, why, citations, warnings, body)


class Ibidem(Client):
    """A server and a key, to ask and to check claims. `timeout` is the limit for one request, in seconds."""

    def ask(self, question: str, **options: Any) -> Answer:
        """Asks and waits for the whole answer. `options` are fields of the API's question: `collections`, `history`,
        `conversation_id`, `model`, `max_context_chunks`, `session_id`, `confirmation`."""
        return Answer.of(self._json("/v1/answers", {"query": question, **options}))

    def stream(self, question: str, **options: Any) -> Iterator[Sentence | Answer]:
        """Yields each sentence as soon as it is verified, then the whole answer."""
        with self._open("/v1/answers", {"query": question, **options, "stream": True}, self.timeout) as reply:
            for name, data in self._events(reply):
                body = _parsed(data)
                if name == "sentence":
                    yield Sentence.of(body)
                elif name == "answer":
                    yield Answer.of(body)
                    return
                elif name == "error":
                    status = _of(body, "status", int)
                    raise Problem(status, body)
        raise Unreachable("the stream ended before the answer")

    def _events(self, reply: http.client.HTTPResponse) -> Iterator[tuple[str, bytes]]:
        deadline, left, name, data = time.monotonic() + self.timeout, LARGEST_REPLY, "", b""
        while left > 0:
            if time.monotonic() > deadline:
                raise Unreachable(f"no answer within {self.timeout:g} s")
            try:
                line = reply.readline(left)
            except (OSError, http.client.HTTPException) as error:
                raise Unreachable(f"the stream broke: {error}") from None
            if not line:
                return
            left -= len(line)
            key, _, value = line.rstrip(b"\r\n").partition(b":")
            value = value.removeprefix(b" ")
            if key == b"event":
                name = value.decode("utf-8", "replace")
            elif key == b"data":
                data += (b"\n" if data else b"") + value
            elif not key and not value:
                if name:
                    yield name, data
                name, data = "", b""
        raise UnexpectedReply("the stream is too large")
