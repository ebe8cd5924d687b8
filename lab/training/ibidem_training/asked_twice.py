"""The same fact asked in its document's words and otherwise (`lab/data/asked_twice.jsonl`): how far apart the reader's
probabilities are on the section that states it, and how often both are on the same side of what the policies ask for.

usage: python -m ibidem_training.asked_twice FOLDER ...   (exported folders)
"""

import json
import re
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from . import folders, leaks
from .scoring import Scorer, answering

ASKED_FOR = 0.75
FORMS = ("typing", "casual", "case", "search")


def spelled(text: str) -> str:
    return " ".join(text.split())


def sections(path: Path) -> tuple[str, str, list[tuple[str, str]]]:
    """Address and title of a document of the demo, and its sections under their headings."""
    text = path.read_text(encoding="utf-8")
    front = text.split("\n---\n", 1)[0] if text.startswith("---\n") else ""
    field = {name: value.strip() for name, value in re.findall(r"^(\w+): *(.+)$", front, re.MULTILINE)}
    body = text[len(front) :]
    heading = re.search(r"^# (.+)$", body, re.MULTILINE)
    parts = re.split(r"^## +(.+)$", body, flags=re.MULTILINE)
    found = [("", parts[0])] + list(zip(parts[1::2], parts[2::2], strict=True))
    return field.get("address", ""), field.get("title") or (heading.group(1) if heading else ""), found


def pairs() -> list[tuple[dict, str]]:
    """Each fact with the section that states it, as the product writes a passage."""
    known = {}
    for path in sorted((folders.REPOSITORY / "demo").rglob("*.md")):
        address, title, parts = sections(path)
        known[address] = (title, parts)
    found = []
    for row in leaks.rows(folders.REPOSITORY / "lab/data/asked_twice.jsonl"):
        title, parts = known[row["document"]]
        stating = [(heading, text) for heading, text in parts if spelled(row["fact"]) in spelled(text)]
        if not stating:
            raise SystemExit(f"{row['id']}: no section of {row['document']} states {row['fact']!r}")
        heading, text = stating[0]
        found.append((row, f"{title}: {heading}\n{text.strip()}" if heading else f"{title}\n{text.strip()}"))
    return found


def main() -> None:
    known = pairs()
    for folder in sys.argv[1:]:
        asked = [(row[way], passage) for row, passage in known for way in ("in_its_words", "otherwise")]
        logits = np.array([one[0] for one in answering(Scorer("reader", Path(folder)), asked)]).reshape(-1, 2)
        likely = 1 / (1 + np.exp(-logits))
        apart, same = np.abs(likely[:, 0] - likely[:, 1]), (likely >= ASKED_FOR).all(1) | (likely < ASKED_FOR).all(1)
        told = {"facts": len(known), "apart, median": apart, "same decision": same, "passes in its words": likely[:, 0] >= ASKED_FOR, "passes otherwise": likely[:, 1] >= ASKED_FOR}
        print(folder, json.dumps({name: value if isinstance(value, int) else round(float(np.median(value) if name == "apart, median" else value.mean()), 3) for name, value in told.items()}))
        by_form = defaultdict(list)
        for at, (row, _) in enumerate(known):
            by_form[row["form"]].append(at)
        for form in FORMS:
            of_it = by_form[form]
            print(f"  {form}: {len(of_it)} facts, apart {np.median(apart[of_it]):.3f}, same decision {same[of_it].mean():.2f}, passes otherwise {(likely[of_it, 1] >= ASKED_FOR).mean():.2f}")


if __name__ == "__main__":
    main()
