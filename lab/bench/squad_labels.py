#!/usr/bin/env python3
"""Labels for `ibidem calibrate` from a set in the form of SQuAD 2.0, and the paragraphs they are about.

usage: squad_labels.py SET.json FOLDER [first|second]

The corpus is the paragraphs of every second article: of all of them, or of the first or the second half of them, which
are the even and the odd ones. The first half is what models and thresholds are chosen by, the second what they are
tested on. Its answerable questions are labelled with their paragraph and the words that people marked, and:

near_*  the questions on the same articles that no paragraph answers, though one is about the same things
far_*   the questions on the other articles, which are not in the corpus

Every second question is for choosing by (*_choosing.jsonl), the others for testing the choice (*_testing.jsonl).
"""

import json
import pathlib
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    articles = json.load(file)["data"]
if len(sys.argv) > 3:
    articles = articles[{"first": 0, "second": 1}[sys.argv[3]] :: 2]
folder = pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)


def questions(articles, answerable_too=True):
    """Each question with its paragraph, or with none where no paragraph answers it."""
    for article in articles:
        for number, paragraph in enumerate(article["paragraphs"]):
            name = f"{article['title']}#p{number}"
            for asked in paragraph["qas"]:
                if asked["question"].strip():
                    yield asked, None if asked["is_impossible"] or not answerable_too else name


def label(asked, paragraph):
    written = {"id": asked["id"], "query": asked["question"].strip(), "answerable": paragraph is not None}
    marked = sorted({answer["text"] for answer in asked["answers"]})
    return written | ({"documents": [paragraph], "answers": marked} if paragraph else {})


def write(name, labels):
    for part, chosen in (("choosing", labels[::2]), ("testing", labels[1::2])):
        with open(folder / f"{name}_{part}.jsonl", "w", encoding="utf-8") as out:
            for line in chosen:
                print(json.dumps(line, ensure_ascii=False), file=out)


present, absent = articles[::2], articles[1::2]
with open(folder / "corpus.jsonl", "w", encoding="utf-8") as out:
    for article in present:
        for number, paragraph in enumerate(article["paragraphs"]):
            document = {"id": f"{article['title']}#p{number}", "title": article["title"], "text": paragraph["context"]}
            print(json.dumps(document, ensure_ascii=False), file=out)
of_corpus = [label(asked, paragraph) for asked, paragraph in questions(present)]
write("near", of_corpus)
answered = [written for written in of_corpus if written["answerable"]]
write("far", answered + [label(asked, paragraph) for asked, paragraph in questions(absent, answerable_too=False)])
