//! What an answer says about how it came about: a flag for each part that was gone without.

use super::Fault;

/// Only words were searched.
pub const BM25_ONLY: &str = "bm25_only";
/// Words were searched, and each counted alike: how rare they are is not counted yet.
pub const WORDS_UNWEIGHED: &str = "words_unweighed";
/// A part was not asked at all: it had failed too often.
pub const CIRCUIT_OPEN: &str = "circuit_open";
/// The passages' vectors decided, and nobody read them with the question.
pub const NO_RERANK: &str = "no_rerank";
/// The sources' own sentences stand in for a model's.
pub const EXTRACTIVE: &str = "extractive";
/// The vocabulary was late.
pub const SKOSMOS_TIMEOUT: &str = "skosmos_timeout";

/// A part is gone without: a flag for that, and one more where it was not even asked.
pub fn fall_back(flags: &mut Vec<String>, flag: &str, failure: &impl Fault) {
    raise(flags, flag);
    not_asked(flags, failure);
}

/// Says so where a part was not asked.
pub fn not_asked(flags: &mut Vec<String>, failure: &impl Fault) {
    if failure.is_circuit_open() {
        raise(flags, CIRCUIT_OPEN);
    }
}

/// Adds a flag, once.
pub fn raise(flags: &mut Vec<String>, flag: &str) {
    if !flags.iter().any(|raised| raised == flag) {
        flags.push(flag.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_is_raised_once_in_the_order_of_what_happened() {
        let mut flags = Vec::new();
        for flag in [BM25_ONLY, CIRCUIT_OPEN, NO_RERANK, CIRCUIT_OPEN, BM25_ONLY] {
            raise(&mut flags, flag);
        }
        assert_eq!(flags, [BM25_ONLY, CIRCUIT_OPEN, NO_RERANK]);
    }
}
