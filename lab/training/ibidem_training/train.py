"""Trains an encoder with the heads of the reader, of the verifier, or of both on one trunk.

What a run may use is said in CPU minutes (or in steps). It can be cut off at any time: it saves every few minutes and when
it is told to end, and goes on from what was saved. The learning rate rises, stays, and falls in the last part.
"""

import argparse
import copy
import json
import os
import signal
import time
from pathlib import Path

import numpy as np

os.environ.setdefault("MALLOC_TOP_PAD_", str(64 << 20))
import torch
from torch import nn
from torch.nn import functional

from . import folders, packing
from .model import Encoder, Reader, Verifier, load, weights_of

TOKENS_IN_BATCH = 2048
CHUNK = 4096  # rows sorted by length together
TASKS = {"reader": Reader, "verifier": Verifier}
LOOKED_AT = {"held_out": 200, "chosen_on": 200}  # rows that are scored for a point of the curve


class Packed:
    """Rows as tokens. Of a file that a recipe names as `written/table` only those whose kind has the word; of none those
    whose kind has a word of `without`."""

    def __init__(self, path: Path, kind: str = "", without: tuple[str, ...] = ()):
        stored = np.load(path)
        self.ids, self.marks = stored["ids"], stored["marks"]
        self.begins, self.labels, self.spans, self.lengths = stored["begins"], stored["labels"], stored["spans"], stored["lengths"]
        self.kinds, self.names = stored["kinds"], stored["names"]
        self.starts = np.concatenate([[0], np.cumsum(self.lengths)])
        self.units = np.concatenate([np.flatnonzero(stored["begins_unit"]), [len(self.lengths)]])
        self.wanted = np.array([kind in name and not any(word in name for word in without) for name in self.names])[self.kinds]

    def __len__(self):
        return len(self.lengths)

    def rows_of(self, unit: int) -> range:
        return range(int(self.units[unit]), int(self.units[unit + 1]))

    def within(self, longest: int) -> np.ndarray:
        """The units whose rows are wanted and have at most so many tokens."""
        return np.flatnonzero(np.logical_and.reduceat(self.wanted & (self.lengths <= longest), self.units[:-1]))


def part_of(folder: Path, name: str, without: tuple[str, ...]) -> Packed:
    file, _, kind = name.partition("/")
    return Packed(folder / f"{file}.npz", kind, without)


def padded(length: int) -> int:
    return (length + 31) // 32 * 32


def collate(rows: list[tuple[Packed, int]], length: int):
    count = len(rows)
    ids = torch.zeros(count, length, dtype=torch.long)
    mask, types = torch.zeros_like(ids), torch.zeros_like(ids)
    marks = torch.full((count, length), -1, dtype=torch.long)
    labels = torch.zeros(count, dtype=torch.long)
    spans = torch.zeros(count, 2, dtype=torch.long)
    for row, (packed, at) in enumerate(rows):
        size, start = int(packed.lengths[at]), int(packed.starts[at])
        ids[row, :size] = torch.from_numpy(packed.ids[start : start + size].astype(np.int64))
        mask[row, :size] = 1
        types[row, packed.begins[at] : size] = 1
        if len(packed.marks):
            marks[row, :size] = torch.from_numpy(packed.marks[start : start + size].astype(np.int64))
        labels[row] = int(packed.labels[at])
        spans[row] = torch.from_numpy(packed.spans[at].astype(np.int64))
    return ids, mask, types, labels, marks, spans


def batches(files: dict[str, Packed], shares: dict[str, float], seed: int, longest: int):
    """Batches for ever: units of rows of at most `longest` tokens drawn by each file's share, each file shuffled anew when
    it is through. Rows of like length go together, those of one unit always."""
    dice = np.random.default_rng(seed)
    names = list(shares)
    # A unit of two rows is drawn half as often, so that shares are of rows.
    weights = np.array([shares[name] * (len(files[name].units) - 1) / len(files[name]) for name in names])
    weights = weights / weights.sum()
    within = {name: files[name].within(longest) for name in names}
    order = {name: dice.permutation(within[name]) for name in names}
    used = dict.fromkeys(names, 0)
    while True:
        drawn = []
        for which in dice.choice(len(names), CHUNK, p=weights):
            name = names[which]
            if used[name] == len(order[name]):
                order[name], used[name] = dice.permutation(within[name]), 0
            rows = files[name].rows_of(int(order[name][used[name]]))
            drawn.append((max(int(files[name].lengths[row]) for row in rows), [(name, row) for row in rows]))
            used[name] += 1
        drawn.sort(key=lambda unit: unit[0])
        made = []
        while drawn:
            # From the longest down: every batch is full. What is left of the shortest at the end is not read.
            length = padded(drawn[-1][0])
            size, rows = max(8, min(64, TOKENS_IN_BATCH // length)), []
            while drawn and len(rows) < size:
                rows += drawn.pop()[1]
            if len(rows) >= size:
                made.append((length, rows[:size]))
        for which in dice.permutation(len(made)):
            yield made[which]


def verifier_loss(model, batch):
    ids, mask, types, labels, marks, _ = batch
    logits, tokens = model(ids, mask, types)
    logs = functional.log_softmax(logits, -1)
    known = labels < 3
    picked = logs.gather(1, labels.clamp(max=2).unsqueeze(1)).squeeze(1)
    # Where only "not supported" is known, either of the two ways will do.
    either = torch.logsumexp(logs[:, 1:], -1)
    label_loss = -torch.where(known, picked, either).mean()
    told = marks >= 0
    weight = torch.where(marks == 1, 2.0, 1.0)
    each = functional.binary_cross_entropy_with_logits(tokens, marks.clamp(min=0).float(), reduction="none") * weight
    token_loss = (each * told).sum() / told.sum().clamp(min=1)
    # Not supported, but nobody knows where: some word of the claim must be.
    claim = (types * mask).bool()
    most = tokens.masked_fill(~claim, -1e4).max(1).values
    blind = (labels != 0) & ~told.any(1)
    some_loss = (functional.softplus(-most) * blind).sum() / max(1, len(labels))
    return label_loss + token_loss + 0.3 * some_loss, {"label": label_loss.item(), "token": token_loss.item()}


def reader_loss(model, batch):
    ids, mask, types, labels, _, spans = batch
    answerable, starts, ends = model(ids, mask, types)
    answer_loss = functional.binary_cross_entropy_with_logits(answerable, labels.float())
    told = spans[:, 0] >= 0
    each = functional.cross_entropy(starts, spans[:, 0].clamp(min=0), reduction="none")
    each = each + functional.cross_entropy(ends, spans[:, 1].clamp(min=0), reduction="none")
    span_loss = (each * told).sum() / told.sum().clamp(min=1) / 2
    return answer_loss + span_loss, {"answer": answer_loss.item(), "span": span_loss.item()}


LOSSES = {"reader": reader_loss, "verifier": verifier_loss}


def area_under_curve(scores, positive) -> float:
    scores, positive = np.asarray(scores, np.float64), np.asarray(positive, bool)
    if positive.all() or not positive.any():
        return float("nan")
    _, which, times = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(times) - (times - 1) / 2)[which]  # equal scores share a rank
    count = positive.sum()
    return float((ranks[positive].sum() - count * (count + 1) / 2) / (count * (len(scores) - count)))


def sampled(packed: Packed, most: int) -> list[int]:
    """Rows of every set, as many of each, sorted by length: the same ones for every run."""
    dice = np.random.default_rng(5)
    sets = np.array([str(name).split(":")[0] for name in packed.names])[packed.kinds]
    each = -(-most // len(set(sets.tolist())))
    chosen = [int(at) for name in sorted(set(sets.tolist())) for at in dice.permutation(np.flatnonzero(sets == name))[:each]]
    return sorted(chosen, key=lambda at: int(packed.lengths[at]))


def looked_at(model, task: str, packed: Packed, most: int) -> dict[str, float]:
    """AUC on rows that nothing is learned from, in all and by set."""
    model.eval()
    chosen = sampled(packed, most)
    scores, truth, names = [], [], []
    with torch.no_grad():
        for at in range(0, len(chosen), 8):
            rows = [(packed, one) for one in chosen[at : at + 8]]
            ids, mask, types, labels, _, _ = collate(rows, padded(max(int(packed.lengths[one]) for _, one in rows)))
            out = model(ids, mask, types)
            scores += (out[0].log_softmax(-1)[:, 0] if task == "verifier" else out[0]).tolist()
            truth += (labels == (0 if task == "verifier" else 1)).tolist()
            names += [str(packed.names[packed.kinds[one]]).split(":")[0] for _, one in rows]
    model.train()
    found = {"all": area_under_curve(scores, truth)}
    for name in sorted(set(names)):
        picked = [at for at, one in enumerate(names) if one == name]
        value = area_under_curve([scores[at] for at in picked], [truth[at] for at in picked])
        if value == value:
            found[name] = value
    return {name: round(value, 3) for name, value in found.items()}


def quicker(most: int = 12) -> torch.dtype:
    """The precision that this processor multiplies faster in: bfloat16 with AMX or its own instructions, else single."""
    taken = {}
    for kind in (torch.float32, torch.bfloat16):
        left, right = torch.rand(512, 384).to(kind), torch.rand(384, 1536).to(kind)
        left @ right
        began = time.process_time()
        for _ in range(most):
            left @ right
        taken[kind] = time.process_time() - began
    return torch.bfloat16 if taken[torch.bfloat16] < 0.8 * taken[torch.float32] else torch.float32


def refresh(workers, masters) -> None:
    with torch.no_grad():
        for worker, master in zip(workers, masters, strict=True):
            worker.copy_(master)


def rate(progress: float, peak: float, warm: float, fall: float) -> float:
    """`progress`, `warm` and `fall` are shares of the whole run."""
    if progress < warm:
        return peak * max(0.02, progress / warm)
    return peak * (1 if progress < 1 - fall else max(0.02, (1 - progress) / fall))


class Mixture:
    """Which batch of which task comes next: the same order every time, whatever was read before."""

    def __init__(self, recipe: dict, folder_of, seed: int):
        self.tasks = recipe["tasks"]
        self.dice = np.random.default_rng(seed)
        self.files = {task: {name: part_of(folder_of(task), name, tuple(part.get("without", ()))) for name in part["shares"]} for task, part in self.tasks.items()}
        self.streams = {task: batches(self.files[task], part["shares"], seed, part.get("longest", packing.WINDOW)) for task, part in self.tasks.items()}
        shares = np.array([part.get("share", 1.0) for part in self.tasks.values()])
        self.shares = shares / shares.sum()

    def __next__(self):
        task = list(self.tasks)[int(self.dice.choice(len(self.tasks), p=self.shares))]
        length, rows = next(self.streams[task])
        return task, length, [(self.files[task][name], at) for name, at in rows]


class Run:
    """One run: its model, what it was optimised with, and how far it came."""

    def __init__(self, options, recipe: dict):
        self.recipe, self.runs = recipe, folders.runs()
        self.out = self.runs / "runs" / options.name
        self.out.mkdir(parents=True, exist_ok=True)
        base = self.runs / "bases" / recipe["base"]
        encoder = Encoder.of(base)
        self.model = nn.ModuleDict({task: TASKS[task](encoder) for task in recipe["tasks"]})
        if recipe.get("from"):  # a whole model of an earlier run, heads and all
            for task, one in self.model.items():
                load(one, weights_of(self.runs / "runs" / recipe["from"] / "checkpoint.pt", task))
        stems = torch.from_numpy(packing.stems(packing.tokenizer(base, "only_first", 512)))
        for one in self.model.values():
            one.stems.copy_(stems)
        if recipe.get("words frozen", True):  # the table of words is up to half of the weights, and few of them are met
            encoder.words.weight.requires_grad_(False)
        masters = [p for p in self.model.parameters() if p.requires_grad]
        groups = [{"params": [p for p in masters if p.ndim >= 2], "weight_decay": 0.01}, {"params": [p for p in masters if p.ndim < 2], "weight_decay": 0.0}]
        self.optimiser = torch.optim.AdamW(groups, lr=recipe["rate"], betas=(0.9, 0.98), fused=True)
        self.step, self.seen, self.seconds = 0, dict.fromkeys(recipe["tasks"], 0), 0.0
        self.saved = self.out / "checkpoint.pt"
        if self.saved.exists():
            state = torch.load(self.saved, weights_only=True)
            for task, one in self.model.items():
                one.load_state_dict(state["models"][task])
            self.optimiser.load_state_dict(state["optimiser"])
            self.step, self.seen, self.seconds = state["step"], state["seen"], state["seconds"]
        kind = quicker() if options.precision == "measured" else getattr(torch, options.precision)
        # Read at half where that is faster, learned in full: the sums of many small steps need it.
        self.working = self.model if kind == torch.float32 else copy.deepcopy(self.model).bfloat16()
        for task, one in self.working.items():
            one.stems.copy_(self.model[task].stems)
        self.masters, self.workers = masters, [p for p in self.working.parameters() if p.requires_grad]
        self.log({"at": time.strftime("%F %T"), "begins at step": self.step, "precision": str(kind).removeprefix("torch.")})

    def log(self, line: dict) -> None:
        with open(self.out / "log.jsonl", "a", encoding="utf-8") as file:
            print(json.dumps(line), file=file)

    def progress(self) -> float:
        budget = self.recipe["budget"]
        return self.step / budget["steps"] if "steps" in budget else self.seconds / 60 / budget["cpu minutes"]

    def learn(self, task: str, rows: list, length: int) -> dict[str, float]:
        began = time.process_time()
        now = rate(self.progress(), self.recipe["rate"], self.recipe.get("warm", 0.05), self.recipe.get("fall", 0.35))
        for group in self.optimiser.param_groups:
            group["lr"] = now
        loss, parts = LOSSES[task](self.working[task], collate(rows, length))
        loss.backward()
        if self.working is not self.model:
            for master, worker in zip(self.masters, self.workers, strict=True):
                # The heads of the other task have nothing to learn from this batch.
                master.grad, worker.grad = None if worker.grad is None else worker.grad.float(), None
        nn.utils.clip_grad_norm_(self.masters, 1.0)
        self.optimiser.step()
        self.optimiser.zero_grad()
        if self.working is not self.model:
            refresh(self.workers, self.masters)
        self.step += 1
        self.seen[task] += len(rows)
        self.seconds += time.process_time() - began
        return parts

    def save(self) -> None:
        """Whole or not at all: a cut between two writes leaves what was saved before."""
        state = {"models": {task: one.state_dict() for task, one in self.model.items()}, "optimiser": self.optimiser.state_dict()}
        state |= {"step": self.step, "seen": self.seen, "seconds": self.seconds}
        with open(self.out / "checkpoint.tmp", "wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(self.out / "checkpoint.tmp", self.saved)
        written = {"step": self.step, "seen": self.seen, "cpu_minutes": self.seconds / 60}
        (self.out / "progress.tmp").write_text(json.dumps(written), encoding="utf-8")
        os.replace(self.out / "progress.tmp", self.out / "progress.json")

    def look(self, folder_of, rows: dict[str, int]) -> None:
        began, line = time.process_time(), {"step": self.step, "seen": dict(self.seen), "cpu_minutes": round(self.seconds / 60, 2)}
        for task, one in self.working.items():
            for name, most in rows.items():
                if most and (path := folder_of(task) / f"{name}.npz").exists():
                    line[f"{task} {name}"] = looked_at(one, task, Packed(path), most)
        self.log(line | {"looking took": round((time.process_time() - began) / 60, 2)})


def train(options) -> bool:
    """Goes on with a run until its end, `--until` or a signal to end; says whether there was time to come so far."""
    torch.set_num_threads(options.threads)
    torch.set_flush_denormal(True)
    torch.manual_seed(options.seed)
    recipe = json.loads(Path(options.recipe).read_text(encoding="utf-8"))
    run = Run(options, recipe)

    def folder_of(task: str) -> Path:
        return packing.folder(run.runs, recipe["tasks"][task].get("sets", task), recipe["base"])

    told_to_end = []
    before = {one: signal.signal(one, lambda number, _: told_to_end.append(number)) for one in (signal.SIGTERM, signal.SIGINT)}
    mixture = Mixture(recipe, folder_of, options.seed)
    for _ in range(run.step):
        next(mixture)
    last_save, sums, summed = time.monotonic(), {}, 0
    while run.progress() < 1 and not told_to_end and run.seconds < (options.until or 1e9) * 60 and run.step < (options.stop_at or 1e9):
        task, length, rows = next(mixture)
        for name, value in run.learn(task, rows, length).items():
            total, times = sums.get(name, (0.0, 0))
            sums[name] = total + value, times + 1
        summed += 1
        if summed == options.every:
            line = {"step": run.step, "seen": dict(run.seen), "cpu_minutes": round(run.seconds / 60, 2), "rate": run.optimiser.param_groups[0]["lr"], "at": time.strftime("%T")}
            run.log(line | {name: round(total / times, 4) for name, (total, times) in sums.items()})
            sums, summed = {}, 0
        if time.monotonic() - last_save > options.save_minutes * 60:
            run.save()
            last_save = time.monotonic()
    run.save()
    if not told_to_end:
        run.look(folder_of, {name: most if options.look is None else options.look for name, most in LOOKED_AT.items()})
    for one, handler in before.items():
        signal.signal(one, handler)
    print(options.name, "step", run.step, "with", round(run.seconds / 60, 1), "CPU minutes", "told to end" if told_to_end else "")
    return not told_to_end


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recipe", help="a file of lab/training/recipes")
    parser.add_argument("--name", required=True, help="the run's name; an existing run goes on where it was")
    parser.add_argument("--until", type=float, help="end when the run has used so many CPU minutes in all; it goes on another time")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--precision", choices=["measured", "float32", "bfloat16"], default="measured", help="of the working copy; measured: what is quicker here")
    parser.add_argument("--every", type=int, default=50, help="steps between two lines of the log")
    parser.add_argument("--stop-at", type=int, help="save and end at this step, as if cut off")
    parser.add_argument("--save-minutes", type=float, default=5)
    parser.add_argument("--look", type=int, help="held-out rows that are scored at the end; 0: none")
    raise SystemExit(0 if train(parser.parse_args()) else 3)
