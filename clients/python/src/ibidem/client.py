"""Requests to a server of Ibidem, and what it says of claims as typed values."""

import http.client
import json
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

# A reply is read this far and no further, so that a server gone wrong cannot fill the memory.
LARGEST_REPLY = 32 * 1024 * 1024
# So many texts come along with a claim, in pieces of so many characters: the second number where the first makes too many
# pieces. The smaller a piece, the less is read together that is not about one thing.
MOST_TEXTS = 16
PIECES = (4_000, 10_000)


class IbidemError(Exception):
    """Everything that this client raises."""


class Unreachable(IbidemError):
    """The server gave no reply, or none in time."""


class UnexpectedReply(IbidemError):
    """A reply that is not of Ibidem's API."""


class Problem(IbidemError):
    """The server said what is wrong. `body` is its problem document (RFC 9457)."""

    def __init__(self, status: int, body: dict[str, Any], retry_after: float | None = None) -> None:
        self.status, self.body, self.retry_after = status, body, retry_after
        self.type, self.title, self.detail = (str(body.get(name) or "")[:2000] for name in ("type", "title", "detail"))
        self.request_id = str(body.get("request_id") or "")[:100]
        super().__init__(": ".join(filter(None, [str(status), self.title, self.detail])))


def _of(body: Any, name: str, kind: type | tuple[type, ...]) -> Any:
    value = body.get(name) if isinstance(body, dict) else None
    if not isinstance(value, kind):
        raise UnexpectedReply(f"the reply has no valid `{name}`")
    return value


OPTIONAL_TEXT = (str, type(None))


@dataclass(frozen=True)
class ClaimPassage:
    """A passage that a claim was held against, and whether it says so."""

    source_id: str
    document_name: str
    text: str
    verdict: str
    support: float
    why: str | None
    raw: dict[str, Any] = field(repr=False, compare=False)

    @classmethod
    def of(cls, body: Any) -> "ClaimPassage":
        source, document, text, verdict = (_of(body, name, str) for name in ("source_id", "document_name", "text", "verdict"))
        support = float(_of(body, "support", (int, float)))
        return cls(source, document, text, verdict, support, _of(body, "why", OPTIONAL_TEXT), body)


@dataclass(frozen=True)
class ClaimText:
    """A text that came along, or a piece of a long one, and whether it says so."""

    name: str | None
    text: str
    verdict: str
    support: float
    why: str | None
    raw: dict[str, Any] = field(repr=False, compare=False)

    @classmethod
    def of(cls, sent: dict[str, Any], body: Any) -> "ClaimText":
        verdict, support = _of(body, "verdict", str), float(_of(body, "support", (int, float)))
        return cls(sent["name"], sent["text"], verdict, support, _of(body, "why", OPTIONAL_TEXT), body)


@dataclass(frozen=True)
class ClaimCheck:
    """What the documents, or the texts that came along, say of a claim: `supported`, `contradicted`, `unsupported` or
    `unchecked`."""

    claim: str
    verdict: str
    passages: tuple[ClaimPassage, ...]
    texts: tuple[ClaimText, ...]
    raw: dict[str, Any] = field(repr=False, compare=False)

    @classmethod
    def of(cls, claim: str, body: Any, sent: list[dict[str, Any]]) -> "ClaimCheck":
        checks = _of(body, "texts", list) if sent else []
        if len(checks) != len(sent):
            raise UnexpectedReply("the reply does not say of each text what it says")
        passages, texts = map(ClaimPassage.of, _of(body, "passages", list)), map(ClaimText.of, sent, checks)
        return cls(claim, _of(body, "verdict", str), tuple(passages), tuple(texts), body)


def _cut(text: str, most: int) -> Iterator[str]:
    """Pieces of at most `most` characters: cut behind a paragraph, else a line, a sentence or a word, if one ends in time."""
    begin = 0
    while len(text) - begin > most:
        found = ((text.rfind(mark, begin + most // 2, begin + most), mark) for mark in ("\n\n", "\n", ". ", " "))
        end = next((at + len(mark) for at, mark in found if at >= 0), begin + most)
        yield text[begin:end]
        begin = end
    yield text[begin:]


def _sent(texts: Iterable[str | tuple[str | None, str]]) -> list[dict[str, Any]]:
    """Texts as the API takes them. What is beyond the last piece is left out."""
    pairs = (("", text) if isinstance(text, str) else text for text in islice(texts, MOST_TEXTS))
    given = [(name, text[: MOST_TEXTS * PIECES[-1]]) for name, text in pairs]
    pieces: list[dict[str, Any]] = []
    for most in PIECES:
        cut = ((name, piece) for name, text in given for piece in _cut(text, most))
        pieces = [{"name": (name or "")[:200] or None, "text": piece} for name, piece in islice(cut, MOST_TEXTS + 1)]
        if len(pieces) <= MOST_TEXTS:
            break
    return pieces[:MOST_TEXTS]


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The key goes to the server that it was given for, and to no other that a reply names."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Client:
    """A server and a key, to check claims. `timeout` is the limit for one request, in seconds."""

    def __init__(self, url: str, key: str, *, timeout: float = 120.0, context: ssl.SSLContext | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
            raise ValueError("url must be http://HOST or https://HOST, without a user or a password")
        # The header's own error would show the key.
        if not key or not all("!" <= character <= "~" for character in key):
            raise ValueError("key must be one word of visible ASCII characters")
        self.url, self.timeout, self._key = url.rstrip("/"), timeout, key
        handlers: list[urllib.request.BaseHandler] = [_NoRedirects()]
        handlers += [urllib.request.HTTPSHandler(context=context)] if context else []
        self._opener = urllib.request.build_opener(*handlers)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"

    def check(
        self, claims: str | Iterable[str], *, sources: Iterable[str] = (), texts: Iterable[str | tuple[str | None, str]] = (),
        collections: Iterable[str] = (), timeout: float | None = None,
    ) -> list[ClaimCheck]:
        """Holds each claim, one sentence, against the passages `sources` (`document:chunk`) and against `texts` that come
        along, with or without a name; where there are neither, against what a search in `collections`, or in all, finds.
        The first 16 texts count. Long ones are cut into pieces, at most 16 in all and 10,000 characters each."""
        sent = _sent([texts] if isinstance(texts, str) else texts)
        among = {"sources": list(sources), "collections": list(collections), **({"texts": sent} if sent else {})}
        each = [claims] if isinstance(claims, str) else claims
        return [ClaimCheck.of(one, self._json("/v1/claims", {"claim": one, **among}, timeout), sent) for one in each]

    def _json(self, path: str, body: dict[str, Any], timeout: float | None = None) -> Any:
        timeout = self.timeout if timeout is None else timeout
        with self._open(path, body, timeout) as reply:
            return _parsed(_read(reply, time.monotonic() + timeout))

    def _open(self, path: str, body: dict[str, Any], timeout: float) -> http.client.HTTPResponse:
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        # Not escaped: texts of any script stay below the size that a server takes.
        data = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        request = urllib.request.Request(self.url + path, data, headers, method="POST")
        try:
            reply: http.client.HTTPResponse = self._opener.open(request, timeout=timeout)
            return reply
        except urllib.error.HTTPError as error:
            with error:
                raise _problem(error, timeout) from None
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(f"{self.url} gave no reply: {error}") from None


def _read(reply: Any, deadline: float) -> bytes:
    read = bytearray()
    try:
        while part := reply.read1(65536):
            read += part
            if len(read) > LARGEST_REPLY:
                raise UnexpectedReply("the reply is too large")
            if time.monotonic() > deadline:
                raise Unreachable("the reply did not arrive in time")
    except (OSError, http.client.HTTPException) as error:
        raise Unreachable(f"the reply broke: {error}") from None
    return bytes(read)


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise UnexpectedReply("the reply is not JSON") from None


def _problem(error: urllib.error.HTTPError, timeout: float) -> IbidemError:
    if 300 <= error.code < 400:
        return UnexpectedReply(f"{error.code}: the address redirects; give the one it leads to")
    try:
        body = _parsed(_read(error, time.monotonic() + timeout))
    except IbidemError:
        body = None
    after = error.headers.get("Retry-After", "")
    retry_after = float(after) if after.isascii() and after.isdigit() and len(after) < 8 else None
    return Problem(error.code, body if isinstance(body, dict) else {}, retry_after)
