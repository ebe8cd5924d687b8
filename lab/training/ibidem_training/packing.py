"""Rows into tokens, once and beforehand, so that training does nothing but train."""

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from . import folders, leaks
from .texts import STOP

WINDOW = 384
UNKNOWN = -1
BEGINS = "▁"


def tokenizer(folder: Path, cut: str, window: int) -> Tokenizer:
    made = Tokenizer.from_file(str(folder / "tokenizer.json"))
    made.no_padding()
    made.enable_truncation(window, strategy=cut)
    return made


def folder(runs: Path, sets: str, base: str) -> Path:
    """Where the rows of a set are as tokens: bases with the same tokenizer share them."""
    written = json.dumps(json.loads((runs / "bases" / base / "tokenizer.json").read_bytes()), sort_keys=True)
    return runs / "packed" / f"{sets}-{hashlib.sha256(written.encode()).hexdigest()[:8]}"


def telling(tokens: Tokenizer) -> np.ndarray:
    """For each token of the vocabulary, 1 where it says something: no sign, no word that is everywhere."""
    vocabulary = tokens.get_vocab()
    found = np.ones(len(vocabulary), np.float32)
    for name, at in vocabulary.items():
        if name in STOP or name.startswith(("[", "<")) or not any(sign.isalnum() for sign in name):
            found[at] = 0
    return found


ENDINGS = (("ies", "y"), ("sses", "ss"), ("ied", "y"), ("ing", ""), ("edly", ""), ("ed", ""), ("ers", "er"), ("es", ""), ("s", ""), ("ly", ""), ("e", ""))


def stem(word: str) -> str:
    """What "decides", "decided" and "deciding" have in common. English, rough, and the same on both sides."""
    if not word.endswith("ss"):
        for ending, instead in ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                word = word[: -len(ending)] + instead
                break
    if word.endswith("e") and len(word) > 4:
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls" else word


def stems(tokens: Tokenizer) -> np.ndarray:
    """For each token of the vocabulary, one token that stands for all words of its stem that are one token; other tokens are
    their own. Where the vocabulary marks beginnings of words, a token without the mark is a part of one."""
    vocabulary = tokens.get_vocab()
    begins = BEGINS if f"{BEGINS}the" in vocabulary else ""
    found, first = np.arange(len(vocabulary)), {}
    for name, at in sorted(vocabulary.items(), key=lambda item: item[1]):
        word = name.removeprefix(begins)
        if word.isalpha() and name.startswith(begins):
            found[at] = first.setdefault(stem(word.lower()), at)
    return found


def pack_verifier(rows, tokens: Tokenizer):
    """ids, where the claim begins, label, and for each token 1 (not supported), 0 (supported) or -1 (unknown)."""
    for row in rows:
        try:
            encoding = tokens.encode(row["premise"], row["claim"])
        except Exception:  # the claim alone is longer than the window
            continue
        types, offsets = encoding.type_ids, encoding.offsets  # each of them is copied whenever it is asked for
        begin = types.index(1)
        marks = np.full(len(types), UNKNOWN, np.int8)
        if row["spans"] is not None:
            for at in range(begin, len(types) - 1):
                left, right = offsets[at]
                marks[at] = any(left < end and right > start for start, end in row["spans"])
        yield encoding.ids, begin, row["label"], marks, (0, 0)


def pack_reader(rows, tokens: Tokenizer):
    """ids, where the passage begins, answerable, nothing, and the answer's first and last token (0, 0: none; -1: unknown)."""
    for row in rows:
        try:
            encoding = tokens.encode(row["question"], row["passage"])
        except Exception:
            continue
        types, offsets = encoding.type_ids, encoding.offsets
        begin = types.index(1)
        answerable, span = row["answerable"], (UNKNOWN, UNKNOWN)
        if not answerable:
            span = (0, 0)
        elif row["span"]:
            start, end = row["span"]
            covered = [at for at in range(begin, len(types) - 1) if offsets[at][0] < end and offsets[at][1] > start]
            if not covered:
                continue  # the answer was cut off
            span = (covered[0], covered[-1])
        yield encoding.ids, begin, int(answerable), np.zeros(0, np.int8), span


def pack(task: str, base: Path, sets: Path, out: Path, only: list[str], window: int = WINDOW) -> None:
    cut = "only_first" if task == "verifier" else "only_second"
    tokens = tokenizer(base, cut, window)
    packer = pack_verifier if task == "verifier" else pack_reader
    out.mkdir(parents=True, exist_ok=True)
    for path in sorted(sets.glob("*.jsonl")):
        if only and path.stem not in only:
            continue
        ids, begins, labels, marks, spans, lengths, kinds, units = [], [], [], [], [], [], [], []
        kept = list(leaks.rows(path))
        if not kept:  # the smoke run's data has few sets
            continue
        names = sorted({row["kind"] for row in kept})
        number = {name: at for at, name in enumerate(names)}
        for row in kept:
            for one in packer([row], tokens):
                ids.append(np.array(one[0], np.int32))
                begins.append(one[1])
                labels.append(one[2])
                marks.append(one[3])
                spans.append(one[4])
                lengths.append(len(one[0]))
                kinds.append(number[row["kind"]])
                # Rows of one unit follow each other; a row without one is a unit of its own.
                unit = row.get("unit") or len(units)
                units.append(unit)
        np.savez(
            out / f"{path.stem}.npz", ids=np.concatenate(ids), begins=np.array(begins, np.int32), labels=np.array(labels, np.int8),
            marks=np.concatenate(marks), spans=np.array(spans, np.int32), lengths=np.array(lengths, np.int32),
            kinds=np.array(kinds, np.int32), names=np.array(names),
            begins_unit=np.array([at == 0 or one != units[at - 1] for at, one in enumerate(units)], bool),
        )  # fmt: skip
        print(path.stem, len(lengths), "rows, mean tokens", round(float(np.mean(lengths)), 1), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=["verifier", "reader"])
    parser.add_argument("base", help="whose tokenizer")
    parser.add_argument("--sets", help="the folder of sets; the task's name where nothing is said")
    parser.add_argument("--only", nargs="*", default=[], help="these files alone")
    options = parser.parse_args()
    runs, sets = folders.runs(), options.sets or options.task
    out = folder(runs, sets, options.base)
    pack(options.task, runs / "bases" / options.base, runs / "sets" / sets, out, options.only)
    (out / "complete").touch()
