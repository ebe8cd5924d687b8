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
