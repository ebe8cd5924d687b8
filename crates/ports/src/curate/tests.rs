use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use ibidem_words::DocumentId;

/// Counts a token for each character that is not a space, two more for the text itself: no kinder than any tokenizer.
struct Characters;

impl TokenCounter for Characters {
    fn count(&self, text: &str) -> usize {
        text.chars().filter(|c| !c.is_whitespace()).count() + 2
    }
}

fn window(max_tokens: usize) -> Window {
    Window { counter: Arc::new(Characters), max_tokens }
}

fn note(text: &str) -> EntryDraft {
    let kind = MemoryKind::Note { text: text.to_owned() };
    EntryDraft { kind, triggers: vec!["Who pays?".to_owned()], references: Vec::new(), tags: vec![Tag::public()] }
}

fn pin() -> EntryDraft {
    let references = vec![Reference::Address("ADR-12".to_owned())];
    EntryDraft { kind: MemoryKind::Pin, references, ..note("") }
}

#[test]
fn a_draft_is_kept_without_repeats_and_stray_white_space() {
    let triggers = ["  Who \n pays? ", "Who pays?", "Who is billed?"].map(str::to_owned).to_vec();
    let references = [&pin().references[..], &pin().references].concat();
    let tags = vec![Tag::public(), "finance".parse().unwrap(), Tag::public()];
    let checked = EntryDraft { triggers, references, tags, ..note(" The payer is billed. \n") };
    let checked = checked.checked(&window(256)).unwrap();
    assert_eq!(checked.entry().triggers, ["Who pays?", "Who is billed?"]);
    assert_eq!(checked.entry().references, pin().references);
    assert_eq!(checked.entry().tags.len(), 2);
    assert_eq!(checked.passages(), ["Who pays?", "Who is billed?", "The payer is billed."]);
    assert_eq!(pin().checked(&window(256)).unwrap().passages(), ["Who pays?"]);
}

#[test]
fn what_cannot_be_kept_or_found_is_refused_with_what_to_do() {
    let triggers = |triggers: &[&str]| EntryDraft {
        triggers: triggers.iter().map(|trigger| (*trigger).to_owned()).collect(),
        ..pin()
    };
    let address = |address: &str| EntryDraft { references: vec![Reference::Address(address.to_owned())], ..pin() };
    let document = |number| Reference::Document(DocumentId(Uuid::from_u128(number)));
    let tags = |count: usize| (0..count).map(|number| format!("t{number}").parse().unwrap()).collect::<Vec<Tag>>();
    let cases = [
        (triggers(&[]), "no trigger"),
        (triggers(&["x"; 21]), "at most 20"),
        (triggers(&[" ?! "]), "no letter or digit"),
        (triggers(&["a\0b"]), "a trigger holds a NUL"),
        (triggers(&[&"x ".repeat(251)]), "more than 500 characters"),
        (triggers(&[&"x".repeat(255)]), "takes 257 tokens and the embedding model takes 256"),
        (note(" \n- "), "the note is blank"),
        (note(&"x".repeat(20_001)), "at most 20000"),
        (note("a\0b"), "the note holds a NUL"),
        (EntryDraft { references: Vec::new(), ..pin() }, "a pin needs at least one source"),
        (EntryDraft { references: (0..51).map(document).collect(), ..pin() }, "at most 50"),
        (address("--"), "is no address"),
        (address(&"x".repeat(201)), "is no address"),
        (EntryDraft { tags: Vec::new(), ..pin() }, "there is no tag"),
        (EntryDraft { tags: tags(51), ..pin() }, "at most 50"),
    ];
    for (draft, expected) in cases {
        let refused = draft.checked(&window(256)).unwrap_err().to_string();
        assert!(refused.contains(expected), "{refused:?} should contain {expected:?}");
    }
}

#[test]
fn a_note_is_cut_at_paragraphs_and_where_one_is_too_long_at_sentences() {
    let paragraph = |word: &str| format!("{} ends.", word.repeat(60));
    let text = format!("A heading\n\n{}\n \n{}\n\nThe end.", paragraph("one "), paragraph("two "));
    let checked = note(&text).checked(&window(256)).unwrap();
    let expected = [format!("A heading\n\n{}", paragraph("one ")), paragraph("two "), "The end.".to_owned()];
    assert_eq!(checked.passages()[1..], expected);

    let text = "Version 3.5 is out. It is small! Is it good? Nobody knows.";
    let cut = note(text).checked(&window(32)).unwrap();
    assert_eq!(cut.passages()[1..], ["Version 3.5 is out. It is small!", "Is it good? Nobody knows."]);
    let cut = EntryDraft { triggers: vec!["x".to_owned()], ..note("abcdefghij klm 一二三。四") };
    assert_eq!(cut.checked(&window(6)).unwrap().passages()[1..], ["abcd", "efgh", "ij", "klm", "一二三。", "四"]);
}

proptest! {
    #[test]
    fn every_passage_fits_and_no_letter_is_lost(text in r"([a-zA-Z0-9.!?é。一]{0,12}[ \n]{0,3}){0,120}", tokens in 14_usize..64) {
        if let Ok(checked) = note(&text).checked(&window(tokens)) {
            let passages = &checked.passages()[1..];
            for passage in passages {
                prop_assert!(window(tokens).holds(passage), "{passage:?}");
                prop_assert_eq!(passage.trim(), passage);
            }
            let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
            prop_assert_eq!(letters(&passages.concat()), letters(&text));
        }
    }
}
