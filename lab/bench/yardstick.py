"""The yardstick: questions on strangers' texts, made by procedure, so that no rule can be fitted to them.

From what lab/training set aside before anything was trained (seven sets) and from the public sets (SQuAD 2.0, XQuAD) it
makes, for each half, corpora of Markdown documents and their questions in the form of the trial. Nobody writes a question
or chooses one: groups are documents, hashes choose. One document of five is left out of each corpus, and questions about
it must be refused. Rules may be looked at on half one ("open"); half two ("sealed") is for figures alone.

usage: yardstick.py ASIDE DATA OUT [--most 40]
  ASIDE  the folder that `python -m ibidem_training.aside` writes (one.jsonl, two.jsonl)
  DATA   the folder of the public data sets (lab/data_sets.md)
"""

import argparse
import hashlib
import json
import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

HALVES = {"one": "open", "two": "sealed"}
LEFT_OUT = 5  # one document of so many
# Answers of more words are rarely said word for word.
LONGEST_ANSWER = 12
# How much of a passage must be cited where people judged the passage, and not its words.
PIECE = 60


def digest(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")


@dataclass
class Document:
    title: str | None
    parts: list[str] = field(default_factory=list)

    def add(self, part: str) -> None:
        if part and part not in self.parts:
            self.parts.append(part)

    def written(self) -> str:
        return "\n\n".join(([f"# {self.title}"] if self.title else []) + self.parts) + "\n"


@dataclass
class Asked:
    document: str
    question: str
    answers: list[str] | None  # None: nothing of the corpus answers it
    passages: list[str] = field(default_factory=list)


@dataclass
class Corpus:
    documents: dict[str, Document] = field(default_factory=lambda: defaultdict(lambda: Document(None)))
    asked: list[Asked] = field(default_factory=list)


def table(lines: list[str]) -> str:
    cells = [[cell.strip() for cell in line.split("|")] for line in lines]
    width = max(map(len, cells))
    rows = ["| " + " | ".join(row + [""] * (width - len(row))) + " |" for row in cells]
    return "\n".join([rows[0], "|" + "---|" * width, *rows[1:]])


def piece(passage: str) -> str:
    """The beginning of a passage, ended between two words."""
    line = max(passage.split("\n"), key=len)
    return line if len(line) <= PIECE else line[:PIECE].rsplit(" ", 1)[0]


def of_aside(rows: list[dict]) -> Corpus:
    """One set's rows of one half."""
    corpus = Corpus()
    answered, refused = defaultdict(list), {}
    for row in rows:
        name, passage = row["group"], row["passage"]
        document = corpus.documents[name]
        match row["set"]:
            case "boolq":
                document.title, _, text = passage.partition(" -- ")
                document.add(text)
            case "epqa":
                document.title, _, text = passage.partition("\n")
                document.add(text)
            case "fetaqa":
                document.title, _, text = passage.partition("\n")
                if row["answerable"]:  # the same table without the rows that answer is no text of its own
                    document.add(table(text.split("\n")))
            case "timeqa":
                document.title = name.rpartition("/")[2].replace("_", " ")
                document.add(passage)
            case _:
                document.add(passage)
        if row["answerable"]:
            answered[name, row["question"]].append(row)
        else:
            refused[name, row["question"]] = row
    for (name, question), found in answered.items():
        answers = [row["answer"] for row in found if row["answer"]]
        judged = [] if answers or found[0]["set"] in ("boolq", "fetaqa") else [piece(row["passage"].partition("\n")[2] or row["passage"]) for row in found]
        corpus.asked.append(Asked(name, spoken(found[0], corpus), answers, judged))
    for (name, question), row in refused.items():
        # A product or policy of which no piece answers. Elsewhere another passage of the corpus may answer it.
        if row["set"] in ("epqa", "privacyqa") and (name, question) not in answered:
            corpus.asked.append(Asked(name, spoken(row, corpus), None))
    return corpus


def spoken(row: dict, corpus: Corpus) -> str:
    """The question; of a product it was asked on the product's page, which a question to many pages must name."""
    return f"{row['question']} ({corpus.documents[row['group']].title})" if row["set"] == "epqa" else row["question"]


def of_squad(articles: list[dict], questions: list[dict]) -> Corpus:
    """Articles as documents; `questions` has the same articles, in this or another language."""
    corpus = Corpus()
    for article, asked in zip(articles, questions, strict=True):
        name = article["title"]
        document = corpus.documents[name]
        document.title = name.replace("_", " ")
        for paragraph, same in zip(article["paragraphs"], asked["paragraphs"], strict=True):
            document.add(paragraph["context"])
            spans = {one["id"]: one["answers"] for one in paragraph["qas"]}
            for one in same["qas"]:
                found = [answer["text"] for answer in spans[one["id"]]]
                corpus.asked.append(Asked(name, one["question"], None if one.get("is_impossible") else found))
    return corpus


def chosen(name: str, corpus: Corpus, half: str, most: int) -> tuple[dict[str, Document], list[dict]]:
    """The documents that are handed in, and at most so many questions of either kind in the trial's form."""
    absent = {one for one in corpus.documents if len(corpus.documents) > LEFT_OUT and digest(f"{name} absent {one}") % LEFT_OUT == 0}
    kinds = defaultdict(list)
    for asked in corpus.asked:
        if asked.document in absent:
            if asked.answers is not None:
                kinds["unanswerable_far"].append(asked)
        elif asked.answers is None:
            kinds["unanswerable_near"].append(asked)
        elif all(len(answer.split()) <= LONGEST_ANSWER for answer in asked.answers):
            kinds["german" if name.startswith("xquad-german") else "direct"].append(asked)
    made = []
    for kind, found in sorted(kinds.items()):
        found.sort(key=lambda asked: digest(f"{name} {asked.document} {asked.question}"))
        for number, asked in enumerate(found[: most if "unanswerable" not in kind else most // 2]):
            answer = "unanswerable" not in kind
            question = {"id": f"{name}-{kind}-{number}".upper().replace("_", "-"), "kind": kind, "corpus": f"{name}-{half}", "policy": "default",
                        "question": asked.question, "expect": "answer" if answer else "refuse", "half": HALVES[half]}  # fmt: skip
            if answer:
                question["sources"] = [f"{file_name(asked.document)}"]
                if asked.answers:
                    question["must"] = [sorted(set(asked.answers))]
                if asked.passages:
                    question["passages"] = asked.passages
            made.append(question)
    return {one: document for one, document in corpus.documents.items() if one not in absent}, made


def file_name(group: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", group.lower()).strip("-")[:60] + f"-{digest(group):012x}.md"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("aside", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--most", type=int, default=40, help="answerable questions of each set and half; half as many of either unanswerable kind")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    squad = json.loads((options.data / "answer_refuse/squad2_dev_half.json").read_text(encoding="utf-8"))["data"]
    xquad = {language: json.loads((options.data / f"retrieval/xquad/xquad.{language}.json").read_text(encoding="utf-8"))["data"] for language in ("en", "de")}
    for half in HALVES:
        sets = defaultdict(list)
        for line in (options.aside / f"{half}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            sets[row["set"]].append(row)
        corpora = {name.replace("_", "-"): of_aside(rows) for name, rows in sets.items()}
        at = list(HALVES).index(half)
        # The reader's thresholds were chosen on the first eight articles: they are the open half.
        corpora["squad2"] = of_squad(squad[at * 8 : at * 8 + 8], squad[at * 8 : at * 8 + 8])
        corpora["xquad-english"] = of_squad(xquad["en"][at::2], xquad["en"][at::2])
        corpora["xquad-german-on-english"] = of_squad(xquad["en"][at::2], xquad["de"][at::2])
        corpora["xquad-german-on-german"] = of_squad(xquad["de"][at::2], xquad["de"][at::2])
        with open(options.out / f"{half}.jsonl", "w", encoding="utf-8") as file:
            for name, corpus in sorted(corpora.items()):
                documents, questions = chosen(name, corpus, half, options.most)
                folder = options.out / f"{name}-{half}"
                folder.mkdir(parents=True, exist_ok=True)
                for group, document in documents.items():
                    (folder / file_name(group)).write_text(document.written(), encoding="utf-8")
                for question in questions:
                    print(json.dumps(question, ensure_ascii=False), file=file)
                print(f"{half} {name}: {len(documents)} documents, {len(questions)} questions")


if __name__ == "__main__":
    main()
