"""Proves that nothing learned from shares a run of twelve words, or a whole text, with what is measured on."""

import csv
import gzip
import json
from collections.abc import Iterable
from pathlib import Path

from . import folders
from .texts import sentences, words

RUN = 12


def rows(path: Path):
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)


def test_texts(data: Path) -> Iterable[tuple[str, str]]:
    """Every text of every test set, with the set's name. Sets that the data folder does not have are not checked."""
    from . import aside

    for text in aside.texts(data):
        yield "set aside", text
    if not (data / "data").exists():
        yield from repository_texts()
        return
    for row in rows(data / "data/hallucination/ragtruth_qa_test_829.jsonl"):
        yield "ragtruth", row["passages"]
        yield "ragtruth", row["question"]
        yield "ragtruth", row["response"]
        for sentence in sentences(row["response"]):
            if len(words(sentence)) >= 6:
                yield "ragtruth", sentence
    with open(data / "data/answer_refuse/squad2_dev_half.json", encoding="utf-8") as file:
        for article in json.load(file)["data"]:
            for paragraph in article["paragraphs"]:
                yield "squad2_dev_half", paragraph["context"]
                for asked in paragraph["qas"]:
                    yield "squad2_dev_half", asked["question"]
    with open(data / "data/hallucination/begin_test_wow.tsv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            yield "begin_test", row["knowledge"]
            yield "begin_test", row["response"]
    wanted = {line.split("\t")[0] for line in open(data / "data/retrieval/scifact/qrels_test.tsv", encoding="utf-8")}
    for row in rows(data / "data/retrieval/scifact/queries.jsonl"):
        if str(row["_id"]) in wanted:
            yield "scifact_test", row["text"]
    yield from repository_texts()


def repository_texts() -> Iterable[tuple[str, str]]:
    """The test sets that are part of the project."""
    for row in rows(folders.REPOSITORY / "lab/data/adversarial/pairs.jsonl"):
        yield "adversarial", row["sentence"]
        for passage in row["passages"]:
            yield "adversarial", passage
    for row in rows(folders.REPOSITORY / "demo/architecture/golden_queries.jsonl"):
        yield "golden", row["query"]
    for name in ("trial", "trial_2"):
        for row in rows(folders.REPOSITORY / f"lab/data/{name}.jsonl"):
            yield "trial", row["question"]
    for name in ("follow_ups", "follow_ups_known"):
        for row in rows(folders.REPOSITORY / f"lab/data/{name}.jsonl"):
            for turn in row["turns"]:
                yield "follow_ups", turn["ask"]
    # What the golden set, the trial and the follow-ups are asked about.
    for path in sorted((folders.REPOSITORY / "demo").rglob("*.md")):
        yield "demo", path.read_text(encoding="utf-8")


class Known:
    """Runs of twelve words and whole texts, each with the name of what it stands in."""

    def __init__(self, texts: Iterable[tuple[str, str]] = ()):
        self.runs: dict[int, str] = {}
        self.texts: dict[str, str] = {}
        for name, text in texts:
            self.add(name, text)

    def add(self, name: str, text: str) -> None:
        spelled = words(text)
        # A text of two words is nobody's: "What is" would be a leak everywhere.
        if len(spelled) >= 4:
            self.texts[" ".join(spelled)] = name
        for at in range(len(spelled) - RUN + 1):
            self.runs[hash(tuple(spelled[at : at + RUN]))] = name

    def find(self, text: str) -> str | None:
        """The name of what a text has something in common with."""
        spelled = words(text)
        if name := self.texts.get(" ".join(spelled)):
            return name
        for at in range(len(spelled) - RUN + 1):
            if name := self.runs.get(hash(tuple(spelled[at : at + RUN]))):
                return name
        return None


class Leaks(Known):
    """What is in the test sets, those of the data folder and of the repository, and in what is set aside."""

    def __init__(self, data: Path | None):
        super().__init__(test_texts(data) if data else repository_texts())

    @staticmethod
    def of_repository() -> "Leaks":
        return Leaks(None)
