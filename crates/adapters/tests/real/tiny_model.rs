//! A cross-encoder of a few bytes whose judgement can be worked out by hand, in the layout everybody publishes.
//!
//! Its logit is `WEIGHT` for each token of the question that the passage has too (and again for each time it has it),
//! less `LENGTH` for every token there is, less `BIAS`. So it shows whether the pair, its halves, its padding and its
//! end reached the model as they should.
//!
//! With more labels that logit is the first, and the last is `BIAS`; between them the one of three is `LENGTH` for
//! every token of the first half. So it shows which half came first, too.
//!
//! One that marks tokens gives each token of the second half `WEIGHT` for each time that the first half has it, and
//! `BIAS` beside that.

use std::path::Path;

use serde_json::json;

pub(crate) const WEIGHT: f32 = 1.5;
pub(crate) const LENGTH: f32 = 0.125;
/// In place of `WEIGHT` where a model with two logits knows no halves: every token of a text is found beside itself.
pub(crate) const FAINT: f32 = 0.015625;
pub(crate) const BIAS: f32 = 2.0;

/// What is wrong with a model, or particular to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// As the BERT family: it is told which half a token belongs to.
    TwoHalves,
    /// As the RoBERTa family: it is not, so every token is in both.
    OneHalf,
    /// One number for each pair, without a second dimension.
    Flat,
    /// One for yes and one for no.
    TwoLogits,
    /// The same of a model that knows no halves.
    TwoLogitsOneHalf,
    /// One for yes, one for the opposite and one for neither.
    ThreeLogits,
    /// One for yes and one for no of each token.
    Tokens,
    /// Two outputs, neither of them called logits.
    Nameless,
    NotANumber,
    /// It wants to see something.
    Pixels,
}

/// `model.onnx`, `tokenizer.json` and `config.json` in this folder.
pub(crate) fn write(folder: &Path, kind: Kind, words: &[&str]) {
    std::fs::write(folder.join("model.onnx"), model(kind)).unwrap();
    std::fs::write(folder.join("tokenizer.json"), tokenizer(words).to_string()).unwrap();
    write_config(folder, &json!({"model_type": "bert", "id2label": {"0": "LABEL_0"}, "max_position_embeddings": 512}));
}

pub(crate) fn write_config(folder: &Path, config: &serde_json::Value) {
    std::fs::write(folder.join("config.json"), config.to_string()).unwrap();
}

/// Splits at spaces and punctuation. Its own padding and truncation are useless, as published ones may be.
fn tokenizer(words: &[&str]) -> serde_json::Value {
    let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"];
    let ids = special.iter().chain(words).enumerate().map(|(id, word)| ((*word).to_owned(), json!(id)));
    let vocabulary: serde_json::Map<_, _> = ids.collect();
    let added = special.iter().enumerate().map(|(id, token)| {
        json!({"id": id, "content": token, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
            "special": true})
    });
    let token = |id: &str, kind: u32| json!({"SpecialToken": {"id": id, "type_id": kind}});
    let text = |id: &str, kind: u32| json!({"Sequence": {"id": id, "type_id": kind}});
    json!({
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": 5, "strategy": "LongestFirst", "stride": 0},
        "padding": {"strategy": {"Fixed": 9}, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0,
            "pad_type_id": 0, "pad_token": "[PAD]"},
        "added_tokens": added.collect::<Vec<_>>(),
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [token("[CLS]", 0), text("A", 0), token("[SEP]", 0)],
            "pair": [token("[CLS]", 0), text("A", 0), token("[SEP]", 0), text("B", 1), token("[SEP]", 1)],
            "special_tokens": {
                "[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]},
                "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]},
            },
        },
        "decoder": null,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
    })
}

fn model(kind: Kind) -> Vec<u8> {
    let with_halves = !matches!(kind, Kind::OneHalf | Kind::TwoLogitsOneHalf);
    let mut graph = Graph::default();
    graph.node("Cast", &["attention_mask"], "mask", &[("to", Attribute::Int(FLOAT))]);
    if with_halves {
        graph.node("Cast", &["token_type_ids"], "types", &[("to", Attribute::Int(FLOAT))]);
        graph.node("Mul", &["mask", "types"], "passage", &[]);
        graph.node("Sub", &["mask", "passage"], "question", &[]);
    } else {
        graph.node("Identity", &["mask"], "passage", &[]);
        graph.node("Identity", &["mask"], "question", &[]);
    }
    let axis = |axis: i64| ("axes", Attribute::Ints(vec![axis]));
    // Which tokens are the same as which.
    graph.node("Unsqueeze", &["input_ids"], "down", &[axis(2)]);
    graph.node("Unsqueeze", &["input_ids"], "across", &[axis(1)]);
    graph.node("Equal", &["down", "across"], "equal", &[]);
    graph.node("Cast", &["equal"], "same", &[("to", Attribute::Int(FLOAT))]);
    // How often each token is in the passage, added up over the question.
    graph.node("Unsqueeze", &["passage"], "passage_down", &[axis(2)]);
    graph.node("MatMul", &["same", "passage_down"], "in_passage", &[]);
    graph.node("Unsqueeze", &["question"], "question_across", &[axis(1)]);
    graph.node("MatMul", &["question_across", "in_passage"], "shared_deep", &[]);
    graph.node("ReduceSum", &["shared_deep"], "shared", &[axis(2), ("keepdims", Attribute::Int(0))]);
    graph.node("ReduceSum", &["mask"], "length", &[axis(1), ("keepdims", Attribute::Int(1))]);
    graph.constant("a_word", if kind == Kind::TwoLogitsOneHalf { FAINT } else { WEIGHT });
    graph.constant("a_token", LENGTH);
    graph.constant("bias", if kind == Kind::NotANumber { f32::NAN } else { BIAS });
    graph.node("Mul", &["shared", "a_word"], "for_words", &[]);
    graph.node("Mul", &["length", "a_token"], "for_length", &[]);
    graph.node("Sub", &["for_words", "for_length"], "unbiased", &[]);
    graph.node("Sub", &["unbiased", "bias"], "logit", &[]);
    match kind {
        Kind::TwoLogits | Kind::TwoLogitsOneHalf | Kind::ThreeLogits => {
            graph.node("ReduceSum", &["question"], "first_half", &[axis(1), ("keepdims", Attribute::Int(1))]);
            graph.node("Mul", &["first_half", "a_token"], "for_first_half", &[]);
            graph.node("Sub", &["logit", "logit"], "nothing", &[]);
            graph.node("Add", &["nothing", "bias"], "neither", &[]);
            let logits: &[&str] =
                if kind == Kind::ThreeLogits { &["logit", "for_first_half", "neither"] } else { &["logit", "neither"] };
            graph.node("Concat", logits, "logits", &[("axis", Attribute::Int(1))]);
            graph.output("logits", &["batch", &logits.len().to_string()]);
        }
        Kind::Tokens => {
            graph.node("Unsqueeze", &["question"], "question_down", &[axis(2)]);
            graph.node("MatMul", &["same", "question_down"], "in_question", &[]);
            graph.node("Mul", &["in_question", "a_word"], "for_token", &[]);
            graph.node("Sub", &["for_token", "for_token"], "nothing", &[]);
            graph.node("Add", &["nothing", "bias"], "against_token", &[]);
            graph.node("Concat", &["for_token", "against_token"], "logits", &[("axis", Attribute::Int(2))]);
            graph.output("logits", &["batch", "tokens", "2"]);
        }
        Kind::Flat => {
            graph.node("Squeeze", &["logit"], "logits", &[axis(1)]);
            graph.output("logits", &["batch"]);
        }
        Kind::Nameless => {
            graph.output("logit", &["batch", "1"]);
            graph.output("length", &["batch", "1"]);
        }
        _ => {
            graph.node("Identity", &["logit"], "logits", &[]);
            graph.output("logits", &["batch", "1"]);
        }
    }
    let mut inputs = vec!["input_ids", "attention_mask"];
    inputs.extend(with_halves.then_some("token_type_ids"));
    inputs.extend((kind == Kind::Pixels).then_some("pixel_values"));
    graph.finished(&inputs)
}

/// Element types of tensors, by ONNX's numbers.
const FLOAT: i64 = 1;
const INT64: i64 = 7;

enum Attribute {
    Int(i64),
    Ints(Vec<i64>),
}

/// An ONNX graph as protocol buffers, written field by field: the numbers are those of `onnx.proto`.
#[derive(Default)]
struct Graph {
    bytes: Vec<u8>,
}

impl Graph {
    fn node(&mut self, operator: &str, inputs: &[&str], output: &str, attributes: &[(&str, Attribute)]) {
        let mut node = Vec::new();
        inputs.iter().for_each(|input| put_bytes(&mut node, 1, input.as_bytes()));
        put_bytes(&mut node, 2, output.as_bytes());
        put_bytes(&mut node, 4, operator.as_bytes());
        for (name, value) in attributes {
            let mut attribute = Vec::new();
            put_bytes(&mut attribute, 1, name.as_bytes());
            match value {
                Attribute::Int(value) => {
                    put_number(&mut attribute, 3, *value);
                    put_number(&mut attribute, 20, 2);
                }
                Attribute::Ints(values) => {
                    values.iter().for_each(|value| put_number(&mut attribute, 8, *value));
                    put_number(&mut attribute, 20, 7);
                }
            }
            put_bytes(&mut node, 5, &attribute);
        }
        put_bytes(&mut self.bytes, 1, &node);
    }

    fn constant(&mut self, name: &str, value: f32) {
        let mut tensor = Vec::new();
        put_number(&mut tensor, 1, 1);
        put_number(&mut tensor, 2, FLOAT);
        put_bytes(&mut tensor, 8, name.as_bytes());
        put_bytes(&mut tensor, 9, &value.to_le_bytes());
        put_bytes(&mut self.bytes, 5, &tensor);
    }

    fn output(&mut self, name: &str, shape: &[&str]) {
        put_bytes(&mut self.bytes, 12, &tensor_called(name, FLOAT, shape));
    }

    fn finished(mut self, inputs: &[&str]) -> Vec<u8> {
        for input in inputs {
            put_bytes(&mut self.bytes, 11, &tensor_called(input, INT64, &["batch", "tokens"]));
        }
        put_bytes(&mut self.bytes, 2, b"tiny");
        let mut operators = Vec::new();
        put_bytes(&mut operators, 1, b"");
        put_number(&mut operators, 2, 12);
        let mut model = Vec::new();
        put_number(&mut model, 1, 7);
        put_bytes(&mut model, 7, &self.bytes);
        put_bytes(&mut model, 8, &operators);
        model
    }
}

fn tensor_called(name: &str, elements: i64, shape: &[&str]) -> Vec<u8> {
    let mut dimensions = Vec::new();
    for size in shape {
        let mut dimension = Vec::new();
        match size.parse() {
            Ok(size) => put_number(&mut dimension, 1, size),
            Err(_) => put_bytes(&mut dimension, 2, size.as_bytes()),
        }
        put_bytes(&mut dimensions, 1, &dimension);
    }
    let mut tensor = Vec::new();
    put_number(&mut tensor, 1, elements);
    put_bytes(&mut tensor, 2, &dimensions);
    let mut kind = Vec::new();
    put_bytes(&mut kind, 1, &tensor);
    let mut called = Vec::new();
    put_bytes(&mut called, 1, name.as_bytes());
    put_bytes(&mut called, 2, &kind);
    called
}

fn put_number(bytes: &mut Vec<u8>, field: u64, value: i64) {
    put_varint(bytes, field << 3);
    put_varint(bytes, u64::from_le_bytes(value.to_le_bytes()));
}

fn put_bytes(bytes: &mut Vec<u8>, field: u64, value: &[u8]) {
    put_varint(bytes, field << 3 | 2);
    put_varint(bytes, value.len() as u64);
    bytes.extend_from_slice(value);
}

fn put_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    bytes.push(value.to_le_bytes()[0]);
}
