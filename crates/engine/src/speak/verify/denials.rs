//! Statements about what the documents do not say, and about what the model does not know.
//!
//! They are never a model's to make, and nothing can support them: that something is nowhere is not in any passage. The
//! policy has sentences of its own for it. Recognising them is no way out: what is recognised is dropped, and what is not
//! is a claim like any other.

use ibidem_language::SOURCES;

/// What sources do, or do not do.
const SAYING: [&str; 24] = [
    "address",
    "answer",
    "contain",
    "cover",
    "define",
    "describe",
    "directly",
    "discuss",
    "explain",
    "explicitly",
    "give",
    "have",
    "include",
    "indicate",
    "list",
    "mention",
    "name",
    "offer",
    "provide",
    "say",
    "specifically",
    "specify",
    "state",
    "tell",
];
/// What was not done.
const SAID: [&str; 16] = [
    "addressed",
    "answered",
    "clear",
    "contained",
    "covered",
    "described",
    "discussed",
    "explained",
    "found",
    "given",
    "included",
    "indicated",
    "mentioned",
    "provided",
    "specified",
    "stated",
];
/// What nobody can do.
const FINDING: [&str; 8] = ["answer", "determine", "find", "help", "provide", "say", "specify", "tell"];
/// What there is none of.
const TOLD: [&str; 9] =
    ["answer", "data", "details", "evidence", "indication", "information", "mention", "reference", "specific"];
/// Words that are said only of not knowing, whatever stands around them.
const CONFESSIONS: [&str; 40] = [
    "i don't know",
    "i don’t know",
    "i do not know",
    "don't have enough information",
    "not enough information",
    "insufficient information",
    "i'm not sure",
    "i’m not sure",
    "i am not sure",
    "i'm sorry",
    "i’m sorry",
    "i am sorry",
    "i cannot answer",
    "i can't answer",
    "i can’t answer",
    "i am unable",
    "i'm unable",
    "i’m unable",
    // German
    "ich weiß es nicht",
    "ich weiss es nicht",
    "weiß ich nicht",
    "weiss ich nicht",
    "ich weiß nicht",
    "ich weiss nicht",
    "tut mir leid",
    "kann ich nicht beantworten",
    "kann ich nicht sagen",
    // French
    "je ne sais pas",
    "je l'ignore",
    "je l’ignore",
    "je ne peux pas répondre",
    "je suis désolé",
    // Spanish
    "no lo sé",
    "no lo se.",
    "no sé",
    "lo siento",
    "no puedo responder",
    "no tengo información",
    "desconozco",
    "no dispongo de información",
];
/// The same, where words are not parted by spaces.
const CONFESSIONS_WITHOUT_SPACES: [&str; 18] = [
    "不知道",
    "不清楚",
    "抱歉",
    "无法回答",
    "無法回答",
    "无法确定",
    "無法確定",
    "没有相关信息",
    "沒有相關信息",
    "わかりません",
    "分かりません",
    "知りません",
    "答えられません",
    "回答できません",
    "申し訳",
    "不明です",
    "情報がありません",
    "記載がありません",
];

/// In another language: words for the sources, for a denial, and for what sources do. A sentence that has one of each
/// denies that they say something.
struct Language {
    sources: &'static [&'static str],
    denying: &'static [&'static str],
    saying: &'static [&'static str],
}

/// Beginnings of words; in Chinese and Japanese, anything in the sentence.
const LANGUAGES: [Language; 5] = [
    Language {
        sources: &[
            "dokument",
            "unterlage",
            "quelle",
            "notiz",
            "textstelle",
            "passage",
            "abschnitt",
            "kontext",
            "angabe",
            "information",
        ],
        denying: &["nicht", "kein"],
        saying: &[
            "sag",
            "erwähn",
            "nenn",
            "enthalt",
            "enthält",
            "hervor",
            "beschreib",
            "angegeben",
            "geben",
            "gibt",
            "finde",
            "beantwort",
            "erklär",
            "liefer",
            "äußer",
            "vorhanden",
        ],
    },
    Language {
        sources: &["document", "source", "note", "texte", "passage", "extrait", "contexte", "information"],
        denying: &["ne", "n", "pas", "aucun", "rien"],
        saying: &[
            "mention", "précis", "dis", "dit", "indiqu", "contien", "parl", "répond", "fourni", "donn", "trouv",
            "expliqu", "spécifi", "a",
        ],
    },
    Language {
        sources: &["documento", "fuente", "nota", "texto", "pasaje", "contexto", "información", "informacion"],
        denying: &["no", "ningun", "ningún", "nada", "sin"],
        saying: &[
            "mencion",
            "especific",
            "dic",
            "indic",
            "contien",
            "habl",
            "respond",
            "proporcion",
            "encuentr",
            "hay",
            "ofrec",
            "explic",
        ],
    },
    Language {
        sources: &["文档", "文檔", "文件", "资料", "資料", "来源", "來源", "笔记", "文中", "上下文", "信息", "材料"],
        denying: &["没有", "沒有", "未", "不", "无", "無"],
        saying: &["提", "说", "說", "包含", "指", "涉及", "回答", "记载", "記載", "给出", "給出", "找到"],
    },
    Language {
        sources: &["資料", "文書", "文章", "ドキュメント", "出典", "ソース", "メモ", "情報", "文脈", "本文"],
        denying: &["ない", "ません", "なし", "ず"],
        saying: &["記載", "言及", "述べ", "書", "含ま", "記され", "示さ", "見つか", "あり", "答え"],
    },
];

/// Whether a sentence says what the documents do not say, or that its speaker does not know.
pub fn is_denial(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let words: Vec<&str> = lower
        .split(|character: char| !(character.is_alphanumeric() || matches!(character, '\'' | '’')))
        .filter(|word| !word.is_empty())
        .collect();
    let spaced = format!(" {} ", words.join(" "));
    CONFESSIONS.iter().any(|phrase| spaced.contains(&format!(" {} ", phrase.trim_end_matches('.'))))
        || CONFESSIONS_WITHOUT_SPACES.iter().any(|phrase| lower.contains(phrase))
        || is_absence(&words)
        || LANGUAGES.iter().any(|language| language.denies(&lower))
}

/// Whether a word speaks of the sources.
pub(super) fn is_about_sources(word: &str) -> bool {
    SOURCES.contains(&word)
}

impl Language {
    fn denies(&self, lower: &str) -> bool {
        let words = || lower.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
        // Short words are grammar, and are meant as they stand.
        let begins =
            |word: &str, begin: &str| if begin.chars().count() < 3 { word == begin } else { word.starts_with(begin) };
        let has = |list: &[&str]| {
            list.iter().any(|begin| match begin.chars().next() {
                Some(first) if first >= '\u{2e80}' => lower.contains(begin),
                _ => words().any(|word| begins(word, begin)),
            })
        };
        has(self.sources) && has(self.denying) && has(self.saying)
    }
}

fn is_absence(words: &[&str]) -> bool {
    let is_of_sources =
        |word: &&str| SOURCES.contains(word) || matches!(*word, "i" | "there" | "this" | "unfortunately");
    words.iter().any(is_of_sources) && (0..words.len()).any(|at| denies(&words[at..]))
}

/// A denial that begins here: "does not mention", "no information", "cannot be determined".
fn denies(words: &[&str]) -> bool {
    let within = |from: usize, list: &[&str]| words.iter().skip(from).take(3).any(|word| list.contains(word));
    match words {
        ["do" | "does" | "did", "not", ..] => within(2, &SAYING),
        ["don't" | "doesn't" | "didn't" | "don’t" | "doesn’t" | "didn’t", ..] => within(1, &SAYING),
        ["no", ..] => within(1, &TOLD),
        ["not", "possible", "to", ..] => within(3, &FINDING),
        ["not", ..] => within(1, &SAID),
        ["nothing", ..] => within(1, &["about", "on", "in", "said"]),
        ["unable" | "impossible", "to", ..] => within(2, &FINDING),
        ["cannot" | "can't" | "can’t", ..] => within(1, &FINDING) || within(1, &["determined", "answered"]),
        ["can", "not", ..] => within(2, &FINDING),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_or_not_said_is_recognised_and_what_is_denied_of_the_world_is_not() {
        for denial in [
            "I don't know.",
            "The passages do not mention the price.",
            "The notes don't say who approved it.",
            "There is no information about refunds in the sources.",
            "There is no evidence that the oil must ever be changed.",
            "I am unable to answer from the given text.",
            "This is not specified in the documents.",
            "The passages do not mention the price, but it is usually paid by the tenant.",
            "Die Dokumente sagen dazu nichts.",
            "In den Unterlagen ist das nicht angegeben.",
            "Les documents ne le précisent pas.",
            "Los documentos no lo mencionan.",
            "文档中没有提到价格。",
            "資料には価格の記載がありません。",
        ] {
            assert!(is_denial(denial), "{denial}");
        }
        for claim in [
            "Passwords do not expire.",
            "No.",
            "The price is not paid by the tenant.",
            "There is no light on the fibre.",
            "It does not include tyres.",
            "Das Öl darf nicht nachgefüllt werden.",
            "Le joint ne s'use pas.",
            "El aceite no se cambia.",
            "密封不会磨损。",
            "油は交換しません。",
        ] {
            assert!(!is_denial(claim), "{claim}");
        }
    }
}
