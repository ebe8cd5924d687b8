//! The small words that turn a sentence round: negations, demands, comparisons, quantities.

use super::tokens::{Kind, Token};

/// How strongly something is demanded or allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Force {
    Must,
    Should,
    May,
    MustNot,
    ShouldNot,
    NeedNot,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Share {
    All,
    Some,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cue {
    /// Read, and of no consequence: `not only`.
    Nothing,
    /// A limit, which is compared with its figure elsewhere.
    Bound,
    /// What follows is denied; the first so many words are what it is about.
    Deny {
        heads: usize,
    },
    /// Only the phrase that follows is denied: `without`, `rather than`.
    DenyPhrase,
    /// What follows is neither affirmed nor denied for certain.
    Blur,
    Demand(Force),
    Relation {
        pair: &'static str,
        forward: bool,
    },
    Portion(Share),
    Only,
}

/// What begins with this token, and the first token after it.
pub(super) fn at(tokens: &[Token<'_>], place: usize) -> Option<(Cue, usize)> {
    let token = &tokens[place];
    if token.kind != Kind::Word {
        return None;
    }
    let word = |ahead: usize| tokens.get(place + ahead).map_or("", |token| token.folded.as_str());
    let phrase = |cue: Cue, length: usize| Some((cue, place + length));
    let first = token.folded.as_str();
    match (first, word(1), word(2)) {
        ("not", "only" | "just" | "merely" | "least", _) => phrase(Cue::Nothing, 2),
        ("not", "necessarily" | "always" | "every" | "all" | "until" | "before" | "after" | "unless", _) => {
            phrase(Cue::Blur, 2)
        }
        ("not" | "no", comparative, "than") if is_comparative(comparative) => phrase(Cue::Bound, 3),
        ("not" | "never" | "cannot", "exceed" | "exceeding", _) => phrase(Cue::Bound, 2),
        ("must" | "may" | "shall" | "should" | "can", "not", "exceed") | ("must" | "may", "never", "exceed") => {
            phrase(Cue::Bound, 3)
        }
        ("at", "least" | "most", _) | ("up", "to", _) | ("or", "more" | "less" | "fewer", _) => phrase(Cue::Bound, 2),
        ("must" | "may" | "shall" | "can", "not" | "never", _) => phrase(Cue::Demand(Force::MustNot), 2),
        ("should" | "ought", "not", _) => phrase(Cue::Demand(Force::ShouldNot), 2),
        ("need" | "needs", "not", _) => phrase(Cue::Demand(Force::NeedNot), 2),
        ("not", "have" | "need", "to") => phrase(Cue::Demand(Force::NeedNot), 3),
        ("not" | "never" | "longer", denied, _) if demand(denied).is_some() => {
            phrase(Cue::Demand(demand(denied).map_or(Force::May, opposite)), 2)
        }
        ("not", "be", denied) if adjective_demand(denied) => {
            phrase(Cue::Demand(demand(denied).map_or(Force::May, opposite)), 3)
        }
        ("no", "need" | "obligation" | "requirement", _) => phrase(Cue::Demand(Force::NeedNot), 2),
        ("have" | "has" | "had" | "need" | "needs" | "needed", "to", _) => phrase(Cue::Demand(Force::Must), 2),
        ("no", "longer", denied) if demand(denied).is_some() => {
            phrase(Cue::Demand(demand(denied).map_or(Force::May, opposite)), 3)
        }
        ("no", "longer", _) => phrase(Cue::Deny { heads: 1 }, 2),
        ("no", "matter", _) => phrase(Cue::Nothing, 2),
        ("rather", "than", _) | ("instead", "of", _) | ("other", "than", _) => phrase(Cue::DenyPhrase, 2),
        ("fail" | "fails" | "failed" | "refuse" | "refuses" | "refused" | "unable", "to", _) => {
            phrase(Cue::Deny { heads: 1 }, 2)
        }
        ("prior", "to", _) => phrase(Cue::Relation { pair: "before", forward: true }, 2),
        ("whether" | "if", "or", "not") => phrase(Cue::Nothing, 3),
        ("or", "not", _) | ("if", "not", _) => phrase(Cue::Nothing, 2),
        _ => single(first).map(|cue| (cue, place + 1)),
    }
}

fn single(word: &str) -> Option<Cue> {
    if let Some(force) = demand(word) {
        return Some(Cue::Demand(force));
    }
    Some(match word {
        "can't" | "cannot" | "mustn't" | "shan't" => Cue::Demand(Force::MustNot),
        "shouldn't" => Cue::Demand(Force::ShouldNot),
        "needn't" => Cue::Demand(Force::NeedNot),
        "neither" | "nor" => Cue::Deny { heads: 2 },
        "no" | "none" | "nobody" | "nothing" | "nowhere" => Cue::Deny { heads: 2 },
        "non" => Cue::DenyPhrase,
        "without" | "lacks" | "lacking" | "lack" => Cue::DenyPhrase,
        "except" | "besides" => Cue::Blur,
        "prevents" | "prevent" | "prevented" | "avoid" | "avoids" | "avoided" | "hardly" | "seldom" | "unlikely" => {
            Cue::Blur
        }
        "before" => Cue::Relation { pair: "before", forward: true },
        "after" => Cue::Relation { pair: "before", forward: false },
        "above" => Cue::Relation { pair: "above", forward: true },
        "below" | "beneath" => Cue::Relation { pair: "above", forward: false },
        "more" => Cue::Relation { pair: "more", forward: true },
        "less" | "fewer" => Cue::Relation { pair: "more", forward: false },
        "if" | "when" | "once" => Cue::Relation { pair: "if", forward: true },
        "unless" => Cue::Relation { pair: "if", forward: false },
        "all" | "every" | "each" | "always" | "entire" | "everyone" | "everything" => Cue::Portion(Share::All),
        "some" | "several" | "many" | "most" | "few" | "sometimes" | "often" | "occasionally" | "usually"
        | "partly" => Cue::Portion(Share::Some),
        "only" | "solely" | "exclusively" => Cue::Only,
        "single" | "sole" | "alone" | "just" | "limited" | "restricted" | "reserved" | "confined" | "requires"
        | "requirement" | "maximum" | "until" => Cue::Bound,
        _ if is_negation(word) => Cue::Deny { heads: 1 },
        _ => return None,
    })
}

fn demand(word: &str) -> Option<Force> {
    Some(match word {
        "must" | "shall" | "required" | "mandatory" | "compulsory" | "obligatory" | "obliged" | "necessary" => {
            Force::Must
        }
        "should" | "ought" | "recommended" | "advised" | "advisable" | "encouraged" => Force::Should,
        "may" | "can" | "might" | "could" | "allowed" | "permitted" | "permissible" => Force::May,
        "prohibited" | "forbidden" | "disallowed" | "banned" | "forbids" | "prohibits" | "impermissible" => {
            Force::MustNot
        }
        "optional" | "unnecessary" | "dispensable" => Force::NeedNot,
        "discouraged" => Force::ShouldNot,
        _ => return None,
    })
}

/// What a negation makes of a demand.
fn opposite(force: Force) -> Force {
    match force {
        Force::Must => Force::NeedNot,
        Force::NeedNot => Force::Must,
        Force::May => Force::MustNot,
        Force::MustNot => Force::May,
        Force::Should => Force::ShouldNot,
        Force::ShouldNot => Force::Should,
    }
}

/// A demand that follows what it is said of: `is required`, not `must`.
fn adjective_demand(word: &str) -> bool {
    demand(word).is_some() && !speaks_before_its_verb(word)
}

/// `must`, `may` and their like stand before the verb; `required` and `optional` stand after what is demanded.
pub(super) fn speaks_before_its_verb(word: &str) -> bool {
    matches!(
        word,
        "must"
            | "shall"
            | "should"
            | "ought"
            | "may"
            | "can"
            | "might"
            | "could"
            | "have"
            | "has"
            | "had"
            | "need"
            | "needs"
            | "needed"
            | "cannot"
            | "can't"
            | "mustn't"
            | "shan't"
            | "shouldn't"
            | "needn't"
            | "never"
    )
}

pub(super) fn is_negation(word: &str) -> bool {
    matches!(word, "not" | "never" | "cannot" | "neither" | "nor" | "no" | "none" | "nobody" | "nothing" | "non")
        || word.ends_with("n't")
        || word == "without"
}

fn is_comparative(word: &str) -> bool {
    matches!(word, "more" | "less" | "fewer" | "later" | "sooner" | "earlier")
        || (word.ends_with("er") && word.len() > 4)
}

/// Where what is said of one thing ends and the next begins.
pub(super) fn is_boundary(token: &Token<'_>) -> bool {
    match token.kind {
        Kind::Sign => matches!(token.text, "," | ";" | ":" | "(" | ")" | "." | "—" | "–" | "!" | "?") && !token.is("-"),
        Kind::Word => matches!(
            token.folded.as_str(),
            "but"
                | "because"
                | "while"
                | "whereas"
                | "although"
                | "though"
                | "unless"
                | "until"
                | "so"
                | "which"
                | "if"
                | "when"
                | "who"
        ),
        _ => false,
    }
}

/// Words that make a ban of a permission and a permission of a ban.
pub(super) const EXCEPTIONS: [&str; 9] =
    ["except", "excluding", "exclusively", "only", "otherwise", "solely", "unless", "until", "without"];

/// A bound on how much begins here: `longer than`, `over 5`.
pub(super) fn measures(tokens: &[Token<'_>], place: usize) -> bool {
    let next = tokens.get(place + 1);
    let first = tokens[place].folded.as_str();
    let over = matches!(first, "over" | "above" | "beyond" | "exceed" | "exceeds" | "exceeding" | "below" | "under");
    (is_comparative(first) && next.is_some_and(|next| next.is("than")))
        || (over && next.is_some_and(|next| next.kind == Kind::Number || next.kind == Kind::Sign))
}
