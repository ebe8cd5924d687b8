"""Two readers on the open half of what was set aside: how well each tells right passages from wrong ones, and at which logit
of the new one as many wrong ones pass as pass the old one where a policy asks for this probability. Zero and scale of the
new one are chosen by that, so that a policy's thresholds keep their meaning.

usage: python -m ibidem_training.matched OLD NEW   (exported folders; the rows of `python -m ibidem_training.aside`)
"""

import json
import math
import random
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from . import evaluate, folders
from .scoring import Scorer, answering
from .train import area_under_curve

MOST, MOST_OF_SQUAD = 70, 300
PROBABILITIES = (0.25, 0.5, 0.63, 0.75, 0.9)


def rows() -> list[dict]:
    """At most so many of each set and answer, and each answerable question with another passage of its set."""
    chance = random.Random(1)
    found = defaultdict(list)
    for line in (folders.runs() / "aside/one.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found[row["set"], row["answerable"]].append(row)
    chosen = []
    for _, of_one in sorted(found.items()):
        chance.shuffle(of_one)
        chosen += of_one[:MOST]
    of_squad = [
        {"set": "squad2", "question": asked["question"], "passage": f"{article['title'].replace('_', ' ')}\n{paragraph['context']}", "answerable": not asked["is_impossible"]}
        for article in evaluate.squad(folders.data())[:8] for paragraph in article["paragraphs"] for asked in paragraph["qas"]
    ]  # fmt: skip
    chance.shuffle(of_squad)
    chosen += of_squad[:MOST_OF_SQUAD]
    others = []
    for row in chosen:
        if row["answerable"]:
            other = chance.choice([one for one in chosen if one["set"] == row["set"] and one["passage"] != row["passage"]])
            others.append(row | {"passage": other["passage"], "answerable": False, "far": True})
    return chosen + others


def main() -> None:
    chosen = rows()
    right = np.array([bool(row["answerable"]) for row in chosen])
    far = np.array([row.get("far", False) for row in chosen])
    names = np.array([row["set"] for row in chosen])
    near = ~right & ~far
    scores = []
    for folder in sys.argv[1:3]:
        found = answering(Scorer("reader", Path(folder)), [(row["question"], row["passage"][:1500]) for row in chosen])
        scores.append(np.array([float(one[0]) for one in found]))
        print(f"{folder}: AUC {area_under_curve(scores[-1], right):.3f}")
        for name in sorted(set(names)):
            of_it = (names == name) & ~far
            if (of_it & ~right).any():
                print(f"  {name}: {area_under_curve(scores[-1][of_it], right[of_it]):.3f} of {of_it.sum()}")
    old, new = scores
    for probability in PROBABILITIES:
        logit = math.log(probability / (1 - probability))
        print(f"{probability:.2f}: passes of the old one: right {(old[right] >= logit).mean():.3f}, near {(old[near] >= logit).mean():.3f}, far {(old[far] >= logit).mean():.3f}")
        for kind, of_it in (("near", near), ("far", far)):
            same = np.quantile(new[of_it], 1 - (old[of_it] >= logit).mean())
            print(f"      as many {kind} ones of the new one at {same:.2f}: right {(new[right] >= same).mean():.3f}, near {(new[near] >= same).mean():.3f}, far {(new[far] >= same).mean():.3f}")


if __name__ == "__main__":
    main()
