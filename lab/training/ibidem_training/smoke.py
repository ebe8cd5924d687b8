"""The whole way in two minutes on a few hundred rows of our own and a tiny encoder: that it works, not that it is good.

Makes the sets from training/smoke, trains a verifier and a reader on one trunk of two layers for a few steps, stops half-way
and goes on, exports both, and holds the exported models against the trained ones.
"""

import argparse
import json
import os
import tempfile
from pathlib import Path

STEPS = 80


def tiny_base(folder: Path, texts: list[str]) -> None:
    """A tokenizer learned from the rows, and an encoder that knows nothing."""
    import torch
    from safetensors.torch import save_file
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    folder.mkdir(parents=True)
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer, made.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    made.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=2000, special_tokens=special, show_progress=False))
    ends = [(token, made.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    made.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ends)
    made.save(str(folder / "tokenizer.json"))
    width, inner, layers = 64, 128, 2
    config = {"model_type": "bert", "hidden_size": width, "num_hidden_layers": layers, "num_attention_heads": 4, "intermediate_size": inner,
              "vocab_size": made.get_vocab_size(), "max_position_embeddings": 512, "type_vocab_size": 2, "pad_token_id": 0}  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config))
    torch.manual_seed(1)

    def random(*shape):
        return torch.randn(*shape) * 0.05

    norm = {"weight": torch.ones(width), "bias": torch.zeros(width)}
    weights = {f"embeddings.{name}.weight": random(count, width) for name, count in (("word_embeddings", config["vocab_size"]), ("position_embeddings", 512), ("token_type_embeddings", 2))}
    weights |= {f"embeddings.LayerNorm.{kind}": value.clone() for kind, value in norm.items()}
    for at in range(layers):
        head = f"encoder.layer.{at}."
        for name, rows, columns in (("attention.self.query", width, width), ("attention.self.key", width, width), ("attention.self.value", width, width),
                                    ("attention.output.dense", width, width), ("intermediate.dense", inner, width), ("output.dense", width, inner)):  # fmt: skip
            weights |= {f"{head}{name}.weight": random(rows, columns), f"{head}{name}.bias": torch.zeros(rows)}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            weights |= {f"{head}{name}.{kind}": value.clone() for kind, value in norm.items()}
    save_file(weights, folder / "model.safetensors")


def losses(log: Path, names: tuple[str, ...]) -> list[float]:
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    return [sum(line[name] for name in names) for line in lines if names[0] in line]


def main() -> None:
    from . import folders

    repository = folders.REPOSITORY
    with tempfile.TemporaryDirectory() as temporary:
        os.environ[folders.DATA_VARIABLE] = str(repository / "lab/training/smoke")
        os.environ[folders.RUNS_VARIABLE] = temporary
        import torch

        from . import export, leaks, packing, reader_sets, train, verifier_sets
        from .model import Encoder, Reader, Verifier, weights_of
        from .scoring import Scorer, answering, support

        data, runs = folders.data(), folders.runs()
        rows = [row for path in data.rglob("*.jsonl") for row in leaks.rows(path)]
        tiny_base(runs / "bases/tiny", [value for row in rows for value in row.values() if isinstance(value, str)])
        parts = {"verifier": (verifier_sets, {"short": 0.4, "made": 0.6}, {}), "reader": (reader_sets, {"pairs": 0.2, "people": 0.2, "made": 0.6}, {"every": 12})}
        for task, (sets, _, fewer) in parts.items():
            sets.make(data, runs / "sets" / task, composed=25, **fewer)
            packing.pack(task, runs / "bases/tiny", runs / "sets" / task, packing.folder(runs, task, "tiny"), [])
        recipe, log = runs / "both.json", runs / "runs/both/log.jsonl"
        tasks = {task: {"longest": 384, "shares": shares} for task, (_, shares, _) in parts.items()}
        recipe.write_text(json.dumps({"base": "tiny", "rate": 2e-3, "budget": {"steps": STEPS}, "fall": 0.4, "words frozen": False, "tasks": tasks}))
        options = argparse.Namespace(recipe=recipe, name="both", until=None, threads=2, seed=1, precision="measured", save_minutes=60, every=20, look=400, stop_at=STEPS // 2)
        train.train(options)
        options.stop_at = None
        train.train(options)
        checkpoint = runs / "runs/both/checkpoint.pt"
        for task in parts:
            found = losses(log, ("label", "token") if task == "verifier" else ("answer", "span"))
            print(task, "losses", [round(loss, 3) for loss in found])
            if not found[-1] < found[0]:
                raise SystemExit(f"the {task} did not learn: its loss went from {found[0]:.3f} to {found[-1]:.3f}")
            tokens = packing.tokenizer(runs / "bases/tiny", "only_first", 512)
            model = (Verifier if task == "verifier" else Reader)(Encoder.of(runs / "bases/tiny"))
            model.load_state_dict(weights_of(checkpoint, task))
            shipped = export.ShippedVerifier(model, (1.0, 0.5, 1.0), 0.0, packing.telling(tokens), packing.stems(tokens)) if task == "verifier" else export.ShippedReader(model, 0.2, 0.0, 1.0)
            out = runs / "exported" / task
            export.export(task, shipped, runs / "bases/tiny", out)
            export.checksums(out)
            scorer = Scorer(task, out)
            pair = ("Switching orders\nThe duty engineer releases the order.", "The duty engineer releases it.")
            longer = (" ".join([pair[0]] * 4), pair[1])
            alone, among = scorer([pair])[0][1], scorer([pair, longer, longer])[0][1]
            if abs(alone - among).max() > 1e-4:
                raise SystemExit(f"the {task}'s score of a pair depends on its batch: {alone} alone, {among} among others")
            print(task, "scores", support(scorer, [pair]).tolist() if task == "verifier" else answering(scorer, [pair[::-1]]))


if __name__ == "__main__":
    main()
