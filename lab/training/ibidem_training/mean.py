"""The mean of several checkpoints of one line of runs: rounds that went on from each other lie in one valley, and their
mean often generalises better than each. The last one named gives what is no number to be averaged."""

import argparse
from pathlib import Path

import torch

from . import folders


def mean(models: list[dict], weights: list[float]) -> dict:
    total, last = sum(weights), models[-1]
    found = {}
    for name, value in last.items():
        if value.is_floating_point():
            # A round before the marks has none: they say nothing there.
            parts = [one.get(name, torch.zeros_like(value)) * (weight / total) for one, weight in zip(models, weights, strict=True)]
            value = torch.stack(parts).sum(0)
        found[name] = value
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("runs", nargs="+", help="names of runs, each with its weight after a colon where it is not 1")
    options = parser.parse_args()
    named = [(name.split(":") + ["1"])[:2] for name in options.runs]
    models = [torch.load(folders.runs() / "runs" / name / "checkpoint.pt", weights_only=True)["models"] for name, _ in named]
    weights = [float(weight) for _, weight in named]
    options.out.parent.mkdir(parents=True, exist_ok=True)
    torch.save({"models": {task: mean([one[task] for one in models], weights) for task in models[-1]}}, options.out)


if __name__ == "__main__":
    main()
