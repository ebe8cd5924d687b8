//! Clauses that a sentence adds to what its passages say.
//!
//! An entailment model may let a sentence through whose larger part is supported, with a clause of its own behind
//! "because" or "and". So each clause must find its own words in the passages. By rule, beside the model's verdict: it can
//! only take away.

use ibidem_language::claims::{
    Grammar, begins_a_clause, is_auxiliary, leads_through, looks_english, turns_by_sign, turns_in_another_language,
};
use ibidem_language::meaning;

use super::lexical::text::{Kind, Premise, Word, words_of};
use super::tiles::Tiles;

/// Of a clause's words, this share must stand in the passages.
const LEAST_FOUND: (usize, usize) = (2, 3);
/// Of the first clause's, where others follow: the model that judged the sentence read that one most.
const LEAST_FOUND_FIRST: (usize, usize) = (1, 3);
/// Of a clause in English, whose plain words are known and do not count.
const LEAST_FOUND_ENGLISH: (usize, usize) = (1, 2);
/// However long a clause is, so many words that no passage has say something of their own.
const MOST_MISSING: usize = 2;
/// With so many more letters a word of the passages is no other form of it, and hardly a compound.
const LEAST_JOINED: usize = 7;
/// Endings and particles of Japanese, which a sentence may have others of.
const HIRAGANA: std::ops::RangeInclusive<char> = 'ぁ'..='ゟ';
const MOST_HIRAGANA: usize = 5;
/// Where a script has no spaces each sign counts as a word, and so few of them say nothing.
const LEAST_SIGNS: usize = 2;
/// A sentence with fewer words, or fewer signs of such a script, is not attributed to anything.
const LEAST_WORDS: usize = 3;
const LEAST_OWN_SIGNS: usize = 6;

/// Which clauses are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Clauses {
    /// Of several. A sentence of one clause is for the model alone to judge.
    Added,
    /// All: nobody said which passage the sentence is from.
    All,
}

/// The first clause that the passages do not have the words for, or the first words that are put in.
pub(super) fn added(claim: &str, passages: &[&str], which: Clauses) -> Option<String> {
    let written = passages.join("\n");
    let passages = written.to_lowercase();
    if is_turned(&claim.to_lowercase(), &passages) {
        return Some(claim.trim().to_owned());
    }
    let premise = Premise::parse(&passages);
    unsupported_clause(claim, &premise, which).or_else(|| put_in(claim, &written, &premise))
}

/// The first clause of which the passages do not have enough words. What is one word is for [`put_in`] to judge.
fn unsupported_clause(claim: &str, premise: &Premise, which: Clauses) -> Option<String> {
    let clauses = clauses(without_number(claim));
    let is_plain_english = looks_english(&claim.to_lowercase()) && which == Clauses::Added;
    let first = first_of_words(&clauses);
    let has_others = clauses.iter().skip(first + 1).any(|clause| words_of(clause).iter().any(counts));
    for (place, clause) in clauses.iter().enumerate() {
        let claimed: Vec<Word> = words_of(clause).into_iter().filter(counts).collect();
        let is_first = place <= first && which == Clauses::Added;
        let least = match claimed.len() {
            0 | 1 => continue,
            _ if is_first && !has_others => continue,
            _ if is_first && is_plain_english => LEAST_FOUND_FIRST,
            _ if is_first => LEAST_FOUND,
            3.. if is_plain_english => LEAST_FOUND_ENGLISH,
            _ => LEAST_FOUND,
        };
        if !is_supported(&claimed, premise, least) {
            return Some(clause.trim().to_owned());
        }
    }
    None
}

/// Words that stand where the passages have none, and that they do not have anywhere.
fn put_in(claim: &str, passages: &str, premise: &Premise) -> Option<String> {
    let words = words_of(without_number(claim));
    let grammar = Grammar::of(passages).or_of(claim);
    let is_english = grammar.is_english();
    let says = |word: &Word| match word.kind {
        Kind::Figure => true,
        Kind::Plain if is_english => false,
        _ if is_english => !Grammar::joins_in_english(&word.text),
        Kind::Plain | Kind::Name | Kind::Word => {
            word.is_sign() || (word.text.chars().nth(1).is_some() && !grammar.has(&word.text))
        }
    };
    // "Nobody may" is "may not", and "at all times" is "always": whether they are, figures know.
    let is_of_all = |word: &Word| is_english && Grammar::says_of_all_in_english(&word.text) && says_of_all(passages);
    let is_missing = |word: &Word| {
        word.kind != Kind::Figure && says(word) && !leads_through(&word.text) && !premise.has(word) && !is_of_all(word)
    };
    // Where there are rules, they know more of figures than where they stand.
    let has_rules = || meaning::language_of(claim, &[passages]).is_some_and(meaning::has_rules);
    if words.iter().any(|word| word.kind == Kind::Figure) && !has_rules() {
        let figure = Tiles::of(&words, passages, &says).figure_of_another().map(|word| word.text.clone());
        if figure.is_some() {
            return figure;
        }
    }
    let missing = missing(&words, passages, is_missing);
    // Most sentences have none, and laying them over their passages takes longest.
    if !missing.contains(&true) {
        return None;
    }
    // A word of the passages with others joined to it stands in their place, and says more.
    let is_joined = |word: &&Word| premise.letters_beside(word).is_some_and(|letters| letters >= LEAST_JOINED);
    let joined = words.iter().zip(&missing).find(|(word, is_missing)| **is_missing && is_joined(word));
    if let Some((word, _)) = joined {
        return Some(word.text.clone());
    }
    // Behind an auxiliary, or where German has it: at the end.
    let is_verb = |place: usize| {
        let follows = place.checked_sub(1).is_some_and(|before| is_auxiliary(&words[before].text));
        follows || (place + 1 == words.len() && words.iter().any(|word| is_auxiliary(&word.text)))
    };
    let gives_room = |word: &Word| says(word) && !is_in_hiragana(word);
    let range = Tiles::of(&words, passages, &says).put_in(|place| missing[place], is_verb, &gives_room)?;
    Some(words[range].iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "))
}

/// Whether passages in English say something of all or of none.
fn says_of_all(passages: &str) -> bool {
    let of_all = ["all", "any", "every", "no", "none", "not", "never", "prohibited", "forbidden"];
    passages.split(|sign: char| !sign.is_alphanumeric()).any(|word| of_all.contains(&word.to_lowercase().as_str()))
}

/// Which words the passages do not have. A sign of a script without spaces is one with its neighbours: beside none of
/// them it is another word. What is written in hiragana is grammar, unless there is much of it.
fn missing(words: &[Word], passages: &str, is_missing: impl Fn(&Word) -> bool) -> Vec<bool> {
    let has_pair = |from: usize| {
        let pair = words.get(from..from + 2).filter(|pair| pair.iter().all(Word::is_sign));
        pair.is_some_and(|pair| passages.contains(&format!("{}{}", pair[0].text, pair[1].text)))
    };
    let mut in_hiragana = 0;
    let each = words.iter().enumerate().map(|(place, word)| {
        if !word.is_sign() {
            return is_missing(word);
        }
        let is_new = !has_pair(place) && !place.checked_sub(1).is_some_and(has_pair);
        let is_hiragana = is_in_hiragana(word);
        in_hiragana = if is_hiragana && is_new { in_hiragana + 1 } else { 0 };
        is_new && (!is_hiragana || in_hiragana > MOST_HIRAGANA)
    });
    each.collect()
}

fn is_in_hiragana(word: &Word) -> bool {
    word.text.chars().all(|sign| HIRAGANA.contains(&sign))
}

/// A claim without the mark or the number of the list's item that it is.
fn without_number(claim: &str) -> &str {
    let item =
        claim.trim_start_matches(|sign: char| sign.is_whitespace() || matches!(sign, '-' | '*' | '+' | '•' | '>'));
    let digits = item.chars().take_while(char::is_ascii_digit).count();
    match item[digits..].strip_prefix(['.', ')']) {
        Some(rest) if digits > 0 && rest.starts_with(char::is_whitespace) => rest,
        _ => item,
    }
}

/// Whether a claim in a language other than English denies or demands where its passages do not.
fn is_turned(claim: &str, passages: &str) -> bool {
    let is_english = || looks_english(claim) || Grammar::of(claim).is_english();
    turns_by_sign(claim, passages) || (!is_english() && turns_in_another_language(claim, passages))
}

/// Whether a sentence that cites nothing says enough to look for where it is from.
pub(super) fn says_enough(claim: &str) -> bool {
    let words: Vec<Word> = words_of(claim).into_iter().filter(|word| word.kind != Kind::Plain).collect();
    let signs = words.iter().filter(|word| word.is_sign()).count();
    words.len() - signs >= LEAST_WORDS || signs >= LEAST_OWN_SIGNS
}

/// The place of the first clause that has any word that counts.
fn first_of_words(clauses: &[&str]) -> usize {
    clauses.iter().position(|clause| words_of(clause).iter().any(counts)).unwrap_or(clauses.len())
}

/// Figures are held against the passages by themselves.
fn counts(word: &Word) -> bool {
    !matches!(word.kind, Kind::Plain | Kind::Figure) && !leads_through(&word.text)
}

fn is_supported(words: &[Word], premise: &Premise, (least, of): (usize, usize)) -> bool {
    let signs = words.iter().filter(|word| word.is_sign()).count();
    if signs == words.len() && signs < LEAST_SIGNS {
        return true;
    }
    let found = words.iter().filter(|word| premise.has(word)).count();
    let is_short_of = words.len() - found > MOST_MISSING && (least, of) != LEAST_FOUND;
    found * of >= words.len() * least && !is_short_of
}

/// The claim parted at its punctuation and before words that begin a clause.
pub(super) fn clauses(claim: &str) -> Vec<&str> {
    let mut clauses = Vec::new();
    let mut begin = 0;
    let mut word_begins = None;
    let mut previous = ' ';
    let ends = claim.char_indices().chain([(claim.len(), ' ')]);
    for (place, sign) in ends {
        if sign.is_alphanumeric() {
            word_begins.get_or_insert(place);
        } else if let Some(from) = word_begins.take()
            && begins_a_clause(&claim[from..place].to_lowercase())
        {
            clauses.push(&claim[begin..from]);
            begin = place;
        }
        let next = claim[place..].chars().nth(1).unwrap_or(' ');
        if parts(previous, sign, next) {
            clauses.push(&claim[begin..place]);
            begin = place;
        }
        previous = sign;
    }
    clauses.push(&claim[begin..]);
    clauses
}

fn parts(previous: char, sign: char, next: char) -> bool {
    match sign {
        ',' | ':' | '.' => {
            !(previous.is_ascii_digit() && next.is_ascii_digit()) && (sign != '.' || next.is_whitespace())
        }
        // Between words, not in one.
        '-' => previous.is_whitespace() || next == '-',
        // Where nothing else parts them, emphasis does.
        '*' | '_' => previous >= '\u{2e80}' || next >= '\u{2e80}',
        '$' | '{' | '}' => true,
        '/' => previous.is_whitespace(),
        ';' | '(' | ')' | '[' | ']' | '—' | '–' | '!' | '?' | '…' | '"' | '“' | '”' | '„' | '«' | '»' | '|' | '\n'
        | '=' | '→' => true,
        '，' | '、' | '；' | '：' | '（' | '）' | '。' | '！' | '？' | '「' | '」' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OIL: &str = "The gearbox holds 1.8 litres of oil. It is changed every 40,000 km, or once a year.";

    #[test]
    fn a_clause_that_the_passages_have_no_words_for_is_found() {
        for (claim, expected) in [
            ("The gearbox holds 1.8 litres of oil, which is changed every 40,000 km.", None),
            ("The gearbox takes 1.8 litres of oil and is changed once a year.", None),
            ("The gearbox holds oil, because the seal is never worn.", Some("the seal is never worn")),
            ("The gearbox holds oil so the owner always pays.", Some("the owner always pays")),
            ("The gearbox holds 1.8 litres of oil (harmless).", Some("harmless")),
            ("The gearbox holds 1.8 litres — the owner pays.", Some("— the owner pays")),
            ("The gearbox holds oil und die Kinder trinken es.", Some("die Kinder trinken es")),
            ("Because the seal is never worn, the gearbox holds oil.", Some("the seal is never worn")),
            (
                "The gearbox holds oil (the gearbox oil is changed secretly into the nearest river).",
                Some("(the gearbox oil is changed secretly into the nearest river"),
            ),
            ("The gearbox holds oil, harmless, and edible.", Some("harmless and edible")),
            ("For instance, the gearbox holds oil.", None),
            ("2. Oil: the gearbox, on the other hand, holds 1.8 litres (step 2).", None),
            ("The gearbox holds oil, and must never be opened.", Some("must never be opened")),
            ("齿轮箱装油，儿童可以饮用。", Some("，儿童可以饮用")),
        ] {
            assert_eq!(added(claim, &[OIL, "齿轮箱装油。"], Clauses::Added).as_deref(), expected, "{claim}");
        }
    }

    #[test]
    fn words_that_are_put_into_a_sentence_of_one_clause_are_found_and_others_for_its_own_are_not() {
        for (claim, expected) in [
            ("Children may drink it The gearbox holds 1.8 litres of oil.", Some("children may drink")),
            ("Deadly poison The gearbox holds 1.8 litres of oil.", Some("deadly poison")),
            ("It is false that the gearbox holds 1.8 litres of oil.", Some("false")),
            ("False: the gearbox holds 1.8 litres of oil.", Some("false")),
            ("The leaking gearbox holds 1.8 litres of oil.", Some("leaking")),
            ("The gearbox holds 1.8 litres of oil unpaid.", Some("unpaid")),
            ("The gearbox holds 1.8 litres of childrenmaydrinkit oil.", Some("childrenmaydrinkit")),
            ("The gearboxchildrendrink holds 1.8 litres of oil.", Some("gearboxchildrendrink")),
            ("The gearbox holds nicht 1.8 litres of oil.", Some("nicht")),
            ("The gearbox takes 1.8 litres of oil.", None),
            ("1.8 litres of oil fill the gearbox.", None),
            ("1.8 litres of oil poison the gearbox holds.", Some("poison")),
        ] {
            assert_eq!(added(claim, &[OIL], Clauses::Added).as_deref(), expected, "{claim}");
        }
    }

    #[test]
    fn a_figure_of_another_sentence_is_found_in_a_language_without_rules() {
        let leave = "Les demandes sont approuvées par le chef de service. Le congé expire le 31 mars. Il dure 5 jours.";
        for (claim, expected) in [
            ("Les demandes sont approuvées par le chef de service 31.", Some("31")),
            ("Le congé dure 31 jours.", Some("31")),
            ("Le congé expire le 31 mars.", None),
            ("Les demandes sont approuvées par le chef de service, et le congé expire le 31 mars.", None),
        ] {
            assert_eq!(added(claim, &[leave], Clauses::Added).as_deref(), expected, "{claim}");
        }
    }

    #[test]
    fn a_word_may_join_the_cells_of_a_table_and_no_more() {
        let table = "Course | Price\nDrawing | 65 euros\nPottery | 80 euros";
        for (claim, expected) in [
            ("The drawing course costs 65 euros.", None),
            ("The drawing course secretly costs 65 euros.", Some("secretly costs")),
            ("The drawing course costs 65 euros unpaid.", Some("unpaid")),
        ] {
            assert_eq!(added(claim, &[table], Clauses::Added).as_deref(), expected, "{claim}");
        }
    }

    #[test]
    fn a_sentence_that_nobody_gave_a_source_is_looked_at_from_its_first_word() {
        for (claim, is_added) in
            [("The oil is harmless.", true), ("The gearbox holds oil.", false), ("Harmless oil, in the gearbox.", true)]
        {
            assert_eq!(added(claim, &[OIL], Clauses::All).is_some(), is_added, "{claim}");
        }
    }
}
