"""The curves of several runs beside each other, as a table: how well each tells apart after so many CPU minutes."""

import argparse
import json
from pathlib import Path

from . import folders
from .card import table


def looks(log: Path) -> list[dict]:
    return [line for line in map(json.loads, log.read_text(encoding="utf-8").splitlines()) if "looking took" in line]


def rows(name: str, found: list[dict], figures: list[str]) -> list[list]:
    """One row for each look: the last one of those at the same step."""
    last = {line["step"]: line for line in found}
    return [[name, round(line["cpu_minutes"]), sum(line["seen"].values()), *(line.get(figure, {}).get("all", "") for figure in figures)] for line in last.values()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", help="names of runs")
    options = parser.parse_args()
    found = {name: looks(path) for name in options.runs if (path := folders.runs() / "runs" / name / "log.jsonl").exists()}
    figures = sorted({figure for lines in found.values() for line in lines for figure in line if figure.endswith(("held_out", "chosen_on"))})
    by_time = sorted((row for name, lines in found.items() for row in rows(name, lines, figures)), key=lambda row: (row[1], options.runs.index(row[0])))
    print(table(["run", "CPU minutes", "examples", *(figure.replace("_", " ") for figure in figures)], by_time))


if __name__ == "__main__":
    main()
