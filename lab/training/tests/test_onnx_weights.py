"""Weights come back from a published graph as they were before it was written, whatever the exporter called them."""

import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from ibidem_training import onnx_weights

WIDTH = 4
DENSE = "encoder.layer.0.intermediate.dense"
DICE = np.random.default_rng(1)
MATRIX, BIAS = DICE.normal(size=(8, WIDTH)).astype(np.float32), DICE.normal(size=8).astype(np.float32)


def read(nodes: list, constants: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, WIDTH])
    gives = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "g", [given], [gives], [numpy_helper.from_array(np.ascontiguousarray(value), name) for name, value in constants.items()])
    with tempfile.TemporaryDirectory() as folder:
        onnx.save(helper.make_model(graph), Path(folder) / "model.onnx")
        return onnx_weights.weights(Path(folder) / "model.onnx")


def test_a_matrix_without_a_name_is_found_by_its_bias():
    nodes = [helper.make_node("MatMul", ["x", "onnx::MatMul_7"], ["product"]), helper.make_node("Add", [f"{DENSE}.bias", "product"], ["y"])]
    found = read(nodes, {"onnx::MatMul_7": MATRIX.T, f"{DENSE}.bias": BIAS})
    assert np.array_equal(found[f"{DENSE}.weight"], MATRIX) and np.array_equal(found[f"{DENSE}.bias"], BIAS)


def test_eight_bits_come_back_as_integer_less_zero_times_scale():
    scale, zero = np.float32(0.02), np.uint8(120)
    integers = np.clip(np.rint(MATRIX.T / scale) + zero, 0, 255).astype(np.uint8)
    nodes = [
        helper.make_node("DynamicQuantizeLinear", ["x"], ["rounded", "x_scale", "x_zero"]),
        helper.make_node("MatMulInteger", ["rounded", "w_quantized", "x_zero", "w_zero_point"], ["integers"]),
        helper.make_node("Cast", ["integers"], ["floats"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["x_scale", "w_scale"], ["both"]),
        helper.make_node("Mul", ["floats", "both"], ["product"]),
        helper.make_node("Add", ["product", f"bert.{DENSE}.bias"], ["y"]),
    ]
    found = read(nodes, {"w_quantized": integers, "w_scale": np.array(scale), "w_zero_point": np.array(zero), f"bert.{DENSE}.bias": BIAS})
    assert np.abs(found[f"{DENSE}.weight"] - np.clip(MATRIX, -2.4, 2.7)).max() <= scale / 2 + 1e-6


def test_query_key_and_value_that_were_made_one_are_three_again():
    parts = [DICE.normal(size=(WIDTH, WIDTH)).astype(np.float32) for _ in range(3)]
    node = helper.make_node("Attention", ["x", "qkv", "shift"], ["y"], domain="com.microsoft", num_heads=2)
    found = read([node], {"qkv": np.concatenate([part.T for part in parts], 1), "shift": np.arange(12, dtype=np.float32)})
    for at, name in enumerate(("query", "key", "value")):
        assert np.array_equal(found[f"encoder.layer.0.attention.self.{name}.weight"], parts[at])
        assert found[f"encoder.layer.0.attention.self.{name}.bias"].tolist() == [4 * at, 4 * at + 1, 4 * at + 2, 4 * at + 3]
