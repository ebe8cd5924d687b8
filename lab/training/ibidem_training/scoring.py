"""Scores of pairs by a trained model, from a checkpoint of a run or from an exported folder."""

from pathlib import Path

import numpy as np
import torch

from . import folders
from .model import Encoder, Reader, Verifier, load, weights_of
from .packing import stems, telling, tokenizer
from .sessions import session


class Scorer:
    """Gives, for each pair: the verifier's label logits and token logits, or the reader's logit, starts and ends."""

    def __init__(self, task: str, source: Path, base: str = "minilm", window: int = 512):
        self.task, self.onnx = task, None
        cut = "only_first" if task == "verifier" else "only_second"
        if (source / "model.onnx").exists():
            self.onnx = session(source / "model.onnx", torch.get_num_threads())
            self.tokens = tokenizer(source, cut, window)
            return
        folder = folders.runs() / "bases" / base
        self.tokens = tokenizer(folder, cut, window)
        self.model = (Verifier if task == "verifier" else Reader)(Encoder.of(folder))
        load(self.model, weights_of(source, task))
        self.model.eval()

    def __call__(self, pairs: list[tuple[str, str]], tokens_in_batch: int = 6144) -> list[tuple]:
        encodings = self.tokens.encode_batch(pairs)
        order = sorted(range(len(pairs)), key=lambda at: len(encodings[at].ids))
        found: list = [None] * len(pairs)
        at = 0
        while at < len(order):
            size = max(1, tokens_in_batch // ((len(encodings[order[at]].ids) + 31) // 32 * 32))
            chosen = order[at : at + size]
            at += size
            length = (max(len(encodings[one].ids) for one in chosen) + 31) // 32 * 32
            ids, mask, types = (np.zeros((len(chosen), length), np.int64) for _ in range(3))
            for row, one in enumerate(chosen):
                encoding = encodings[one]
                ids[row, : len(encoding.ids)], mask[row, : len(encoding.ids)] = encoding.ids, 1
                types[row, : len(encoding.ids)] = encoding.type_ids
            for row, values in enumerate(zip(*self.run(ids, mask, types), strict=True)):
                found[chosen[row]] = (encodings[chosen[row]], *values)
        return found

    def run(self, ids, mask, types):
        if self.onnx:
            names = [output.name for output in self.onnx.get_outputs()]
            wanted = ["logits", "token_logits"] if self.task == "verifier" else ["logits", "start_logits", "end_logits"]
            given = self.onnx.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": types})
            return [given[names.index(name)] for name in wanted]
        with torch.no_grad():
            return [part.numpy() for part in self.model(*(torch.from_numpy(one) for one in (ids, mask, types)))]


def strangeness(claim: list[int], premise: list[int], tells: np.ndarray, stem: np.ndarray) -> float:
    """How many telling tokens of the claim the premise has in no form, by the root of how many the claim has: a count
    blames long sentences, a share blames short ones."""
    known = set(stem[premise].tolist())
    told = [one for one in claim if tells[one]]
    return sum(int(stem[one]) not in known for one in told) / max(1, len(told)) ** 0.5


def support(scorer: Scorer, pairs: list[tuple[str, str]]) -> np.ndarray:
    """For each pair: the log-odds of support by the label head, the highest token logit of the claim, and how strange
    its words are to the premise."""
    found, tells, stem = [], telling(scorer.tokens), stems(scorer.tokens)
    for encoding, logits, tokens in scorer(pairs):
        logits = logits.astype(np.float64)
        logits = logits - logits.max()
        odds = logits[0] - np.log(np.exp(logits[1:]).sum())
        types = encoding.type_ids
        begin = types.index(1)
        own = tokens[begin : len(types) - 1]
        strange = strangeness(encoding.ids[begin : len(types) - 1], encoding.ids[:begin], tells, stem)
        found.append((odds, float(own.max()) if len(own) else 0.0, strange))
    return np.array(found)


def answering(scorer: Scorer, pairs: list[tuple[str, str]], most: int = 30) -> list[tuple[float, float, tuple[int, int]]]:
    """For each pair: the answerable logit, by how much the best span beats none, and that span in characters."""
    found = []
    for encoding, logit, starts, ends in scorer(pairs):
        begin = encoding.type_ids.index(1) if 1 in encoding.type_ids else len(encoding.ids) - 1
        last = len(encoding.ids) - 1
        best, where = -1e9, (begin, begin)
        starts, ends = starts.astype(np.float64), ends.astype(np.float64)
        for at in np.argsort(-starts[begin:last])[:12] + begin:
            stop = min(last, at + most)
            if stop > at:
                end = at + int(np.argmax(ends[at:stop]))
                if starts[at] + ends[end] > best:
                    best, where = starts[at] + ends[end], (int(at), end)
        margin = best - starts[0] - ends[0]
        found.append((float(np.ravel(logit)[0]), float(margin), (encoding.offsets[where[0]][0], encoding.offsets[where[1]][1])))
    return found
