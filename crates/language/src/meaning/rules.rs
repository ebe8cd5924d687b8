//! What a part of a claim may not do to the sentence that it is about.

use crate::tables::Tables;
use crate::tables::meaning::Cue;

use super::alignment::{Aligned, Pairing};
use super::reading::{Sentence, Sort, Token};
use super::{Turn, TurnKind};

/// What a small word says of something is said within so many words behind it.
const REACH: usize = 4;

/// What is found first in a part of a claim, held against one sentence.
pub(super) fn of_part(pairing: &Pairing<'_>, tables: &Tables) -> Option<Turn> {
    negation(pairing)
        .or_else(|| modality(pairing, tables))
        .or_else(|| bounds(pairing))
        .or_else(|| quantities(pairing))
        .or_else(|| condition(pairing, tables))
        .or_else(|| roles(pairing, tables))
        .or_else(|| foreign(pairing, tables))
        .or_else(|| parallel(pairing))
        .or_else(|| subject(pairing))
}

fn has<'a>(tokens: impl IntoIterator<Item = &'a Token>, cue: Cue) -> bool {
    tokens.into_iter().any(|token| token.is(cue))
}

/// A part denies what its sentence affirms, or the other way round.
fn negation(pairing: &Pairing<'_>) -> Option<Turn> {
    let source = pairing.source();
    let is_denied = pairing.has_cue(Cue::Deny);
    let clauses = pairing.clauses();
    let most = clauses.first()?.1;
    let is_so = |clause: usize| has(source.clause(clause), Cue::Deny) == is_denied;
    if !clauses.iter().any(|(clause, count)| 2 * count >= most && is_so(*clause)) {
        let explanation = if is_denied {
            "the claim denies what the passage does not"
        } else {
            "the passage denies it, the claim does not"
        };
        return Some(Turn::new(TurnKind::Negation, explanation));
    }
    let without = left_without(&source.tokens.iter().collect::<Vec<_>>());
    let with = without.into_iter().find(|word| pairing.content().any(|own| own.is_same(word)))?;
    let is_kept = pairing.has_cue(Cue::Without) || is_denied;
    let explanation = format!("the passage says it without \"{}\", the claim does not", with.text);
    (!is_kept).then(|| Turn::new(TurnKind::Negation, explanation))
}

/// What a sentence goes without.
fn left_without<'a>(tokens: &[&'a Token]) -> Vec<&'a Token> {
    let places = tokens.iter().enumerate().filter(|(_, token)| token.is(Cue::Without));
    let behind = places.filter_map(|(place, _)| tokens[place + 1..].iter().find(|token| token.root().is_some()));
    behind.copied().collect()
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Force {
    Must,
    Free,
    May,
    Should,
    MustNot,
    ShouldNot,
}

fn force(tokens: &[&Token], tables: &Tables) -> Option<Force> {
    let denied = tokens.iter().any(|token| token.is(Cue::Deny));
    tokens.iter().find_map(|token| match token.sort {
        Sort::Cue(Cue::Must) if denied && tables.meaning.must_not_frees => Some(Force::Free),
        Sort::Cue(Cue::Must) if denied => Some(Force::MustNot),
        Sort::Cue(Cue::Must) => Some(Force::Must),
        Sort::Cue(Cue::Free) => Some(Force::Free),
        Sort::Cue(Cue::May) if denied => Some(Force::MustNot),
        Sort::Cue(Cue::May) => Some(Force::May),
        Sort::Cue(Cue::Should) if denied => Some(Force::ShouldNot),
        Sort::Cue(Cue::Should) => Some(Force::Should),
        _ => None,
    })
}

/// A part demands what its sentence allows, and the like. What neither demands nor allows is not compared.
fn modality(pairing: &Pairing<'_>, tables: &Tables) -> Option<Turn> {
    let claimed = force(&pairing.part, tables)?;
    let clauses = pairing.clauses();
    let forces =
        clauses.iter().map(|(clause, _)| force(&pairing.source().clause(*clause).iter().collect::<Vec<_>>(), tables));
    let forces: Vec<Force> = forces.flatten().collect();
    let agrees = forces.contains(&claimed) || forces.is_empty();
    (!agrees).then(|| Turn::new(TurnKind::Modality, "the passage demands or allows it otherwise than the claim"))
}

/// A bound or a time: which way, and of what.
struct Relation<'a> {
    cue: Cue,
    /// The figure that is bounded, where there is one; otherwise the words that follow.
    of: Vec<&'a Token>,
}

impl Relation<'_> {
    fn is_of_same(&self, other: &Self) -> bool {
        self.of.iter().any(|of| other.of.iter().any(|own| own.is_same(of)))
    }
}

fn relations<'a>(tokens: &[&'a Token]) -> Vec<Relation<'a>> {
    let sides = [Cue::From, Cue::UpTo, Cue::During];
    let mut found = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        let Some(cue) = sides.into_iter().find(|cue| token.is(*cue)) else { continue };
        let within = tokens[place + 1..].iter().take(REACH).take_while(|next| !sides.iter().any(|cue| next.is(*cue)));
        let words: Vec<&Token> = within.copied().filter(|next| next.root().is_some()).collect();
        let figure = words.iter().copied().find(|word| word.is_figure());
        let of = figure.map_or_else(|| words.into_iter().take(2).collect(), |figure| vec![figure]);
        found.push(Relation { cue, of });
    }
    found
}

/// The same figure or moment may not change sides, nor get or lose a side that the passage gives it.
fn bounds(pairing: &Pairing<'_>) -> Option<Turn> {
    let source = pairing.source();
    let tokens: Vec<&Token> = source.tokens.iter().collect();
    let found = relations(&tokens);
    let claimed = relations(&pairing.part);
    let turn = |explanation: String| Some(Turn::new(TurnKind::Bound, explanation));
    for relation in &claimed {
        let Some(of) = relation.of.first() else { continue };
        let of_same: Vec<&Relation<'_>> = found.iter().filter(|found| found.is_of_same(relation)).collect();
        if of_same.is_empty() && source.has(of) && relation.of.iter().any(|of| of.is_figure()) {
            return turn(format!("the passage does not bound \"{}\" so", of.text));
        }
        if !of_same.is_empty() && of_same.iter().all(|found| found.cue != relation.cue) {
            return turn(format!("the passage bounds \"{}\" the other way", of.text));
        }
    }
    let is_lost = |found: &&Relation<'_>| {
        found.of.iter().any(|of| of.is_figure() && pairing.part.iter().any(|own| own.is_same(of)))
            && !found.of.iter().any(|of| claimed.iter().any(|relation| relation.of.iter().any(|own| own.is_same(of))))
            && claimed.is_empty()
    };
    let lost = found.iter().find(is_lost)?;
    turn(format!("the passage bounds \"{}\", the claim does not", lost.of.first()?.text))
}

/// What a word for how many is said of.
fn counted<'a>(tokens: &[&'a Token], cue: Cue) -> Vec<Vec<&'a Token>> {
    let places = tokens.iter().enumerate().filter(|(_, token)| token.is(cue));
    let behind = |place: usize| tokens[place + 1..].iter().take(REACH).filter(|token| token.root().is_some());
    places.map(|(place, _)| behind(place).take(2).copied().collect()).collect()
}

/// A part says of all what its sentence says of some or of one, and the like.
fn quantities(pairing: &Pairing<'_>) -> Option<Turn> {
    let source: Vec<&Token> = pairing.source().tokens.iter().collect();
    let turn = |explanation: &str| Some(Turn::new(TurnKind::Quantifier, explanation));
    for cue in [Cue::All, Cue::Some] {
        let found = counted(&source, cue);
        let is_shared =
            |one: &[&Token], other: &[&Token]| one.iter().any(|word| other.iter().any(|own| own.is_same(word)));
        let claimed = counted(&pairing.part, cue);
        let is_said_so = |of: &Vec<&Token>| found.iter().any(|found| of.is_empty() || is_shared(of, found));
        if !claimed.iter().all(is_said_so) {
            return turn("the claim says another quantity than the passage");
        }
        let is_left_out =
            |found: &Vec<&Token>| cue == Cue::Some && claimed.is_empty() && is_shared(found, &pairing.part);
        if found.iter().any(is_left_out) {
            return turn("the passage says it of some, the claim does not");
        }
    }
    let clauses = pairing.clauses();
    let has_only =
        clauses.iter().any(|(clause, _)| pairing.source().clause(*clause).iter().any(|token| token.is(Cue::Only)));
    if pairing.has_cue(Cue::Only) && !pairing.source().has_cue(Cue::Only) {
        return turn("the claim restricts it, the passage does not");
    }
    if has_only && !pairing.claim.has_cue(Cue::Only) && !pairing.has_cue(Cue::Deny) {
        return turn("the passage restricts it, the claim does not");
    }
    None
}

/// A condition, an exception or what narrows down who is meant is left out.
fn condition(pairing: &Pairing<'_>, tables: &Tables) -> Option<Turn> {
    let source = pairing.source();
    let turn = |telling: &[&Token]| {
        let words: Vec<&str> = telling.iter().map(|word| word.text.as_str()).collect();
        let explanation = format!("the claim leaves out what the passage makes it depend on ({})", words.join(" "));
        Some(Turn::new(TurnKind::Condition, explanation))
    };
    let is_kept = |telling: &[&Token]| {
        telling.is_empty()
            || (telling.iter().any(|word| pairing.claim.has(word))
                && telling.iter().filter(|word| word.is_figure()).all(|word| pairing.claim.has(word)))
    };
    for (place, token) in source.tokens.iter().enumerate() {
        /// So many words of a condition tell which one it is.
        const TELLING: usize = 3;
        let most = match token.sort {
            Sort::Cue(Cue::If | Cue::Relative) => TELLING,
            Sort::Cue(Cue::Without | Cue::IfThing) => 1,
            _ => continue,
        };
        let behind = source.tokens[place + 1..].iter().take_while(|next| next.clause == token.clause);
        let telling: Vec<&Token> = behind.filter(|next| next.root().is_some()).take(most).collect();
        let is_about_rest = |word: &Token| {
            source.tokens.iter().any(|own| (own.clause != token.clause || most == 1) && own.is_same(word))
        };
        if !is_kept(&telling) && pairing.content().any(|word| is_about_rest(word)) && is_beside(pairing, token) {
            return turn(&telling);
        }
    }
    if tables.meaning.has_capital_nouns && source.begins_with_verb {
        let telling: Vec<&Token> = source.clause(0).iter().filter(|token| token.root().is_some()).collect();
        let is_about_rest = pairing.clauses().first().is_some_and(|(clause, _)| *clause > 0);
        if is_about_rest && !is_kept(&telling) {
            return turn(&telling);
        }
    }
    None
}

/// Whether a part is about the clause that a condition belongs to: its neighbours.
fn is_beside(pairing: &Pairing<'_>, condition: &Token) -> bool {
    let clauses = pairing.clauses();
    let near = |clause: usize| clause.abs_diff(condition.clause) <= 1;
    clauses.first().is_some_and(|(clause, _)| near(*clause))
}

/// Who does it and to whom it is done have changed places around the same word.
fn roles(pairing: &Pairing<'_>, tables: &Tables) -> Option<Turn> {
    // How things compare is looked at by itself.
    if pairing.has_cue(Cue::Than) {
        return None;
    }
    let source = pairing.source();
    let place_of = |word: &Token| source.tokens.iter().position(|own| own.is_same(word));
    let common: Vec<(&Token, usize)> = pairing
        .content()
        .filter_map(|word| Some((*word, place_of(word)?)))
        .filter(|(word, _)| !word.is_figure())
        .collect();
    let is_thing = |word: &Token| {
        !tables.meaning.has_capital_nouns
            || word.is_noun()
            || source.tokens.iter().any(|own| own.is_same(word) && own.is_noun())
    };
    let is_passive = |tokens: &[&Token]| tokens.iter().any(|token| token.is(Cue::By));
    let of_clauses: Vec<&Token> = pairing.clauses().iter().flat_map(|(clause, _)| source.clause(*clause)).collect();
    let is_expected = is_passive(&pairing.part) != is_passive(&of_clauses);
    // `den Hund` is seen in `Der Mann sieht den Hund` and in `Den Hund sieht der Mann`.
    let is_oblique = |tokens: &[&Token], word: &Token| {
        let at = tokens.iter().position(|own| own.is_same(word)).unwrap_or(0);
        tokens[at.saturating_sub(2)..at].iter().any(|own| tables.meaning.oblique.contains(&own.text.as_str()))
    };
    let all: Vec<&Token> = source.tokens.iter().collect();
    let keeps_case = |word: &Token| is_oblique(&pairing.part, word) && is_oblique(&all, word);
    let is_one_clause = |a: usize, b: usize| source.tokens[a].clause == source.tokens[b].clause;
    for (at, (first, first_place)) in common.iter().enumerate() {
        for (middle, (_, middle_place)) in common.iter().enumerate().skip(at + 1) {
            for (last, last_place) in common.iter().skip(middle + 1) {
                let is_turned = last_place < middle_place && middle_place < first_place;
                let is_kept = first_place < middle_place && middle_place < last_place;
                let things = is_thing(first) && is_thing(last) && is_one_clause(*first_place, *last_place);
                let things = things && !keeps_case(first) && !keeps_case(last);
                if things && ((is_turned && !is_expected) || (is_kept && is_expected && common.len() == 3)) {
                    let explanation = format!("\"{}\" and \"{}\" change places", first.text, last.text);
                    return Some(Turn::new(TurnKind::Roles, explanation));
                }
            }
        }
    }
    None
}

/// A word of the part stands in the passages, but not in the sentence that has the rest.
fn foreign(pairing: &Pairing<'_>, tables: &Tables) -> Option<Turn> {
    let source = pairing.source();
    let before = pairing.place.checked_sub(1).and_then(|before| pairing.sources.get(before));
    let spoken_of =
        before.filter(|_| source.has_cue(Cue::Pronoun)).map_or_else(Vec::new, |one| subject_of(one, tables));
    let is_borrowed = |word: &Token| {
        let elsewhere = pairing.sources.iter().enumerate();
        let mut elsewhere =
            elsewhere.filter(|(place, other)| *place != pairing.place && other.is_whole && other.has(word));
        let is_spoken_of = spoken_of.iter().any(|own| own.is_same(word)) || is_head(pairing, word);
        elsewhere.next().is_some() && !is_spoken_of
    };
    let found = pairing.content().find(|word| !source.has(word) && is_borrowed(word))?;
    let explanation = format!("the passage says \"{}\" of something else", found.text);
    Some(Turn::new(TurnKind::Merged, explanation))
}

/// What a sentence is about: its words up to the first verb that helps another, or its first two.
fn subject_of<'a>(sentence: &'a Sentence, tables: &Tables) -> Vec<&'a Token> {
    let is_auxiliary = |token: &Token| tables.follow_ups.auxiliaries.contains(&token.text.as_str());
    let end = sentence.tokens.iter().position(is_auxiliary);
    let words: Vec<&Token> = sentence.tokens[..end.unwrap_or(sentence.tokens.len())]
        .iter()
        .filter(|token| token.root().is_some() && token.clause == 0)
        .collect();
    let most = if end.is_some() { 3 } else { 2 };
    words.into_iter().take(most).collect()
}

/// Everything but its first word is the sentence's, and that one no passage has.
fn subject(pairing: &Pairing<'_>) -> Option<Turn> {
    const LEAST_WORDS: usize = 2;
    let words: Vec<&&Token> = pairing.content().collect();
    let (first, rest) = words.split_first()?;
    let is_unknown = !pairing.sources.iter().chain(pairing.known).any(|source| source.has(first));
    let is_theirs = rest.len() >= LEAST_WORDS && rest.iter().all(|word| pairing.source().has(word));
    let explanation = format!("the passages say it of something else than \"{}\"", first.text);
    (is_unknown && is_theirs).then(|| Turn::new(TurnKind::Merged, explanation))
}

/// The first row of a table and a sentence that leads a list in belong to everything below them.
fn is_head(pairing: &Pairing<'_>, word: &Token) -> bool {
    let is_lead = |sentence: &Sentence| sentence.is_lead;
    let heads = pairing.sources[..pairing.place].iter().filter(|sentence| is_lead(sentence));
    heads.into_iter().any(|head| head.has(word))
}

/// Words of two clauses that are built alike are paired across: `books for four weeks, films for one`.
fn parallel(pairing: &Pairing<'_>) -> Option<Turn> {
    let source = pairing.source();
    let is_of = |word: &Token, clause: usize| source.clause(clause).iter().any(|own| own.is_same(word));
    let distinct = |clause: usize, other: usize| -> Vec<&Token> {
        let own = source.clause(clause).iter().filter(|token| token.root().is_some());
        own.filter(|token| !is_of(token, other)).collect()
    };
    let is_main = |clause: usize| {
        let begins = source.clause(clause).first();
        !begins.is_some_and(|first| {
            matches!(
                first.sort,
                Sort::Cue(Cue::If | Cue::Because | Cue::BecauseOf | Cue::Relative | Cue::From | Cue::UpTo)
            )
        })
    };
    let is_alike = |clause: usize, other: usize| {
        let shared = |token: &Token| {
            let small = !token.is(Cue::And) && !token.is(Cue::Nothing) && token.text.chars().count() > 1;
            small && source.clause(other).iter().any(|own| own.text == token.text || own.is_same(token))
        };
        source.clause(clause).iter().any(shared)
    };
    let in_part =
        |words: &[&Token]| words.iter().filter(|word| pairing.part.iter().any(|own| own.is_same(word))).count();
    for one in 0..source.clauses {
        for other in one + 1..source.clauses {
            let (of_one, of_other) = (distinct(one, other), distinct(other, one));
            let (in_one, in_other) = (in_part(&of_one), in_part(&of_other));
            let is_others = has(source.clause(other), Cue::All) && !pairing.has_cue(Cue::All);
            let is_whole = in_other == of_other.len() && !is_others;
            let is_mixed = in_one > 0 && in_other > 0 && in_one < of_one.len() && !is_whole;
            if is_mixed && is_main(one) && is_main(other) && (is_alike(one, other) || other == one + 1) {
                let explanation = "the claim pairs what the passage says of different things";
                return Some(Turn::new(TurnKind::Merged, explanation));
            }
        }
    }
    None
}

/// A reason that no sentence gives for it, or that is given the other way round.
pub(super) fn cause(aligned: &Aligned<'_>) -> Option<Turn> {
    let parts = |sentence: &Sentence| -> Option<(Vec<Token>, Vec<Token>)> {
        let gives = |token: &Token| token.is(Cue::Because) || token.is(Cue::BecauseOf) || token.is(Cue::Therefore);
        let at = sentence.tokens.iter().position(gives)?;
        let cue = &sentence.tokens[at];
        let (behind, before): (Vec<Token>, Vec<Token>) = {
            let thing =
                sentence.tokens.iter().skip(at).position(|token| token.root().is_some()).map(|behind| at + behind);
            let is_thing = cue.is(Cue::BecauseOf);
            let behind = |place: usize, token: &Token| {
                if is_thing { Some(place) == thing } else { place > at && token.clause == cue.clause }
            };
            let mut sides = (Vec::new(), Vec::new());
            for (place, token) in sentence.tokens.iter().enumerate().filter(|(_, token)| token.root().is_some()) {
                if behind(place, token) { sides.0.push(token.clone()) } else { sides.1.push(token.clone()) }
            }
            sides
        };
        Some(if cue.is(Cue::Therefore) { (before, behind) } else { (behind, before) })
    };
    let (reason, effect) = parts(aligned.claim)?;
    let covers = |words: &[Token], by: &[Token]| {
        let found = words.iter().filter(|word| by.iter().any(|own| own.is_same(word))).count();
        2 * found >= words.len() && (found > 0 || words.is_empty())
    };
    let gives = |source: &Sentence| {
        parts(source)
            .is_some_and(|(own_reason, own_effect)| covers(&reason, &own_reason) && covers(&effect, &own_effect))
    };
    let explanation = "the claim gives a reason that the passage does not give";
    (!aligned.sources.iter().any(gives)).then(|| Turn::new(TurnKind::Cause, explanation))
}

/// A comparison that no sentence makes, or that is made the other way round.
pub(super) fn comparison(aligned: &Aligned<'_>, tables: &Tables) -> Option<Turn> {
    let claimed = Compared::of(aligned.claim, tables)?;
    let mut found = aligned.sources.iter().filter_map(|source| Compared::of(source, tables));
    let agrees = found.any(|found| claimed.agrees(&found, tables));
    let explanation = "the passages do not compare so";
    (!agrees).then(|| Turn::new(TurnKind::Comparison, explanation))
}

/// `A is warmer than B`.
struct Compared<'a> {
    before: Vec<&'a Token>,
    behind: Vec<&'a Token>,
    comparatives: Vec<&'a str>,
}

impl<'a> Compared<'a> {
    fn of(sentence: &'a Sentence, tables: &Tables) -> Option<Self> {
        let at = sentence.tokens.iter().position(|token| token.is(Cue::Than))?;
        let side = |tokens: &'a [Token]| tokens.iter().filter(|token| token.root().is_some()).collect::<Vec<_>>();
        let is_comparative = |token: &&Token| {
            let known =
                tables.meaning.opposites.iter().any(|(one, other)| [*one, *other].contains(&token.text.as_str()));
            known || token.text.ends_with(tables.meaning.comparative)
        };
        let comparatives =
            sentence.tokens[..at].iter().filter(is_comparative).map(|token| token.text.as_str()).collect();
        let (before, behind) = (side(&sentence.tokens[..at]), side(&sentence.tokens[at..]));
        // What stands on both sides tells them not apart.
        let only = |one: &[&'a Token], other: &[&Token]| -> Vec<&'a Token> {
            one.iter().copied().filter(|word| !other.iter().any(|own| own.is_same(word))).collect()
        };
        Some(Self { before: only(&before, &behind), behind: only(&behind, &before), comparatives })
    }

    /// The same order and the same word, or both turned round.
    fn agrees(&self, found: &Self, tables: &Tables) -> bool {
        let shared = |one: &[&Token], other: &[&Token]| {
            one.iter().filter(|word| other.iter().any(|own| own.is_same(word))).count()
        };
        let straight = shared(&self.behind, &found.behind);
        let crossed = shared(&self.before, &found.behind) + shared(&self.behind, &found.before);
        let beside = shared(&self.before, &found.before);
        let is_opposite = tables.meaning.opposites.iter().any(|(one, other)| {
            let has = |words: &[&str], word: &str| words.contains(&word);
            (has(&self.comparatives, one) && has(&found.comparatives, other))
                || (has(&self.comparatives, other) && has(&found.comparatives, one))
        });
        let is_about_it = 2 * (straight + crossed + beside) > self.before.len() + self.behind.len();
        is_about_it && (crossed > straight) == is_opposite
    }
}
