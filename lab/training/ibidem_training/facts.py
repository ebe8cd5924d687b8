"""Passages and claims of our own, composed of what may be said of what (`lab/training/own/facts.txt`).

Every predicate may be said of every subject of its matter, and subjects and predicates have several wordings. So a claim
can be true in other words than the passage's, and false in the passage's own words: what one note says of one thing, said
of another. Words in common tell nothing; who does what does.
"""

import random
from dataclasses import dataclass
from pathlib import Path

from . import edits, folders
from .rules import Claimed

OWN = folders.REPOSITORY / "lab/training/own/facts.txt"
SUPPORTED, CONTRADICTED, NOT_SAID = 0, 1, 2
SPELLED = dict(zip(range(2, 13), edits.NUMBER_WORDS, strict=False))
TAILS = [
    "in every branch", "since the reform of 2011", "as in most other countries", "because the law demands it", "to save money",
    "which has worked well so far", "after a decision of the council", "except on public holidays", "at the request of the staff",
    "which nobody else does", "for reasons of safety", "with very few exceptions", "as experts recommend", "in order to win new customers",
    "which is checked by an outside firm", "following several complaints", "although this is disputed", "even in the holidays",
]
BONDS = [" because they ", ", which is why they ", " only if they ", " unless they ", " as soon as they "]


@dataclass
class Matter:
    title: str
    sections: list[str]
    held_out: bool
    subjects: list[list[str]]
    # Wordings, and wordings of the opposite.
    predicates: list[tuple[list[str], list[str]]]


@dataclass(frozen=True)
class Fact:
    matter: int
    subject: int
    predicate: int
    number: int


def matters(path: Path = OWN) -> list[Matter]:
    found: list[Matter] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        sign, _, rest = line.partition(" ")
        if not line.strip() or sign == "#" or line == "#":
            continue
        if sign in ("@", "@@"):
            title, *sections = (part.strip() for part in rest.split("|"))
            found.append(Matter(title, sections, sign == "@@", [], []))
        elif sign == "+":
            found[-1].subjects.append(wordings(rest))
        elif sign == "-":
            said, _, denied = rest.partition("||")
            found[-1].predicates.append((wordings(said), wordings(denied)))
        else:
            raise ValueError(f"line {number} of {path.name} is none of a matter, a subject and a predicate: {line}")
    return found


def wordings(text: str) -> list[str]:
    return [one.strip() for one in text.split(" / ") if one.strip()]


def opened(text: str) -> str:
    return text[:1].upper() + text[1:]


@dataclass
class Note:
    heading: str
    text: str
    held_out: bool
    # Each with the stretches that are false; none of what follows from the note.
    claims: list[tuple[str, list[tuple[int, int]]]]


def notes(folder: Path = OWN.parent) -> list[Note]:
    """Notes that were written out, with claims in other words that follow from them and such that do not."""
    found: list[Note] = []
    files = [folder / "notes.txt", *sorted((folder / "claims").glob("*.txt"))]
    for line in (line for path in files for line in path.read_text(encoding="utf-8").splitlines()):
        if not line.strip() or line.startswith("#"):
            continue
        sign, _, rest = line.partition(" ")
        if sign in ("@", "@@"):
            found.append(Note(rest, "", sign == "@@", []))
        elif sign == "+":
            found[-1].claims.append((rest, []))
        elif sign == "-":
            claim, _, words = rest.partition(" | ")
            spans = []
            for stretch in words.split("; "):
                at = claim.index(stretch, spans[-1][1] if spans else 0)
                spans.append((at, at + len(stretch)))
            found[-1].claims.append((claim, spans))
        else:
            # A row of a table stays a line.
            before = found[-1].text.rpartition("\n")[2]
            between = "\n" if line.startswith("|") or before.startswith("|") else " "
            found[-1].text = f"{found[-1].text}{between}{line}".strip()
    return found


class Composer:
    def __init__(self, known: list[Matter], dice: random.Random):
        self.known, self.dice = known, dice

    def number(self) -> int:
        return self.dice.choice([2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 18, 20, 21, 24, 25, 28, 30, 36, 40, 45, 48, 60, 75, 80, 90, 100, 120, 150])

    def subject(self, fact: Fact, first: bool = False) -> str:
        among = self.known[fact.matter].subjects[fact.subject]
        return among[0] if first else self.dice.choice(among)

    def predicate(self, fact: Fact, denied: bool = False) -> str:
        return self.filled(self.dice.choice(self.known[fact.matter].predicates[fact.predicate][denied]), fact.number)

    def filled(self, wording: str, number: int) -> str:
        written = SPELLED[number] if number in SPELLED and self.dice.random() < 0.4 else str(number)
        return wording.replace("{n}", written)

    def has_number(self, fact: Fact) -> bool:
        return "{n}" in self.known[fact.matter].predicates[fact.predicate][0][0]

    def facts(self, which: int) -> list[Fact]:
        """What a note says: a few subjects, and of each something; now and then the same of two, with other figures."""
        dice, matter = self.dice, self.known[which]
        subjects = dice.sample(range(len(matter.subjects)), dice.randint(2, min(3, len(matter.subjects))))
        predicates = dice.sample(range(len(matter.predicates)), dice.randint(3, min(5, len(matter.predicates))))
        found = [Fact(which, subjects[at % len(subjects)], predicate, self.number()) for at, predicate in enumerate(predicates)]
        if dice.random() < 0.5:
            twice = dice.choice(found)
            other = dice.choice([one for one in subjects if one != twice.subject])
            same = not self.has_number(twice)
            found.append(Fact(which, other, twice.predicate, twice.number if same else self.number()))
        return found

    def note(self, facts: list[Fact]) -> str:
        dice, matter = self.dice, self.known[facts[0].matter]
        told, parts = facts[:], []
        if dice.random() < 0.4:
            dice.shuffle(told)
        else:
            told.sort(key=lambda fact: fact.subject)
        while told:
            fact = told.pop(0)
            follows = told[0] if told else None
            subject, said = self.subject(fact, dice.random() < 0.7), self.predicate(fact)
            chance = dice.random()
            if follows and follows.subject == fact.subject and chance < 0.35:
                told.pop(0)
                parts.append(f"{opened(subject)} {said} and {self.predicate(follows)}.")
            elif follows and follows.subject == fact.subject and chance < 0.65:
                told.pop(0)
                parts.append(f"{opened(subject)} {said}. They {self.predicate(follows)}.")
            elif follows and follows.subject != fact.subject and chance < 0.2:
                told.pop(0)
                parts.append(f"{opened(subject)} {said}, while {self.subject(follows)} {self.predicate(follows)}.")
            else:
                parts.append(f"{opened(subject)} {said}.")
        body = "\n".join(f"- {part}" for part in parts) if dice.random() < 0.12 else " ".join(parts)
        section = dice.choice(matter.sections)
        heading = dice.choice([f"{matter.title}: {section}\n", f"{matter.title} › {section}\n", f"{matter.title}\n", "", "", ""])
        return heading + body

    def claims(self):
        """One premise of one to three notes, and what may be claimed of it."""
        dice = self.dice
        which = dice.randrange(len(self.known))
        facts = self.facts(which)
        notes = [facts[: len(facts) // 2], facts[len(facts) // 2 :]] if len(facts) > 3 and dice.random() < 0.5 else [facts]
        told = [self.note(note) for note in notes if note]
        if len(self.known) > 1 and dice.random() < 0.3:
            other = dice.choice([one for one in range(len(self.known)) if one != which])
            told.insert(dice.randint(0, len(told)), self.note(self.facts(other)[:3]))
        premise = "\n".join(told)
        for kind, label, claim, spans in [*self.faithful(facts), *self.false(which, facts)]:
            if dice.random() < 0.1:
                longer = edits.opened(claim[:1].lower() + claim[1:], dice, premise)[0]
                claim, spans = edits.shifted((longer, spans), len(longer) - len(claim))
            yield Claimed(premise, claim, label, spans, kind)

    def faithful(self, facts: list[Fact]):
        dice = self.dice
        fact = dice.choice(facts)
        yield "faithful, reworded", SUPPORTED, f"{opened(self.subject(fact))} {self.predicate(fact)}.", []
        pairs = [(one, other) for at, one in enumerate(facts) for other in facts[at + 1 :]]
        same = [(one, other) for one, other in pairs if one.subject == other.subject]
        apart = [(one, other) for one, other in pairs if one.subject != other.subject]
        if same and dice.random() < 0.7:
            one, other = dice.sample(dice.choice(same), 2)
            joint = dice.choice([" and ", ", and they ", " and also "])
            yield "faithful, two facts of one", SUPPORTED, f"{opened(self.subject(one))} {self.predicate(one)}{joint}{self.predicate(other)}.", []
        if apart and dice.random() < 0.7:
            one, other = dice.sample(dice.choice(apart), 2)
            joint = dice.choice([", while ", ", and ", "; ", ", whereas "])
            yield "faithful, two facts", SUPPORTED, f"{opened(self.subject(one))} {self.predicate(one)}{joint}{self.subject(other)} {self.predicate(other)}.", []
        both = [(one, other) for one, other in apart if one.predicate == other.predicate and (one.number == other.number or not self.has_number(one))]
        if both:
            one, other = dice.choice(both)
            yield "faithful, both", SUPPORTED, f"Both {self.subject(one)} and {self.subject(other)} {self.predicate(one)}.", []

    def false(self, which: int, facts: list[Fact]):
        dice, matter = self.dice, self.known[which]
        said = {(fact.subject, fact.predicate) for fact in facts}
        # Of one, what is said only of another.
        moved = [(mine, other) for mine in facts for other in facts if (mine.subject, other.predicate) not in said]
        made = []
        if moved:
            mine, other = dice.choice(moved)
            subject, predicate = opened(self.subject(mine)), self.predicate(other)
            claim = f"{subject} {predicate}."
            made.append(("merged", NOT_SAID, claim, [(len(subject) + 1, len(claim) - 1)]))
            mine, other = dice.choice(moved)
            head = f"{opened(self.subject(mine))} {self.predicate(mine)}{dice.choice([' and ', ', and they ', ' and also '])}"
            claim = f"{head}{self.predicate(other)}."
            made.append(("merged half", NOT_SAID, claim, [(len(head), len(claim) - 1)]))
            crossed = [(one, two) for one, two in moved if one.subject != two.subject and (two.subject, one.predicate) not in said]
            if crossed:
                one, two = dice.choice(crossed)
                first, joint = f"{opened(self.subject(one))} ", f"{dice.choice([', while ', ', and ', ', whereas '])}{self.subject(two)} "
                left, right = self.predicate(two), self.predicate(one)
                claim = f"{first}{left}{joint}{right}."
                made.append(("exchanged", NOT_SAID, claim, [(len(first), len(first) + len(left)), (len(first + left + joint), len(claim) - 1)]))
            mine, other = dice.choice(moved)
            if mine.subject != other.subject:
                head, strange = f"Both {self.subject(other)} and ", self.subject(mine)
                made.append(("both, but one is not", NOT_SAID, f"{head}{strange} {self.predicate(other)}.", [(len(head), len(head) + len(strange))]))
        figures = [fact for fact in facts if self.has_number(fact)]
        if figures:
            fact = dice.choice(figures)
            others = [one.number for one in facts if self.has_number(one) and one.number != fact.number]
            wrong = dice.choice(others) if others and dice.random() < 0.7 else dice.choice([one for one in (fact.number + 1, fact.number * 2, fact.number + 10) if one != fact.number])
            subject = opened(self.subject(fact))
            wording = dice.choice([one for one in matter.predicates[fact.predicate][0] if "{n}" in one])
            at = len(subject) + 1 + wording.index("{n}")
            written = self.filled("{n}", wrong)
            made.append(("figure of another", CONTRADICTED, f"{subject} {wording.replace('{n}', written)}.", [(at, at + len(written))]))
        fact = dice.choice(facts)
        if matter.predicates[fact.predicate][1]:
            subject, denied = opened(self.subject(fact)), self.predicate(fact, True)
            made.append(("denied", CONTRADICTED, f"{subject} {denied}.", [(len(subject) + 1, len(subject) + 1 + len(denied))]))
        unsaid = [one for one in range(len(matter.predicates)) if all(fact.predicate != one for fact in facts)]
        if unsaid:
            fact = dice.choice(facts)
            subject, strange = opened(self.subject(fact)), self.predicate(Fact(which, fact.subject, dice.choice(unsaid), self.number()))
            made.append(("not said", NOT_SAID, f"{subject} {strange}.", [(len(subject) + 1, len(subject) + 1 + len(strange))]))
        fact = dice.choice(facts)
        head, tail = f"{opened(self.subject(fact))} {self.predicate(fact)}", dice.choice(TAILS)
        comma = "," if tail.startswith(("which", "although", "as ", "except")) else ""
        made.append(("invented detail", NOT_SAID, f"{head}{comma} {tail}.", [(len(head) + len(comma) + 1, len(head) + len(comma) + 1 + len(tail))]))
        same = [(one, two) for one in facts for two in facts if one != two and one.subject == two.subject]
        if same:
            one, two = dice.choice(same)
            head, bond = f"{opened(self.subject(one))} {self.predicate(one)}", dice.choice(BONDS)
            made.append(("false bond", NOT_SAID, f"{head}{bond}{self.predicate(two)}.", [(len(head) + len(bond) - len(bond.lstrip(" ,")), len(head) + len(bond) - 1)]))
        # What joins wrongly is what was never learned: it comes more often than the rest.
        weights = [3 if kind.startswith(("merged", "exchanged", "both")) else 2 if kind.startswith(("figure", "denied")) else 1 for kind, *_ in made]
        wanted = min(len(made), dice.choice([2, 2, 3]))
        while wanted:
            at = dice.choices(range(len(made)), weights)[0]
            yield made.pop(at)
            weights.pop(at)
            wanted -= 1


def told(known: list[Note], dice: random.Random, times: int):
    """Every claim about every note, each time with other notes beside it."""
    for _ in range(times):
        for note in known:
            for claim, spans in note.claims:
                shown = [note, *dice.sample([one for one in known if one is not note], dice.choice([0, 0, 1]))]
                dice.shuffle(shown)
                premise = "\n".join(f"{one.heading}\n{one.text}" if dice.random() < 0.6 else one.text for one in shown)
                yield Claimed(premise, claim, NOT_SAID if spans else SUPPORTED, spans, "note, not so" if spans else "note, faithful")


def rows(dice: random.Random, compositions: int):
    """Claims about composed passages, each with whether its matter is held out."""
    known = matters()
    learned, kept = [one for one in known if not one.held_out], [one for one in known if one.held_out]
    for among, count, held_out in ((learned, compositions, False), (kept, max(1, compositions // 60), True)):
        composer = Composer(among, dice)
        for _ in range(count):
            for claim in composer.claims():
                yield claim, held_out
    written = notes()
    claims = sum(len(one.claims) for one in written)
    for held_out, times in ((False, max(1, 2 * compositions // claims)), (True, 1)):
        for claim in told([one for one in written if one.held_out == held_out], dice, times):
            yield claim, held_out
