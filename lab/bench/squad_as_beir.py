#!/usr/bin/env python3
"""A set in the form of SQuAD as a retrieval set in the form of BEIR: which paragraph answers the question?

usage: squad_as_beir.py QUESTIONS.json CORPUS.json FOLDER

Questions and paragraphs may be of two files, the same set in two languages: then paragraphs correspond by their place.
Questions that no paragraph answers are left out.
"""

import json
import pathlib
import sys


def paragraphs(path):
    """Each paragraph with its id and its article's title."""
    with open(path, encoding="utf-8") as file:
        articles = json.load(file)["data"]
    for article in articles:
        for number, paragraph in enumerate(article["paragraphs"]):
            yield f"{article['title']}-{number}", article["title"].replace("_", " "), paragraph


asked, corpus = list(paragraphs(sys.argv[1])), list(paragraphs(sys.argv[2]))
if [name for name, _, _ in asked] != [name for name, _, _ in corpus]:
    sys.exit("the two files have different articles or numbers of paragraphs: they are not one set in two languages")
folder = pathlib.Path(sys.argv[3])
folder.mkdir(parents=True, exist_ok=True)
with open(folder / "corpus.jsonl", "w", encoding="utf-8") as out:
    for name, title, paragraph in corpus:
        print(json.dumps({"_id": name, "title": title, "text": paragraph["context"].lstrip("\ufeff")}, ensure_ascii=False), file=out)
with (
    open(folder / "queries.jsonl", "w", encoding="utf-8") as queries,
    open(folder / "qrels_test.tsv", "w", encoding="utf-8") as judgements,
):
    print("query-id\tcorpus-id\tscore", file=judgements)
    for name, _, paragraph in asked:
        for question in paragraph["qas"]:
            if not question.get("is_impossible", False) and question["question"].strip():
                print(json.dumps({"_id": question["id"], "text": question["question"].strip()}, ensure_ascii=False), file=queries)
                print(f"{question['id']}\t{name}\t1", file=judgements)
