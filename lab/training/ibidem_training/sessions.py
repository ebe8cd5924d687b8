"""Opens exported models. Every session is made here, so that all of them count in the same way."""

from pathlib import Path

import onnxruntime

# On a CPU without VNNI, pairs of 8-bit products are else added in 16 bits, which overflow: a pair would have another
# score there. The product's own sessions ask for the same.
EXACT_PRODUCTS = "session.x64quantprecision"


def session(model: Path, threads: int = 1) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry(EXACT_PRODUCTS, "1")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
