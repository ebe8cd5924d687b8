//! The small words that turn a sentence round: negations, demands, comparisons, quantities.

use super::numbers;
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
    let word = |ahead: usize| tokens.get(place + ahead).map_or("", |token| token.folded.as_ref());
    let phrase = |cue: Cue, length: usize| Some((cue, place + length));
    let first = token.folded.as_ref();
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
        // `not as tall as` compares, and denies nothing.
        ("not", "as" | "so", _) => phrase(Cue::Blur, 2),
        ("no", "matter", _) => phrase(Cue::Nothing, 2),
        ("rather", "than", _) | ("instead", "of", _) | ("other", "than", _) => phrase(Cue::DenyPhrase, 2),
        ("fail" | "fails" | "failed" | "refuse" | "refuses" | "refused" | "unable", "to", _) => {
            phrase(Cue::Deny { heads: 1 }, 2)
        }
        ("prior", "to", _) => phrase(Cue::Relation { pair: "before", forward: true }, 2),
        ("whether" | "if", "or", "not") => phrase(Cue::Nothing, 3),
        ("or", "not", _) | ("if", "not", _) => phrase(Cue::Nothing, 2),
        // `read-only` is a word.
        ("only", ..) if place > 0 && tokens[place - 1].is_dash() => phrase(Cue::Nothing, 1),
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
pub(super) fn opposite(force: Force) -> Force {
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
            token.folded.as_ref(),
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
                | "that"
        ),
        _ => false,
    }
}

/// Words that make a ban of a permission and a permission of a ban.
const EXCEPTIONS: [&str; 10] =
    ["before", "except", "excluding", "exclusively", "only", "otherwise", "solely", "unless", "until", "without"];

/// Words that restrict without denying, and so bear out an `only`.
pub(super) fn restricts(word: &str) -> bool {
    matches!(
        word,
        "single"
            | "sole"
            | "alone"
            | "just"
            | "limited"
            | "restricted"
            | "reserved"
            | "confined"
            | "requires"
            | "requirement"
            | "maximum"
            | "until"
    )
}

/// What follows was so, or is so of something else: `drops support`, `takes the place of`.
pub(super) fn displaces(tokens: &[Token<'_>], place: usize) -> bool {
    match tokens[place].folded.as_ref() {
        "drop" | "drops" | "dropped" | "discontinue" | "discontinues" | "discontinued" | "withdraw" | "withdraws"
        | "withdrew" | "abandon" | "abandons" | "abandoned" | "replace" | "replaces" | "replaced" | "replacing"
        | "supersedes" | "superseded" | "skip" => true,
        "place" => tokens.get(place + 1).is_some_and(|next| next.is("of")),
        _ => false,
    }
}

/// The exceptions that a sentence makes, in order.
pub(super) fn exceptions(tokens: &[Token<'_>]) -> Vec<&'static str> {
    let makes = |place: usize, exception: &str| {
        let next = tokens.get(place + 1);
        match exception {
            // `only five` is few, `read-only` a word.
            "only" => {
                !(place > 0 && tokens[place - 1].is_dash())
                    && next.is_none_or(|next| next.kind != Kind::Number && numbers::word(&next.folded).is_none())
            }
            // `never before`, with nothing after it, makes this the first time.
            "before" => next.is_none_or(|next| next.kind == Kind::Sign),
            _ => true,
        }
    };
    let made = |exception: &&str| (0..tokens.len()).any(|place| tokens[place].is(exception) && makes(place, exception));
    EXCEPTIONS.into_iter().filter(made).collect()
}

/// A bound on how much begins here: `longer than`, `over 5`.
pub(super) fn measures(tokens: &[Token<'_>], place: usize) -> bool {
    let next = tokens.get(place + 1);
    let first = tokens[place].folded.as_ref();
    let over = matches!(first, "over" | "above" | "beyond" | "exceed" | "exceeds" | "exceeding" | "below" | "under");
    (is_comparative(first) && next.is_some_and(|next| next.is("than")))
        || (over && next.is_some_and(|next| next.kind == Kind::Number || next.kind == Kind::Sign))
}
