"""Makes the verifier's sets: what people labelled, and sentences changed so that it is known which words are false."""

import hashlib
import json
import random
import sys
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path

from . import edits, facts, folders, leaks, rules
from .near import Near
from .texts import content, sentences, window, words

SUPPORTED, CONTRADICTED, NOT_SAID, NOT_SUPPORTED = 0, 1, 2, 3  # the last: not supported, which of the two is unknown
SEED = 20261116

# Which kinds of a set mean what; a kind that is not here has the label's own meaning.
CONTRADICTS = ("contradict", "refute")
SAYS_NOTHING = ("neutral", "not enough info", "irrelevant", "answered from memory")

# The parts of the mixture that people labelled, with their sets. Of class B only labels by people are used, on what models or
# editors wrote: class A hardly has any.
PEOPLE = {
    "short": ("mnli", "snli", "scitail", "fever_athnlp", "cad_nli", "negation_nli"),
    # Pairs whose label words in common say nothing about.
    "order": ("paws", "fever_symmetric", "q2", "exchanged_mnli", "hans_made", "breaking_nli", "scone", "conj_nli", "med_help"),
    # One word, name or figure decides: the same claim against a sentence before and after somebody revised it.
    "revised": ("vitaminc_real", "vitaminc_synthetic", "fever_adversarial"),
    "deceiving": ("fool_me_twice", "infotabs"),
    "merged": ("qasc_merged", "entailment_bank", "wiki_split"),
    "reworded": ("product_answers", "fetaqa"),
    "long": ("flan_squad", "clapnq", "mtrag_reference", "scifact_train", "summedits", "wice", "faithdial_audit", "factcg_doc", "bump", "halueval_qa", "expertqa"),
}
# Templates and changes of one word, of which a few thousand are enough.
MOST = {"hans_made": 3000, "breaking_nli": 2500, "scone": 2000, "med_help": 5000, "wiki_split": 14000}
LONG_PREMISES = {"long", "deceiving", "reworded"}
PASSAGES = ["squad2_part", "squad1_44", "flan_squad", "adversarialqa", "clapnq", "boolq", "qed", "ares", "covidqa", "qasper"]
SET_ASIDE = "facts set aside/"
BORROWED = {"entity", "invented", "spliced", "told otherwise"}  # of the edits: a near passage may bear them out
NOT_CONTRADICTED = {"overstated"}  # of the edits: the passage says less, not the opposite


@dataclass
class Row:
    premise: str
    claim: str
    label: int
    # Stretches of the claim that are not supported; None where nobody knows.
    spans: list[tuple[int, int]] | None
    kind: str
    group: str
    made: bool = field(default=False)


def held_out(group: str) -> bool:
    """About three groups in a hundred are for looking at while training, never for learning; of our own facts, those of the
    matters that their file sets aside."""
    return group.startswith(SET_ASIDE) or int(hashlib.sha256(group.encode()).hexdigest(), 16) % 100 < 3


def chosen_on(group: str) -> bool:
    """Half of the experts' questions are for choosing thresholds, never for learning."""
    return int(hashlib.sha256(f"chosen on {group}".encode()).hexdigest(), 16) % 2 == 0


def long_enough(dice: random.Random) -> int:
    """How many words of a long premise are shown: as many as the product shows, or the part nearest to the claim."""
    return dice.randint(190, 240) if dice.random() < 0.4 else dice.randint(80, 140)


def natural(data: Path, name: str, dice: random.Random | None = None):
    rows = list(leaks.rows(folders.learned_from(data, "verifier", name)))
    for row in random.Random(SEED).sample(rows, MOST[name]) if len(rows) > MOST.get(name, len(rows)) else rows:
        kind = row["kind"]
        if name == "expertqa" and chosen_on(row["group"]):
            continue
        if name == "summedits" and kind.startswith("news"):
            continue  # news texts: class B, and there is enough without
        if row["label"] == 1:
            label, spans = SUPPORTED, []
        else:
            label = CONTRADICTED if any(word in kind for word in CONTRADICTS) else NOT_SAID if any(word in kind for word in SAYS_NOTHING) else NOT_SUPPORTED
            spans = None
        premise = window(row["premise"], row["claim"], long_enough(dice) if dice else 260)
        yield Row(premise, row["claim"], label, spans, f"{name}: {kind}", f"{name}/{row['group']}")


def passages(data: Path) -> dict[str, tuple[str, str]]:
    """Passages to take sentences from: text -> (group, title)."""
    found: dict[str, tuple[str, str]] = {}
    for name in folders.present(data, "reader", PASSAGES):
        for row in leaks.rows(folders.learned_from(data, "reader", name)):
            if 40 <= len(row["passage"].split()) <= 260:
                title = row["group"].replace("_", " ") if name == "squad2_part" else ""
                found.setdefault(row["passage"], (f"{name}/{row['group']}", title))
    return found


def with_context(premise: str, title: str, dice: random.Random) -> str:
    """Some premises get a context line, as notes of the product have: their own title, or one that says nothing."""
    chance = dice.random()
    if title and chance < 0.6:
        return f"{title}\n{premise}"
    if chance < 0.12:
        return f"{dice.choice(rules.TITLES)}: {dice.choice(['Overview', 'Details', 'Background', 'Notes', 'Summary', 'History'])}\n{premise}"
    return premise


class Maker:
    def __init__(self, texts: list[str], dice: random.Random):
        self.dice = dice
        self.pool = edits.Pool(dice.sample(texts, min(6000, len(texts))), dice)

    def false(self, claim: str, premise: str, others: list[str], near: list[str] = ()) -> tuple[str, edits.Edited, int] | None:
        """One way to make a claim false that applies to it."""
        dice = self.dice
        # What is borrowed from a passage on the same matter is harder to find than what comes from anywhere.
        pool = self.pool
        if near and dice.random() < 0.5:
            local = edits.Pool([text for text in near if text != premise], dice)
            pool = local if local.names and local.clauses and local.additions else pool
        # Rarely applicable ones come first more often, or they would hardly occur.
        order = ["unit", "number", "date", "entity", "negation", "opposite", "swapped", "overstated", "merged", "invented", "relation", "spliced", "told otherwise"]
        weights = [8, 5, 5, 4, 3, 3, 14, 4, 18, 5, 4, 8, 6]
        strange = [part for text in near if text != premise for part in sentences(text)]
        while order:
            kind = dice.choices(order, weights)[0]
            at = order.index(kind)
            order.pop(at), weights.pop(at)
            if kind in edits.FALSE:
                edited, label = edits.FALSE[kind](claim, dice, premise), NOT_SAID if kind in NOT_CONTRADICTED else CONTRADICTED
            elif kind == "entity":
                edited, label = edits.entity(claim, dice, premise, pool), CONTRADICTED
            elif kind == "invented":
                edited, label = edits.invented(claim, dice, premise, pool), NOT_SAID
            elif kind in ("spliced", "told otherwise"):
                if not strange:
                    continue
                edited = edits.spliced(claim, dice, strange, premise) if kind == "spliced" else edits.told_otherwise(claim, dice.choice(strange), dice, premise)
                label = NOT_SAID
            elif others:
                other = dice.choice(others)
                edited, label = (edits.merged if kind == "merged" else edits.relation)(claim, other, dice), NOT_SAID
            else:
                continue
            if edited and edited[0] != claim and " ".join(words(edited[0])) not in " ".join(words(premise)):
                return kind, edited, label
        return None

    def shown(self, text: str, claim: str, title: str, near: list[str] = ()) -> str:
        """The premise as it is read: mostly the part nearest to the claim, as the product cuts it; sometimes all of it,
        among other passages on the same matter, as an answer is held against several.

        Three short premises take as long to read as one long one, and teach more.
        """
        if near and self.dice.random() < 0.25:
            return window(among(text, near, self.dice), claim, self.dice.randint(180, 235))
        most = 240 if self.dice.random() < 0.12 else self.dice.randint(60, 120)
        return with_context(window(text, claim, most), title, self.dice)

    def of_passage(self, text: str, group: str, title: str, near: list[str]):
        dice = self.dice
        parts = [part for part in sentences(text) if 6 <= len(part.split()) <= 45]
        if len(set(parts)) < 2:  # one sentence, or the same one again and again
            return
        for _ in range(2 if len(parts) < 5 else 3):
            sentence = dice.choice(parts)
            others = [part for part in parts if part != sentence]
            base, how = sentence, []
            before = parts[parts.index(sentence) - 1] if parts.index(sentence) else ""
            if before and (named := edits.resolved(sentence, before, text)):
                base, how = named[0], ["resolved"]
            base, more = edits.paraphrased(base, dice, text)
            how += more
            if dice.random() < 0.25 and (joined := edits.joined(base, dice.choice(others), dice)):
                base, how = joined[0], how + ["joined"]
            opened = dice.random() < 0.12
            kind = "+".join(how) or "as it stands"
            # A sentence word for word is easy: one in three is enough.
            if how or dice.random() < 0.35:
                claim = edits.opened(base, dice, text)[0] if opened else base
                yield Row(self.shown(text, claim, title, near), claim, SUPPORTED, [], f"made: faithful: {kind}", group, True)
            if made := self.false(base, text, others, near):
                kind, edited, label = made
                claim, spans = edited
                if opened:
                    longer = edits.opened(claim, dice, text)[0]
                    claim, spans = edits.shifted((longer, spans), len(longer) - len(claim))
                yield Row(self.shown(text, claim, title, [] if kind in BORROWED else near), claim, label, spans, f"made: {kind}", group, True)
        if near:
            other = dice.choice(near)
            told = [part for part in sentences(other) if 7 <= len(part.split()) <= 40]
            if told and dice.random() < 0.5:
                claim = edits.paraphrased(dice.choice(told), dice, other)[0]
                here = set(words(text))
                strange = [word for word in content(claim) if word not in here]
                if len(strange) >= 4:
                    yield Row(self.shown(text, claim, title), claim, NOT_SAID, marked(claim, here), "made: wrong passage", group, True)
        if dice.random() < 0.08:
            yield from self.silence(text, group, near)

    def silence(self, text: str, group: str, near: list[str]):
        """What a passage does not say, said and denied."""
        here = [name for _, _, name in edits.names(text)]
        there = [name for other in near for _, _, name in edits.names(other) if name.lower() not in text.lower()]
        form = self.dice.choice(["The passage does not mention {}.", "The passages do not say anything about {}.",
                                 "There is no information about {} in the document.", "{} is not mentioned."])
        if there:
            yield Row(text, form.format(self.dice.choice(there)), SUPPORTED, [], "made: silence, true", group, True)
        if here:
            claim = form.format(self.dice.choice(here))
            yield Row(text, claim, CONTRADICTED, [(0, len(claim))], "made: silence, false", group, True)

    def of_claim(self, row: Row, near: list[str] = ()):
        """A claim that somebody wrote freely and that is supported, changed: the premise and the wording stay. Or the claim
        stays, and what bears it out is taken away, or it is held against another passage on the same matter: what a model
        says from memory looks like that."""
        dice, told = self.dice, content(row.claim)
        if near:
            if dice.random() < 0.5:
                premise = window(among(row.premise, near[:2], dice), row.claim, dice.randint(180, 235))
                yield Row(premise, row.claim, SUPPORTED, [], "made of a claim: among others", row.group, True)
            parts = sentences(row.premise)
            shares = [len(set(content(part)) & set(told)) for part in parts]
            if len(parts) >= 4 and dice.random() < 0.6:
                best = max(shares)
                kept = [part for part, share in zip(parts, shares, strict=True) if share <= best / 2]
                here = set(words(" ".join(kept)))
                strange = [word for word in told if word not in here]
                if len(kept) >= 2 and len(strange) >= 2 and 3 * len(strange) >= len(told):
                    premise = " ".join(kept)
                    if dice.random() < 0.5:
                        premise = window(among(premise, near[1:], dice), row.claim, dice.randint(180, 235))
                    yield Row(premise, row.claim, NOT_SAID, marked(row.claim, set(words(premise))), "made of a claim: borne out no more", row.group, True)
            if dice.random() < 0.4:
                premise = "\n".join(near[:2] if dice.random() < 0.5 else near[:1])
                premise = window(premise, row.claim, long_enough(dice))
                here = set(words(premise))
                strange = [word for word in told if word not in here]
                if len(strange) >= 2 and 4 * len(strange) >= len(told):
                    yield Row(premise, row.claim, NOT_SAID, marked(row.claim, here), "made of a claim: another passage", row.group, True)
        others = [part for part in sentences(row.premise) if 6 <= len(part.split()) <= 30]
        base, _ = edits.paraphrased(row.claim, self.dice, row.premise, 1)
        if made := self.false(base, row.premise, [other for other in others if words(other) != words(base)], near):
            kind, (claim, spans), label = made
            yield Row(row.premise, claim, label, spans, f"made of a claim: {kind}", row.group, True)
        if base != row.claim:
            yield Row(row.premise, base, SUPPORTED, [], "made of a claim: faithful", row.group, True)


def among(text: str, near: list[str], dice: random.Random) -> str:
    """A passage with one or two others before or behind it."""
    shown = [text, *[other for other in near if other != text][: dice.choice([1, 2])]]
    dice.shuffle(shown)
    return "\n".join(shown)


def marked(claim: str, known: set[str]) -> list[tuple[int, int]]:
    from .texts import STOP, WORD

    return [(m.start(), m.end()) for m in WORD.finditer(claim) if m.group().lower() not in known and m.group().lower() not in STOP]


def questions_as_claims(data: Path, dice: random.Random):
    """A question with its answer put in place of the question word: a claim in somebody's own words."""
    import re

    opens = re.compile(r"^(Who|What|Which [a-z]+|What [a-z]+) (is|was|were|are|has|had|did not|can|will|[a-z]+ed|wrote|led|won|made|became|gave|took|began) ", re.I)
    for name in folders.present(data, "reader", ["squad2_part", "flan_squad", "covidqa", "qed"]):
        for row in leaks.rows(folders.learned_from(data, "reader", name)):
            question, answer = row["question"].strip().rstrip("?").strip(), row["answer"]
            match = opens.match(question)
            if not match or not answer or len(answer) > 60 or len(question.split()) < 4:
                continue
            rest = question[match.start(2) :]
            group = f"{name}/{row['group']}"
            right = f"{answer[:1].upper()}{answer[1:]} {rest}."
            premise = window(row["passage"], right, dice.randint(60, 130))
            if answer not in premise:
                continue
            yield Row(premise, right, SUPPORTED, [], "made: question answered", group, True)
            spans = [span for span in edits.names(row["passage"]) if span[2].lower() not in answer.lower() and answer.lower() not in span[2].lower()]
            figures = [m.group() for m in edits.NUMBER.finditer(row["passage"]) if m.group() not in answer]
            among = figures if answer[:1].isdigit() else [span[2] for span in spans if span[2].lower() not in rest.lower()]
            if among:
                wrong = dice.choice(among)
                claim = f"{wrong[:1].upper()}{wrong[1:]} {rest}."
                yield Row(window(row["passage"], claim, dice.randint(60, 130)), claim, CONTRADICTED, [(0, len(wrong))], "made: question answered wrongly", group, True)


def even(rows: list[Row]):
    """As many that are not supported as there are supported ones, of each set: where most pairs are no entailments, free
    rewordings come to look like such."""
    dice = random.Random(SEED)
    counts = Counter((row.group.split("/")[0], row.label == SUPPORTED) for row in rows)
    for row in rows:
        name = row.group.split("/")[0]
        if row.label == SUPPORTED or dice.random() < counts[name, True] / counts[name, False]:
            yield row


def of_facts(dice: random.Random, compositions: int):
    for number, (c, set_aside) in enumerate(facts.rows(dice, compositions)):
        yield Row(c.premise, c.claim, c.label, c.spans, f"own: {c.kind}", f"{SET_ASIDE if set_aside else 'facts/'}{number}", True)


def to_choose_on(data: Path):
    """Replies and answers of models that people judged: for curves and thresholds, never for learning."""
    for name in folders.present(data, "verifier", ["begin_dev", "expertqa"]):
        for row in leaks.rows(folders.learned_from(data, "verifier", name)):
            if name == "begin_dev" or chosen_on(row["group"]):
                label = SUPPORTED if row["label"] == 1 else NOT_SUPPORTED
                yield Row(window(row["premise"], row["claim"], 180), row["claim"], label, [] if label == SUPPORTED else None, f"{name}: chosen on", row["group"])


def make(data: Path, out: Path, composed: int = 1500) -> None:
    dice = random.Random(SEED)
    check = leaks.Leaks(data)
    people = {}
    for part, names in PEOPLE.items():
        shown = dice if part in LONG_PREMISES else None
        people[part] = [row for name in folders.present(data, "verifier", list(names)) for row in natural(data, name, shown)]
    people["short"] = list(even(people["short"]))
    found = passages(data)
    texts = list(found)
    near = Near(texts)
    maker = Maker(texts, dice)
    made = []
    for at, text in enumerate(texts):
        group, title = found[text]
        nearest = [texts[other] for other in near.best(text, 4) if other != at]
        made += maker.of_passage(text, group, title, nearest)
    changed = [*people["long"], *people["reworded"], *(row for row in people["short"] + people["order"] if row.group.startswith(("fever_athnlp", "q2")))]
    for row in changed:
        if row.label == SUPPORTED and 5 <= len(row.claim.split()) <= 60:
            nearest = [texts[other] for other in near.best(row.claim, 3)] if not row.group.startswith("fever") else []
            made += maker.of_claim(row, [text for text in nearest if text[:80] not in row.premise])
    made += questions_as_claims(data, dice)
    for number in range(composed):
        made += [Row(c.premise, c.claim, c.label, c.spans, f"made: {c.kind}", f"rules/{number}", True) for c in rules.claims(dice)]
    own = list(of_facts(dice, 4 * composed))
    dropped: Counter[str] = Counter()
    out.mkdir(parents=True, exist_ok=True)
    files = {part: open(out / f"{part}.jsonl", "w", encoding="utf-8") for part in (*PEOPLE, "made", "own", "held_out", "chosen_on")}
    counts: Counter[tuple[str, str, int]] = Counter()
    for part, rows in {**people, "made": made, "own": own}.items():
        seen = set()
        for row in rows:
            key = (row.premise, row.claim)
            if key in seen:
                continue
            seen.add(key)
            if name := check.find(row.claim) or check.find(row.premise):
                dropped[f"{part}: {name}"] += 1
                continue
            to = "held_out" if held_out(row.group) else part
            counts[to, row.kind, row.label] += 1
            print(json.dumps(asdict(row), ensure_ascii=False), file=files[to])
    for row in to_choose_on(data):
        print(json.dumps(asdict(row), ensure_ascii=False), file=files["chosen_on"])
    for file in files.values():
        file.close()
    table = [{"file": to, "kind": kind, "label": label, "rows": count} for (to, kind, label), count in sorted(counts.items())]
    (out / "counts.json").write_text(json.dumps({"counts": table, "dropped": dropped}, indent=1), encoding="utf-8")
    for to in files:
        print(to, sum(c for (f, _, _), c in counts.items() if f == to))
    print("dropped", dict(dropped))


if __name__ == "__main__":
    make(folders.data(), folders.runs() / "sets" / (sys.argv[1] if len(sys.argv) > 1 else "verifier"))
