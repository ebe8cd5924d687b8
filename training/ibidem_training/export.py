"""Exports a checkpoint as int8 ONNX in the layout that docs/models.md describes, with the threshold built in.

The verifier's `logits` are (supported, contradicted, unknown), moved so that a half of the softmax is the threshold that
was chosen; where the choice was to hear the words too, the word that lacks most support is subtracted, and so is, by a
weight that was chosen, the number of telling tokens of the claim that the premise does not have. `token_logits`
has one number for each token: above zero, that word of the claim is not borne out. The reader's `logits` is one number
moved in the same way, with the span's margin in it; `start_logits` and `end_logits` say where the answer stands.
"""

import argparse
import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import torch
from torch import nn

from . import folders
from .model import Encoder, Reader, Verifier, load, told_elsewhere
from .packing import telling, tokenizer


class ShippedVerifier(nn.Module):
    def __init__(self, model: Verifier, head: str, threshold: float, scale: float, weight: float = 0.0, tells: np.ndarray | None = None):
        super().__init__()
        self.model, self.head, self.threshold, self.scale, self.weight = model, head, threshold, scale, weight
        self.register_buffer("tells", torch.from_numpy(tells) if weight else None)

    def forward(self, input_ids, attention_mask, token_type_ids):
        logits, tokens = self.model(input_ids, attention_mask, token_type_ids)
        own = token_type_ids * attention_mask
        # The last token of the claim is the separator behind it: it belongs to nobody.
        after = torch.cat([own[:, 1:], torch.zeros_like(own[:, :1])], 1)
        most = (tokens + (1.0 - (own * after).to(tokens.dtype)) * -1e4).amax(1)
        against = torch.logsumexp(logits[:, 1:], -1)
        odds = logits[:, 0] - against
        score = {"labels": odds, "words": -most, "both": odds - most}[self.head]
        if self.weight:
            new = 1.0 - told_elsewhere(input_ids, attention_mask, token_type_ids)
            score = score - self.weight * (self.tells[input_ids] * new * (own * after).to(tokens.dtype)).sum(1)
        supported = against + (score - self.threshold) * self.scale
        return torch.cat([supported.unsqueeze(1), logits[:, 1:]], 1), tokens


class ShippedReader(nn.Module):
    def __init__(self, model: Reader, weight: float, threshold: float, scale: float):
        super().__init__()
        self.model, self.weight, self.threshold, self.scale = model, weight, threshold, scale

    def forward(self, input_ids, attention_mask, token_type_ids):
        logit, starts, ends = self.model(input_ids, attention_mask, token_type_ids)
        margin = starts[:, 1:].amax(1) + ends[:, 1:].amax(1) - starts[:, 0] - ends[:, 0]
        return ((logit + self.weight * margin - self.threshold) * self.scale).unsqueeze(1), starts, ends


def export(task: str, model: nn.Module, base: Path, out: Path) -> None:
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.shape_inference import quant_pre_process

    out.mkdir(parents=True, exist_ok=True)
    model.eval()
    names = ["logits", "token_logits"] if task == "verifier" else ["logits", "start_logits", "end_logits"]
    ids = torch.randint(5, 500, (2, 24))
    mask, types = torch.ones_like(ids), torch.zeros_like(ids)
    types[:, 10:] = 1
    inputs = ("input_ids", "attention_mask", "token_type_ids")
    axes = {name: {0: "batch", 1: "length"} for name in inputs} | {name: {0: "batch", 1: "length"} for name in names[1:]} | {"logits": {0: "batch"}}
    full = out / "full.onnx"
    torch.onnx.export(model, (ids, mask, types), full, input_names=list(inputs), output_names=names, dynamic_axes=axes, opset_version=17, dynamo=False)
    prepared = out / "prepared.onnx"
    quant_pre_process(full, prepared, skip_symbolic_shape=True)
    quantize_dynamic(prepared, out / "model.onnx", per_channel=True, weight_type=QuantType.QInt8)
    compare(model, full, out / "model.onnx", (ids, mask, types), names)
    full.unlink()
    prepared.unlink()
    shutil.copy(base / "tokenizer.json", out / "tokenizer.json")
    config = json.loads((base / "config.json").read_text(encoding="utf-8"))
    kept = ("model_type", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size", "max_position_embeddings", "type_vocab_size", "pad_token_id")
    config = {name: config[name] for name in kept if name in config}
    config["id2label"] = {str(at): name for at, name in enumerate(Verifier.LABELS)} if task == "verifier" else {"0": "answers"}
    config["architectures"] = ["BertForSequenceClassification"]
    (out / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")


def compare(model, full: Path, small: Path, inputs, names) -> None:
    import onnxruntime

    with torch.no_grad():
        wanted = [part.numpy() for part in model(*inputs)]
    given = dict(zip(("input_ids", "attention_mask", "token_type_ids"), (one.numpy() for one in inputs), strict=True))
    for path, most in ((full, 1e-3), (small, None)):
        found = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, given)
        apart = max(float(np.abs(a - b)[np.abs(b) < 1e4].max()) for a, b in zip(found, wanted, strict=True))
        print(path.name, round(path.stat().st_size / 1e6, 1), "MB, largest difference to torch", round(apart, 6))
        if most and apart > most:
            raise SystemExit("the exported model is not the one that was trained")


def checksums(out: Path) -> None:
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in sorted(out.iterdir()) if path.name != "SHA256SUMS"]
    (out / "SHA256SUMS").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=["verifier", "reader"])
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--report", type=Path, help="what evaluate wrote: its choices are built in; without it nothing is")
    parser.add_argument("--base", default="minilm")
    options = parser.parse_args()
    base = folders.runs() / "bases" / options.base
    model = (Verifier if options.task == "verifier" else Reader)(Encoder.of(base))
    load(model, torch.load(options.checkpoint, weights_only=True)["model"])
    report = json.loads(options.report.read_text(encoding="utf-8")) if options.report else None
    if not report:
        shipped = ShippedVerifier(model, "labels", 0.0, 1.0) if options.task == "verifier" else ShippedReader(model, 0.0, 0.0, 1.0)
    elif options.task == "verifier":
        chosen = report["chosen on mtrag"]
        tells = telling(tokenizer(base, "only_first", 512))
        shipped = ShippedVerifier(model, chosen["head"], chosen["threshold"], 0.5 if chosen["head"] == "both" else 1.0, chosen["weight of strange words"], tells)
    else:
        weight = report["chosen on the first eight articles"]["weight of the span"]
        threshold = report["squad2, second eight"]["threshold for 10% false refusals on the first eight"]["threshold"]
        shipped = ShippedReader(model, weight, threshold, 1 / (1 + weight))
    export(options.task, shipped, base, options.out)
    if report:
        shutil.copy(options.report, options.out / "report.json")
    checksums(options.out)


if __name__ == "__main__":
    main()
