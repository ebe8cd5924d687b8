#!/usr/bin/env python3
"""Claims that a language model wrote, a pair on each line as lab/bench/claim_pairs.py prints them, for `ibidem-workbench eval fit`.

How models paraphrase and how they invent cannot be made by rule. From half of SQuAD 2.0's dev set, with the model server
of the stack (`stack/up --model usable`; about ten seconds a claim on two cores):

  paraphrased by a model   a sentence of the paragraph in the model's own words: supported
  continued by a model     what it adds to the paragraph's last sentences, asked for what they do not say: not supported
  answered from memory     its answer to a question about the paragraph, which it does not see: not supported

Nobody read these: a paraphrase may be wrong, and what was made up may be true by chance. Temperature 0.
"""

import argparse
import json
import os
import random
import re
import sys
import urllib.request
from pathlib import Path

from claim_pairs import SEED, pair, sentences

EXAMPLE = (
    "The heart pumps blood through the body, providing it with oxygen and nutrients and assisting in the removal of "
    "metabolic wastes."
)
PARAPHRASE = [
    ("system", "You say what a passage says in your own words: one plain sentence, nothing added."),
    ("user", EXAMPLE),
    ("assistant", "By moving blood around the body, the heart supplies oxygen and nutrients and helps to get rid of waste."),
]
CONTINUE = [
    ("system", "You continue a text by one more sentence with further details that the text does not give."),
    ("user", EXAMPLE),
    ("assistant", "An adult's heart beats about 70 times a minute, and it is recommended to exercise regularly."),
]
LONGEST_ANSWER = 110


def ask(server: str, model: str, messages: list[tuple[str, str]]) -> str:
    body = {
        "model": model,
        "messages": [{"role": role, "content": content} for role, content in messages],
        "temperature": 0,
        "max_tokens": LONGEST_ANSWER,
    }
    request = urllib.request.Request(
        f"{server}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=300) as reply:
        return json.load(reply)["choices"][0]["message"]["content"].strip()


def whole_sentences(text: str) -> list[str]:
    """Those that were not cut off at the limit."""
    return [part for part in re.split(r"(?<=[.!?])\s+", text) if part.endswith((".", "!", "?"))]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path, help="the folder with answer_refuse")
    arguments.add_argument("--paragraphs", type=int, default=120)
    arguments.add_argument("--server", default=os.environ.get("IBIDEM__LANGUAGE_MODEL__URL"))
    arguments.add_argument("--model", default=os.environ.get("IBIDEM__LANGUAGE_MODEL__NAME"))
    given = arguments.parse_args()
    if not given.server or not given.model:
        sys.exit('no model server: run stack/up --model usable, then eval "$(stack/env)"')
    articles = json.loads((given.data / "answer_refuse/squad2_dev_half.json").read_text(encoding="utf-8"))["data"]
    paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"] if paragraph["qas"]]
    chance = random.Random(SEED)
    chance.shuffle(paragraphs)
    for paragraph in paragraphs[: given.paragraphs]:
        text, own = paragraph["context"], sentences(paragraph["context"])
        if len(own) < 3:
            continue
        question = chance.choice(paragraph["qas"])["question"]
        paraphrase = ask(given.server, given.model, [*PARAPHRASE, ("user", chance.choice(own))])
        added = ask(given.server, given.model, [*CONTINUE, ("user", " ".join(own[-2:]))])
        answer = ask(given.server, given.model, [("user", f"{question} Answer in two or three sentences with details.")])
        lines = [pair("model", "paraphrased by a model", text, paraphrase, True)]
        lines += [pair("model", "continued by a model", text, claim, False) for claim in whole_sentences(added)]
        lines += [pair("model", "answered from memory", text, claim, False) for claim in whole_sentences(answer)[:3]]
        for line in lines:
            print(json.dumps(line, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
