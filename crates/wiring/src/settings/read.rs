//! Reading settings: all that is wrong is told together, and not only the first of it.

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::Segment;

/// Collects every problem, so that all of them are told at once.
#[derive(Default)]
pub(super) struct Problems {
    pub(super) told: Vec<String>,
    /// The keys of values that are wrong by themselves.
    wrong: Vec<String>,
}

impl Problems {
    /// What a value says beside others. Where one of those is wrong by itself, nothing can be said of them together.
    pub(super) fn note(&mut self, key: &str, problem: &str) {
        let quoted = |wrong: &str| problem.split('`').any(|quoted| quoted.split(':').next() == Some(wrong));
        let rests_on = |wrong: &String| key == wrong || wrong.starts_with(&format!("{key}.")) || quoted(wrong);
        if !self.wrong.iter().any(rests_on) {
            self.told.push(format!("`{key}` {problem}"));
        }
    }

    pub(super) fn unless(&mut self, is_right: bool, key: &str, problem: &str) {
        if !is_right {
            self.note(key, problem);
        }
    }

    /// A name that an operator gave to something, and that is a part of keys.
    pub(super) fn name(&mut self, key: &str, name: &str) {
        let is_sign = |sign: char| sign.is_ascii_alphanumeric() || "-_.".contains(sign);
        let is_name = !name.is_empty() && name.chars().all(is_sign);
        self.unless(is_name, key, "is no name; use letters, digits, '-', '_' and '.'");
    }
}

/// Reads what was laid together. serde ends at the first value that is wrong: that one is noted, its default takes its
/// place, and everything is read again. None where no default helps.
pub(super) fn read<T: DeserializeOwned>(written: &Value, defaults: &Value, problems: &mut Problems) -> Option<T> {
    let mut settings = written.clone();
    loop {
        let error = match serde_path_to_error::deserialize(&settings) {
            Ok(settings) => return Some(settings),
            Err(error) => error,
        };
        let keys = error.path().iter().map_while(|segment| match segment {
            Segment::Map { key } => Some(key.as_str()),
            _ => None,
        });
        let keys: Vec<&str> = keys.collect();
        let (key, problem) = (keys.join("."), in_our_words(error.inner().to_string()));
        if is_of_serde(&problem) {
            let place = error.path();
            problems.told.push(format!("`{place}`: {problem}; config/ibidem.yaml describes every setting"));
        } else if is_in_use(written, &key) {
            problems.told.push(format!("`{key}` {problem}"));
        }
        problems.wrong.push(key);
        if !mend(&mut settings, defaults, &keys) {
            return None;
        }
    }
}

/// What serde says of a word that is none of a few.
fn in_our_words(problem: String) -> String {
    let Some((word, words)) =
        problem.strip_prefix("unknown variant `").and_then(|rest| rest.split_once("`, expected "))
    else {
        return problem;
    };
    let words = words.trim_start_matches("one of ").replace(" or ", ", ").replace('`', "");
    format!("is {word:?}; it must be one of {words}")
}

/// What serde says of a type or a key, and none of our types of its value.
fn is_of_serde(problem: &str) -> bool {
    ["invalid ", "unknown ", "missing ", "duplicate "].iter().any(|start| problem.starts_with(start))
}

/// Whether anything asks for a value. What is not in use may be anything of its type.
fn is_in_use(settings: &Value, key: &str) -> bool {
    let text = |pointer: String| settings.pointer(&pointer).and_then(Value::as_str).unwrap_or_default();
    match key.split_once('.').unwrap_or_default() {
        ("sign_in", _) => !text("/sign_in/issuer".to_owned()).is_empty(),
        ("language_model", _) => !settings.pointer("/language_model/url").is_none_or(Value::is_null),
        (section @ ("embedding" | "reranker" | "entailment"), "url" | "form") => {
            text(format!("/{section}/use")) == "http"
        }
        (section @ ("reranker" | "entailment"), "prompt") => text(format!("/{section}/use")) == "model",
        _ => true,
    }
}

/// Puts the default where a wrong value is, or takes it away where there is no default. False where nothing changes.
fn mend(settings: &mut Value, defaults: &Value, keys: &[&str]) -> bool {
    let Some((last, above)) = keys.split_last() else {
        return std::mem::replace(settings, defaults.clone()) != *defaults;
    };
    let default = keys.iter().try_fold(defaults, |place, key| place.get(key));
    let place = above.iter().try_fold(&mut *settings, |place, key| place.get_mut(*key));
    let changed = place.and_then(Value::as_object_mut).is_some_and(|place| match default {
        Some(default) => place.insert((*last).to_owned(), default.clone()).as_ref() != Some(default),
        None => place.remove(*last).is_some(),
    });
    changed || mend(settings, defaults, above)
}
