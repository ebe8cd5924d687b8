#!/usr/bin/env python3
"""The paragraphs of a set in the form of SQuAD 2.0, a document on each line, for `ibidem ingest`."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    articles = json.load(file)["data"]
for article in articles:
    for number, paragraph in enumerate(article["paragraphs"]):
        document = {"id": f"{article['title']}#p{number}", "title": article["title"], "text": paragraph["context"]}
        print(json.dumps(document, ensure_ascii=False))
