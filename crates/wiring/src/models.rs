//! The models of our own that come with the program. Their cards are in `models/`.

use ibidem_adapters::onnx::BuiltInModel;

/// Reads a question together with a passage: whether the passage answers it, and where. For English.
pub const READER: BuiltInModel = BuiltInModel {
    name: "reader",
    model: include_bytes!("../../../models/reader/model.onnx"),
    tokenizer: include_bytes!("../../../models/reader/tokenizer.json"),
    config: include_bytes!("../../../models/reader/config.json"),
};

/// The same for pairs of which either text is in another language.
pub const READER_MULTILINGUAL: BuiltInModel = BuiltInModel {
    name: "reader_multilingual",
    model: include_bytes!("../../../models/reader_multilingual/model.onnx"),
    tokenizer: include_bytes!("../../../models/reader_multilingual/tokenizer.json"),
    config: include_bytes!("../../../models/reader_multilingual/config.json"),
};
