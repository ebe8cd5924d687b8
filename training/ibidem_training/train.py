"""Trains the verifier or the reader. Saves every few minutes, and goes on from what was saved when started again.

The learning rate rises, stays, and falls in the last part. A run can be lengthened or shortened at any time by another
`--steps`: nothing before the fall depends on where the end is.
"""

import argparse
import copy
import json
import os
import time
from pathlib import Path

import numpy as np

os.environ.setdefault("MALLOC_TOP_PAD_", str(64 << 20))
import torch
from torch.nn import functional

from . import folders, shipped
from .model import Encoder, Reader, Verifier, load
from .packing import WINDOW, stems, tokenizer

TOKENS_IN_BATCH = 4096
CHUNK = 4096  # rows sorted by length together


class Packed:
    def __init__(self, path: Path):
        stored = np.load(path)
        self.ids, self.marks = stored["ids"], stored["marks"]
        self.begins, self.labels, self.spans, self.lengths = stored["begins"], stored["labels"], stored["spans"], stored["lengths"]
        self.kinds, self.names = stored["kinds"], stored["names"]
        self.starts = np.concatenate([[0], np.cumsum(self.lengths)])

    def __len__(self):
        return len(self.lengths)

    def within(self, longest: int) -> np.ndarray:
        return np.flatnonzero(self.lengths <= longest)


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
    """Batches for ever: rows of at most `longest` tokens drawn by each file's share, each file shuffled anew when it is
    through."""
    dice = np.random.default_rng(seed)
    names = list(shares)
    weights = np.array([shares[name] for name in names])
    weights = weights / weights.sum()
    order = {name: dice.permutation(files[name].within(longest)) for name in names}
    used = dict.fromkeys(names, 0)
    while True:
        drawn = []
        for which in dice.choice(len(names), CHUNK, p=weights):
            name = names[which]
            if used[name] == len(order[name]):
                order[name], used[name] = dice.permutation(order[name]), 0
            drawn.append((name, int(order[name][used[name]])))
            used[name] += 1
        drawn.sort(key=lambda one: padded(int(files[one[0]].lengths[one[1]])))
        made, at = [], 0
        while at < len(drawn):
            length = padded(int(files[drawn[at][0]].lengths[drawn[at][1]]))
            size = max(8, min(64, TOKENS_IN_BATCH // length))
            rows = [one for one in drawn[at : at + size] if padded(int(files[one[0]].lengths[one[1]])) == length]
            at += len(rows)
            # A fixed size for each length: with free shapes memory grows without end. What is short is filled up.
            rows += [rows[int(dice.integers(len(rows)))] for _ in range(size - len(rows))]
            made.append((length, rows))
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


def area_under_curve(scores, positive) -> float:
    scores, positive = np.asarray(scores, np.float64), np.asarray(positive, bool)
    if positive.all() or not positive.any():
        return float("nan")
    _, which, times = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(times) - (times - 1) / 2)[which]  # equal scores share a rank
    count = positive.sum()
    return float((ranks[positive].sum() - count * (count + 1) / 2) / (count * (len(scores) - count)))


def looked_at(model, task: str, held_out: Packed, most: int = 400) -> dict[str, float]:
    """AUC on groups that are held out, in all and by set."""
    model.eval()
    chosen = np.random.default_rng(5).permutation(len(held_out))[:most]
    chosen = sorted(chosen, key=lambda at: int(held_out.lengths[at]))
    scores, truth, names = [], [], []
    with torch.no_grad():
        for at in range(0, len(chosen), 16):
            rows = [(held_out, int(one)) for one in chosen[at : at + 16]]
            ids, mask, types, labels, _, _ = collate(rows, padded(max(int(held_out.lengths[one]) for _, one in rows)))
            out = model(ids, mask, types)
            scores += (out[0].log_softmax(-1)[:, 0] if task == "verifier" else out[0]).tolist()
            truth += (labels == (0 if task == "verifier" else 1)).tolist()
            names += [str(held_out.names[held_out.kinds[one]]).split(":")[0] for _, one in rows]
    model.train()
    found = {"all": area_under_curve(scores, truth)}
    for name in sorted(set(names)):
        picked = [at for at, one in enumerate(names) if one == name]
        value = area_under_curve([scores[at] for at in picked], [truth[at] for at in picked])
        if value == value:
            found[name] = value
    return {name: round(value, 3) for name, value in found.items()}


def refresh(workers, masters) -> None:
    with torch.no_grad():
        for worker, master in zip(workers, masters, strict=True):
            worker.copy_(master)


def rate(step: int, steps: int, peak: float, warm: int, fall: float) -> float:
    falling = int(steps * fall)
    if step < warm:
        return peak * (step + 1) / warm
    return peak if step < steps - falling else peak * max(0.02, (steps - step) / max(1, falling))


def train(options) -> None:
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    runs = folders.runs()
    out = runs / "runs" / options.name
    out.mkdir(parents=True, exist_ok=True)
    recipe = json.loads(Path(options.recipe).read_text(encoding="utf-8"))
    packed = runs / "packed" / recipe.get("sets", options.task)
    held_out = Packed(packed / "held_out.npz")
    model = (Verifier if options.task == "verifier" else Reader)(Encoder.of(runs / "bases" / recipe["base"]))
    if recipe.get("trunk"):
        stored = torch.load(runs / "runs" / recipe["trunk"] / "checkpoint.pt", weights_only=True)["model"]
        model.encoder.load_state_dict({k.removeprefix("encoder."): v for k, v in stored.items() if k.startswith("encoder.")})
    if recipe.get("trunk shipped"):  # the reader's, as it is in models/; the heads begin at chance
        own = model.state_dict()
        model.load_state_dict(own | shipped.weights())
    if recipe.get("from") == "shipped":
        shipped.insist(recipe.get("shipped"))
        model.load_state_dict(shipped.reader())
    elif recipe.get("from"):  # a whole model of an earlier round, heads and all
        load(model, torch.load(runs / "runs" / recipe["from"] / "checkpoint.pt", weights_only=True)["model"])
    if recipe.get("stems"):
        model.stems.copy_(torch.from_numpy(stems(tokenizer(runs / "bases" / recipe["base"], "only_first", 512))))
    # Learned at full precision, read at half: the working copy is bfloat16 throughout, which spares casting at every
    # layer, and the sums of many small steps stay in the full one.
    working = copy.deepcopy(model).bfloat16()
    if recipe.get("words frozen"):  # the table of words is half of the weights, and a tenth of a step goes into it
        for one in (model, working):
            one.encoder.words.weight.requires_grad_(False)
    masters, workers = ([p for p in one.parameters() if p.requires_grad] for one in (model, working))
    plain, decayed = [p for p in masters if p.ndim < 2], [p for p in masters if p.ndim >= 2]
    optimiser = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}], lr=recipe["rate"], betas=(0.9, 0.98), fused=True)
    done, seen, seconds = 0, 0, 0.0
    saved = out / "checkpoint.pt"
    if saved.exists():
        state = torch.load(saved, weights_only=True)
        load(model, state["model"])
        optimiser.load_state_dict(state["optimiser"])
        done, seen, seconds = state["step"], state["seen"], state["seconds"]
    refresh(working.parameters(), model.parameters())
    working.stems.copy_(model.stems)
    log = open(out / "log.jsonl", "a", encoding="utf-8")
    loss_of = verifier_loss if options.task == "verifier" else reader_loss
    steps = options.steps or recipe["steps"]

    def save(step):
        state = {"model": model.state_dict(), "optimiser": optimiser.state_dict(), "step": step, "seen": seen, "seconds": seconds}
        torch.save(state, out / "checkpoint.tmp")
        os.replace(out / "checkpoint.tmp", saved)

    first, last_save, sums, summed = 0, time.monotonic(), {}, 0
    for number, phase in enumerate(recipe["phases"]):
        until = min(steps, phase.get("until", steps))
        files = {name: Packed(packed / f"{name}.npz") for name in phase["shares"]}
        stream = batches(files, phase["shares"], options.seed + number, phase.get("longest", WINDOW))
        for step in range(first, until):
            length, rows = next(stream)
            if step < done:
                continue
            began = time.process_time()
            batch = collate([(files[name], at) for name, at in rows], length)
            now = rate(step, steps, recipe["rate"], recipe.get("warm", 200), recipe.get("fall", 0.35))
            for group in optimiser.param_groups:
                group["lr"] = now
            loss, parts = loss_of(working, batch)
            loss.backward()
            for master, worker in zip(masters, workers, strict=True):
                master.grad, worker.grad = worker.grad.float(), None
            torch.nn.utils.clip_grad_norm_(masters, 1.0)
            optimiser.step()
            refresh(workers, masters)
            seen += len(rows)
            seconds += time.process_time() - began
            for name, value in parts.items():
                sums[name] = sums.get(name, 0) + value
            summed += 1
            if summed == options.every:
                line = {"step": step + 1, "seen": seen, "cpu_minutes": round(seconds / 60, 1), "rate": now, "at": time.strftime("%H:%M:%S")}
                line |= {name: round(value / summed, 4) for name, value in sums.items()}
                print(json.dumps(line), file=log, flush=True)
                sums, summed = {}, 0
            if time.monotonic() - last_save > options.save_minutes * 60 or step + 1 in (steps, options.stop_at):
                save(step + 1)
                line = {"step": step + 1, "held_out": looked_at(working, options.task, held_out, options.look)}
                print(json.dumps(line), file=log, flush=True)
                last_save = time.monotonic()
            if step + 1 == options.stop_at:
                return
        first = until
    print("done", steps, "steps,", round(seconds / 60, 1), "CPU minutes")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=["verifier", "reader"])
    parser.add_argument("--recipe", required=True, help="a file of training/recipes")
    parser.add_argument("--name", required=True, help="the run's name; an existing run goes on where it was")
    parser.add_argument("--steps", type=int, help="instead of the recipe's")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=100, help="steps between two lines of the log")
    parser.add_argument("--stop-at", type=int, help="save and end at this step, as if cut off")
    parser.add_argument("--save-minutes", type=float, default=6)
    parser.add_argument("--look", type=int, default=400, help="held-out rows that are scored at every save")
    train(parser.parse_args())
