"""The reader that ships, as float weights: where training can begin that has no earlier run to go on from.

A reader goes on with all of it (`reader`). For a verifier (`weights`) it is the encoder alone: the reader has learned to
hold a question against a passage, and a claim is held against a premise in much the same way. The question comes first
there and the claim second here, so what the two kinds of text are marked with changes places.
"""

import hashlib
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from . import folders

READER = folders.REPOSITORY / "models/reader/model.onnx"
HEADS = {"pool": "pool/Gemm_output_0_MatMul", "answerable": "answerable/Gemm_output_0_MatMul", "spans": "spans/MatMul_output_0"}


def insist(sha256: str | None, path: Path = READER) -> None:
    """A recipe names the weights that it began with: those that ship now may be what came of it."""
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if sha256 and not found.startswith(sha256):
        raise SystemExit(f"the recipe begins with the reader {sha256}, and {path.name} is {found[:12]}: take it from the history of models/reader")


def stored(path: Path) -> dict[str, np.ndarray]:
    return {one.name: numpy_helper.to_array(one) for one in onnx.load(path).graph.initializer}


def matrix(kept: dict[str, np.ndarray], name: str) -> np.ndarray:
    return (kept[f"{name}_weights"].astype(np.float32) * kept[f"{name}_scales"]).T


def encoder(kept: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Everything but the heads, under the names of `model.Marked`."""
    found = {"stems": kept["model.stems"]}
    for name, value in kept.items():
        if name.startswith(("model.encoder.", "model.shared.")):
            ours = name.removeprefix("model.")
            if ours.endswith("_quantized"):
                ours = ours.removesuffix("_quantized")
                scale, zero = (kept[f"model.{ours}_{part}"] for part in ("scale", "zero_point"))
                found[ours] = (value.astype(np.float32) - np.float32(zero)) * scale
            elif not ours.endswith(("_scale", "_zero_point")):
                found[ours] = value
        elif name.startswith("/model/encoder/") and name.endswith("_weights"):
            layer, part = name.removeprefix("/model/encoder/").split("/")[:2]
            found[f"encoder.{layer}.{part}.weight"] = matrix(kept, name.removesuffix("_weights"))
    return found


def tensors(found: dict[str, np.ndarray]) -> dict[str, torch.Tensor]:
    return {name: torch.from_numpy(np.array(value)) for name, value in found.items()}


def weights(path: Path = READER) -> dict[str, torch.Tensor]:
    """Of a verifier: everything but the heads."""
    found = encoder(stored(path))
    found["encoder.types.weight"] = found["encoder.types.weight"][[1, 0]]
    found["shared.weight"] = found["shared.weight"][[2, 3, 0, 1]]
    return tensors(found)


def reader(path: Path = READER) -> dict[str, torch.Tensor]:
    """Of a reader: all of it, but for what was built in (the weight of the span, the threshold)."""
    kept = stored(path)
    found = encoder(kept)
    for head, name in HEADS.items():
        found[f"{head}.weight"], found[f"{head}.bias"] = matrix(kept, f"/model/{name}"), kept[f"model.{head}.bias"]
    return tensors(found)
