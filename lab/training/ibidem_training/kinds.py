"""Where a model errs, by kind: on groups that are held out, at the threshold that was chosen elsewhere."""

import argparse
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch

from . import folders, leaks
from .evaluate import scored
from .scoring import Scorer, answering, support
from .train import area_under_curve


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=["verifier", "reader"])
    parser.add_argument("source", type=Path, help="a run's checkpoint.pt, or an exported folder")
    parser.add_argument("--sets", help="the folder of sets; the task's name where nothing is said")
    parser.add_argument("--base", default="minilm")
    parser.add_argument("--most", type=int, default=120, help="rows of each kind")
    parser.add_argument("--weights", type=float, nargs=3, default=(1.0, 0.0, 0.0), help="of the verifier's labels, words and strange words")
    parser.add_argument("--threshold", type=float, help="where the score is cut; without it, where a tenth of the good is lost")
    options = parser.parse_args()
    torch.set_num_threads(1)
    rows = defaultdict(list)
    for row in leaks.rows(folders.runs() / "sets" / (options.sets or options.task) / "held_out.jsonl"):
        rows[row["kind"].split("+")[0]].append(row)
    chosen = [row for kind in sorted(rows) for row in rows[kind][: options.most]]
    scorer = Scorer(options.task, options.source, options.base)
    if options.task == "verifier":
        found = support(scorer, [(row["premise"], row["claim"]) for row in chosen])
        scores, good = scored(found, tuple(options.weights)), np.array([row["label"] == 0 for row in chosen])
    else:
        found = answering(scorer, [(row["question"], row["passage"]) for row in chosen])
        scores, good = np.array([one[0] for one in found]), np.array([bool(row["answerable"]) for row in chosen])
    threshold = options.threshold if options.threshold is not None else float(np.quantile(scores[good], 0.1))
    kinds = np.array([row["kind"].split("+")[0] for row in chosen])
    print("AUC", round(area_under_curve(scores, good), 3), "threshold", round(threshold, 3))
    for kind in sorted(set(kinds)):
        for side in (True, False):
            here = (kinds == kind) & (good == side)
            if here.any():
                # Against the other side of everything: how well this kind is told apart.
                apart = area_under_curve(np.concatenate([scores[here], scores[good != side]]), np.concatenate([good[here], good[good != side]]))
                wrong = float((scores[here] < threshold).mean() if side else (scores[here] >= threshold).mean())
                print(json.dumps({"kind": kind, "good": side, "rows": int(here.sum()), "wrong": round(wrong, 3), "auc": round(apart, 3)}))


if __name__ == "__main__":
    main()
