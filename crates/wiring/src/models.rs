//! The models of our own that come with the program. Their cards are in `models/`.

use ibidem_adapters::onnx::BuiltInModel;

/// Reads a question together with a passage: whether the passage answers it, and where.
pub const READER: BuiltInModel = BuiltInModel {
    name: "reader",
    model: include_bytes!("../../../models/reader/model.onnx"),
    tokenizer: include_bytes!("../../../models/reader/tokenizer.json"),
    config: include_bytes!("../../../models/reader/config.json"),
};
