"""The weights of a published ONNX encoder under the names of a BertModel: float, or turned back from 8 or 16 bits.

The exporter keeps the names of biases and norms, and gives matrices names of its own. A matrix is found by what its bias
is added to. What was rounded to 8 bits comes back as (integer - zero) x scale; it is then as exact as the file is.
"""

from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

WALKED_THROUGH = ("Add", "Mul", "Cast")


class Graph:
    def __init__(self, path: Path):
        graph = onnx.load(path).graph
        self.nodes = list(graph.node)
        self.values = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
        self.gives = {output: node for node in self.nodes for output in node.output}

    def value(self, name: str) -> np.ndarray | None:
        """A constant as float: as it is, or turned back from integers."""
        if name in self.values and not name.endswith("_quantized"):
            return self.values[name].astype(np.float32)
        name = name.removesuffix("_quantized")
        if f"{name}_quantized" not in self.values:
            return None
        integers, scale, zero = (self.values[f"{name}_{part}"] for part in ("quantized", "scale", "zero_point"))
        return ((integers.astype(np.float32) - zero.astype(np.float32)) * scale).astype(np.float32)

    def matrix(self, output: str, depth: int = 4) -> np.ndarray | None:
        """The matrix of the multiplication that an output comes from."""
        node = self.gives.get(output)
        if node is None or not depth:
            return None
        if node.op_type in ("MatMul", "MatMulInteger", "Gemm"):
            return self.value(node.input[1])
        if node.op_type in WALKED_THROUGH:
            found = (self.matrix(name, depth - 1) for name in node.input)
            return next((one for one in found if one is not None), None)
        return None


def weights(path: Path) -> dict[str, np.ndarray]:
    graph = Graph(path)
    names = {name.removesuffix("_quantized") for name in graph.values if not name.endswith(("_scale", "_zero_point"))}
    found = {name: graph.value(name) for name in names if name.removeprefix("bert.").startswith(("embeddings.", "encoder.", "pooler.", "classifier."))}
    for node in graph.nodes:  # y = x @ W: a Gemm that was rounded to 8 bits keeps its name and is turned
        if node.op_type == "MatMulInteger" and (name := node.input[1].removesuffix("_quantized")) in found:
            found[name] = found[name].T
    layer = 0
    for node in graph.nodes:
        if node.op_type == "Attention":  # query, key and value in one
            matrix, bias = graph.value(node.input[1]), graph.value(node.input[2])
            for part, columns, shift in zip(("query", "key", "value"), np.split(matrix, 3, 1), np.split(bias, 3), strict=True):
                found[f"encoder.layer.{layer}.attention.self.{part}.weight"] = columns.T
                found[f"encoder.layer.{layer}.attention.self.{part}.bias"] = shift
            layer += 1
            continue
        bias = next((name for name in node.input if name in found and name.endswith("dense.bias") or name.endswith(("query.bias", "key.bias", "value.bias"))), None)
        weight = bias and bias.removesuffix("bias") + "weight"
        if not bias or found.get(weight) is not None:
            continue
        matrices = (graph.matrix(name) for name in node.input if name != bias)
        if (matrix := next((one for one in matrices if one is not None), None)) is not None:
            found[weight] = matrix.T
    return {name.removeprefix("bert."): np.ascontiguousarray(value, np.float32) for name, value in found.items() if value is not None}
