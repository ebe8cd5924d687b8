"""Chooses the demo policy's answerability on the calibration half of the golden set.

usage: golden_answerability.py RESULTS.json [both]

RESULTS.json is of one `ibidem eval run` with the gate open (`answerability: 0.0001`): the gate drops nothing, so that
what each threshold would answer can be read from that run. Of the thresholds that answer at least four in five of the
answerable questions rightly, the most precise wins, of equals the loosest. The other half is printed only on request,
and chooses nothing.
"""

import json
import sys

THRESHOLDS = [number / 20 for number in range(20)]
LEAST_RECALL = 0.80


def observed(question):
    numbers = [gate["observed"] for gate in question["trace"] if gate["gate"] == "answerability"]
    return numbers[-1] if numbers else 1.0


def measured(questions, threshold):
    """Precision, recall, and how many of the questions that must not be answered are."""
    answered = [q for q in questions if q["actual"]["action"] == "cite" and observed(q) >= threshold]
    right = sum(q["judged"] == "answered" for q in answered)
    to_answer = sum(not q["expected"]["abstain"] for q in questions)
    return right / max(len(answered), 1), right / to_answer, sum(q["expected"]["abstain"] for q in answered)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        questions = json.load(file)["questions"]
    halves = ["calibration"] + (["held_out"] if sys.argv[2:] == ["both"] else [])
    print("threshold" + "".join(f"  {half}: precision  recall  must not, answered" for half in halves))
    reaching = []
    for threshold in THRESHOLDS:
        line = f"{threshold:9.2f}"
        for half in halves:
            precision, recall, wrongly = measured([q for q in questions if q["half"] == half], threshold)
            line += f"  {precision:{len(half) + 11}.4f}  {recall:6.4f}  {wrongly:18d}"
            if half == "calibration" and recall >= LEAST_RECALL:
                reaching.append((-precision, threshold))
        print(line)
    if not reaching:
        sys.exit("no threshold answers four in five rightly on the calibration half")
    print(f"chosen: {min(reaching)[1]}")


main()
