#!/usr/bin/env python3
"""The same questions, documents and model through a plain retrieval pipeline and through Ibidem, as a table.

Both arguments are reports of `ibidem-workbench eval trial --output`: of the replies of lab/bench/plain_pipeline.py, and of
`ibidem-workbench eval trial --with-model`. Only questions that both have are counted.

Whether a source supports a sentence is read from --labels, a file in which somebody wrote it down: one JSON object on
each line with `pipeline` (plain or ibidem), `id`, `sentence` and `supported`. A sentence without a label is estimated
by rule: it counts as unsupported when it has a figure that none of its passages has, or when no passage has half of
its longer words. The table says which of the two its numbers are. --sentences writes what is to be labelled.
"""

import argparse
import json
import re
import sys
from pathlib import Path

MARKER = re.compile(r"\[\^?\d+\]")
FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
# Shorter ones are mostly articles and prepositions.
LONG_WORD = re.compile(r"[^\W\d_]{5,}")
# As much of a word as its inflections share.
STEM = 5


def sentences(text: str) -> list[str]:
    """The sentences of an answer without their citations. What is no statement is left out."""
    parts = re.split(r"(?<=[.!?])\s+|\n+", MARKER.sub("", text))
    return [part.strip(" -*•|") for part in parts if len(part.split()) > 2]


def figures(text: str) -> set[str]:
    return set(FIGURE.findall(text))


def stems(text: str) -> set[str]:
    return {word.lower()[:STEM] for word in LONG_WORD.findall(text)}


def is_supported(sentence: str, passages: list[str]) -> bool:
    if not figures(sentence) <= figures(" ".join(passages)):
        return False
    words = stems(sentence)
    return not words or any(2 * len(words & stems(passage)) >= len(words) for passage in passages)


class Pipeline:
    def __init__(self, name: str, report: dict, ids: set[str], labels: dict):
        self.scored = [scored for scored in report["questions"] if scored["question"]["id"] in ids]
        self.said, self.unsupported, self.labelled = 0, 0, 0
        self.to_label = []
        for scored in self.scored:
            reply = scored["reply"]
            if reply["gave"] != "answer":
                continue
            for sentence in sentences(reply["answer"]):
                label = labels.get((name, reply["id"], sentence))
                self.said += 1
                self.labelled += label is not None
                supported = is_supported(sentence, reply["passages"]) if label is None else label
                self.unsupported += not supported
                self.to_label.append({"pipeline": name, "id": reply["id"], "sentence": sentence, "supported": supported})

    def count(self, expect: str, judged: str) -> str:
        of = [scored for scored in self.scored if scored["question"]["expect"] == expect]
        return f"{sum(scored['judged'] == judged for scored in of)} of {len(of)}"

    def seconds(self) -> str:
        return f"{sum(scored['reply']['seconds'] for scored in self.scored) / max(1, len(self.scored)):.1f}"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("plain", type=Path)
    arguments.add_argument("ibidem", type=Path)
    arguments.add_argument("--labels", type=Path)
    arguments.add_argument("--sentences", type=Path, help="writes every sentence with its estimate into this file")
    given = arguments.parse_args()
    files = {"plain": given.plain, "ibidem": given.ibidem}
    reports = {name: json.loads(file.read_text(encoding="utf-8")) for name, file in files.items()}
    asked = [{scored["question"]["id"] for scored in report["questions"]} for report in reports.values()]
    both = asked[0] & asked[1]
    if not both:
        sys.exit("the two reports have no question in common")
    labels = {}
    if given.labels:
        for line in given.labels.read_text(encoding="utf-8").splitlines():
            label = json.loads(line)
            labels[label["pipeline"], label["id"], label["sentence"]] = label["supported"]
    plain, ibidem = (Pipeline(name, report, both, labels) for name, report in reports.items())
    if given.sentences:
        lines = [json.dumps(line, ensure_ascii=False) for line in plain.to_label + ibidem.to_label]
        given.sentences.write_text("\n".join(lines) + "\n", encoding="utf-8")
    by_hand = all(pipeline.labelled == pipeline.said for pipeline in (plain, ibidem))
    how = "labelled by hand" if by_hand else "estimated by rule"
    print(f"{len(both)} questions, answers written by {reports['ibidem']['writer']}\n")
    print("| | plain pipeline | Ibidem |")
    print("|---|---|---|")
    for name, value in [
        ("answerable questions answered rightly", lambda pipeline: pipeline.count("answer", "right")),
        ("answerable questions answered wrongly", lambda pipeline: pipeline.count("answer", "wrong")),
        ("answerable questions refused", lambda pipeline: pipeline.count("answer", "wrongly_refused")),
        ("unanswerable questions answered", lambda pipeline: pipeline.count("refuse", "wrongly_answered")),
        (f"sentences that no source supports ({how})", lambda pipeline: f"{pipeline.unsupported} of {pipeline.said}"),
        ("seconds for a question, in the mean", lambda pipeline: pipeline.seconds()),
    ]:
        print(f"| {name} | {value(plain)} | {value(ibidem)} |")


if __name__ == "__main__":
    main()
