"""A reader or verifier that ships, turned back from 8 bits into the checkpoint of a run, so that a later run can go on from it
(`from` of its recipe) when the checkpoint itself is gone.

A matrix is integer x scale of its column, as exact as the file is. The table of words is the base's own where it was not
learned further, as in all our runs.

usage: python -m ibidem_training.turned_back reader FOLDER RUN --base marco
"""

import argparse
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from . import folders
from .model import Encoder, Reader, Verifier

PREFIX = "model."


def name_of(output: str) -> str:
    """`/model/encoder/layers.0/query/MatMul_output_0`: the matrix `encoder.layers.0.query.weight`."""
    return ".".join(output.strip("/").split("/")[1:-1]) + ".weight"


def weights(path: Path) -> dict[str, np.ndarray]:
    values = {one.name: numpy_helper.to_array(one) for one in onnx.load(path).graph.initializer}
    found = {}
    for name, value in values.items():
        if name.startswith("/") and name.endswith("_weights"):
            scales = values[name.removesuffix("_weights") + "_scales"]
            found[name_of(name)] = (value.astype(np.float32) * scales).T
        elif name.startswith(PREFIX) and name.endswith("_quantized"):
            plain = name.removesuffix("_quantized")
            zero, scale = values[f"{plain}_zero_point"], values[f"{plain}_scale"]
            found[plain.removeprefix(PREFIX)] = (value.astype(np.float32) - zero.astype(np.float32)) * scale
        elif name.startswith(PREFIX) and not name.endswith(("_scale", "_zero_point")):
            found[name.removeprefix(PREFIX)] = value
    return found


def turned_back(task: str, path: Path, base: Path) -> torch.nn.Module:
    encoder = Encoder.of(base)
    words = encoder.words.weight.detach().clone()
    model = (Verifier if task == "verifier" else Reader)(encoder)
    found = {name: torch.from_numpy(np.array(value)) for name, value in weights(path).items()}
    apart = (found["encoder.words.weight"] - words).abs().max().item()
    if apart > 0.02:
        raise SystemExit(f"the table of words is up to {apart:.3f} from its base's: was it learned further?")
    model.load_state_dict(found | {"encoder.words.weight": words})
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=["verifier", "reader"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("run")
    parser.add_argument("--base", default="marco")
    options = parser.parse_args()
    model = turned_back(options.task, options.folder / "model.onnx", folders.runs() / "bases" / options.base)
    out = folders.runs() / "runs" / options.run
    out.mkdir(parents=True, exist_ok=True)
    torch.save({"models": {options.task: model.state_dict()}}, out / "checkpoint.pt")


if __name__ == "__main__":
    main()
