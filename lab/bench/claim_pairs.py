#!/usr/bin/env python3
"""Claims with the passage they are held against, a pair on each line, for `ibidem-workbench eval fit`.

What the default verifier is fitted on, and nothing that it is tested on (RAGTruth, BEGIN test):

  begin     BEGIN dev: a reply to a conversation, and the knowledge it was given
  scifact   SciFact's training claims, written by people, and the abstracts they cite
  squad     half of SQuAD 2.0's dev set: a question with its answer put in, against its paragraph and against another
            one of its article; the questions that cannot be answered come with an answer that is wrong
  made      sentences of the paragraphs of SQuAD: as they stand, shortened, two neighbours as one; and against them
            sentences of another paragraph of the article, with a clause of another sentence, with another name

Pairs that words cannot tell apart (answers that are wrong in the paragraph's own words, claims that an abstract
contradicts) are marked as not to be fitted on: they are there to see how many get past.

The same every time: what is chosen at random is chosen from the seed.
"""

import argparse
import csv
import json
import random
import re
from pathlib import Path

SEED = 20260101
QUESTION_WORDS = re.compile(
    r"\b(?:(?:what|which)(?:\s+(?:type|kind|year|country|city|century|percentage|name|group|company|term)s?)?(?:\s+of)?"
    r"|who(?:m|se)?|when|where|how (?:many|much|long|old|far)|why|how)\b",
    re.IGNORECASE,
)
AUXILIARY = re.compile(r"\b(?:did|does|do)\b\s*", re.IGNORECASE)
LEADING_CLAUSE = re.compile(r"^(?:In|On|By|During|After|Before|Since|At|For|With|Although|While)\b[^,]{3,60}, (?=\w)")
NAME = re.compile(r"(?<=[a-z,] )(?:[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})*)")


def sentences(text: str) -> list[str]:
    parts = re.split(r"(?<=[.!?])\s+(?=[A-Z\"'(])|\n+", text)
    return [part.strip() for part in parts if len(part.split()) >= 6]


def begin(folder: Path):
    with open(folder / "hallucination/begin_dev_wow.tsv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            supported = row["begin_label"] == "Fully attributable"
            yield pair("begin", "reply", row["knowledge"], row["response"], supported)


def scifact(folder: Path):
    with open(folder / "answer_refuse/scifact_sentences_cited_docs.jsonl", encoding="utf-8") as file:
        abstracts = {document["_id"]: " ".join(document["sentences"]) for document in map(json.loads, file)}
    with open(folder / "answer_refuse/claims_train_evidence.jsonl", encoding="utf-8") as file:
        for claim in map(json.loads, file):
            labels = {str(evidence["doc_id"]): evidence["label"] for evidence in claim["evidence"]}
            for document in map(str, claim["cited"]):
                if document in abstracts:
                    label = labels.get(document, "NOT ENOUGH")
                    line = pair("scifact", label.lower(), abstracts[document], claim["text"], label == "SUPPORT")
                    yield {**line, "fitted": label != "CONTRADICT"}


def squad(articles: list[dict], chance: random.Random):
    for article in articles:
        paragraphs = article["paragraphs"]
        for place, paragraph in enumerate(paragraphs):
            elsewhere = chance.choice(paragraphs[:place] + paragraphs[place + 1 :] or [None])
            for question in chance.sample(paragraph["qas"], min(2, len(paragraph["qas"]))):
                wrong = question["is_impossible"]
                answers = question.get("plausible_answers" if wrong else "answers") or []
                claim = answers and statement(question["question"], answers[0]["text"])
                if claim and wrong:
                    line = pair("squad", "answer to what cannot be answered", paragraph["context"], claim, False)
                    yield {**line, "fitted": False}
                elif claim:
                    yield pair("squad", "answer", paragraph["context"], claim, True)
                    if elsewhere:
                        yield pair("squad", "another paragraph's answer", elsewhere["context"], claim, False)


def statement(question: str, answer: str) -> str | None:
    """The question with its answer in the place of its question word: the words of a claim, if not its grammar."""
    if not QUESTION_WORDS.search(question):
        return None
    put_in = QUESTION_WORDS.sub(lambda _: answer, question, count=1)
    return AUXILIARY.sub("", put_in.rstrip(" ?"), count=1) + "."


def made(articles: list[dict], chance: random.Random):
    for article in articles:
        paragraphs = [paragraph["context"] for paragraph in article["paragraphs"]]
        names = sorted({name for text in paragraphs for name in NAME.findall(text)})
        for place, text in enumerate(paragraphs):
            own = sentences(text)
            others = [other for there, other in enumerate(paragraphs) if there != place]
            elsewhere = sentences(chance.choice(others)) if others else []
            if len(own) < 3 or not elsewhere:
                continue
            one, stranger = chance.choice(own), chance.choice(elsewhere)
            first = chance.randrange(len(own) - 1)
            yield pair("made", "verbatim", text, one, True)
            for shortened in filter(None, map(shorten, own)):
                yield pair("made", "shortened", text, shortened, True)
                break
            yield pair("made", "two neighbours", text, joined(own[first], own[first + 1]), True)
            yield pair("made", "another paragraph's", text, stranger, False)
            yield pair("made", "with a foreign clause", text, joined(one, clause(stranger)), False)
            renamed = rename(one, names, text, chance)
            if renamed:
                yield pair("made", "another name", text, renamed, False)


def shorten(sentence: str) -> str | None:
    """Without its parentheses, its opening clause, and what follows the last comma: a shorter claim of the same."""
    shorter = LEADING_CLAUSE.sub("", re.sub(r"\s*\([^)]*\)", "", sentence))
    head, comma, tail = shorter.rstrip(".").rpartition(", ")
    if comma and len(head.split()) >= 8 and re.match(r"(?:which|who|with|where|including|such|as)\b", tail):
        shorter = head + "."
    shorter = shorter[:1].upper() + shorter[1:]
    return shorter if shorter != sentence and len(shorter.split()) >= 5 else None


def clause(sentence: str) -> str:
    """Its last ten words or what follows its last comma, whichever is longer."""
    tail = sentence.rpartition(", ")[2]
    words = sentence.split()[-10:]
    return tail if len(tail.split()) > len(words) else " ".join(words)


def joined(one: str, other: str) -> str:
    return f"{one.rstrip('.')}, and {other[:1].lower()}{other[1:]}"


def rename(sentence: str, names: list[str], text: str, chance: random.Random) -> str | None:
    found = NAME.search(sentence)
    foreign = [name for name in names if name not in text]
    if not found or not foreign:
        return None
    return sentence[: found.start()] + chance.choice(foreign) + sentence[found.end() :]


def pair(set_name: str, kind: str, passage: str, claim: str, supported: bool) -> dict:
    return {"set": set_name, "kind": kind, "passages": [passage], "claim": claim, "supported": supported}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path, help="the folder with answer_refuse and hallucination")
    folder = arguments.parse_args().data
    chance = random.Random(SEED)
    articles = json.loads((folder / "answer_refuse/squad2_dev_half.json").read_text(encoding="utf-8"))["data"]
    for source in (begin(folder), scifact(folder), squad(articles, chance), made(articles, chance)):
        for line in source:
            print(json.dumps(line, ensure_ascii=False))


if __name__ == "__main__":
    main()
