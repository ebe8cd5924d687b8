"""Holds our encoder with each base's weights against what the published file gives for the same texts."""

import sys
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file

from . import folders
from .model import Encoder
from .packing import tokenizer
from .sessions import session

PAIRS = [
    ("Who approves travel requests?", "Travel requests go to the planning desk, which forwards them to the team lead."),
    ("how long may a loan be extended", "A loan is extended twice, each time by 28 days, unless somebody else waits for the item."),
    ("When was the bridge closed?", "The museum opens at nine.\n\nTickets are sold at the door."),
    ("What does it cost?", " ".join(["The yearly fee is 40 euros; students pay half."] * 12)),
]
# The largest difference that is no fault. gte-small is published as it was learned. bge-small is in 16 bits, with a GELU
# that is an approximation. The cross-encoder rounds to 8 bits what is multiplied, which we do not; its logits go from -11 to 11.
MOST = {"gte-small": 1e-4, "bge-small": 0.05, "marco": 0.6, "mpnet": 1e-4}
# all-mpnet-base-v2 has no published graph here. These are the first values of its last layer, for a text of 8 tokens and one
# of 226, by transformers 5.23.0 with the same file.
MPNET = {
    "Who approves travel requests?": [0.269145, -0.04928, -0.027266, 0.067844, -0.161746, -0.122979, -0.186959, 0.018841],
    "Travel requests go to the planning desk, which forwards them to the team lead. " * 14: [0.235502, 0.107729, -0.064619, 0.070908, -0.205436, -0.068645, -0.040427, 0.053947],
}


def fed(folder: Path, pair: tuple[str, str] | str) -> dict[str, np.ndarray]:
    encoding = tokenizer(folder, "only_second", 512).encode(*pair) if isinstance(pair, tuple) else tokenizer(folder, "only_second", 512).encode(pair)
    columns = {"input_ids": encoding.ids, "attention_mask": encoding.attention_mask, "token_type_ids": encoding.type_ids}
    return {name: np.array([values], np.int64) for name, values in columns.items()}


def ours(encoder: Encoder, given: dict[str, np.ndarray]) -> torch.Tensor:
    with torch.no_grad():
        return encoder(*(torch.from_numpy(given[name]) for name in ("input_ids", "attention_mask", "token_type_ids")))


def apart(name: str) -> float:
    """The largest difference between our values and the published ones."""
    folder = folders.runs() / "bases" / name
    encoder = Encoder.of(folder).eval()
    if name == "mpnet":
        return max(float(np.abs(ours(encoder, fed(folder, text))[0, 0, : len(wanted)].numpy() - wanted).max()) for text, wanted in MPNET.items())
    published, worst = session(folder / "published.onnx"), 0.0
    stored = load_file(folder / "model.safetensors")
    for pair in PAIRS:
        given = fed(folder, pair)
        hidden = ours(encoder, given)
        if "classifier.weight" in stored:
            pooled = torch.tanh(hidden[:, 0] @ stored["pooler.dense.weight"].T + stored["pooler.dense.bias"])
            hidden = pooled @ stored["classifier.weight"].T + stored["classifier.bias"]
        worst = max(worst, float(np.abs(hidden.numpy() - published.run(None, given)[0]).max()))
    return worst


if __name__ == "__main__":
    torch.set_num_threads(1)
    for base in sys.argv[1:] or MOST:
        found = apart(base)
        print(base, "differs by at most", round(found, 6), "of", MOST[base])
        if not found <= MOST[base]:
            raise SystemExit(f"our encoder with the weights of {base} is not what was published")
