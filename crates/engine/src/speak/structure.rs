//! Structure that may go out: its words are those of a note that a claim beneath it cites, or of the question.
//!
//! A heading says something as soon as its words are the model's own. So they must stand in a note as its title, section,
//! heading, head or column of a table, list label or lead-in; or they are words of the question that the note has too,
//! without any verb, denial or quantity that would make them say something.

use std::cell::OnceCell;
use std::collections::HashSet;

use crate::candidate::Candidate;
use ibidem_language::alphabet::plain;
use ibidem_language::claims::asserts;
use ibidem_language::sentences::{Kind, Sentence, sentences_of};
use ibidem_words::is_unseen;

use super::footnotes::Footnotes;

/// Where ingestion parts the headings of a section's path.
const BETWEEN_HEADINGS: &str = " > ";

/// Words that structure of one turn may have. They are looked for when there is structure: most answers have none.
pub(super) struct Structures<'a> {
    question: &'a str,
    footnotes: &'a Footnotes<'a>,
    found: OnceCell<KnownPhrases>,
}

struct KnownPhrases {
    notes: Vec<Note>,
    question: Vec<String>,
}

struct Note {
    number: u32,
    phrases: HashSet<String>,
    /// All of its words, in order.
    words: Vec<String>,
}

/// Where the words of a piece of structure stand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// In this note.
    Note(u32),
    /// In the question.
    Question,
    /// Nowhere: it has none.
    Bare,
}

impl<'a> Structures<'a> {
    pub(super) fn of(question: &'a str, footnotes: &'a Footnotes<'a>) -> Self {
        Self { question, footnotes, found: OnceCell::new() }
    }

    fn found(&self) -> &KnownPhrases {
        self.found.get_or_init(|| {
            let notes = self.footnotes.notes().map(|(number, candidate)| Note {
                number,
                phrases: phrases(candidate),
                words: words(&format!("{}\n{}", candidate.passage.title, candidate.passage.text)),
            });
            KnownPhrases { notes: notes.collect(), question: words(self.question) }
        })
    }

    /// Where the words of structure above a claim stand that cites these notes; none, and it may not go out.
    pub(super) fn origin(&self, text: &str, cited: &[u32]) -> Option<Origin> {
        self.origin_in(text, |note| cited.contains(&note.number))
    }

    /// Whether its words stand in any note, or in the question.
    pub(super) fn may_have(&self, text: &str) -> bool {
        self.origin_in(text, |_| true).is_some()
    }

    fn origin_in(&self, text: &str, is_wanted: impl Fn(&Note) -> bool) -> Option<Origin> {
        if !text.chars().any(char::is_alphanumeric) {
            return is_rule(text).then_some(Origin::Bare);
        }
        let found = self.found();
        let notes = || found.notes.iter().filter(|note| is_wanted(note));
        if let Some(note) = notes().find(|note| note.has(text)) {
            return Some(Origin::Note(note.number));
        }
        let phrase = folded(text);
        let phrase_words = words(&phrase);
        let asks = is_plain(&phrase) && asserts_nothing(&phrase_words) && is_run(&phrase_words, &found.question);
        (asks && notes().any(|note| is_run(&phrase_words, &note.words))).then_some(Origin::Question)
    }
}

impl Note {
    fn has(&self, text: &str) -> bool {
        if self.phrases.contains(&folded(text)) {
            return true;
        }
        // The head of a table may leave columns out.
        let cells: Vec<String> = cells(text).collect();
        text.trim().starts_with('|') && !cells.is_empty() && cells.iter().all(|cell| self.phrases.contains(cell))
    }
}

/// Whether this is the line below a table's head.
pub(super) fn is_table_rule(sentence: &Sentence) -> bool {
    sentence.kind == Kind::Structure && sentence.text.contains('|') && !sentence.text.chars().any(char::is_alphanumeric)
}

/// White space, a rule across the page, or the line below a table's head. Nothing else says nothing.
fn is_rule(text: &str) -> bool {
    let text = text.trim();
    let is_one_of = |signs: &str| text.chars().all(|sign| signs.contains(sign) || sign == ' ');
    is_one_of("-") || is_one_of("*") || is_one_of("_") || (text.starts_with('|') && is_one_of("|-:"))
}

/// Every phrase of a note that orders it.
fn phrases(candidate: &Candidate) -> HashSet<String> {
    let passage = &candidate.passage;
    let mut phrases = HashSet::new();
    let mut add = |phrase: &str| {
        phrases.insert(folded(phrase));
    };
    add(&passage.title);
    if let Some(section) = &passage.section {
        add(section);
        section.split(BETWEEN_HEADINGS).for_each(&mut add);
    }
    for sentence in sentences_of(&passage.text) {
        if sentence.ends_with([':', '：']) {
            add(sentence);
        }
    }
    let mut in_table = false;
    for line in passage.text.lines() {
        let is_row = line.contains('|');
        if is_row && !in_table {
            add(line);
            cells(line).for_each(|cell| add(&cell));
        }
        in_table = is_row;
        let item = line.trim();
        if item.starts_with('#') || (item.starts_with("**") && item.trim_end_matches(':').ends_with("**")) {
            add(item);
        }
        let is_listed = item.starts_with(['-', '*', '+', '•', '–']);
        if let Some((label, _)) = item.split_once([':', '：']).filter(|_| is_listed) {
            add(label);
        }
    }
    phrases.remove("");
    phrases
}

fn cells(row: &str) -> impl Iterator<Item = String> {
    row.trim().trim_matches('|').split('|').map(folded).filter(|cell| !cell.is_empty())
}

/// A phrase without what marks it as a heading or a label, in lower case, spaces alike.
fn folded(phrase: &str) -> String {
    let phrase = plain(phrase.trim());
    let is_mark =
        |sign: char| sign.is_whitespace() || matches!(sign, '#' | '>' | '*' | '_' | '`' | '|' | '-' | '+' | '•' | '–');
    let is_end = |sign: char| is_mark(sign) || matches!(sign, ':' | '：' | '.' | ',' | ';' | '。');
    let phrase = phrase.trim_start_matches(is_mark).trim_end_matches(is_end);
    let digits = phrase.chars().take_while(char::is_ascii_digit).count();
    // `2. Scope`: the number of a list's item is none of its words.
    let phrase = match phrase[digits..].strip_prefix(['.', ')']) {
        Some(rest) if (1..=2).contains(&digits) && rest.starts_with(' ') => rest.trim_start_matches(is_mark),
        _ => phrase,
    };
    phrase.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Words in lower case; where a script has no spaces each sign is one.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut goes_on = false;
    let text = plain(text);
    for sign in text.chars().filter(|sign| !is_unseen(*sign)).flat_map(char::to_lowercase) {
        let is_apart = sign.is_alphanumeric() && sign >= '\u{2e80}';
        if is_apart {
            words.push(sign.to_string());
        } else if sign.is_alphanumeric() || matches!(sign, '\'' | '’') {
            match words.last_mut().filter(|_| goes_on) {
                Some(word) => word.push(sign),
                None => words.push(sign.to_string()),
            }
        }
        goes_on = !is_apart && (sign.is_alphanumeric() || matches!(sign, '\'' | '’'));
    }
    words
}

/// Words and what joins them: any other sign may cross them out or turn them round.
fn is_plain(phrase: &str) -> bool {
    phrase.chars().all(|sign| sign.is_alphanumeric() || matches!(sign, ' ' | '-' | '\'' | '’' | ','))
}

fn is_run(words: &[String], of: &[String]) -> bool {
    !words.is_empty() && of.windows(words.len()).any(|run| run == words)
}

fn asserts_nothing(words: &[String]) -> bool {
    !words.iter().any(|word| asserts(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibidem_ports::catalogue::CataloguePassage;
    use ibidem_testing::fakes;

    const TEXT: &str =
        "Carry-over is limited. The rules are:\n- Limit: five days\n- Who: everybody\n\nItem | Days\nLeave | 5\n";

    fn evidence() -> Vec<Candidate> {
        let passage = |number: u128, title: &str, text: &str| CataloguePassage {
            title: title.to_owned(),
            section: Some("Leave > 3.2 Carry-over".to_owned()),
            ..fakes::passage(number, &"Manual".parse().unwrap(), text)
        };
        vec![
            Candidate::unscored(passage(1, "Staff handbook", TEXT)),
            Candidate::unscored(passage(2, "假期规定", "年假可以结转五天。")),
        ]
    }

    #[test]
    fn structure_has_the_words_of_a_note_beneath_it_or_of_the_question() {
        let evidence = evidence();
        let footnotes = Footnotes::mint(&evidence);
        let question = "Is carry-over limited for staff, and is leave harmless? 年假 无害吗";
        let structures = Structures::of(question, &footnotes);
        let (note, asked) = (Some(Origin::Note(1)), Some(Origin::Question));
        for (text, cited, expected) in [
            ("# Staff handbook\n", &[1][..], note.clone()),
            ("# Staff handbook\n", &[2], None),
            ("### LEAVE\n", &[1], note.clone()),
            ("### Ｌeave\n", &[1], note.clone()),
            ("**3.2 Carry-over:**\n", &[1, 2], note.clone()),
            ("2) Leave\n", &[1], note.clone()),
            ("The rules are:\n", &[1], note.clone()),
            ("- Limit:\n", &[1], note.clone()),
            ("| Item | Days |\n", &[1], note.clone()),
            ("| Days |\n", &[1], note),
            ("| Item | Free days |\n", &[1], None),
            ("5 days:\n", &[1], None),
            ("## 500 days\n", &[1], None),
            ("~~Leave~~\n", &[1], None),
            ("❌ Leave\n", &[1], None),
            ("# Staff\n", &[1], asked.clone()),
            ("# Carry-over is limited\n", &[1], None),
            ("# Leave harmless\n", &[1], None),
            ("# Staff handbook is harmless\n", &[1], None),
            ("# Lеave\n", &[1], None),
            ("# 假期规定\n", &[2], Some(Origin::Note(2))),
            ("# 年假\n", &[2], asked),
            ("年假无害：\n", &[2], None),
            ("无害：\n", &[2], None),
            ("---\n", &[1], Some(Origin::Bare)),
            ("|---|:-:|\n", &[1], Some(Origin::Bare)),
            ("  \n", &[], Some(Origin::Bare)),
            ("-->\n", &[1], None),
            ("☠️☠️\n", &[1], None),
        ] {
            assert_eq!(structures.origin(text, cited), expected, "{text:?}");
        }
    }
}
