"""
title: Checked by Ibidem
author: Ibidem
version: 0.2.0
license: Apache-2.0
required_open_webui_version: 0.6.0
description: Holds each sentence of an answer against documents, and marks or takes out what they do not bear out.
"""

# The filter is the last part of this file. Open WebUI takes one file, so what it needs of the client stands in it word for word.
# --- clients/python: written by `clients/check --write` ---
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


"""Checks a whole text sentence by sentence, and writes it again with what is not borne out marked or taken out."""

import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace

VERDICTS = ("supported", "contradicted", "unsupported", "unchecked")
# What the API takes for one sentence, in characters.
LONGEST_CLAIM = 2000
# Stands for the rest of a text that is too long. No sentence is only this.
REST = "…"
STOPS = ("unreachable", "refused", "time")


class Stop(Exception):
    """No further sentence can be checked. `reason` is a key of `Words.why`: `unreachable`, `refused` or `time`."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True)
class Limits:
    """What one text may take: seconds in all, sentences, characters, and requests at a time."""

    seconds: float = 30.0
    sentences: int = 40
    characters: int = 40_000
    parallel: int = 4


@dataclass(frozen=True)
class Piece:
    """A stretch of a text. `lead` is what makes it a heading, an item or a row; `claim` is empty where it says nothing."""

    lead: str
    text: str
    claim: str
    verdict: str = "unchecked"


@dataclass(frozen=True)
class CheckedText:
    """The pieces of a text in order, and why some were not checked."""

    pieces: tuple[Piece, ...]
    why_unchecked: str = ""

    def count(self, *verdicts: str) -> int:
        return sum(1 for piece in self.pieces if piece.claim and piece.verdict in (verdicts or VERDICTS))


# Markdown, as far as it decides where a sentence begins and ends. Every repetition is bounded: texts are hostile.
LEAD = re.compile(r"\s{0,40}(?:(?:>|[-*+]|\d{1,9}[.)]|#{1,6})\s{1,20}|\|\s{0,20}){0,10}")
FENCE = re.compile(r"\s{0,3}(`{3,20}|~{3,20})")
END = re.compile(r"[.!?…]{1,6}[\"'»”’)\]*_]{0,6}(?:\s?\[\^?\d{1,3}\]){0,9}(?=\s)|[。！？]{1,6}")
MARKERS = re.compile(r"\s?\[\^?\d{1,3}(?:\s?,\s?\d{1,3}){0,9}\]")
LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,1000}\)")
TAG = re.compile(r"</?(?:b|br|i|em|strong|u|p|sub|sup|code)\s?/?>", re.IGNORECASE)
EMPHASIS = re.compile(r"(?<!\w)\*{1,3}(?=\S)|(?<=\S)\*{1,3}(?!\w)|`")
SPACE = re.compile(r"\s*")
NO_END = re.compile(
    r"(?:^|[\s(\"“„])(?:\w|\d{1,2}|Dr|Mr|Mrs|Ms|Prof|St|No|Nr|Art|Abs|Ziff|Fig|Sec|vs|approx|ca|bzw|ggf|inkl|e\.g|i\.e|z\. ?B"
    r"|d\. ?h|u\. ?a)\.$"
)


def _claim(text: str) -> str:
    """The words of a piece without its markup; empty where it has none."""
    plain = MARKERS.sub("", text)
    if not re.search(r"\w", plain):
        return ""
    words = EMPHASIS.sub("", TAG.sub(" ", LINK.sub(r"\1", plain)))
    words = ", ".join(filter(None, (cell.strip() for cell in words.split("|")))) if "|" in words else words
    return " ".join(words.split()) or " ".join(plain.split())


def _sentences(text: str) -> Iterator[str]:
    begin = 0
    for found in END.finditer(text):
        space = SPACE.match(text, found.end())
        end = space.end() if space else found.end()
        after = text[end : end + 1]
        is_abbreviation = found[0] == "." and NO_END.search(text[max(begin, found.end() - 20) : found.end()])
        if after.islower() or is_abbreviation:
            continue
        yield text[begin:end]
        begin = end
    if begin < len(text):
        yield text[begin:]


def _blocks(text: str) -> Iterator[str]:
    """Fenced blocks, table rows, and paragraphs or items with the lines that go on with them."""
    block, fence = "", ""
    for line in text.splitlines(keepends=True):
        opened = FENCE.match(line)
        if fence:
            block += line
            if opened and opened[1].startswith(fence) and not line.strip().strip(fence[0]):
                yield block
                block, fence = "", ""
            continue
        lead = LEAD.match(line)
        stands_alone = opened or not line.strip() or (lead and lead[0].strip()) or "|" in block
        if block and stands_alone:
            yield block
            block = ""
        block += line
        if opened:
            fence = opened[1]
    if block:
        yield block


def pieces_of(text: str) -> Iterator[Piece]:
    """Cuts a text; all leads and texts joined are the text again."""
    for block in _blocks(text):
        lead = "" if FENCE.match(block) else (LEAD.match(block) or [""])[0]
        rest = block[len(lead) :]
        for sentence in [rest] if FENCE.match(block) or "|" in block else _sentences(rest):
            yield Piece(lead, sentence, _claim(sentence))
            lead = ""
        if lead:
            yield Piece(lead, "", "")


def check_text(verdict_of: Callable[[str, float], str], text: str, limits: Limits = Limits()) -> CheckedText:
    """Asks `verdict_of(claim, seconds)` about each sentence. What it cannot say in time, or raises, is `unchecked`."""
    deadline = time.monotonic() + limits.seconds
    pieces = list(pieces_of(text[: limits.characters]))
    why: list[str] = []
    if rest := text[limits.characters :]:
        pieces.append(Piece("", rest, REST))
        why.append("size")
    distinct = list(dict.fromkeys(piece.claim for piece in pieces if piece.claim))
    claims = [claim for claim in distinct if claim != REST and len(claim) <= LONGEST_CLAIM][: limits.sentences]
    if len(claims) < len(distinct) - distinct.count(REST):
        why.append("size")

    def ask(claim: str) -> str:
        left = deadline - time.monotonic()
        if why and why[0] in STOPS:
            return "unchecked"
        if left <= 0:
            why.append("time")
            return "unchecked"
        try:
            return verdict_of(claim, left)
        except Stop as stop:
            why.insert(0, stop.reason)
        except Exception:  # Whatever goes wrong with one sentence, the text still needs an end.
            why.append("failed")
        return "unchecked"

    pool = ThreadPoolExecutor(max_workers=max(1, limits.parallel), thread_name_prefix="ibidem")
    asked = {claim: pool.submit(ask, claim) for claim in claims}
    wait(asked.values(), timeout=max(0.0, deadline - time.monotonic()))
    pool.shutdown(wait=False, cancel_futures=True)
    verdicts = {claim: one.result() for claim, one in asked.items() if one.done() and not one.cancelled()}
    if len(verdicts) < len(asked):
        why.append("time")
    known = {claim: verdict for claim, verdict in verdicts.items() if verdict in VERDICTS}
    checked = tuple(replace(piece, verdict=known.get(piece.claim, "unchecked")) for piece in pieces)
    return CheckedText(checked, why[0] if why else "")


@dataclass(frozen=True)
class Words:
    """What is written into a text, in one language."""

    contradicted: str
    unsupported: str
    unchecked: str
    notice: str
    removed: str
    asking: str
    failed: str
    why: dict[str, str] = field(default_factory=dict)


WORDS = {
    "en": Words(
        "the documents say otherwise", "not found in the documents", "not checked",
        "Checked by Ibidem: the documents bear out {supported} of {all} sentences.",
        "Taken out: {removed}.",
        "Ibidem checks the sentences",
        "Ibidem could not check this answer, so it is not shown. Ask your administrator.",
        {
            "": "{unchecked} could not be checked.",
            "unreachable": "{unchecked} could not be checked: Ibidem cannot be reached.",
            "refused": "{unchecked} could not be checked: Ibidem refused the request. Ask your administrator.",
            "time": "{unchecked} could not be checked in time.",
            "size": "{unchecked} could not be checked: the text is too long.",
        },
    ),
    "de": Words(
        "die Dokumente sagen es anders", "nicht in den Dokumenten gefunden", "nicht geprüft",
        "Von Ibidem geprüft: Die Dokumente belegen {supported} von {all} Sätzen.",
        "Herausgenommen: {removed}.",
        "Ibidem prüft die Sätze",
        "Ibidem konnte diese Antwort nicht prüfen, darum wird sie nicht gezeigt. Fragen Sie Ihre Verwaltung.",
        {
            "": "Ungeprüft: {unchecked}.",
            "unreachable": "Ungeprüft: {unchecked} (Ibidem ist nicht erreichbar).",
            "refused": "Ungeprüft: {unchecked} (Ibidem hat die Anfrage abgelehnt; fragen Sie Ihre Verwaltung).",
            "time": "Ungeprüft: {unchecked} (die Zeit war zu kurz).",
            "size": "Ungeprüft: {unchecked} (der Text ist zu lang).",
        },
    ),
}  # fmt: skip


# Where the texts that came along were the evidence, nothing is said of the documents.
WORDS_OF_TEXTS = {
    "en": replace(
        WORDS["en"], contradicted="the sources say otherwise", unsupported="not found in the sources",
        notice="Checked by Ibidem: the sources of this conversation, not documents of Ibidem, bear out {supported} of {all} sentences.",
    ),
    "de": replace(
        WORDS["de"], contradicted="die Quellen sagen es anders", unsupported="nicht in den Quellen gefunden",
        notice="Von Ibidem geprüft: Die Quellen dieses Gesprächs, nicht Dokumente von Ibidem, belegen {supported} von {all} Sätzen.",
    ),
}  # fmt: skip


def rendered(
    checked: CheckedText, *, remove: bool = False, fail_closed: bool = True, language: str = "en", of_texts: bool = False
) -> str:
    """The text with a notice in front, of documents or, with `of_texts`, of texts that came along. What is not borne out is marked, or taken out; with `fail_closed`, what could not
    be checked is taken out in either case. Marks stand before a sentence: markup that hides one hides the other."""
    each = WORDS_OF_TEXTS if of_texts else WORDS
    words = each.get(language, each["en"])
    if not checked.count():
        return "".join(piece.lead + piece.text for piece in checked.pieces)
    text, removed, waiting = "", 0, ""
    for piece in checked.pieces:
        # The lead of an item whose beginning was taken out waits for what is left of the item.
        lead = piece.lead or waiting
        waiting = ""
        if piece.claim and (fail_closed if piece.verdict == "unchecked" else remove and piece.verdict != "supported"):
            removed += 1
            ends_line = piece.text.endswith("\n")
            waiting = "" if ends_line else lead
            text += "\n" if ends_line and not lead else ""
        elif piece.claim and piece.verdict in ("contradicted", "unsupported"):
            mark = f"**({getattr(words, piece.verdict)})** "
            text += lead + mark + ("\n" if FENCE.match(piece.text) else "") + piece.text
        else:
            text += lead + piece.text
    counts = {"supported": checked.count("supported"), "all": checked.count(), "removed": removed}
    unchecked = checked.count("unchecked")
    notice = [words.notice.format(**counts)]
    notice += [words.why.get(checked.why_unchecked, words.why[""]).format(unchecked=unchecked)] if unchecked else []
    notice += [words.removed.format(**counts)] if removed else []
    return f"> {' '.join(notice)}\n\n{text}"


def unmarked(text: str) -> str:
    """A text that was rendered, without its notice and marks: for a model that goes on with the conversation."""
    for words in (*WORDS.values(), *WORDS_OF_TEXTS.values()):
        text = re.sub(rf"\A> {re.escape(words.notice.split('{')[0])}[^\n]{{0,1000}}\n\n", "", text)
        for mark in (words.contradicted, words.unsupported):
            text = text.replace(f"**({mark})** ", "")
    return text


"""Joins the two: a whole text checked by a server."""

import re
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any


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
# --- end of clients/python ---

import asyncio
import hashlib
import logging
from collections import OrderedDict
from typing import Any, Literal

from pydantic import BaseModel, Field

log = logging.getLogger("ibidem_filter")



def _parts(content: Any) -> list[dict[str, Any]]:
    parts = content if isinstance(content, list) else []
    return [part for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]


def _outputs(message: dict[str, Any]) -> list[dict[str, Any]]:
    output = message.get("output")
    items = output if isinstance(output, list) else []
    return [part for item in items if isinstance(item, dict) and item.get("type") == "message" for part in _parts(item.get("content"))]


def text_of(message: dict[str, Any]) -> str:
    """What an answer says: its output where it has one, which is what Open WebUI shows, otherwise its content."""
    parts = _outputs(message) or _parts(message.get("content"))
    content = message.get("content")
    return "\n".join(part["text"] for part in parts) if parts else content if isinstance(content, str) else ""


def texts_brought(sources: Any) -> list[tuple[str, str]]:
    """The texts of an answer's sources under their names: files, knowledge and pages. What other tools returned is none of
    them, since it may repeat what the model told the tool; neither is a text that is only the name."""
    texts = []
    for one in sources[:100] if isinstance(sources, list) else []:
        source, documents, notes = (one.get(name) for name in ("source", "document", "metadata")) if isinstance(one, dict) else (None,) * 3
        of_tool = not isinstance(source, dict) or source.get("type") == "tool" or one.get("tool_result")
        for position, text in enumerate(documents[:100] if isinstance(documents, list) and not of_tool else []):
            note = notes[position] if isinstance(notes, list) and position < len(notes) else None
            name = (note.get("name") if isinstance(note, dict) else None) or source.get("name")
            name = name if isinstance(name, str) else ""
            if isinstance(text, str) and text.strip() not in ("", name.strip()):
                texts.append((name, text))
    return texts[:MOST_TEXTS]


def write_text(message: dict[str, Any], text: str) -> None:
    """Puts `text` in place of all that the answer says, in each form that Open WebUI might show."""
    for parts in (_outputs(message), _parts(message.get("content"))):
        for part in parts:
            part["text"] = ""
        if parts:
            parts[-1]["text"] = text
    if not _parts(message.get("content")):
        message["content"] = text


class Filter:
    class Valves(BaseModel):
        priority: int = Field(default=100, description="Order among filters. A check belongs after filters that change the answer.")
        url: str = Field(default="", description="Address of Ibidem, for example https://ibidem.example.org")
        key: str = Field(
            default="", description="API key of Ibidem. Whoever uses the chat learns what its documents bear out.",
            json_schema_extra={"input": {"type": "password"}},
        )  # fmt: skip
        collections: str = Field(default="", description="Only these collections, separated by commas; all if empty.")
        against: Literal["sources", "documents"] = Field(
            default="sources",
            description="sources: the passages of Ibidem that the answer's sources name; where they name none, the sources' "
            "own texts; where there are none, a search in Ibidem. documents: always a search in Ibidem.",
        )
        remove: bool = Field(default=False, description="Take out what the documents do not bear out, instead of marking it.")
        fail_closed: bool = Field(default=True, description="Take out what could not be checked. Otherwise it stays, and a notice says so.")
        language: Literal["en", "de"] = Field(default="en", description="Language of marks and notices.")
        seconds: float = Field(default=30.0, gt=0, le=600, description="Time limit for one answer.")
        sentences: int = Field(default=40, ge=1, le=500, description="At most so many sentences of an answer are checked.")
        parallel: int = Field(default=4, ge=1, le=16, description="Requests to Ibidem at a time.")

    def __init__(self) -> None:
        self.valves = self.Valves()
        # Digests of what this filter wrote: an answer that comes again is not checked again.
        self.written: OrderedDict[bytes, None] = OrderedDict()

    async def inlet(self, body: dict) -> dict:
        """Takes notices and marks out of earlier answers, so that the model does not imitate them."""
        messages = body.get("messages") if isinstance(body, dict) else None
        for message in messages if isinstance(messages, list) else []:
            if isinstance(message, dict) and message.get("role") == "assistant" and isinstance(message.get("content"), str):
                message["content"] = unmarked(message["content"])
        return body

    async def outlet(self, body: dict, __event_emitter__: Any = None) -> dict:
        """Checks the newest answer. Open WebUI swallows what a filter raises and shows the answer, so this raises nothing."""
        messages = body.get("messages") if isinstance(body, dict) else None
        answers = [
            message for message in (messages if isinstance(messages, list) else [])
            if isinstance(message, dict) and message.get("role") == "assistant"
        ]  # fmt: skip
        answers = [message for message in answers if body.get("id") and message.get("id") == body["id"]] or answers[-1:]
        for message in answers:
            valves = self.valves
            try:
                await self._check(message, valves, __event_emitter__)
            except Exception as error:
                # Only the kind: a message might quote what was sent.
                log.error("an answer could not be checked: %s", type(error).__name__)
                if valves.fail_closed:
                    write_text(message, f"> {WORDS[valves.language].failed}")
                await _say(__event_emitter__, valves.language, True)
        return body

    async def _check(self, message: dict, valves: "Filter.Valves", emit: Any) -> None:
        text = text_of(message)
        if not text.strip() or self._digest(text) in self.written:
            return
        await _say(emit, valves.language, False)
        try:
            ibidem = Client(valves.url, valves.key, timeout=valves.seconds)
        except ValueError as error:
            log.error("a setting of the filter is wrong: %s", error)  # It names neither the key nor the address.
            raise
        brought = message.get("sources") if valves.against == "sources" else None
        sources = passages_named(brought)
        texts = [] if sources else texts_brought(brought)
        among = [name.strip() for name in valves.collections.split(",") if name.strip()]
        limits = Limits(seconds=valves.seconds, sentences=valves.sentences, parallel=valves.parallel)
        checked = await asyncio.to_thread(check_text, verdicts_by(ibidem, sources, among, texts), text, limits)
        how = {"remove": valves.remove, "fail_closed": valves.fail_closed, "language": valves.language}
        new = rendered(checked, of_texts=bool(texts), **how)
        write_text(message, new)
        self.written[self._digest(new)] = None
        while len(self.written) > 1000:
            self.written.popitem(last=False)
        await _say(emit, valves.language, True)

    @staticmethod
    def _digest(text: str) -> bytes:
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


async def _say(emit: Any, language: str, done: bool) -> None:
    """Shows that the check goes on. When it is done, the notice in the answer says what came of it."""
    if not callable(emit):
        return
    try:
        await emit({"type": "status", "data": {"description": WORDS[language].asking, "done": done, "hidden": done}})
    except Exception:  # A browser that has gone is no reason not to check.
        log.debug("the status could not be shown")
