//! Where a question goes, by rule. No model decides it.
//!
//! Exclusions come before patterns: a question about a document, a decision or what documents say is never a question
//! about a word.

use crate::policy::DocumentClasses;

/// The way a question takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Route {
    /// A question about what a term means, answered from the vocabulary or not at all.
    Terminology { term: String },
    /// Everything else: answered from the documents.
    Corpus,
}

/// Decides where a question goes. It is total: every text goes somewhere. `longest_term` bounds the words of a term; a
/// longer one is a question of its own.
pub fn route(query: &str, classes: &DocumentClasses, longest_term: Option<usize>) -> Route {
    let query = query.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    if is_excluded(&query, classes) {
        return Route::Corpus;
    }
    let term = asked_term(&query).map(bare).filter(|term| term.chars().any(char::is_alphanumeric));
    let fits = |term: &&str| longest_term.is_none_or(|most| term.split(' ').count() <= most);
    match term.filter(fits) {
        Some(term) => Route::Terminology { term: term.to_owned() },
        None => Route::Corpus,
    }
}

/// Words, without the signs around them; a word's own hyphens and dots stay.
pub(super) fn words(query: &str) -> Vec<&str> {
    query.split(' ').map(|word| word.trim_matches(|sign: char| !sign.is_alphanumeric())).collect()
}

fn is_excluded(query: &str, classes: &DocumentClasses) -> bool {
    let words = words(query);
    is_command(&words)
        || is_advice(&words)
        || is_decision(&words)
        || names_an_address(&words, classes)
        || asks_about_documents(&words, classes)
}

/// "List ADRs about security", "Please show all principles".
fn is_command(words: &[&str]) -> bool {
    after_command(words).is_some()
}

/// What is to be listed or shown.
pub(super) fn after_command<'a, 'b>(words: &'a [&'b str]) -> Option<&'a [&'b str]> {
    const POLITE: [&str; 4] = ["please", "can", "could", "you"];
    let first = words.iter().position(|word| !word.is_empty() && !POLITE.contains(word))?;
    matches!(words[first], "list" | "show").then(|| &words[first + 1..])
}

/// "What should I use …", "What can …", "What will …".
fn is_advice(words: &[&str]) -> bool {
    matches!(words, ["what", "should" | "can" | "will", ..])
}

fn is_decision(words: &[&str]) -> bool {
    words.iter().any(|word| matches!(*word, "decided" | "decide" | "decides" | "decision" | "decisions"))
}

/// "ADR-0031", "adr.31", "ADR 31", "adr31": a document class and its number.
fn names_an_address(words: &[&str], classes: &DocumentClasses) -> bool {
    const MOST_DIGITS: usize = 4;
    let is_number =
        |text: &str| (1..=MOST_DIGITS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    let in_one_word = |word: &&str| {
        let class_ends = word.find(|sign: char| sign.is_ascii_digit()).unwrap_or(word.len());
        let (class, number) = word.split_at(class_ends);
        classes.has(class.trim_end_matches(['.', '-'])) && is_number(number)
    };
    words.iter().any(in_one_word) || words.windows(2).any(|pair| classes.has(pair[0]) && is_number(pair[1]))
}

/// "in ADRs", "in the CIM policy", "the data retention policy": what documents of a class say.
fn asks_about_documents(words: &[&str], classes: &DocumentClasses) -> bool {
    /// How far before the class its article or preposition may stand.
    const MOST_BETWEEN: usize = 6;
    words.iter().enumerate().filter(|(_, word)| classes.has(word)).any(|(place, _)| {
        let before = &words[place.saturating_sub(MOST_BETWEEN)..place];
        let says_which =
            |word: &str| matches!(word, "in" | "the" | "our" | "this" | "that" | "these" | "those" | "which");
        // "the term …" is about the term, whatever it is called.
        (0..before.len()).any(|at| says_which(before[at]) && before.get(at + 1) != Some(&"term"))
    })
}

/// What follows, or stands inside, one of the six forms.
fn asked_term(query: &str) -> Option<&str> {
    let after = |prefixes: &[&str]| prefixes.iter().find_map(|prefix| query.strip_prefix(prefix));
    if let Some(rest) = after(&["what does ", "what do "]) {
        let rest = rest.trim_end_matches(|sign: char| !sign.is_alphanumeric());
        return rest.strip_suffix(" mean");
    }
    if let Some(rest) = after(&["what is ", "what's ", "what’s "]) {
        return Some(of_meaning(without_article(rest)).unwrap_or_else(|| without_article(rest)));
    }
    if let Some(rest) = of_meaning(without_article(query)) {
        return Some(rest);
    }
    if let Some(rest) = after(&["explain the term ", "explain term ", "cim term ", "skosmos term "]) {
        return Some(rest);
    }
    after(&["define "]).map(without_article)
}

fn without_article(text: &str) -> &str {
    ["a ", "an ", "the "].iter().find_map(|article| text.strip_prefix(article)).unwrap_or(text)
}

/// What "meaning of …" and "definition of …" are about.
fn of_meaning(text: &str) -> Option<&str> {
    let of = ["meaning of ", "definition of "].iter().find_map(|form| text.strip_prefix(form))?;
    let of = without_article(of);
    Some(of.strip_prefix("term ").unwrap_or(of))
}

/// Without the quotation marks and the signs at the end.
fn bare(term: &str) -> &str {
    let term = term.trim_end_matches(['?', '!', '.', ',', ';', ':', ' ']);
    term.trim_matches(['"', '\'', '“', '”', '‘', '’', '«', '»', '`']).trim()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn classes() -> DocumentClasses {
        DocumentClasses::named(["ADR", "Principle", "Policy", "Vocabulary"])
    }

    fn term(query: &str) -> Option<String> {
        match route(query, &classes(), None) {
            Route::Terminology { term } => Some(term),
            Route::Corpus => None,
        }
    }

    #[test]
    fn intent_01_to_07_and_the_further_rows() {
        let rows = [
            ("INTENT-01", "What is CIMXML?", Some("cimxml")),
            ("INTENT-02", "Define voltage regulation", Some("voltage regulation")),
            ("INTENT-03", "ADR-0031", None),
            ("INTENT-04", "List ADRs about security", None),
            ("INTENT-05", "What is the TLS decision in ADRs?", None),
            ("INTENT-06", "What should I use for encryption?", None),
            ("INTENT-07", "CIM term transformer", Some("transformer")),
            ("also", "Define the TLS requirements in ADRs", None),
            ("also", "What is decided about TLS versions?", None),
            ("also", "What is in the CIM policy?", None),
            ("also", "What is the data retention policy?", None),
            ("also", "What does ADR-0012 decide?", None),
            ("also", "What does IEC 61970 mean?", Some("iec 61970")),
            ("also", "Meaning of asset management", Some("asset management")),
            ("also", "Explain the term CGMES", Some("cgmes")),
        ];
        for (id, query, expected) in rows {
            assert_eq!(term(query).as_deref(), expected, "{id}: {query}");
        }
    }

    #[test]
    fn every_form_and_its_variants() {
        let rows = [
            ("  what is  a   Busbar  Section ? ", Some("busbar section")),
            ("What is an \"islanding\"?", Some("islanding")),
            ("What's a tap?", Some("tap")),
            ("What is the meaning of feeder?", Some("feeder")),
            ("Definition of the term shunt", Some("shunt")),
            ("skosmos term line", Some("line")),
            ("explain term tap.", Some("tap")),
            ("What does “N-1” mean?", Some("n-1")),
            ("What does it cost?", None),
            ("Explain the term spatial planning policy", Some("spatial planning policy")),
            ("What is policy-based routing?", Some("policy-based routing")),
            ("What is a policy?", Some("policy")),
            ("What is the interoperability principles' scope?", None),
            ("What do the interoperability principles mean?", None),
            ("What is in adr.31?", None),
            ("What is ADR 31?", None),
            ("What is adr31?", None),
            ("What does adr-12 mean?", None),
            ("What can I do about TLS?", None),
            ("What will change?", None),
            ("Show all principles", None),
            ("Please list the terms", None),
            ("What is ?", None),
            ("what is", None),
            ("define", None),
            ("", None),
            ("How is voltage regulated?", None),
        ];
        for (query, expected) in rows {
            assert_eq!(term(query).as_deref(), expected, "{query}");
        }
    }

    #[test]
    fn a_term_longer_than_the_policy_allows_is_a_question_of_its_own() {
        let query = "What is the daily limit for meals on a business trip?";
        assert!(matches!(route(query, &classes(), None), Route::Terminology { .. }));
        assert_eq!(route(query, &classes(), Some(5)), Route::Corpus);
    }

    #[test]
    fn classes_are_the_configured_collections_and_no_others() {
        let query = "What is the travel guideline?";
        assert!(term(query).is_some());
        assert_eq!(route(query, &DocumentClasses::named(["Guideline"]), None), Route::Corpus);
        assert_eq!(route("What is in the policies?", &classes(), None), Route::Corpus);
    }

    const FORMS: [&str; 8] = [
        "What is {}?",
        "What is the {}",
        "define {}",
        "meaning of {}",
        "definition of {}",
        "cim term {}",
        "Explain the term {}",
        "What does {} mean?",
    ];

    proptest! {
        #[test]
        fn an_address_is_never_terminology(
            form in prop::sample::select(FORMS.to_vec()),
            class in prop::sample::select(vec!["ADR", "adr", "Policy", "principle", "Adrs"]),
            separator in prop::sample::select(vec!["", "-", ".", " "]),
            number in 0_u32..10_000,
            padded in any::<bool>(),
            around in "[ a-z]{0,12}",
        ) {
            let number = if padded { format!("{number:04}") } else { number.to_string() };
            let asked = form.replace("{}", &format!("{around} {class}{separator}{number}"));
            prop_assert_eq!(term(&asked), None, "{}", asked);
        }

        #[test]
        fn a_list_command_is_never_terminology(
            command in prop::sample::select(vec!["list", "show", "List", "SHOW", "please list", "could you show"]),
            rest in ".{0,60}",
        ) {
            let asked = format!("{command} {rest}");
            prop_assert_eq!(term(&asked), None, "{}", asked);
        }

        #[test]
        fn every_text_goes_somewhere_and_a_term_is_never_blank(query in ".{0,200}") {
            if let Some(term) = term(&query) {
                prop_assert!(term.chars().any(char::is_alphanumeric));
                prop_assert_eq!(term.clone(), term.to_lowercase());
            }
        }
    }
}
