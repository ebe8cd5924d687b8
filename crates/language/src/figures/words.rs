//! Words by what they mean rather than how they end.

/// Words that carry no subject, in order.
pub(super) const STOP_WORDS: [&str; 136] = [
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because",
    "been", "before", "being", "both", "but", "by", "can", "cannot", "could", "did", "do", "does", "done", "during",
    "each", "either", "else", "ever", "every", "for", "from", "further", "get", "gets", "had", "has", "have", "having",
    "he", "hence", "her", "here", "his", "how", "however", "i", "if", "in", "into", "is", "it", "its", "itself",
    "just", "least", "let", "may", "me", "might", "more", "most", "must", "my", "neither", "never", "no", "none",
    "nor", "not", "of", "on", "once", "one", "only", "onto", "or", "other", "our", "out", "over", "own", "per", "she",
    "should", "since", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "those", "through", "thus", "to", "too", "under", "unless", "until", "up", "upon", "us", "very", "via",
    "was", "we", "were", "what", "when", "where", "whether", "which", "while", "who", "whom", "whose", "why", "will",
    "with", "within", "without", "would", "you", "your",
];

/// The part of a word that its forms share: `deployment`, `deployed` and `deploys` have one stem. Given in lower case.
pub(super) fn stem(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word).trim_end_matches('\'');
    if !word.is_ascii() || word.len() < 4 {
        return word.to_owned();
    }
    let singular = singular(word);
    let stripped = ending(&singular);
    let mut stem = stripped.to_owned();
    // `planned` and `plan`.
    let bytes = stem.as_bytes();
    if stripped.len() < singular.len()
        && let [.., one, other] = bytes
        && one == other
        && !matches!(one, b'l' | b's' | b'z' | b'e' | b'o')
    {
        stem.pop();
    }
    if stem.len() > 3 && stem.ends_with('e') {
        stem.pop();
    }
    if stem.len() > 3 && stem.ends_with('y') {
        stem.pop();
        stem.push('i');
    }
    stem
}

fn singular(word: &str) -> String {
    if let Some(base) = word.strip_suffix("ies").filter(|base| base.len() > 1) {
        return format!("{base}y");
    }
    for ending in ["sses", "shes", "ches", "xes", "zes"] {
        if word.ends_with(ending) {
            return word[..word.len() - 2].to_owned();
        }
    }
    let plain = word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is");
    if plain { word[..word.len() - 1].to_owned() } else { word.to_owned() }
}

fn ending(word: &str) -> &str {
    const ENDINGS: [(&str, usize); 14] = [
        ("izations", 4),
        ("ization", 4),
        ("isation", 4),
        ("ication", 3),
        ("ations", 4),
        ("ation", 4),
        ("ments", 4),
        ("ment", 4),
        ("ing", 3),
        ("ied", 2),
        ("ed", 3),
        ("ion", 4),
        ("al", 5),
        ("ly", 4),
    ];
    for (ending, shortest) in ENDINGS {
        if let Some(base) = word.strip_suffix(ending).filter(|base| base.len() >= shortest) {
            let vowel = base.bytes().any(|byte| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'));
            if vowel {
                return if ending == "ied" { &word[..base.len() + 1] } else { base };
            }
        }
    }
    word
}
