"""A run that is cut off and goes on is the run that was not; rows of one unit are read together; batches are full."""

import argparse
import json
import math
import os
import tempfile
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

from ibidem_training import export, folders, packing, train, turned_back
from ibidem_training.model import Encoder, Reader, weights_of

CONFIG = {
    "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32, "vocab_size": 60,
    "max_position_embeddings": 64, "type_vocab_size": 2,
}  # fmt: skip
PUBLISHED = {
    "words": "embeddings.word_embeddings", "positions": "embeddings.position_embeddings", "types": "embeddings.token_type_embeddings", "norm": "embeddings.LayerNorm",
    "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value", "output": "attention.output.dense",
    "up": "intermediate.dense", "down": "output.dense", "last_norm": "output.LayerNorm",
}  # fmt: skip


def base(folder: Path) -> None:
    """A tiny encoder under the names of a BertModel, with a tokenizer of single words."""
    from tokenizers import Tokenizer, models

    folder.mkdir(parents=True)
    torch.manual_seed(3)
    stored = {}
    for name, value in Encoder(CONFIG).state_dict().items():
        parts = name.split(".")
        if parts[0] == "layers":
            inside = "attention.output.LayerNorm" if parts[2] == "norm" else PUBLISHED[parts[2]]
            stored[f"encoder.layer.{parts[1]}.{inside}.{parts[3]}"] = value
        else:
            stored[f"{PUBLISHED[parts[0]]}.{parts[1]}"] = value
    save_file(stored, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(CONFIG))
    Tokenizer(models.WordLevel({"[UNK]": 0} | {f"word{at}": at for at in range(1, 60)}, unk_token="[UNK]")).save(str(folder / "tokenizer.json"))


def packed(path: Path, rows: int, pairs: bool = False) -> None:
    """Rows of like lengths whose label is in their words; with `pairs` each two that follow each other are one unit."""
    dice = np.random.default_rng(len(path.name))
    lengths = np.repeat(dice.integers(12, 60, rows // 2), 2) if pairs else dice.integers(12, 60, rows)
    labels = np.arange(rows) % 2
    ids = [np.concatenate([[1], np.where(label, 7, 9) + dice.integers(0, 2, size - 1)]) for size, label in zip(lengths, labels, strict=True)]
    np.savez(
        path, ids=np.concatenate(ids).astype(np.int32), begins=np.full(rows, 5, np.int32), labels=labels.astype(np.int8), marks=np.zeros(0, np.int8),
        spans=np.where(labels[:, None], [[6, 7]], [[0, 0]]).astype(np.int32), lengths=lengths.astype(np.int32), kinds=np.zeros(rows, np.int32),
        names=np.array(["some: rows"]), begins_unit=np.arange(rows) % 2 == 0 if pairs else np.ones(rows, bool),
    )  # fmt: skip


def options(recipe: Path, name: str, **more) -> argparse.Namespace:
    given = {"until": None, "threads": 1, "seed": 1, "precision": "float32", "every": 5, "stop_at": None, "save_minutes": 60, "look": 20}
    return argparse.Namespace(recipe=recipe, name=name, **(given | more))


def test_a_run_that_was_cut_off_ends_with_the_same_weights():
    with tempfile.TemporaryDirectory() as name:
        os.environ[folders.RUNS_VARIABLE] = name
        runs = Path(name)
        base(runs / "bases/tiny")
        folder = packing.folder(runs, "reader", "tiny")
        folder.mkdir(parents=True)
        for file in ("people", "held_out"):
            packed(folder / f"{file}.npz", 80)
        recipe = runs / "recipe.json"
        recipe.write_text(json.dumps({"base": "tiny", "rate": 1e-2, "budget": {"steps": 12}, "tasks": {"reader": {"shares": {"people": 1.0}}}}))
        train.train(options(recipe, "whole"))
        train.train(options(recipe, "in two", stop_at=5))
        assert json.loads((runs / "runs/in two/progress.json").read_text())["step"] == 5
        train.train(options(recipe, "in two"))
        whole, in_two = (weights_of(runs / f"runs/{run}/checkpoint.pt", "reader") for run in ("whole", "in two"))
        assert all(torch.equal(value, in_two[at]) for at, value in whole.items())
        fresh = Reader(Encoder.of(runs / "bases/tiny")).state_dict()
        assert torch.equal(whole["encoder.words.weight"], fresh["encoder.words.weight"])
        assert not torch.equal(whole["encoder.layers.0.up.weight"], fresh["encoder.layers.0.up.weight"])
        log = [json.loads(line) for line in (runs / "runs/in two/log.jsonl").read_text().splitlines()]
        assert [line["begins at step"] for line in log if "begins at step" in line] == [0, 5]
        assert "all" in log[-1]["reader held_out"]


def test_both_tasks_learn_on_one_trunk():
    with tempfile.TemporaryDirectory() as name:
        os.environ[folders.RUNS_VARIABLE] = name
        runs = Path(name)
        base(runs / "bases/tiny")
        for task in ("reader", "verifier"):
            folder = packing.folder(runs, task, "tiny")
            folder.mkdir(parents=True)
            packed(folder / "people.npz", 80)
        recipe = runs / "recipe.json"
        recipe.write_text(json.dumps({"base": "tiny", "rate": 1e-2, "budget": {"steps": 8}, "tasks": {task: {"shares": {"people": 1.0}} for task in ("reader", "verifier")}}))
        train.train(options(recipe, "both"))
        reader, verifier = (weights_of(runs / "runs/both/checkpoint.pt", task) for task in ("reader", "verifier"))
        shared = [at for at in reader if at.startswith("encoder.")]
        assert shared and all(torch.equal(reader[at], verifier[at]) for at in shared)
        assert all(count > 0 for count in json.loads((runs / "runs/both/progress.json").read_text())["seen"].values())


def test_rows_of_a_unit_are_in_one_batch_and_batches_are_full():
    with tempfile.TemporaryDirectory() as name:
        for file in ("people", "pairs"):
            packed(Path(name) / f"{file}.npz", 200, pairs=file == "pairs")
        files = {file: train.Packed(Path(name) / f"{file}.npz") for file in ("people", "pairs")}
    stream = train.batches(files, {"people": 0.5, "pairs": 0.5}, 1, 50)
    beside, apart, of_pairs, count = 0, 0, 0, 0
    for _ in range(40):
        length, rows = next(stream)
        assert len(rows) == min(64, train.TOKENS_IN_BATCH // length)
        assert max(files[file].lengths[at] for file, at in rows) <= min(length, 50)
        inside = [at for file, at in rows if file == "pairs"]
        of_pairs, count = of_pairs + len(inside), count + len(rows)
        beside += sum(inside.count(at) <= inside.count(at ^ 1) for at in inside)
        apart += sum(at ^ 1 not in inside for at in inside)
    # Only the last row of a full batch can have lost the other one of its unit.
    assert apart <= 40 < beside
    assert 0.4 < of_pairs / count < 0.6


def test_the_rate_rises_stays_and_falls_to_next_to_nothing():
    rates = [train.rate(progress, 1.0, 0.1, 0.4) for progress in (0, 0.05, 0.1, 0.6, 0.8, 0.999)]
    assert rates == [0.02, 0.5, 1, 1, train.rate(0.8, 1.0, 0.1, 0.4), 0.02]
    assert abs(rates[4] - 0.5) < 1e-9


def test_a_sample_has_as_many_of_every_set():
    with tempfile.TemporaryDirectory() as name:
        packed(Path(name) / "held_out.npz", 60)
        rows = train.Packed(Path(name) / "held_out.npz")
    rows.names, rows.kinds = np.array(["much: yes", "much: no", "little: yes"]), np.array([0, 1] * 28 + [2] * 4)
    chosen = train.sampled(rows, 8)
    assert chosen == train.sampled(rows, 8) and len(chosen) == 8
    assert sum(int(rows.kinds[at]) == 2 for at in chosen) == 4


def test_a_kind_of_a_file_is_drawn_alone_and_what_is_left_out_is_never_drawn():
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "written.npz"
        packed(path, 60)
        stored = dict(np.load(path))
        np.savez(path, **stored | {"kinds": np.arange(60, dtype=np.int32) % 3, "names": np.array(["table", "German table", "direct"])})
        kinds = {name: {int(train.part_of(path.parent, name, ("German",)).kinds[at]) for at in train.part_of(path.parent, name, ("German",)).within(64)} for name in ("written", "written/table")}
    assert kinds == {"written": {0, 2}, "written/table": {0}}


def test_what_ships_turns_back_into_what_was_exported():
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        base(folder / "base")
        torch.manual_seed(5)
        model = Reader(Encoder.of(folder / "base"))
        for parameter in (model.shared.weight, *(one for name, one in model.named_parameters() if "norm" in name)):
            torch.nn.init.normal_(parameter)  # what is alike is exported once
        export.export("reader", export.ShippedReader(model, 0.0, 0.3, 2.0), folder / "base", folder / "out")
        again = turned_back.turned_back("reader", folder / "out/model.onnx", folder / "base").state_dict()
    wanted = model.state_dict()
    assert again.keys() == wanted.keys()
    for name, value in wanted.items():
        # Eight bits: half a step of the largest number of a column, or of the whole of a table.
        assert math.isclose(float((again[name] - value).abs().max()), 0, abs_tol=float(value.abs().max()) / 120), name
