//! What goes out of whatever a model writes: a small library in six languages, and what must hold of every answer.
//!
//! The gauntlet, the sentences, the figures, the entailment by words and the engine are the real ones; search and model
//! are fakes. For a property test and for a fuzz target, so nothing here waits for anything.

use std::collections::HashSet;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use crate::fakes::{self, FakeCatalogue, FakeIndex, FakeModel, Script};
use async_trait::async_trait;
use chrono::DateTime;
use ibidem_language::sentences::Kind;
use ibidem_language::stems::{Beginning, beginning};
use ibidem_ports::catalogue::CataloguePassage;
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::embedder::{EmbedError, Embedder, EmbeddingModel};
use ibidem_ports::index::{IndexDocument, IndexPoint, IndexWriter as _};
use ibidem_words::{
    Action, Answer, Citation, Identity, ModelHash, Question, Scope, SentenceVerdict, Sha256Hash, SimilarityScale, Tag,
    TenantId, is_unseen,
};
use uuid::Uuid;

use ibidem_engine::ask::Engine;
use ibidem_engine::draft::CheckedSentence;
use ibidem_engine::listener::Listener;
use ibidem_engine::policy::Policy;
use ibidem_engine::roles::{NamedModel, Roles};
use ibidem_engine::search::Searcher;
use ibidem_engine::turn::Asked;

const DEFAULT: &str = include_str!("../../../../policies/default.yaml");

/// A library of two notes, a question about it, and a sentence that the first note supports.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    pub title: &'static str,
    pub section: &'static str,
    pub notes: [&'static str; 2],
    pub question: &'static str,
    /// A sentence of the first note, without its stop.
    pub known: &'static str,
    pub stop: &'static str,
}

pub const LIBRARIES: [Library; 6] = [
    Library {
        title: "Gearbox manual",
        section: "Maintenance > Oil",
        notes: [
            "The gearbox holds 1.8 litres of oil. The oil is changed every 40,000 km. The steps are:\n- Drain: open the lower plug\n- Fill: pour through the upper plug",
            "Item | Interval\nOil | 40,000 km\nFilter | 80,000 km",
        ],
        question: "How much oil does the gearbox hold, and when is the oil changed?",
        known: "The gearbox holds 1.8 litres of oil",
        stop: ".",
    },
    Library {
        title: "Handbuch Getriebe",
        section: "Wartung > Öl",
        notes: [
            "Das Getriebe fasst 1,8 Liter Öl. Das Öl wird alle 40.000 km gewechselt. Die Schritte sind:\n- Ablassen: untere Schraube öffnen",
            "Teil | Abstand\nÖl | 40.000 km",
        ],
        question: "Wie viel Öl fasst das Getriebe, und wann wird das Öl gewechselt?",
        known: "Das Getriebe fasst 1,8 Liter Öl",
        stop: ".",
    },
    Library {
        title: "Manuel de la boîte",
        section: "Entretien > Huile",
        notes: [
            "La boîte contient 1,8 litre d'huile. L'huile est changée tous les 40 000 km. Les étapes sont :\n- Vidange: ouvrir le bouchon inférieur",
            "Pièce | Intervalle\nHuile | 40 000 km",
        ],
        question: "Combien d'huile la boîte contient-elle, et quand l'huile est-elle changée ?",
        known: "La boîte contient 1,8 litre d'huile",
        stop: ".",
    },
    Library {
        title: "Manual de la caja",
        section: "Mantenimiento > Aceite",
        notes: [
            "La caja contiene 1,8 litros de aceite. El aceite se cambia cada 40.000 km. Los pasos son:\n- Vaciado: abrir el tapón inferior",
            "Pieza | Intervalo\nAceite | 40.000 km",
        ],
        question: "¿Cuánto aceite contiene la caja y cuándo se cambia el aceite?",
        known: "La caja contiene 1,8 litros de aceite",
        stop: ".",
    },
    Library {
        title: "变速箱手册",
        section: "保养 > 机油",
        notes: [
            "变速箱装有1.8升机油。机油每4万公里更换一次。步骤如下：\n- 放油：打开下方螺塞",
            "零件 | 间隔\n机油 | 4万公里",
        ],
        question: "变速箱装有多少机油？机油什么时候更换？",
        known: "变速箱装有1.8升机油",
        stop: "。",
    },
    Library {
        title: "変速機の手引き",
        section: "整備 > オイル",
        notes: [
            "変速機には1.8リットルのオイルが入ります。オイルは4万キロごとに交換します。手順は次のとおり：\n- 排出：下の栓を開ける",
            "部品 | 間隔\nオイル | 4万キロ",
        ],
        question: "変速機にはどれだけのオイルが入りますか。オイルはいつ交換しますか。",
        known: "変速機には1.8リットルのオイルが入ります",
        stop: "。",
    },
];

/// Nothing here waits for anything outside, so asking again is enough.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(done) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return done;
        }
    }
}

/// Everything is near everything: what is searched is not what is looked at here.
struct Near(EmbeddingModel);

#[async_trait]
impl Embedder for Near {
    fn model(&self) -> &EmbeddingModel {
        &self.0
    }

    async fn embed_passages(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(vec![vec![1.0, 0.0]; texts.len()])
    }

    async fn embed_queries(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(vec![vec![1.0, 0.0]; texts.len()])
    }
}

/// Somebody who asks one of the libraries, under the policy that is in force by default.
pub struct Asker {
    library: Library,
    engine: Engine,
    policy: Arc<Policy>,
    tenant: TenantId,
}

/// What came of one answer.
pub struct Released {
    /// Holds the text as it was streamed.
    pub received: String,
    pub answer: Answer,
    /// Holds the sentences of the draft; none where the sources spoke for themselves.
    pub sentences: Vec<CheckedSentence>,
    /// What was written and did not go out, with what was found wrong.
    pub dropped: Vec<CheckedSentence>,
}

#[derive(Default)]
struct Received(String);

impl Listener for Received {
    fn sentence(&mut self, text: &str, _: Vec<Citation>) {
        self.0.push_str(text);
    }
}

impl Asker {
    pub fn of(library: Library) -> Self {
        Self::under(library, "  mode: model")
    }

    /// The same under a policy whose model is asked in another way: lines of `speak`, the mode first.
    pub fn under(library: Library, mode: &str) -> Self {
        let policy = DEFAULT.replace("  mode: model", mode);
        let tenant = TenantId::named("outgoing");
        let tags: Vec<Tag> = vec!["all".parse().unwrap()];
        let hash = ModelHash(Sha256Hash::of(b"near"));
        let model = EmbeddingModel {
            name: "near".to_owned(),
            hash,
            dimensions: 2,
            max_tokens: 256,
            scale: SimilarityScale::COSINE,
        };
        let (index, catalogue) = (Arc::new(FakeIndex::new(2)), Arc::new(FakeCatalogue::default()));
        for (number, text) in (1_u128..).zip(library.notes) {
            let passage = CataloguePassage {
                title: library.title.to_owned(),
                section: Some(library.section.to_owned()),
                ..fakes::passage(number << 64, &"Manual".parse().unwrap(), text)
            };
            let points = vec![IndexPoint { passage: passage.passage, vector: vec![1.0, 0.0], words: text.to_owned() }];
            let published = IndexDocument {
                tenant,
                document: passage.passage.document,
                collection: passage.collection.clone(),
                kind: None,
                tags: tags.clone(),
                points,
            };
            block_on(index.publish(vec![published])).unwrap();
            catalogue.put(tenant, tags.clone(), passage);
        }
        let words = catalogue.clone();
        let engine = Engine::new(Searcher {
            embedder: Part::bare(Arc::new(Near(model))),
            index: Part::bare(index),
            catalogue,
            words,
        });
        Self { library, engine, policy: Arc::new(Policy::parse(&policy).unwrap()), tenant }
    }

    /// What goes out when the model writes these pieces.
    pub fn released(&self, pieces: Vec<Vec<u8>>) -> Released {
        let model = Arc::new(FakeModel::new(Script::Writes(pieces)));
        let roles = Arc::new(Roles::answering(NamedModel::unknown(model)));
        let engine = self.engine.clone().with(|parts| {
            parts.roles = roles;
        });
        let tags = ["all".parse().unwrap()].into();
        let identity = Identity::for_tests(self.tenant, "s", tags);
        let asked = Asked {
            request_id: Uuid::from_u128(1),
            at: DateTime::UNIX_EPOCH,
            scope: Scope::of(&identity),
            question: Question::new(self.library.question),
            policy: self.policy.clone(),
            deadline: Deadline::NONE,
        };
        let mut received = Received::default();
        let spoken = block_on(engine.ask(asked, &mut received)).unwrap();
        let (sentences, dropped) = spoken.draft.map(|draft| (draft.released, draft.dropped)).unwrap_or_default();
        Released { received: received.0, answer: spoken.answer, sentences, dropped }
    }

    /// Which note the sentence that is known was given, as a citation shows it.
    fn first_note(released: &Released, known: &str) -> u32 {
        let cites = |checked: &&CheckedSentence| checked.sentence.text.contains(known);
        released
            .sentences
            .iter()
            .find(cites)
            .and_then(|checked| checked.sentence.citations.first().copied())
            .unwrap_or(1)
    }

    /// What must hold of every answer, whatever the model wrote: fails with what does not.
    pub fn assert_checked(&self, released: &Released, written: &str) {
        let Released { received, answer, sentences, .. } = released;
        let together: String = sentences.iter().map(|checked| checked.sentence.text.as_str()).collect();
        assert_eq!(&together, received, "the draft has what was streamed: {written:?}");
        if answer.action == Action::Cite {
            assert_eq!(answer.answer, received.trim(), "{written:?}");
        } else {
            assert_eq!(received, "", "{written:?}");
        }
        assert_no_markup(received, &self.library.notes, written);
        let known = self.words();
        for checked in sentences {
            let (text, check) = (&checked.sentence.text, &checked.check);
            assert_eq!(check.verdict, SentenceVerdict::Supported, "{text:?} of {written:?}");
            let words = words(text);
            let found = words.iter().filter(|word| known.contains(*word)).count();
            match checked.sentence.kind {
                Kind::Claim => {
                    assert!(!checked.sentence.citations.is_empty(), "{text:?} of {written:?}");
                    // Of words that carry nothing the engine knows more than are left out here.
                    assert!(2 * found + 2 >= words.len(), "{found} of {words:?} of {written:?}");
                }
                Kind::Structure => {
                    assert!(["structure", "question"].contains(&check.by.as_str()), "{text:?} of {written:?}");
                    assert_eq!(found, words.len(), "{text:?} of {written:?}");
                }
                Kind::Policy => assert_eq!(check.by, "policy", "{text:?} of {written:?}"),
            }
        }
    }

    /// What went out besides the sentence that is known, structure of the notes and phrases of the question: letters
    /// and digits, of which there must be none.
    pub fn unchecked(&self, released: &Released) -> String {
        let Library { title, section, known, stop, question, .. } = self.library;
        let note = Self::first_note(released, known);
        let mut rest = String::new();
        let shown = released.received.replace(&format!("{known}{stop}[{note}]"), "\0");
        for before in shown.replace(&format!("{known}[{note}]"), "\0").split('\0') {
            // Its place in a list is none of its words.
            let line = before.rfind('\n').map_or(0, |end| end + 1);
            let number = before[line..].trim().trim_end_matches(['.', ')']);
            let is_number = number.len() < 3 && number.chars().all(|sign| sign.is_ascii_digit());
            rest.push_str(if is_number { &before[..line] } else { before });
            rest.push('\n');
        }
        let mut left = String::new();
        for line in rest.lines() {
            let line = line.trim_matches(|sign: char| !sign.is_alphanumeric()).to_lowercase();
            let mut phrases = vec![title.to_lowercase(), section.to_lowercase(), question.to_lowercase()];
            phrases.extend(section.split(" > ").map(str::to_lowercase));
            let is_structure = phrases.contains(&line) || (!line.is_empty() && phrases[2].contains(&line));
            if !is_structure {
                left.extend(line.chars().filter(|sign| sign.is_alphanumeric()));
            }
        }
        left
    }

    /// Every word of the notes and of the question.
    fn words(&self) -> HashSet<Beginning> {
        let Library { title, section, notes, question, .. } = self.library;
        [title, section, question, notes[0], notes[1]].iter().flat_map(|text| words(text)).collect()
    }
}

/// The words of a text that say something, as their beginnings; where a script has no spaces each sign is one.
fn words(text: &str) -> Vec<Beginning> {
    let bare: String = ibidem_language::markers::without_markers(text);
    let mut words: Vec<String> = Vec::new();
    for run in ibidem_language::significant_terms(&bare) {
        let (signs, letters): (Vec<char>, Vec<char>) = run.chars().partition(|sign| *sign >= '\u{2e80}');
        words.extend(signs.into_iter().map(String::from));
        if letters.len() > 2 {
            words.push(letters.into_iter().collect());
        }
    }
    words.iter().map(|word| beginning(word)).collect()
}

/// Images, HTML, comments, links that no note has, and characters that nobody sees.
fn assert_no_markup(shown: &str, notes: &[&str], written: &str) {
    assert!(!shown.contains(is_unseen), "{shown:?} of {written:?}");
    let after =
        |mark: &str| shown.match_indices(mark).map(|(place, _)| &shown[place + mark.len()..]).collect::<Vec<_>>();
    let begins_tag = |next: char| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?');
    assert!(!after("<").iter().any(|rest| rest.starts_with(begins_tag)), "{shown:?} of {written:?}");
    assert!(!shown.contains("![") && !shown.contains("[^"), "{shown:?} of {written:?}");
    let is_known = |rest: &&str| {
        let target = rest.split(')').next().unwrap_or_default();
        target.starts_with("http") && notes.iter().any(|note| note.contains(target))
    };
    assert!(after("](").iter().all(is_known), "{shown:?} of {written:?}");
    let is_entity = |rest: &&str| {
        let name = rest.trim_start_matches('#');
        let end = name.find(|sign: char| !sign.is_ascii_alphanumeric()).unwrap_or(0);
        end > 0 && name[end..].starts_with(';')
    };
    assert!(!after("&").iter().any(is_entity), "{shown:?} of {written:?}");
    for address in ["://", "www.", "javascript:a"] {
        let is_in_notes = notes.iter().any(|note| note.contains(address));
        assert!(is_in_notes || !shown.to_lowercase().contains(address), "{shown:?} of {written:?}");
    }
}
