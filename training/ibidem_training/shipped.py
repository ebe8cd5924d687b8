"""The encoder of the reader that ships, as float weights: where a verifier can begin that has no earlier run to go on from.

The reader has learned to hold a question against a passage; a claim is held against a premise in much the same way. The
question comes first there and the claim second here, so what the two kinds of text are marked with changes places.
"""

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from . import folders

READER = folders.REPOSITORY / "models/reader/model.onnx"


def weights(path: Path = READER) -> dict[str, torch.Tensor]:
    """Everything but the heads, under the names of `model.Marked`."""
    stored = {one.name: numpy_helper.to_array(one) for one in onnx.load(path).graph.initializer}
    found = {}
    for name, value in stored.items():
        if name.startswith(("model.encoder.", "model.shared.")):
            ours = name.removeprefix("model.")
            if ours.endswith("_quantized"):
                ours = ours.removesuffix("_quantized")
                scale, zero = (stored[f"model.{ours}_{part}"] for part in ("scale", "zero_point"))
                found[ours] = (value.astype(np.float32) - np.float32(zero)) * scale
            elif not ours.endswith(("_scale", "_zero_point")):
                found[ours] = value
        elif name.startswith("/model/encoder/") and name.endswith("_weights"):
            layer, part = name.removeprefix("/model/encoder/").split("/")[:2]
            scales = stored[name.removesuffix("_weights") + "_scales"]
            found[f"encoder.{layer}.{part}.weight"] = (value.astype(np.float32) * scales).T
    found["encoder.types.weight"] = found["encoder.types.weight"][[1, 0]]
    found["shared.weight"] = found["shared.weight"][[2, 3, 0, 1]]
    found["stems"] = stored["model.stems"]
    return {name: torch.from_numpy(np.array(value)) for name, value in found.items()}
