"""Questions on notes of our own: notes that were written out (`lab/training/own/questions`), and notes composed of what
may be said of what (`lab/training/own/facts.txt`).

Both ask in other words than the note's, yes or no, how many, who. What a note does not answer is near to what it does: of
the same thing something else is asked, or the same of another thing.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from . import facts, folders
from .near import Near
from .rules import Asked
from .texts import sentences

OWN = folders.REPOSITORY / "lab/training/own/questions"
# Notes whose rows are a file of their own, so that a recipe can give them a share: by how their file's name begins.
FILES = {"casual_": "casual", "tables_": "figures"}


@dataclass
class Note:
    heading: str
    text: str
    held_out: bool
    # Wordings, and where the answer stands in the text: nowhere, where it is not answered or no stretch is the answer.
    asked: list[tuple[list[str], bool, tuple[int, int] | None]] = field(default_factory=list)
    # The file of rows that it goes to, where that is one of its own.
    file: str = ""

    @property
    def document(self) -> str:
        return self.heading.rsplit(": ", 1)[0]

    @property
    def section(self) -> str:
        return self.heading.rsplit(": ", 1)[-1]


def all_notes() -> list[Note]:
    return [note for path in sorted(OWN.glob("*.txt")) for note in notes(path)]


def notes(path: Path) -> list[Note]:
    found: list[Note] = []
    told = {note.heading: note for note in facts.notes()}
    file = next((name for begins, name in FILES.items() if path.name.startswith(begins)), "")
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        sign, _, rest = line.partition(" ")
        if not line.strip() or sign == "#" or line == "#":
            continue
        if sign in ("@", "@@"):
            found.append(Note(rest, "", sign == "@@", file=file))
        elif sign == "@&":  # a note of the verifier's file
            found.append(Note(rest, told[rest].text, told[rest].held_out))
        elif sign in ("=", "!"):
            wordings, _, answer = rest.partition("||")
            span = None
            if answer.strip():
                at = found[-1].text.find(answer.strip())
                if at < 0:
                    raise ValueError(f"line {number} of {path.name}: the note does not have the answer {answer.strip()!r}")
                span = (at, at + len(answer.strip()))
            found[-1].asked.append(([one.strip() for one in wordings.split("//")], sign == "=", span))
        else:
            found[-1].text = f"{found[-1].text}\n{line}".strip()
    return found


GERMAN = re.compile(r"\b(?:übernimmt|welche|gilt|bis|von|wie|wer|wann|was|wo|darf|muss|kann|ich|der|die|das|ist|für|mein|werden|wird|gibt)\b", re.IGNORECASE)


def kind(question: str, passage: str) -> str:
    if len(GERMAN.findall(question)) > 1 or re.match(r"(?:Wie|Wer|Wann|Wo|Darf|Muss|Wem|Bis) |Was (?!there|the|it|this)", question):
        return "German" if len(GERMAN.findall(passage)) > 3 else "German on English"
    if " | " in passage:
        return "table"
    last = sentences(question)[-1] if sentences(question) else question
    if re.match(r"(?:is|are|do|does|did|may|can|must|will|should|was|were|am|has)\b", last, re.IGNORECASE):
        return "yes or no"
    return "in other words" if len(sentences(question)) > 1 else "direct"


def parts_of(text: str) -> list[tuple[int, int]]:
    """Where the sentences, items and rows of a note stand."""
    found = []
    for line in re.finditer(r"[^\n]+", text):
        at = line.start()
        for one in sentences(line.group()) or [line.group()]:
            begin = text.find(one, at)
            if begin < 0:
                continue
            found.append((begin, begin + len(one)))
            at = begin + len(one)
    return found


# Said before a question, it changes nothing.
OPENINGS = [
    "Hello, I have a question.", "I am new here.", "A colleague asked me this:", "My boss wants to know:", "I could not find it.", "Somebody called about this.",
    "We were wondering.", "I work in the Berlin office.", "It is urgent.", "I was told to look here.",
]  # fmt: skip


class Written:
    """Rows of the notes that were written out: as they are, in other surroundings, and without what answers."""

    def __init__(self, known: list[Note], dice: random.Random):
        self.known, self.dice = known, dice
        self.near = Near([f"{note.heading} {note.text}" for note in known])
        self.documents: dict[str, list[Note]] = {}
        for note in known:
            self.documents.setdefault(note.document, []).append(note)

    def is_section(self, note: Note) -> bool:
        return len(self.documents[note.document]) > 2

    def in_context(self, note: Note, text: str) -> tuple[str, int]:
        """With the line above that the product puts there, and how far that moves the text."""
        both = f"{note.heading}\n{note.section}\n\n"
        above = self.dice.choice([f"{note.heading}\n", both, both, f"{note.document}\n{note.section}\n", ""])
        if not text.startswith(("-", "1.")) and "\n" not in text and not above:
            return text, 0
        above = above or f"{note.heading}\n"
        return above + text, len(above)

    def joined(self, note: Note, text: str) -> tuple[str, int]:
        """Now and then with another note before or behind it."""
        chance = self.dice.random()
        if chance > 0.25:
            return text, 0
        other = self.dice.choice([one for one in self.known if one is not note])
        beside = f"{other.section}\n{other.text}"
        return (f"{beside}\n\n{text}", len(beside) + 2) if chance < 0.1 else (f"{text}\n\n{beside}", 0)

    def rows(self, note: Note) -> Iterator[Asked]:
        dice = self.dice
        # Documents of several sections have enough that does not answer.
        often = 0.25 if self.is_section(note) else 0.5
        for wordings, answered, span in note.asked:
            for question in wordings:
                what = kind(question, note.text)
                yield self.row(note, note.text, question, answered, span, what)
                if answered and span and dice.random() < often and (without := self.without(note.text, span)):
                    yield self.row(note, without, question, False, None, f"{what}, removed")
                if answered and span and dice.random() < 0.35:
                    shorter, moved = self.shortened(note.text, span)
                    yield self.row(note, shorter, question, True, moved, what)
                if answered and span and dice.random() < 0.6:
                    yield self.quoted(note, question, span, dice.random() < 0.6, what)
                if dice.random() < (often if answered else 0.1) and (other := self.other(note, question)):
                    yield self.row(other, other.text, question, False, None, f"{what}, another note")
                yield from self.by_title(note, question, answered, what)

    def by_title(self, note: Note, question: str, answered: bool, what: str) -> Iterator[Asked]:
        """What has the right title and not the answer: other sections of the same document, and another text under the
        title of the note that answers."""
        others = [one for one in self.documents[note.document] if one is not note]
        # Of a question that nothing answers, the other sections are asked less often.
        for other in self.dice.sample(others, min(len(others), 2 if answered else 1)) if answered or self.dice.random() < 0.3 else []:
            yield self.row(other, other.text, question, False, None, f"{what}, another section", alone=True)
        if answered and self.dice.random() < (0.1 if others else 0.3):
            other = self.dice.choice([one for one in self.known if one.document != note.document])
            titled = Note(f"{note.document}: {other.section}" if self.dice.random() < 0.5 else note.heading, other.text, note.held_out)
            yield self.row(titled, other.text, question, False, None, f"{what}, title alone", alone=True)

    def quoted(self, note: Note, question: str, span: tuple[int, int], answered: bool, what: str) -> Asked:
        """One sentence of a note alone, as a finished answer is read: a row with the names of its columns, an item with
        its heading."""
        places = parts_of(note.text)
        own = next(place for place in places if place[0] <= span[0] < place[1])
        others = [place for place in places[1 if " | " in note.text else 0 :] if place != own and place[1] <= span[0] or place[0] >= span[1]]
        chosen = own if answered or not others else self.dice.choice(others)
        said = note.text[chosen[0] : chosen[1]]
        above = ""
        if " | " in said and chosen != places[0]:
            above = note.text[: note.text.index("\n")] + ": "
        elif said.startswith(("- ", "1. ", "2. ", "3. ", "4. ")) or self.dice.random() < 0.3:
            above = note.section + ": "
        if self.dice.random() < 0.6:
            above = f"{note.heading}\n{above}"
        passage = above + said
        if chosen != own:
            return Asked(passage, question, False, None, f"written: {what}, another sentence")
        end = min(span[1], own[1])
        return Asked(passage, question, True, (len(above) + span[0] - own[0], len(above) + end - own[0]), f"written: {what}, one sentence")

    def row(self, note: Note, text: str, question: str, answered: bool, span, what: str, *, alone: bool = False) -> Asked:
        if self.dice.random() < 0.08:
            question = f"{self.dice.choice(OPENINGS)} {question}"
        text, by = (text, 0) if alone else self.joined(note, text)
        passage, more = self.in_context(note, text)
        moved = (span[0] + by + more, span[1] + by + more) if span else None
        return Asked(passage, question, answered, moved, f"written: {what}")

    def other(self, note: Note, question: str) -> Note | None:
        best = [self.known[at] for at in self.near.best(question, 4, rarest=None) if self.known[at] is not note]
        best = [one for one in best if one.document != note.document]
        return self.dice.choice(best) if best else None

    def without(self, text: str, span: tuple[int, int]) -> str | None:
        places = parts_of(text)
        kept = [place for place in places if place[1] <= span[0] or place[0] >= span[1]]
        if len(kept) < 2 or len(kept) == len(places):
            return None
        return self.put_together(text, kept)[0]

    def shortened(self, text: str, span: tuple[int, int]):
        """Answered still: some of what does not matter goes."""
        places = parts_of(text)
        table = " | " in text
        needed = [at for at, place in enumerate(places) if place[0] < span[1] and place[1] > span[0]]
        drop = {at for at in range(len(places)) if at not in needed and not (table and at == 0) and at + 1 not in needed[:1] and self.dice.random() < 0.4}
        kept = [place for at, place in enumerate(places) if at not in drop]
        shorter, moves = self.put_together(text, kept)
        by = next((new - old for (old, end), new in zip(kept, moves, strict=True) if old <= span[0] < end), None)
        return (text, span) if by is None else (shorter, (span[0] + by, span[1] + by))

    @staticmethod
    def put_together(text: str, kept: list[tuple[int, int]]) -> tuple[str, list[int]]:
        made, moves, last = "", [], None
        for begin, end in kept:
            if last is not None:
                made += "\n" if "\n" in text[last:begin] else " "
            moves.append(len(made))
            made += text[begin:end]
            last = end
        return made, moves


FIRST = re.compile(r"^(are|must|may|can|should|will|were|was) (?:(not|never|no longer) )?")


def asked_whether(subject: str, said: str) -> str | None:
    """A statement about many things, asked as yes or no."""
    if match := re.match(r"(?:need not|must not|cannot) ", said):
        first = {"need not ": "Do {} have to ", "must not ": "May {} ", "cannot ": "Can {} "}[match.group()]
        return first.format(subject) + said[match.end() :] + "?"
    if match := FIRST.match(said):
        return f"{match.group(1).capitalize()} {subject} {said[match.end() :]}?"
    if match := re.match(r"(?:do not|never) ", said):
        return f"Do {subject} {said[match.end() :]}?"
    if re.match(r"(?:have|need|cost|get|receive|require|allow|count|stay|lie|stand|hold|contain|work|come|appear|wear|give|choose|use|include|carry|[a-z]+) ", said):
        return f"Do {subject} {said}?"
    return None


LIMIT = re.compile(r"\b(?:up to|at most|at least|no more than|no later than|no less than|less than|more than|about) $")
BEFORE = re.compile(r"(.*?)\b(within|after|every|for|below|above|in|with|by|until|on|once in|once every|at intervals of) $")
LONG = {"for": "How long", "every": "How often", "once in": "How often", "once every": "How often", "at intervals of": "How often", "within": "By when", "after": "When"}


def turned(subject: str, said: str) -> str | None:
    """The words of a statement without its figure, in the order of a question."""
    said = said.strip()
    if match := re.match(r"(are|must|may|can|should|will)\b ?", said):
        return f"{match.group(1)} {subject} {said[match.end() :]}".strip()
    if re.match(r"(?:cannot|need not|must not|do not)\b", said):
        return None
    return f"do {subject} {said}".strip()


def asked_how_many(subject: str, wording: str, dice: random.Random) -> str | None:
    before, _, after = wording.partition("{n}")
    before = LIMIT.sub("", before)
    unit = after.strip()
    if not unit or before.rstrip().endswith(" of") or "{n}" in after:
        return None
    if match := BEFORE.match(before):
        rest = turned(subject, match.group(1))
        if not rest:
            return None
        if match.group(2) in LONG and dice.random() < 0.5:
            return f"{LONG[match.group(2)]} {rest}?"
        return f"{match.group(2).capitalize()} how many {unit} {rest}?" if "once" not in match.group(2) and "interval" not in match.group(2) else None
    rest = turned(subject, before)
    return f"How many {unit} {rest}?" if rest else None


def asked_who(subject: str, said: str) -> str | None:
    if match := re.match(r"(are|may|must|can)\b (.*) by ((?:the|an?|two|nobody|hr)\b.*)$", said, re.IGNORECASE):
        return f"Who {match.group(1)} {subject} {match.group(2)} by?"
    return None


class Composed:
    """Notes of facts, and questions on who does what."""

    def __init__(self, known: list[facts.Matter], dice: random.Random):
        self.known, self.dice = known, dice
        self.composer = facts.Composer(known, dice)

    def question(self, matter: facts.Matter, subject: int, predicate: int) -> str | None:
        dice = self.dice
        name = dice.choice(matter.subjects[subject])
        said, denied = matter.predicates[predicate]
        wording = dice.choice(said if dice.random() < 0.7 or not denied else denied)
        if "{n}" in wording:
            return asked_how_many(name, wording, dice)
        if dice.random() < 0.5 and (who := asked_who(name, wording)):
            return who
        return asked_whether(name, wording)

    def rows(self) -> Iterator[Asked]:
        dice = self.dice
        which = dice.randrange(len(self.known))
        matter = self.known[which]
        told = self.composer.facts(which)
        lines, places = [], []
        denials = [dice.random() < 0.3 and bool(matter.predicates[fact.predicate][1]) for fact in told]
        table = dice.random() < 0.12
        for fact, denial in zip(told, denials, strict=True):
            said = self.composer.predicate(fact, denial)
            name = self.composer.subject(fact, dice.random() < 0.7)
            lines.append(f"{facts.opened(name)} | {said}" if table else f"{facts.opened(name)} {said}.")
            places.append((fact, len(name) + (3 if table else 1), said))
        body, starts = "", []
        separator = dice.choice(["\n", "\n- "]) if table or dice.random() < 0.25 else " "
        for line in lines:
            body += separator if body else ("- " if separator == "\n- " else "")
            starts.append(len(body))
            body += line
        heading = dice.choice([f"{matter.title}: {dice.choice(matter.sections)}\n", f"{matter.title}\n", ""])
        spans = {(fact.subject, fact.predicate): (len(heading) + at + by, len(heading) + at + by + len(said)) for at, (fact, by, said) in zip(starts, places, strict=True)}
        passage = heading + body
        known = {(fact.subject, fact.predicate) for fact in told}
        for fact in dice.sample(told, min(2, len(told))):
            if question := self.question(matter, fact.subject, fact.predicate):
                yield Asked(passage, question, True, spans[fact.subject, fact.predicate], "facts: said")
        # What is said of another thing; what is not said of this one.
        crossed = [(one.subject, other.predicate) for one in told for other in told if (one.subject, other.predicate) not in known]
        unsaid = [(one.subject, at) for one in told for at in range(len(matter.predicates)) if all(at != other.predicate for other in told)]
        for among, why in ((crossed, "of another"), (unsaid, "something else")):
            if among and (question := self.question(matter, *dice.choice(among))):
                yield Asked(passage, question, False, None, f"facts: {why}")


def rows(dice: random.Random, composed: int, every: int = 1) -> Iterator[tuple[str, str, bool, Asked]]:
    """(file, group, held out, row) of everything that is ours; of the notes that were written out, every so many-th."""
    known = all_notes()[::every]
    for part in (True, False):
        chosen = [note for note in known if note.held_out is part]
        written = Written(chosen, dice)
        for note in chosen:
            for row in written.rows(note):
                yield note.file or ("sections" if written.is_section(note) else "written"), f"questions/{note.heading}", part, row
        maker = Composed([matter for matter in facts.matters() if matter.held_out is part], dice)
        for number in range(composed // 12 if part else composed):
            for row in maker.rows():
                yield "own", f"facts/{number}", part, row
