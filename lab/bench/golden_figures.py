"""Writes the golden set's figures between the markers of a Markdown file.

usage: golden_figures.py RESULTS FILE

Everything between `<!-- golden -->` and `<!-- /golden -->` is replaced; a file without the markers is an error.
"""

import json
import pathlib
import re
import sys

# What the figures are called for somebody who has not read how they are counted.
PLAIN = {
    "terminology hallucination": "definitions not from the vocabulary",
    "citation compliance": "sentences with a citation that resolves",
    "false refusals": "answerable questions that were refused",
    "hallucinations": "answers to questions without one",
}
MARKED = re.compile(r"(<!-- golden -->\n).*?(<!-- /golden -->)", re.DOTALL)


def table(results):
    metrics, halves = results["metrics"], results["metrics"]["by_half"]
    lines = ["| golden set | observed | aim |", "|---|---|---|"]
    for target in results["targets"]:
        missed = "" if target["reached"] else " (missed)"
        name = PLAIN.get(target["name"], target["name"])
        lines.append(f"| {name} | {target['observed']:.3f} | {target['sign']} {target['aim']:.2f}{missed} |")
    config, half = results["meta"]["config"], lambda name: halves[name]
    model = config["answering_model"]
    answers = f"are written by {model}" if model else "consist of sentences quoted from the documents"
    wrongly = "an answer" if model else "a quoted, correctly cited passage that does not answer them"
    lines.append("")
    lines.append(
        f"{results['meta']['total']} questions about {config['documents']} documents; embedding model "
        f"{config['embedding_model']}; answers {answers}. Thresholds were chosen on one half of the questions: precision is "
        f"{half('calibration')['precision']:.3f} and recall {half('calibration')['recall']:.3f} there, "
        f"{half('held_out')['precision']:.3f} and {half('held_out')['recall']:.3f} on the other half. "
        f"{metrics['hallucinations']['count']} of {metrics['hallucinations']['of']} questions that the documents do not "
        f"answer got {wrongly}."
    )
    return "\n".join(lines) + "\n"


def main():
    results, file = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2])
    written, count = MARKED.subn(lambda found: found[1] + table(results) + found[2], file.read_text())
    if count != 1:
        sys.exit(f"{file} must have <!-- golden --> and <!-- /golden --> once; found {count}")
    file.write_text(written)


main()
