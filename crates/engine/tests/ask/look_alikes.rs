//! Markers that documents write themselves: none goes out that a reader or a program would take for one of ours, and what
//! is quoted still verifies.

use std::sync::Arc;

use ibidem_engine::receipts::{Presented, Witnesses, verify};
use ibidem_language::markers::{numbers, quoted, without_markers};
use ibidem_ports::corpus::{Corpus, KeptDocument, KeptVersion};
use ibidem_testing::fakes::Script;
use ibidem_words::{Action, Answer, DocumentId, PublicKeys, StretchKind};

use crate::outgoing::DEFAULT;
use crate::scenarios::PlacedEmbedder;
use crate::world::{Book, World};

/// What a document writes; `1` is a citation of the answer too, `2` and `3` are none.
const LOOK_ALIKES: [&str; 20] = [
    "[1]",
    "[2]",
    "[^1]",
    "[^3]",
    "【1】",
    "【2†source】",
    "［１］",
    "［2］",
    "〔2〕",
    "⟦1⟧",
    "[1, 2]",
    "[1–3]",
    "[1][2]",
    "[ 1 ]",
    "[**1**]",
    "[<b>1</b>]",
    "[&#49;]",
    "&#91;1&#93;",
    r"\[1\]",
    "[[1]]",
];

/// Where it stands in a document.
const PLACES: [&str; 5] = [
    "The gearbox holds 1.8 litres of oil {}. The oil is changed every 40,000 km.",
    "The gearbox holds 1.8 litres of oil.{} The oil is changed every 40,000 km.",
    "{} The gearbox holds 1.8 litres of oil. The oil is changed every 40,000 km.",
    "The steps are:\n\n- The gearbox holds 1.8 litres of oil {}\n- The oil is changed every 40,000 km",
    "Part | Oil {}\nGearbox | 1.8 litres {}\nAxle | 2 litres",
];

const QUESTION: &str = "How much oil does the gearbox hold, and when is the oil changed?";

async fn answered(script: Script, text: &str, look_alike: &str, policy: &str) -> (Answer, Corpus) {
    let title = format!("Gearbox manual {look_alike}");
    let book = Book { title: title.clone(), vector: Some(PlacedEmbedder::vector(0.9)), ..Book::of(text) };
    let world = World::of(script, vec![book], Arc::new(PlacedEmbedder::new()), policy).await;
    let answer = world.ask(QUESTION).await.answer;
    let kept = KeptVersion { title, text: text.to_owned(), updated_at: chrono::DateTime::UNIX_EPOCH };
    let document = KeptDocument {
        current_version: 1,
        address: None,
        is_removed: false,
        versions: [(1, kept)].into_iter().collect(),
    };
    let id = DocumentId(answer.citations.first().map(|citation| citation.document_id).unwrap_or_default());
    (answer, [(id, document)].into_iter().collect())
}

/// Everything that is a citation is ours, and stands behind what it is of.
fn assert_ours(answer: &Answer, case: &str) {
    for stretch in &answer.receipt.as_ref().unwrap().stretches {
        let cited = numbers(&stretch.text);
        let expected = usize::from(stretch.kind == StretchKind::Claim);
        assert_eq!(cited.len(), expected, "{:?} of {case}", stretch.text);
        assert!(cited.iter().all(|number| stretch.text.trim_end().ends_with(&format!("[{number}]"))), "{case}");
        let bare = without_markers(&stretch.text);
        assert_eq!(quoted(&bare), bare, "{case}");
    }
    for citation in &answer.citations {
        for text in [&citation.document_name, &citation.snippet, citation.section.as_ref().unwrap()] {
            assert_eq!(&quoted(text), text, "{case}");
        }
    }
}

#[tokio::test]
async fn what_documents_write_is_quoted_without_markers_and_still_verifies() {
    let extractive = DEFAULT.replace("mode: model", "mode: extractive").replace("cite_from: 60", "cite_from: 0");
    for look_alike in LOOK_ALIKES {
        for place in PLACES {
            let text = place.replace("{}", look_alike);
            let (answer, corpus) = answered(Script::CannotBeReached, &text, look_alike, &extractive).await;
            assert_eq!(answer.action, Action::Cite, "{text:?}");
            assert_ours(&answer, &text);
            assert!(answer.answer.contains("1.8 litres"), "{:?} of {text:?}", answer.answer);
            assert_eq!(answer.citations[0].snippet_full, text, "the source itself is as it is");
            let presented = Presented::parse(&serde_json::to_string(&answer).unwrap()).unwrap();
            assert_eq!(presented.tampered, Vec::<String>::new(), "{text:?}");
            let keys = PublicKeys::default();
            let witnesses = Witnesses { keys: &keys, corpus: &corpus, entailment: None, vocabulary: None };
            let report = verify(&presented, &witnesses).await;
            for stretch in &report.stretches {
                assert!(stretch.outcome.holds(), "{stretch:?} of {text:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_model_that_recites_them_cites_nothing_with_them() {
    for look_alike in LOOK_ALIKES {
        for place in &PLACES[..3] {
            let text = place.replace("{}", look_alike);
            let replies = ["[^1]", ""].map(|cited| format!("{text}{cited}"));
            let in_code = format!("The gearbox holds `1.8 litres of oil {look_alike}`.[^1]");
            for written in replies.into_iter().chain([in_code]) {
                let pieces = written.chars().map(String::from).collect();
                let (answer, _) = answered(Script::Says(pieces), &text, look_alike, DEFAULT).await;
                let cited = numbers(&answer.answer);
                assert!(cited.iter().all(|number| *number == 1), "{:?} of {written:?}", answer.answer);
                let bare = without_markers(&answer.answer);
                assert_eq!(quoted(&bare), bare, "{written:?}");
                if answer.action != Action::Cite {
                    assert!(cited.is_empty(), "{:?} of {written:?}", answer.answer);
                }
            }
        }
    }
}
