"""Chooses the demo policy's distance and coverage on the calibration half of the golden set.

usage: golden_thresholds.py IBIDEM SETTINGS [options of `ibidem eval run`]

Runs `ibidem eval run` with each pair of thresholds laid over the policy. Of those that reach the aims on the
calibration half, the most precise wins; of equals the one that answers more, then the strictest. Nothing is chosen by
the other half: its figures are not even printed.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

DISTANCES = [0.50, 0.55, 0.58, 0.60, 0.62, 0.64, 0.66, 0.70]
COVERAGES = [0.0, 0.10, 0.15, 0.20, 0.30]
LEAST_PRECISION, LEAST_RECALL, MOST_FALSE_REFUSALS = 0.85, 0.80, 0.10


def measured(ibidem, settings, options, folder, distance, coverage):
    thresholds, output = folder / "thresholds.yaml", folder / "results.json"
    thresholds.write_text(f"default: {{distance_threshold: {distance}, min_query_coverage: {coverage}}}\n")
    command = [ibidem, "--config", settings, "eval", "run", "--thresholds", thresholds, "--output", output, *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    results = json.loads(output.read_text())
    half = [question for question in results["questions"] if question["half"] == "calibration"]
    to_answer = sum(not question["expected"]["abstain"] for question in half)
    refused = sum(question["judged"] == "false_refusal" for question in half)
    score = results["metrics"]["by_half"]["calibration"]
    return score["precision"] or 0.0, score["recall"], refused / to_answer


def main():
    ibidem, settings, *options = sys.argv[1:]
    reaching = []
    print("distance  coverage  precision  recall  false refusals")
    with tempfile.TemporaryDirectory() as folder:
        for distance in DISTANCES:
            for coverage in COVERAGES:
                found = measured(ibidem, settings, options, pathlib.Path(folder), distance, coverage)
                precision, recall, refused = found
                print(f"{distance:8.2f}  {coverage:8.2f}  {precision:9.4f}  {recall:6.4f}  {refused:14.4f}", flush=True)
                if precision > LEAST_PRECISION and recall > LEAST_RECALL and refused < MOST_FALSE_REFUSALS:
                    reaching.append((-precision, -recall, distance, -coverage))
    if not reaching:
        sys.exit("no pair reaches the aims on the calibration half")
    _, _, distance, coverage = min(reaching)
    print(f"chosen: distance {distance}, coverage {-coverage}")


main()
