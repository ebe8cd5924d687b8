"""Writes the golden set's figures between the markers of a Markdown file.

usage: golden_figures.py RESULTS FILE

Everything between `<!-- golden -->` and `<!-- /golden -->` is replaced; a file without the markers is an error.
"""

import json
import pathlib
import re
import sys

MARKED = re.compile(r"(<!-- golden -->\n).*?(<!-- /golden -->)", re.DOTALL)


def table(results):
    metrics, halves = results["metrics"], results["metrics"]["by_half"]
    lines = ["| golden set | observed | aim |", "|---|---|---|"]
    for target in results["targets"]:
        missed = "" if target["reached"] else " (missed)"
        lines.append(f"| {target['name']} | {target['observed']:.3f} | {target['sign']} {target['aim']:.2f}{missed} |")
    config, half = results["meta"]["config"], lambda name: halves[name]
    answers = config["answering_model"] or "the sources' own sentences"
    lines.append("")
    lines.append(
        f"{results['meta']['total']} questions to {config['documents']} documents, {config['embedding_model']}, answers by "
        f"{answers}. Thresholds were chosen on one half of the questions: precision {half('calibration')['precision']:.3f} "
        f"and recall {half('calibration')['recall']:.3f} there, {half('held_out')['precision']:.3f} and "
        f"{half('held_out')['recall']:.3f} on the other. {metrics['hallucinations']['count']} of "
        f"{metrics['hallucinations']['of']} questions that must not be answered were."
    )
    return "\n".join(lines) + "\n"


def main():
    results, file = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2])
    written, count = MARKED.subn(lambda found: found[1] + table(results) + found[2], file.read_text())
    if count != 1:
        sys.exit(f"{file} must have <!-- golden --> and <!-- /golden --> once; found {count}")
    file.write_text(written)


main()
