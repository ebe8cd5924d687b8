"""The encoder (BERT, or MPNet with its bias by distance) and the heads of the verifier and the reader, in plain torch so that it exports as it is."""

import json
import math
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional


class Layer(nn.Module):
    def __init__(self, width: int, heads: int, inner: int, eps: float):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.output = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width, eps=eps)
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)
        self.last_norm = nn.LayerNorm(width, eps=eps)

    def forward(self, hidden, mask):
        batch, length, width = hidden.shape

        def split(states):
            return states.view(batch, length, self.heads, width // self.heads).transpose(1, 2)

        query, key, value = split(self.query(hidden)), split(self.key(hidden)), split(self.value(hidden))
        # Written out: the fused attention's backward in bfloat16 takes half of a step.
        scores = query * (1 / math.sqrt(width // self.heads)) @ key.transpose(-1, -2) + mask
        mixed = (scores.softmax(-1) @ value).transpose(1, 2).reshape(batch, length, width)
        hidden = self.norm(hidden + self.output(mixed))
        return self.last_norm(hidden + self.down(functional.gelu(self.up(hidden))))


def distance_buckets(length: int, buckets: int, farthest: int = 128):
    """For each pair of places, which of the learned biases applies: half of them for what stands before, half for what
    stands behind; near distances have one each, far ones share."""
    places = torch.arange(length)
    distance = places[:, None] - places[None, :]
    half, exact = buckets // 2, buckets // 4
    far = exact + (torch.log(distance.abs().clamp(min=1).float() / exact) / math.log(farthest / exact) * (half - exact)).long()
    return (distance < 0).long() * half + torch.where(distance.abs() < exact, distance.abs(), far.clamp(max=half - 1))


class Encoder(nn.Module):
    def __init__(self, config: dict):
        super().__init__()
        width = config["hidden_size"]
        self.config = config
        self.words = nn.Embedding(config["vocab_size"], width)
        self.positions = nn.Embedding(config["max_position_embeddings"], width)
        self.types = nn.Embedding(config["type_vocab_size"], width)
        heads, eps = config["num_attention_heads"], config.get("layer_norm_eps", 1e-12)
        self.norm = nn.LayerNorm(width, eps=eps)
        self.layers = nn.ModuleList(Layer(width, heads, config["intermediate_size"], eps) for _ in range(config["num_hidden_layers"]))
        buckets = config.get("relative_attention_num_buckets")
        self.distances = nn.Embedding(buckets, heads) if buckets else None

    def forward(self, ids, mask, types, more=None):
        places = torch.arange(ids.shape[1], device=ids.device).unsqueeze(0)
        hidden = self.words(ids) + self.positions(places) + self.types(types)
        hidden = self.norm(hidden if more is None else hidden + more)
        bias = (1.0 - mask.to(hidden.dtype))[:, None, None, :] * -30000.0
        if self.distances is not None:
            bias = bias + self.distances(distance_buckets(ids.shape[1], self.distances.num_embeddings)).permute(2, 0, 1).unsqueeze(0)
        for layer in self.layers:
            hidden = layer(hidden, bias)
        return hidden

    @staticmethod
    def of(folder: Path) -> "Encoder":
        """From a published folder: `config.json` and `model.safetensors` with the names of a BertModel."""
        encoder = Encoder(json.loads((folder / "config.json").read_text(encoding="utf-8")))
        published = load_file(folder / "model.safetensors")
        names = {
            "words.weight": "embeddings.word_embeddings.weight",
            "positions.weight": "embeddings.position_embeddings.weight",
            "types.weight": "embeddings.token_type_embeddings.weight",
            "norm.weight": "embeddings.LayerNorm.weight",
            "norm.bias": "embeddings.LayerNorm.bias",
        }
        parts = {
            "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
            "output": "attention.output.dense", "norm": "attention.output.LayerNorm",
            "up": "intermediate.dense", "down": "output.dense", "last_norm": "output.LayerNorm",
        }  # fmt: skip
        if encoder.distances is not None:
            names["distances.weight"] = "encoder.relative_attention_bias.weight"
        for at in range(encoder.config["num_hidden_layers"]):
            for ours, theirs in parts.items():
                for kind in ("weight", "bias"):
                    names[f"layers.{at}.{ours}.{kind}"] = f"encoder.layer.{at}.{theirs}.{kind}"
        encoder.load_state_dict({ours: published[theirs].float() for ours, theirs in names.items()})
        return encoder


def told_elsewhere(ids, mask, types):
    """For each token, 1 where the other text has it too."""
    same = (ids.unsqueeze(2) == ids.unsqueeze(1)) & (types.unsqueeze(2) != types.unsqueeze(1)) & (mask.unsqueeze(1) > 0)
    return same.to(torch.float32).amax(2)


class Marked(nn.Module):
    """An encoder whose tokens are marked where the other text has the same word, in this form or another of its stem:
    what few layers would else spend themselves on finding out."""

    def __init__(self, encoder: Encoder):
        super().__init__()
        self.encoder = encoder
        self.shared = nn.Embedding(4, encoder.config["hidden_size"])
        nn.init.zeros_(self.shared.weight)
        self.register_buffer("stems", torch.arange(encoder.config["vocab_size"]))

    def read(self, ids, mask, types):
        marks = types * 2 + told_elsewhere(self.stems[ids], mask, types).to(types.dtype)
        return self.encoder(ids, mask, types, 10.0 * self.shared(marks))


def weights_of(checkpoint: Path, task: str) -> dict:
    """Of a run's checkpoint, which may have the heads of both tasks."""
    return torch.load(checkpoint, weights_only=True, map_location="cpu")["models"][task]


def load(model: nn.Module, stored: dict) -> None:
    """Weights of any round. The first has no marks for shared words, which then say nothing; those before the third have
    no stems: each token is then its own."""
    own = model.state_dict()
    missing = {"shared.weight": own["shared.weight"], "stems": torch.arange(len(own["stems"]))}
    model.load_state_dict(missing | stored)


class Verifier(Marked):
    """Premise and claim: three labels, and for each word of the claim how much it lacks support."""

    LABELS = ("supported", "contradicted", "unknown")

    def __init__(self, encoder: Encoder):
        super().__init__(encoder)
        width = encoder.config["hidden_size"]
        self.pool = nn.Linear(width, width)
        self.labels = nn.Linear(width, 3)
        self.tokens = nn.Linear(width, 1)

    def forward(self, ids, mask, types):
        hidden = self.read(ids, mask, types)
        # The claim's own words say more about it than the first token, which was never trained in this base.
        claim = (types * mask).unsqueeze(-1).to(hidden.dtype)
        mean = (hidden * claim).sum(1) / claim.sum(1).clamp(min=1)
        pooled = torch.tanh(self.pool(hidden[:, 0] + mean))
        return self.labels(pooled).float(), self.tokens(hidden).squeeze(-1).float()


class Reader(Marked):
    """Question and passage: whether it answers, and where the answer begins and ends (the first token: nowhere)."""

    def __init__(self, encoder: Encoder):
        super().__init__(encoder)
        width = encoder.config["hidden_size"]
        self.pool = nn.Linear(width, width)
        self.answerable = nn.Linear(width, 1)
        self.spans = nn.Linear(width, 2)

    def forward(self, ids, mask, types):
        hidden = self.read(ids, mask, types)
        question = ((1 - types) * mask).unsqueeze(-1).to(hidden.dtype)
        mean = (hidden * question).sum(1) / question.sum(1).clamp(min=1)
        pooled = torch.tanh(self.pool(hidden[:, 0] + mean))
        spans = self.spans(hidden).float()
        # An answer stands in the passage, or at the first token, which means that there is none.
        inside = types * mask
        inside = torch.cat([torch.ones_like(inside[:, :1]), inside[:, 1:]], 1).to(spans.dtype)
        spans = spans + (1.0 - inside).unsqueeze(-1) * -30000.0
        return self.answerable(pooled).squeeze(-1).float(), spans[..., 0], spans[..., 1]
