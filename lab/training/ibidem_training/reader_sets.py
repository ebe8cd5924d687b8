"""Makes the reader's sets: people's questions with passages that answer them, and many more that nearly do."""

import json
import random
import re
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from . import asked as own_questions
from . import bilingual, documents, edits, folders, gathered, leaks, rules
from .near import Near
from .rows import Asked, Row
from .texts import content, sentences, window, words
from .typed import typed
from .verifier_sets import SET_ASIDE, held_out

SEED = 20261117
SETS = ["squad2_part", "squad1_44", "flan_squad", "adversarialqa", "clapnq", "covidqa", "qed", "boolq", "qasper", "ares", "doqa", "narrativeqa_part", "hotpot_halueval"]
# doqa's talk was not learned at all in a trial, and ares' negatives are easy: little of both.
MOST = {"doqa": 600, "ares": 3000}
SPANS = {"squad2_part", "squad1_44", "flan_squad", "clapnq", "covidqa", "qed"}  # where the answer's place is known
# How many questions of the first eight SQuAD articles, which may be chosen on, are read for the curve of a run.
CHOSEN_ON = 500


OPENERS = ["Can you tell me ", "I would like to know ", "Please tell me ", "Do you know ", "Tell me: ", ""]
CONDITIONS = re.compile(r"\b((?:in|during|after|before|by|at|under|near|for) (?:the )?(?:[A-Z][\w’'-]+(?: [A-Z][\w’'-]+)*|(?:1[5-9]|20)\d\d))\b")


# What follows an article or "of" and ends a phrase is nearly always a noun.
THING = re.compile(r"\b(?:[Tt]he|an?|of|[Ww]hat|[Ww]hich|many) ([a-z]{4,})(?= (?:of|in|on|at|by|for|from|is|was|are|were|did|does|do|has|had|have|can|to|that|and|with)\b|[.,;?])")


def asked_otherwise(question: str, asked: "Asked") -> edits.Edited | None:
    """Why, where somebody asked when or where: the passage seldom says."""
    if re.search(r"\b(?:because|due to|in order|so that|reason|since|cause[sd]?)\b", asked.passage):
        return None
    new, times = re.subn(r"^(When|Where|How (?:long|often)) (?=(?:did|was|were|is|are|does|do|has|had|can)\b)", "Why ", question)
    return (new, []) if times else None


def reworded(question: str, dice: random.Random) -> str:
    """The same question as somebody else would type it."""
    chance = dice.random()
    if chance < 0.08:
        return question.rstrip("? ")
    if chance < 0.16:
        return question.lower().rstrip("? ")
    if chance < 0.21:
        opener = dice.choice(OPENERS)
        return opener + (question[:1].lower() + question[1:] if opener else question)
    if chance < 0.35 and (edited := edits.synonym(question, dice, "")):
        return edited[0]
    return question


def trimmed(row: Row, dice: random.Random) -> Row:
    """Two passages of three are cut to the part nearest to the question, whether they answer or not.

    Where the answer is known and falls outside, what is left does not answer: such notes are what a search finds.
    """
    if len(row.passage.split()) < 70 or dice.random() < 0.33:
        return row
    kept = window(row.passage, row.question, dice.randint(60, 115))
    if not row.answerable:
        return Row(row.question, kept, 0, None, row.kind, row.group)
    if not row.span:
        return row
    answer = row.passage[row.span[0] : row.span[1]]
    parts = sentences(row.passage)
    own = next((part for part in parts if answer in part and row.passage.find(part) <= row.span[0] < row.passage.find(part) + len(part)), None)
    if own and own in kept:
        start = kept.find(own) + own.find(answer)
        return Row(row.question, kept, 1, (start, start + len(answer)), row.kind, row.group)
    if answer.lower() not in kept.lower() and own:
        return Row(row.question, kept, 0, None, "made: cut off", row.group)
    return row


class Maker:
    def __init__(self, texts: list[str], asked: list[Asked], dice: random.Random):
        self.dice, self.texts, self.near = dice, texts, Near(texts)
        self.pool = edits.Pool(dice.sample(texts, min(6000, len(texts))), dice)
        self.conditions = [m.group(1) for text in texts[::2] for m in CONDITIONS.finditer(text)]
        self.place = {text: at for at, text in enumerate(texts)}
        counted = Counter(m.group(1) for text in texts for m in THING.finditer(text))
        self.things = {word for word, times in counted.items() if times >= 4}

    def in_context(self, row: Row, title: str) -> Row:
        """A context line before the passage, as the product has one."""
        dice = self.dice
        chance = dice.random()
        line = title if title and chance < 0.6 else ""
        if not line and chance > 0.9:
            line = f"{dice.choice(rules.TITLES)}: {dice.choice(['Overview', 'Details', 'Background', 'Notes', 'History'])}"
        if not line:
            return row
        by = len(line) + 1
        span = (row.span[0] + by, row.span[1] + by) if row.span else None
        return Row(row.question, f"{line}\n{row.passage}", row.answerable, span, row.kind, row.group)

    def other_passage(self, asked: Asked) -> Row | None:
        """A passage that is near to the question and does not have the answer."""
        best = self.near.best(asked.question, 8, rarest=None)
        for at in self.dice.sample(best, len(best)):
            text = self.texts[at]
            if text == asked.passage or (asked.answer and asked.answer.lower() in text.lower()):
                continue
            if not asked.answer and len(set(content(text)) & set(content(asked.passage))) > 0.5 * len(set(content(text))):
                continue
            return Row(asked.question, text, 0, None, "made: other passage", asked.group)
        return None

    def sentence_removed(self, asked: Asked) -> Row | None:
        if not asked.answer:
            return None
        parts = sentences(asked.passage)
        kept = [part for part in parts if asked.answer.lower() not in part.lower()]
        if len(kept) == len(parts) or len(kept) < 2 or len(asked.answer) < 3:
            return None
        return Row(asked.question, " ".join(kept), 0, None, "made: sentence removed", asked.group)

    def question_changed(self, asked: Asked) -> Row | None:
        dice, question = self.dice, asked.question
        # A condition can be hung on every question: it comes last more often than not, or it would crowd out the rest.
        kinds = dice.sample(["entity", "entity", "number", "date", "opposite", "opposite", "negation", "noun", "noun", "noun", "asked otherwise"], 11)
        kinds.insert(dice.choice([0, 6, 9, 11, 11, 11]), "condition")
        for kind in kinds:
            if kind == "entity":
                pool = self.pool
                if dice.random() < 0.6:  # a name from a passage on the same matter
                    local = edits.Pool([self.texts[at] for at in self.near.best(question, 5) if self.texts[at] != asked.passage], dice)
                    pool = local if local.names else pool
                edited = edits.entity(question, dice, asked.passage, pool)
            elif kind == "condition":
                if not self.conditions:
                    continue
                condition = dice.choice(self.conditions)
                if condition.split()[-1].lower() in asked.passage.lower():
                    continue
                edited = question.rstrip("? ") + f" {condition}?", []
            elif kind == "negation":
                edited = negated(question)
            elif kind == "noun":
                edited = self.noun(question, asked.passage)
            elif kind == "asked otherwise":
                edited = asked_otherwise(question, asked)
            else:
                edited = edits.FALSE[kind](question, dice, asked.passage)
            if edited and edited[0] != question:
                new = edited[0]
                # Whoever the question now asks about must not be the answer itself.
                if asked.answer and asked.answer.lower() in new.lower() and asked.answer.lower() not in question.lower():
                    continue
                return Row(new, asked.passage, 0, None, f"made: question changed: {kind}", asked.group)
        return None

    def noun(self, question: str, passage: str) -> edits.Edited | None:
        """Another thing is asked about, which the passage or one near to it speaks of too."""
        dice = self.dice
        places = [m for m in THING.finditer(question) if m.group(1) in self.things]
        if not places:
            return None
        match = dice.choice(places)
        old = match.group(1)
        texts = [passage] if dice.random() < 0.6 else [self.texts[at] for at in self.near.best(question, 4)]
        among = sorted({m.group(1) for text in texts for m in THING.finditer(text)} & self.things)
        among = [word for word in among if word.endswith("s") == old.endswith("s") and word[:4] != old[:4] and word not in question.lower()]
        return edits.replaced(question, match.start(1), match.end(1), dice.choice(among)) if among else None

    def passage_changed(self, asked: Asked) -> Row | None:
        """What the question asks about is called otherwise in the passage: it speaks of something else."""
        inside = [name for _, _, name in edits.names(asked.question) if name in asked.passage]
        inside += [m.group() for m in edits.YEAR.finditer(asked.question) if m.group() in asked.passage]
        inside = [name for name in inside if not asked.answer or name.lower() not in asked.answer.lower()]
        if not inside or not asked.answer:
            return None
        name = self.dice.choice(inside)
        if name.isdigit():
            other = str(int(name) + self.dice.choice([-12, -5, -2, 1, 3, 8]))
        else:
            alike = [o for o in self.dice.sample(self.pool.names, min(40, len(self.pool.names))) if len(o.split()) == len(name.split()) and o not in asked.passage]
            if not alike:
                return None
            other = self.dice.choice(alike)
        passage = asked.passage.replace(name, other)
        last = name.split()[-1]
        # "Chopin" after "Frédéric Chopin": the short form goes too.
        if " " in name:
            passage = re.sub(rf"\b{re.escape(last)}\b", other.split()[-1], passage)
        return Row(asked.question, passage, 0, None, "made: passage changed", asked.group)

    def passage_trimmed(self, asked: Asked) -> Row | None:
        """Answerable still: sentences that do not matter go, and the order may change."""
        parts = sentences(asked.passage)
        if not asked.answer or len(parts) < 3:
            return None
        having = [part for part in parts if asked.answer in part]
        if not having:
            return None
        place = asked.passage[: asked.start].count(asked.answer)
        if place:
            return None  # which of several mentions answers is known for the first one only
        at = parts.index(having[0])
        lowest, highest = max(0, at - self.dice.randint(0, 2)), min(len(parts), at + 1 + self.dice.randint(0, 2))
        passage = " ".join(parts[lowest:highest])
        start = passage.find(asked.answer)
        if start < 0:
            return None
        return Row(asked.question, passage, 1, (start, start + len(asked.answer)), "made: passage trimmed", asked.group)


def negated(question: str) -> edits.Edited | None:
    for pattern, by in (
        (r"\b(did|does|do|is|was|are|were|can|could|has|have|had|will|would|should) (the |a |an )?([\w’'-]+) (?=[a-z]{3,}\b)", None),
        (r"^(Who|What|Which \w+) (is|was|are|were|can|has|had|will)\b", r"\1 \2 not"),
        (r"^(Who|What|Which \w+) ([a-z]+ed)\b", r"\1 never \2"),
    ):
        match = re.search(pattern, question)
        if match:
            if by:
                return re.sub(pattern, by, question, count=1), []
            return question[: match.end() - 1] + " not" + question[match.end() - 1 :], []
    return None


def questions(data: Path, dice: random.Random):
    """All questions that somebody asked: (answerable ones with what answers them, and rows as they are)."""
    asked, plain = [], []
    for name in folders.present(data, "reader", SETS):
        rows = list(leaks.rows(folders.learned_from(data, "reader", name)))
        if name in MOST:
            rows = dice.sample(rows, MOST[name])
        for row in rows:
            group = gathered.group_of(name, str(row["group"]))
            title = row["group"].replace("_", " ") if name in gathered.ARTICLES else ""
            span = (row["answer_start"], row["answer_start"] + len(row["answer"])) if row["answer"] else None
            plain.append((Row(row["question"], row["passage"], row["answerable"], span, f"{name}: {'answerable' if row['answerable'] else 'not'}", group), title))
            if row["answerable"] and name != "doqa":
                asked.append(Asked(row["question"], row["passage"], row["answer"], row["answer_start"], group, name, title))
    return asked, plain


def sentence_questions(data: Path, dice: random.Random):
    """Questions of which only the answering sentence is known: it is put among sentences like it."""
    if not folders.present(data, "rank", ["kou_squad"]):
        return
    rows = [row for row in leaks.rows(folders.learned_from(data, "rank", "kou_squad")) if 5 <= len(row["positive"].split()) <= 70]
    told = sorted({row["positive"] for row in rows})
    near = Near(told)
    for row in rows:
        group = f"kou_squad/{row['positive'][:40]}"
        best = [told[at] for at in near.best(row["query"], 7) if told[at] != row["positive"]]
        if len(best) < 3:
            continue
        others = dice.sample(best, min(len(best), dice.randint(2, 4)))
        with_it = others[:]
        with_it.insert(dice.randint(0, len(others)), row["positive"])
        yield Row(row["query"], " ".join(with_it), 1, None, "kou_squad: among others", group)
        if dice.random() < 0.6:
            yield Row(row["query"], " ".join(others), 0, None, "made: without the sentence", group)
        yield Asked(row["query"], " ".join(with_it), None, None, group, "kou_squad", "")


HELD_OUT = "held out"
OURS = ("written", "sections", *own_questions.FILES.values(), "own")
PEOPLES = (*gathered.PARTS, "people")
# How many of people's questions are put as somebody else would type them: ours are all given to `typed`.
TYPED_ANEW = 0.4


class Files:
    """The files of a set, written one after the other: each row once, and none that a test set knows."""

    PARTS = (*gathered.PARTS, "people", *OURS, "made")

    def __init__(self, out: Path, check: leaks.Leaks):
        out.mkdir(parents=True, exist_ok=True)
        self.out, self.check = out, check
        self.files = {part: open(out / f"{part}.jsonl", "w", encoding="utf-8") for part in (*self.PARTS, "held_out", "chosen_on")}
        self.dice = random.Random(SEED + 2)
        self.counts: Counter[tuple[str, str, int]] = Counter()
        self.dropped: Counter[str] = Counter()
        self.seen = set()

    def write(self, part: str, rows) -> None:
        for row in rows:
            # A pair's answerable question is among people's too: it is read in both places.
            key = (row.question, row.passage, part == "pairs")
            if key in self.seen or not words(row.question):
                continue
            self.seen.add(key)
            name = self.check.find(row.question) or self.check.find(row.passage)
            if name and not (name == HELD_OUT and (held_out(row.group) or part not in (*PEOPLES, "made"))):
                self.dropped[f"{part}: {name}"] += 1
                continue
            if row.span:
                assert 0 <= row.span[0] < row.span[1] <= len(row.passage), row
            if held_out(row.group):
                to = "held_out"
                if part in PEOPLES:  # other files have the same paragraphs under other groups
                    self.check.add(HELD_OUT, row.passage)
            else:
                to = part
                if part in PEOPLES and self.dice.random() < TYPED_ANEW:
                    row.question = typed(row.question, self.dice)
            self.counts[to, row.kind, row.answerable] += 1
            print(json.dumps(asdict(row), ensure_ascii=False), file=self.files[to])
        self.files[part].flush()
        self.files["held_out"].flush()
        print(part, "is written", flush=True)

    def chosen_on(self, data: Path) -> None:
        """Some questions of the first eight SQuAD articles: nothing is learned from them."""
        path = data / "data/answer_refuse/squad2_dev_half.json"
        articles = json.loads(path.read_text(encoding="utf-8"))["data"][:8] if path.exists() else []
        rows = []
        for article in articles:
            for paragraph in article["paragraphs"]:
                passage = f"{article['title'].replace('_', ' ')}\n{paragraph['context']}"
                rows += [Row(one["question"], passage, int(not one["is_impossible"]), None, "squad2: first eight", "") for one in paragraph["qas"]]
        for row in random.Random(SEED).sample(rows, min(CHOSEN_ON, len(rows))):
            print(json.dumps(asdict(row), ensure_ascii=False), file=self.files["chosen_on"])

    def close(self) -> None:
        for file in self.files.values():
            file.close()
        counts = self.counts
        table = [{"file": to, "kind": kind, "answerable": label, "rows": count} for (to, kind, label), count in sorted(counts.items())]
        (self.out / "counts.json").write_text(json.dumps({"counts": table, "dropped": self.dropped}, indent=1), encoding="utf-8")
        for to in self.files:
            print(to, sum(c for (f, _, a), c in counts.items() if f == to), "answerable", sum(c for (f, _, a), c in counts.items() if f == to and a))
        print("dropped", dict(self.dropped))


def of_our_own(composed: int, every: int) -> dict[str, list[Row]]:
    """Questions on notes that were written out, and on notes, tables and decisions that are composed."""
    dice = random.Random(SEED + 1)
    found: dict[str, list[Row]] = {name: [] for name in OURS}
    for part, group, aside, one in own_questions.rows(dice, 2 * composed, every):
        found[part].append(row_of(one, f"{SET_ASIDE}{group}" if aside else group))
    for number in range(3 * composed):
        found["own"] += [row_of(one, f"documents/{number}") for one in documents.questions(dice)]
    for number in range(composed):
        found["own"] += [row_of(one, f"words/{number}") for one in bilingual.questions(dice)]
    for rows in found.values():
        for row in rows:
            row.question = typed(row.question, dice)
    return found


def row_of(one: rules.Asked, group: str) -> Row:
    return Row(one.question, one.passage, int(one.answerable), one.span, one.kind, group)


def make(data: Path, out: Path, composed: int = 1500, every: int = 1) -> None:
    """`composed` says how much is composed, `every` that of the notes that were written out only every so many-th is read."""
    dice = random.Random(SEED)
    files = Files(out, leaks.Leaks(data))
    asked, plain = questions(data, dice)
    texts = sorted({one.passage for one in asked})
    maker = Maker(texts, asked, dice)
    people = [maker.in_context(trimmed(row, dice) if row.kind.split(":")[0] in SPANS else row, title) for row, title in plain]
    for part, rows in gathered.PARTS.items():
        files.write(part, rows(data, dice))
    files.write("people", people)
    for part, rows in of_our_own(composed, every).items():
        files.write(part, rows)
    files.write("made", changed(data, maker, asked, composed))
    files.chosen_on(data)
    files.close()


def changed(data: Path, maker: Maker, asked: list[Asked], composed: int) -> list[Row]:
    """People's questions and passages changed, and rules that are composed."""
    dice, made = maker.dice, []
    for one in asked:
        chance = dice.random()
        spare = dice.random() < (0.35 if one.name in ("squad2_part", "flan_squad", "qed", "covidqa") else 0.15)
        if spare and (row := maker.passage_trimmed(one)):
            made.append(maker.in_context(row, one.title))
        ways = [maker.other_passage, maker.sentence_removed, maker.question_changed, maker.passage_changed]
        wanted = 2 if one.name in ("squad2_part", "flan_squad", "qed", "clapnq") else 1
        for way in dice.sample(ways, len(ways)):
            if wanted and (row := way(one)):
                made.append(maker.in_context(trimmed(row, dice) if one.answer else row, one.title))
                wanted -= 1
        if chance < 0.25:
            span = (one.start, one.start + len(one.answer)) if one.answer else None
            row = Row(reworded(one.question, dice), one.passage, 1, span, "made: reworded", one.group)
            made.append(maker.in_context(trimmed(row, dice), one.title))
    for row in sentence_questions(data, dice):
        if isinstance(row, Row):
            made.append(row)
        elif dice.random() < 0.5 and (other := maker.question_changed(row)):
            made.append(other)
    for name in folders.present(data, "rank", ["pubmedqa", "scifact_train"]):
        rows = list(leaks.rows(folders.learned_from(data, "rank", name)))
        abstracts = sorted({row["positive"] for row in rows})
        near = Near(abstracts)
        for row in rows:
            group = f"{name}/{row['positive'][:40]}"
            made.append(Row(row["query"], cut(row["positive"]), 1, None, f"{name}: answerable", group))
            others = [abstracts[at] for at in near.best(row["query"], 6) if abstracts[at] != row["positive"]]
            if others:
                made.append(Row(row["query"], cut(dice.choice(others)), 0, None, f"made: {name}, other", group))
    for number in range(composed):
        made += [Row(a.question, a.passage, int(a.answerable), a.span, f"made: {a.kind}", f"rules/{number}") for a in rules.questions(dice)]
    return made


def cut(text: str, most: int = 200) -> str:
    return " ".join(text.split()[:most])


if __name__ == "__main__":
    make(folders.data(), folders.runs() / "sets" / (sys.argv[1] if len(sys.argv) > 1 else "reader"))
