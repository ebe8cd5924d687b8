use ibidem_words::passage_in_context;
use proptest::prelude::*;

use super::*;
use crate::read::SectionStart;

/// Words, and two special tokens: what a tokenizer with a complete vocabulary would count.
struct Words;

impl TokenCounter for Words {
    fn count(&self, text: &str) -> usize {
        2 + text.split_whitespace().count()
    }
}

/// Every character, white space included, and letters outside ASCII three times: neither additive
/// over words nor bounded by the number of characters.
struct Characters;

impl TokenCounter for Characters {
    fn count(&self, text: &str) -> usize {
        2 + text.chars().map(|c| if c.is_ascii() { 1 } else { 3 }).sum::<usize>()
    }
}

/// Counts more tokens than a text has bytes, which no splitter expects.
struct Dense;

impl TokenCounter for Dense {
    fn count(&self, text: &str) -> usize {
        3 + 2 * text.len()
    }
}

fn document(text: &str) -> ReadDocument {
    ReadDocument { text: text.to_owned(), ..ReadDocument::default() }
}

/// What holds for every document, title and counter.
fn check(document: &ReadDocument, title: &str, counter: &dyn TokenCounter, limits: &Limits) -> Vec<Passage> {
    let passages = split(document, title, counter, limits).unwrap();
    let letters: Vec<char> = document.text.chars().collect();
    let mut covered = 0;
    for passage in &passages {
        let span = passage.span.start as usize..passage.span.end as usize;
        assert_eq!(passage.text, letters[span.clone()].iter().collect::<String>());
        assert_eq!(passage.text.trim(), passage.text);
        assert!(passage.text.contains(char::is_alphanumeric));
        let tokens = counter.count(&passage_in_context(title, passage.section.as_deref(), &passage.text));
        assert!(tokens <= limits.max_tokens, "{tokens} > {}", limits.max_tokens);
        assert_eq!(passage.tokens as usize, tokens);
        assert!(passage.text.chars().count() <= limits.max_characters);
        assert!(span.start >= covered, "overlap");
        assert!(!letters[covered..span.start].iter().any(|c| c.is_alphanumeric()), "lost text");
        covered = span.end;
    }
    assert!(!letters[covered..].iter().any(|c| c.is_alphanumeric()), "lost text");
    passages
}

fn texts(passages: &[Passage]) -> Vec<&str> {
    passages.iter().map(|passage| passage.text.as_str()).collect()
}

#[test]
fn paragraphs_are_kept_whole_then_sentences_then_words() {
    let limits = Limits { max_tokens: 10, max_characters: 1_000, least_text_tokens: 4 };
    let cases: [(&str, &[&str]); 5] = [
        ("a b c\n\nd e f\n\ng h i", &["a b c\n\nd e f", "g h i"]),
        ("a b c d e\n\nf g h i j", &["a b c d e", "f g h i j"]),
        ("One two three. Four five six. Seven eight nine.", &["One two three. Four five six.", "Seven eight nine."]),
        ("a b c d e f g h i j", &["a b c d e f g", "h i j"]),
        ("a b c\n---\nd", &["a b c\n---\nd"]),
    ];
    for (text, expected) in cases {
        // Two special tokens and the title leave seven words.
        assert_eq!(texts(&check(&document(text), "Title", &Words, &limits)), expected, "{text:?}");
    }
}

#[test]
fn passages_without_a_letter_or_digit_are_dropped() {
    let limits = Limits { max_tokens: 4, max_characters: 100, least_text_tokens: 1 };
    assert_eq!(texts(&check(&document("a b\n\n--- ***\n\nc"), "", &Words, &limits)), ["a b", "c"]);
    assert_eq!(split(&document("--- \n\n …"), "", &Words, &limits), Ok(Vec::new()));
    assert_eq!(split(&document(""), "", &Words, &limits), Ok(Vec::new()));
}

#[test]
fn a_heading_stays_with_the_text_below_it() {
    let mut document = document("Title\n\nScope\n\nlong paragraph of nine words that will not fit");
    document.title = Some("Title".to_owned());
    document.sections = vec![SectionStart { at: 7, path: vec!["Scope".to_owned()] }];
    let limits = Limits { max_tokens: 11, max_characters: 1_000, least_text_tokens: 4 };
    let passages = check(&document, "Title", &Words, &limits);
    assert_eq!(texts(&passages), ["Title\n\nScope\n\nlong paragraph of nine words", "that will not fit"]);
}

#[test]
fn what_stands_above_a_passage_goes_with_it() {
    let text = "Title\n\nÜber Fees\n\nNot paid are:\n\n- one two three four\n- five six seven eight\n\nKind | Fee (EUR)\n\
                Taxi and bus | 4 5\nTrain and plane | 6 7\n\nThe end of it all is here.";
    let mut document = document(text);
    document.title = Some("Title".to_owned());
    document.sections = vec![SectionStart { at: 7, path: vec!["Über Fees".to_owned()] }];
    let limits = Limits { max_tokens: 16, max_characters: 1_000, least_text_tokens: 4 };
    let passages = check(&document, "Title", &Words, &limits);
    let letters: Vec<char> = text.chars().collect();
    let mut shown = Vec::new();
    for passage in &passages {
        for line in passage.above.all() {
            let span = line.span.start as usize..line.span.end as usize;
            assert_eq!(line.text, letters[span].iter().collect::<String>());
        }
        let words = |line: &Option<ibidem_words::LineAbove>| line.as_ref().map(|line| line.text.clone());
        let above = &passage.above;
        let first = passage.text.lines().next().unwrap_or_default().to_owned();
        shown.push((first, words(&above.heading), words(&above.lead_in), words(&above.head)));
    }
    let heading = Some("Über Fees".to_owned());
    let find = |first: &str| shown.iter().find(|(line, ..)| line.starts_with(first)).cloned();
    assert_eq!(shown[0], ("Title".to_owned(), None, None, None), "its heading is in it");
    let lead_in = Some("Not paid are:".to_owned());
    assert_eq!(find("- one"), Some(("- one two three four".to_owned(), heading.clone(), lead_in, None)));
    let head = Some("Kind | Fee (EUR)".to_owned());
    assert_eq!(find("Train"), Some(("Train and plane | 6 7".to_owned(), heading, None, head)));
}

#[test]
fn sections_and_pages_go_with_the_passage() {
    let mut document = document("Intro words.\n\nScope\n\nWho it is for.\n\nLimits\n\nHow much.");
    let path = |headings: &[&str]| headings.iter().map(|&heading| heading.to_owned()).collect();
    document.sections = vec![
        SectionStart { at: 14, path: path(&["Scope"]) },
        SectionStart { at: 37, path: path(&["Scope", "Limits"]) },
    ];
    document.pages = vec![PageStart { at: 0, number: 1 }, PageStart { at: 25, number: 2 }];
    let passages = check(&document, "Travel", &Words, &Limits::of_window(64));
    let shown: Vec<_> =
        passages.iter().map(|passage| (passage.section.as_deref(), passage.page, passage.text.as_str())).collect();
    assert_eq!(
        shown,
        [
            (None, Some(1), "Intro words."),
            (Some("Scope"), Some(1), "Scope\n\nWho it is for."),
            (Some("Scope > Limits"), Some(2), "Limits\n\nHow much."),
        ]
    );
    assert_eq!(passages[2].tokens, 2 + 4 + 3);
}

#[test]
fn a_section_that_crowds_out_the_text_loses_its_outermost_headings() {
    let mut document = document("some text");
    let long = "heading ".repeat(12).trim().to_owned();
    let cases = [
        (vec![long.clone(), "Short".to_owned()], Some("Short")),
        (vec!["Outer".to_owned(), "Inner".to_owned()], Some("Outer > Inner")),
        (vec![long], None),
    ];
    for (path, expected) in cases {
        document.sections = vec![SectionStart { at: 0, path }];
        let passages =
            check(&document, "Title", &Words, &Limits { max_tokens: 16, max_characters: 99, least_text_tokens: 6 });
        assert_eq!(passages[0].section.as_deref(), expected);
    }
}

#[test]
fn a_title_that_leaves_no_room_is_an_error_and_one_that_leaves_little_is_not() {
    let limits = Limits { max_tokens: 16, max_characters: 100, least_text_tokens: 8 };
    let title = |words: usize| "title ".repeat(words);
    assert_eq!(check(&document("a b c"), &title(13), &Words, &limits).len(), 3);
    assert_eq!(
        split(&document("a b c"), &title(14), &Words, &limits),
        Err(SplitError::NoRoom { header: 16, limit: 16 })
    );
    assert_eq!(
        split(&document("語"), "x", &Dense, &limits),
        Ok(vec![Passage {
            text: "語".to_owned(),
            section: None,
            page: None,
            span: CharSpan { start: 0, end: 1 },
            above: Default::default(),
            tokens: 13,
        }])
    );
    assert!(split(&document("語"), "title", &Dense, &limits).is_err());
}

#[test]
fn text_without_any_boundary_is_cut_all_the_same() {
    let window = Limits::of_window(64);
    let cases = [
        "x".repeat(10_000),
        "語".repeat(3_000),
        "知識は力なり。".repeat(500),
        "👩‍👩‍👧‍👦a".repeat(300),
        "e\u{301}\u{323}".repeat(1_000),
        format!("{} {}", "y".repeat(3_000), "word ".repeat(2_000)),
        "a\n".repeat(4_000),
        " \n\t ".repeat(3_000) + "end",
    ];
    for text in cases {
        for counter in [&Words as &dyn TokenCounter, &Characters, &Dense] {
            let passages = check(&document(&text), "Title", counter, &window);
            assert!(!passages.is_empty());
        }
    }
}

#[test]
fn the_longest_texts_are_split_in_reasonable_time() {
    let text = "A sentence of seven ordinary words ends. ".repeat(20_000);
    let started = std::time::Instant::now();
    check(&document(&text), "Title", &Words, &Limits::of_window(256));
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-z]{1,12}",
        2 => Just(" ".to_owned()),
        1 => Just("\n".to_owned()),
        1 => Just("\n\n".to_owned()),
        1 => Just(". ".to_owned()),
        1 => "[語知識力。]{1,20}",
        1 => "(👩‍👩‍👧|é́|e\u{301}|🏳️‍🌈| |\t|—|-){1,5}",
        1 => "[A-Za-z0-9+/]{100,400}",
    ];
    proptest::collection::vec(piece, 0..120).prop_map(|pieces| pieces.concat())
}

fn any_document() -> impl Strategy<Value = ReadDocument> {
    (any_text(), proptest::collection::vec((any::<prop::sample::Index>(), 1..4_usize), 0..6)).prop_map(
        |(text, cuts)| {
            let length = text.chars().count();
            let mut places: Vec<(usize, usize)> =
                cuts.iter().map(|(at, depth)| (at.index(length + 1), *depth)).collect();
            places.sort_unstable();
            let heading = |level: usize| format!("Heading {level}");
            let sections = places
                .iter()
                .map(|&(at, depth)| SectionStart { at, path: (1..=depth).map(heading).collect() })
                .collect();
            ReadDocument { title: Some("Heading 1".to_owned()), text, sections, ..ReadDocument::default() }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn nothing_is_lost_doubled_or_too_long(document in any_document(), title in ".{0,40}", window in 48..300_usize) {
        for counter in [&Words as &dyn TokenCounter, &Characters] {
            // A title of forty characters may count three times that, and needs room for some text.
            let limits = Limits::of_window(window.max(160));
            check(&document, &title, counter, &limits);
        }
        check(&document, "Title", &Words, &Limits::of_window(window));
    }
}
