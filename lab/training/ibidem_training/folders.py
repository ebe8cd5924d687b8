"""Where data is read from and where runs are written: one environment variable each, read here and nowhere else."""

import os
from pathlib import Path

DATA_VARIABLE = "IBIDEM_TRAINING_DATA"
RUNS_VARIABLE = "IBIDEM_TRAINING_RUNS"
REPOSITORY = Path(__file__).resolve().parents[3]


def data() -> Path:
    """The data folder: `training/` has what is learned from, `data/` what is measured on."""
    folder = os.environ.get(DATA_VARIABLE)
    if not folder:
        raise SystemExit(f"{DATA_VARIABLE} must name the data folder; lab/training/README.md says what is in it")
    return Path(folder)


def runs() -> Path:
    """Prepared sets, bases, checkpoints. None of it belongs in the repository."""
    folder = Path(os.environ.get(RUNS_VARIABLE) or REPOSITORY / "lab" / "training" / "runs")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def learned_from(data: Path, folder: str, name: str) -> Path | None:
    """The file of a set: of the first gathering, or, compressed, of the second."""
    for path in (data / "training" / folder / f"{name}.jsonl", data / "training/two" / folder / f"{name}.jsonl.gz"):
        if path.exists():
            return path
    return None


def present(data: Path, folder: str, names: list[str]) -> list[str]:
    """The sets of these names that the data folder has. The smoke run's has few; what is missing is said."""
    found = [name for name in names if learned_from(data, folder, name)]
    if missing := [name for name in names if name not in found]:
        print(f"not in the data folder: {folder}/{', '.join(missing)}")
    return found
