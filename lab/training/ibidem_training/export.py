"""Exports a checkpoint as int8 ONNX in the layout that docs/models.md describes, with the threshold built in.

The verifier's `logits` are (supported, contradicted, unknown), moved so that a half of the softmax is the threshold that
was chosen; by weights that were chosen too, the word that lacks most support is subtracted, and how strange the claim's
words are to the premise. `token_logits`
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

from . import bases, folders
from .model import Encoder, Reader, Verifier, load, told_elsewhere, weights_of
from .packing import stems, telling, tokenizer
from .sessions import session


class ShippedVerifier(nn.Module):
    """`weights`: of the label head's log-odds, of the word that lacks most support, and of strange words."""

    def __init__(self, model: Verifier, weights: tuple[float, float, float] = (1.0, 0.0, 0.0), threshold: float = 0.0, tells: np.ndarray | None = None, stem: np.ndarray | None = None):
        super().__init__()
        self.model, self.weights, self.threshold = model, weights, threshold
        for name, table in (("tells", tells), ("stem", stem)):
            self.register_buffer(name, torch.from_numpy(table) if table is not None else None)

    def forward(self, input_ids, attention_mask, token_type_ids):
        logits, tokens = self.model(input_ids, attention_mask, token_type_ids)
        own = token_type_ids * attention_mask
        # The last token of the claim is the separator behind it: it belongs to nobody.
        after = torch.cat([own[:, 1:], torch.zeros_like(own[:, :1])], 1)
        claim = (own * after).to(tokens.dtype)
        against = torch.logsumexp(logits[:, 1:], -1)
        by_label, by_word, by_strangeness = self.weights
        score = by_label * (logits[:, 0] - against) - by_word * (tokens + (1.0 - claim) * -1e4).amax(1)
        if by_strangeness:
            told = self.tells[input_ids] * claim
            new = 1.0 - told_elsewhere(self.stem[input_ids], attention_mask, token_type_ids)
            score = score - by_strangeness * (told * new).sum(1) / told.sum(1).clamp(min=1).sqrt()
        supported = against + (score - self.threshold) / sum(self.weights)
        return torch.cat([supported.unsqueeze(1), logits[:, 1:]], 1), tokens


class ShippedReader(nn.Module):
    def __init__(self, model: Reader, weight: float, threshold: float, scale: float):
        super().__init__()
        self.model, self.weight, self.threshold, self.scale = model, weight, threshold, scale

    def forward(self, input_ids, attention_mask, token_type_ids):
        logit, starts, ends = self.model(input_ids, attention_mask, token_type_ids)
        margin = starts[:, 1:].amax(1) + ends[:, 1:].amax(1) - starts[:, 0] - ends[:, 0]
        return ((logit + self.weight * margin - self.threshold) * self.scale).unsqueeze(1), starts, ends


def rounded_by_token(source: Path, to: Path) -> None:
    """Weight matrices as 8-bit integers with one scale for each output; what is multiplied with them is rounded to 8 bits
    for each token by itself. With one scale for a whole batch, as ONNX Runtime's own tool has it, the score of a pair
    depended on what else was in its batch, and rounding cost twice as much accuracy."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    model = onnx.load(source)
    constants = {one.name: one for one in model.graph.initializer}
    nodes, replaced, added, rounded = [], set(), [], {}

    def constant(name: str, value) -> str:
        added.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    for name, value in (("most", np.float32(127)), ("half", np.float32(128.5)), ("tiny", np.float32(1e-9)), ("one", np.float32(1)), ("zero", np.uint8(128))):
        constant(f"round_{name}", np.array(value))
    for node in model.graph.node:
        weights = constants.get(node.input[1]) if node.op_type == "MatMul" else None
        if weights is None or len(weights.dims) != 2:
            nodes.append(node)
            continue
        values, out = node.input[0], node.output[0]
        if values not in rounded:  # query, key and value are made of the same
            at = rounded[values] = f"rounded_{len(rounded)}_"
            for operator, inputs, output, more in (
                ("ReduceMax", [values], "high", {"axes": [-1], "keepdims": 1}), ("ReduceMin", [values], "low", {"axes": [-1], "keepdims": 1}),
                ("Neg", [at + "low"], "negative", {}), ("Max", [at + "high", at + "negative", "round_tiny"], "largest", {}),
                ("Div", [at + "largest", "round_most"], "scale", {}), ("Div", ["round_most", at + "largest"], "turned", {}),
                # A cast cuts off: a half more makes it round.
                ("Mul", [values, at + "turned"], "scaled", {}), ("Add", [at + "scaled", "round_half"], "moved", {}),
                ("Cast", [at + "moved"], "integers", {"to": TensorProto.UINT8}),
            ):  # fmt: skip
                nodes.append(helper.make_node(operator, inputs, [at + output], **more))
        at = rounded[values]
        matrix = numpy_helper.to_array(weights).astype(np.float32)
        scales = np.maximum(np.abs(matrix).max(0), 1e-12) / np.float32(127)
        integers = constant(f"{out}_weights", np.rint(matrix / scales).astype(np.int8))
        replaced.add(node.input[1])
        inputs = [at + "integers", integers, "round_one", constant(f"{out}_scales", scales), "round_zero"]
        nodes.append(helper.make_node("MatMulIntegerToFloat", inputs, [f"{out}_product"], domain="com.microsoft"))
        nodes.append(helper.make_node("Mul", [f"{out}_product", at + "scale"], [out]))
    kept = [one for one in model.graph.initializer if one.name not in replaced]
    del model.graph.node[:], model.graph.initializer[:]
    model.graph.node.extend(nodes)
    model.graph.initializer.extend(kept + added)
    if all(one.domain != "com.microsoft" for one in model.opset_import):
        model.opset_import.extend([helper.make_opsetid("com.microsoft", 1)])
    onnx.save(model, to)


def words_in_blocks(source: Path, blocks: Path, to: Path) -> None:
    """The table of words as its base has it: blocks of 32 weights of 4 bits with one scale, unpacked for the words of a text
    only. Byte j of a block holds weight j low and weight j + 16 high. The table was not learned further, so nothing is lost."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    model, stored = onnx.load(source), np.load(blocks)
    table = next(one for one in model.graph.initializer if one.name.endswith("encoder.words.weight"))
    base = bases.converting().unpacked(stored["weights"], stored["scales"]).reshape(table.dims)
    if not np.array_equal(numpy_helper.to_array(table), base):
        raise SystemExit("the table of words is not the one of its base: was it learned further?")
    at = next(place for place, node in enumerate(model.graph.node) if node.op_type == "Gather" and node.input[0] == table.name)
    ids, out = model.graph.node[at].input[1], model.graph.node[at].output[0]
    constants = {
        "words_weights": stored["weights"], "words_scales": stored["scales"][..., None], "words_sixteenth": np.float32(1 / 16), "words_sixteen": np.float32(16),
        "words_middle": np.float32(8), "words_shape": np.array([0, 0, table.dims[1]], np.int64),
    }  # fmt: skip
    steps = [
        ("Gather", ["words_weights", ids], "words_picked", {}), ("Cast", ["words_picked"], "words_bytes", {"to": TensorProto.FLOAT}),
        ("Mul", ["words_bytes", "words_sixteenth"], "words_parts", {}), ("Floor", ["words_parts"], "words_high", {}),
        ("Mul", ["words_high", "words_sixteen"], "words_above", {}), ("Sub", ["words_bytes", "words_above"], "words_low", {}),
        ("Concat", ["words_low", "words_high"], "words_nibbles", {"axis": -1}), ("Sub", ["words_nibbles", "words_middle"], "words_signed", {}),
        ("Gather", ["words_scales", ids], "words_halves", {}), ("Cast", ["words_halves"], "words_by", {"to": TensorProto.FLOAT}),
        ("Mul", ["words_signed", "words_by"], "words_values", {}), ("Reshape", ["words_values", "words_shape"], out, {}),
    ]  # fmt: skip
    nodes = list(model.graph.node)
    nodes[at : at + 1] = [helper.make_node(operator, inputs, [output], **more) for operator, inputs, output, more in steps]
    kept = [one for one in model.graph.initializer if one.name != table.name]
    del model.graph.node[:], model.graph.initializer[:]
    model.graph.node.extend(nodes)
    model.graph.initializer.extend(kept + [numpy_helper.from_array(np.ascontiguousarray(value), name) for name, value in constants.items()])
    onnx.save(model, to)


def export(task: str, model: nn.Module, base: Path, out: Path) -> None:
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.shape_inference import quant_pre_process

    out.mkdir(parents=True, exist_ok=True)
    model.eval()
    names = ["logits", "token_logits"] if task == "verifier" else ["logits", "start_logits", "end_logits"]
    ids = torch.randint(5, min(500, model.model.encoder.words.num_embeddings), (2, 24))
    mask, types = torch.ones_like(ids), torch.zeros_like(ids)
    types[:, 10:] = 1
    inputs = ("input_ids", "attention_mask", "token_type_ids")
    axes = {name: {0: "batch", 1: "length"} for name in inputs} | {name: {0: "batch", 1: "length"} for name in names[1:]} | {"logits": {0: "batch"}}
    full = out / "full.onnx"
    torch.onnx.export(model, (ids, mask, types), full, input_names=list(inputs), output_names=names, dynamic_axes=axes, opset_version=17, dynamo=False)
    prepared = out / "prepared.onnx"
    quant_pre_process(full, prepared, skip_symbolic_shape=True)
    words = out / "words.onnx"
    if (base / "words.npz").exists():
        words_in_blocks(prepared, base / "words.npz", words)
    else:
        quantize_dynamic(prepared, words, weight_type=QuantType.QInt8, op_types_to_quantize=["Gather"])
    rounded_by_token(words, out / "model.onnx")
    compare(model, full, out / "model.onnx", (ids, mask, types), names)
    full.unlink()
    prepared.unlink()
    words.unlink()
    shutil.copy(base / "tokenizer.json", out / "tokenizer.json")
    config = json.loads((base / "config.json").read_text(encoding="utf-8"))
    kept = ("model_type", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size", "max_position_embeddings", "type_vocab_size", "pad_token_id")
    config = {name: config[name] for name in kept if name in config}
    config["id2label"] = {str(at): name for at, name in enumerate(Verifier.LABELS)} if task == "verifier" else {"0": "answers"}
    config["architectures"] = ["BertForSequenceClassification"]
    (out / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")


def compare(model, full: Path, small: Path, inputs, names) -> None:
    with torch.no_grad():
        wanted = [part.numpy() for part in model(*inputs)]
    given = dict(zip(("input_ids", "attention_mask", "token_type_ids"), (one.numpy() for one in inputs), strict=True))
    for path, most in ((full, 1e-3), (small, None)):
        found = session(path).run(None, given)
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
    parser.add_argument("--zero", type=float, help="the reader's logit that becomes a half, where the questions of the trial choose it; its span then counts for nothing")
    parser.add_argument("--scale", type=float, default=1.0, help="what that logit is multiplied with")
    options = parser.parse_args()
    base = folders.runs() / "bases" / options.base
    model = (Verifier if options.task == "verifier" else Reader)(Encoder.of(base))
    load(model, weights_of(options.checkpoint, options.task))
    report = json.loads(options.report.read_text(encoding="utf-8")) if options.report else None
    if options.zero is not None:
        shipped = ShippedReader(model, 0.0, options.zero, options.scale)
    elif not report:
        shipped = ShippedVerifier(model) if options.task == "verifier" else ShippedReader(model, 0.0, 0.0, 1.0)
    elif options.task == "verifier":
        chosen = report["chosen on mtrag"]
        tokens = tokenizer(base, "only_first", 512)
        shipped = ShippedVerifier(model, tuple(chosen["weights"]), chosen["threshold"], telling(tokens), stems(tokens))
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
