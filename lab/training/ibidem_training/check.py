"""What can be checked without training: in under a minute, with numpy, tokenizers and onnxruntime alone.

Makes the sets of the smoke run's rows, holds them against the test sets of the repository, packs them, checks the weights
that ship (checksums, size, outputs, scores that depend on no batch and on no CPU), and runs the tests that need no torch.
"""

import hashlib
import importlib
import json
import os
import sys
import tempfile
from pathlib import Path

import numpy as np

from . import folders, leaks, packing, reader_sets, verifier_sets
from .sessions import session

LARGEST = 40_000_000  # bytes of weights that may ship
OUTPUTS = {"reader": ["logits", "start_logits", "end_logits"], "verifier": ["logits", "token_logits"]}
# The reader's pairs with their scores are in crates/adapters/tests/real/reader.rs too.
QUESTION = "Who approves travel requests?"
PASSAGES = [
    "Travel requests go to the planning desk, which forwards them.",
    "The travel budget is set once a year by the finance office.",
    "Travel requests are made in the staff portal. Trips abroad also need the consent of the director.",
]
SCORES = {"reader": [0.7124, 0.2534, 0.5396], "reader_large": [0.1913, 0.0969, 0.8945], "reader_multilingual": [0.7817, 0.4004, 0.2113]}
TESTS = ["test_aside", "test_edits", "test_facts", "test_gathered", "test_leaks", "test_questions", "test_schedule", "test_typed"]


def insist(is_so: bool, what: str) -> None:
    if not is_so:
        raise SystemExit(f"lab/training/check: {what}")


def sets(data: Path, out: Path) -> None:
    known = leaks.Leaks.of_repository()
    for task, maker, texts in (("verifier", verifier_sets, ("premise", "claim")), ("reader", reader_sets, ("question", "passage"))):
        fewer = {"every": 12} if task == "reader" else {}
        maker.make(data, out / "sets" / task, composed=25, **fewer)
        for path in sorted((out / "sets" / task).glob("*.jsonl")):
            rows = list(leaks.rows(path))
            if not rows:
                path.unlink()  # a kind that the few rows do not have
                continue
            leaked = [row[text] for row in rows for text in texts if known.find(row[text])]
            insist(not leaked, f"{task}/{path.name} shares a run of words with a test set: {leaked[:1]}")
        counts = json.loads((out / "sets" / task / "counts.json").read_text(encoding="utf-8"))["counts"]
        insist(sum(one["rows"] for one in counts) > 200, f"few rows were made for the {task}")
        packing.pack(task, folders.REPOSITORY / "models/reader", out / "sets" / task, out / "packed" / task, [])
        for path in sorted((out / "packed" / task).glob("*.npz")):
            packed = np.load(path)
            insist(len(packed["ids"]) == packed["lengths"].sum(), f"{path.name}: tokens were lost")
            insist(int(packed["lengths"].max()) <= packing.WINDOW, f"{path.name}: a row is longer than the window")
            insist(bool((packed["begins"] < packed["lengths"]).all()), f"{path.name}: a row has one text only")
            if task == "verifier":
                told = np.add.reduceat((packed["marks"] == 1).astype(int), np.concatenate([[0], np.cumsum(packed["lengths"])[:-1]]))
                insist(not told[packed["labels"] == 0].any(), f"{path.name}: a supported claim has words marked as false")


def fed(tokens, pairs: list[tuple[str, str]]) -> dict[str, np.ndarray]:
    encodings = tokens.encode_batch(pairs)
    longest = max(len(one.ids) for one in encodings)
    given = {name: np.zeros((len(pairs), longest), np.int64) for name in ("input_ids", "attention_mask", "token_type_ids")}
    for row, one in enumerate(encodings):
        given["input_ids"][row, : len(one.ids)], given["attention_mask"][row, : len(one.ids)] = one.ids, 1
        given["token_type_ids"][row, : len(one.ids)] = one.type_ids
    return given


def shipped(folder: Path) -> None:
    name = folder.name
    task = name.partition("_")[0]
    listed = dict(reversed(line.split("  ")) for line in (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines())
    here = {path.name for path in folder.iterdir()} - {"SHA256SUMS"}
    insist(set(listed) == here, f"models/{name}/SHA256SUMS lists {sorted(listed)}, and there are {sorted(here)}")
    for file, wanted in listed.items():
        insist(hashlib.sha256((folder / file).read_bytes()).hexdigest() == wanted, f"models/{name}/{file} has another checksum")
    insist((folder / "model.onnx").stat().st_size <= LARGEST, f"models/{name} is larger than {LARGEST} bytes")
    model = session(folder / "model.onnx")
    outputs = [output.name for output in model.get_outputs()]
    insist(outputs == OUTPUTS[task], f"models/{name} gives {outputs}")
    tokens = packing.tokenizer(folder, "only_second" if task == "reader" else "only_first", 512)
    pairs = [(QUESTION, text) for text in PASSAGES]
    among = model.run(["logits"], fed(tokens, pairs))[0]
    for at, pair in enumerate(pairs):
        alone = model.run(["logits"], fed(tokens, [pair]))[0]
        insist(float(np.abs(alone - among[at]).max()) < 1e-4, f"models/{name}: a score depends on its batch")
    if name in SCORES:
        scores = 1 / (1 + np.exp(-among[:, 0].astype(np.float64)))
        for text, wanted, score in zip(PASSAGES, SCORES[name], scores, strict=True):
            insist(abs(score - wanted) < 0.001, f"models/{name} scores {text!r} with {score:.4f}, not {wanted}")


def tests() -> int:
    sys.path.insert(0, str(folders.REPOSITORY / "lab/training/tests"))
    ran = 0
    for module in TESTS:
        for name, test in sorted(vars(importlib.import_module(module)).items()):
            if name.startswith("test_") and callable(test):
                test()
                ran += 1
    return ran


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        os.environ[folders.RUNS_VARIABLE] = temporary
        sets(folders.REPOSITORY / "lab/training/smoke", Path(temporary))
    folders_of_models = [path for path in sorted((folders.REPOSITORY / "models").iterdir()) if path.is_dir()]
    insist(bool(folders_of_models), "no weights ship")
    for folder in folders_of_models:
        shipped(folder)
    print(f"lab/training/check: sets, packing and weights of {', '.join(one.name for one in folders_of_models)} are sound; {tests()} tests passed")


if __name__ == "__main__":
    main()
