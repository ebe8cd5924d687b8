//! What sifting ends in.

use crate::candidate::Candidate;
use ibidem_words::Refusal;

use crate::turn::{Asked, TurnLog};

/// The evidence that the gates left. Only sifting makes one, and only from one an answer can be written.
#[derive(Clone, Debug)]
pub struct Sifted {
    pub asked: Asked,
    /// What may be spoken from, the best first.
    pub evidence: Vec<Candidate>,
    /// Curators' notes that shape the answer. They are never quoted and never cited.
    pub background: Vec<String>,
    pub log: TurnLog,
    /// What a gate dropped. Private, so that nothing outside sifting can make a `Sifted`.
    dropped: Vec<(&'static str, Candidate)>,
}

impl Sifted {
    pub(super) fn new(
        asked: Asked,
        evidence: Vec<Candidate>,
        dropped: Vec<(&'static str, Candidate)>,
        background: Vec<String>,
        log: TurnLog,
    ) -> Self {
        Self { asked, evidence, background, log, dropped }
    }

    /// What a gate dropped, with the gate's name, in the order of dropping.
    pub fn dropped(&self) -> &[(&'static str, Candidate)] {
        &self.dropped
    }
}

/// Evidence to speak from, or a refusal before any model runs.
#[derive(Clone, Debug)]
pub enum SiftOutcome {
    Enough(Sifted),
    Refused {
        sifted: Sifted,
        refusal: Refusal,
    },
    /// The asker is asked for more.
    Unclear {
        sifted: Sifted,
        refusal: Refusal,
        text: String,
    },
    /// Too thin, and worth another, wider round of gathering; refused if there is none.
    TooThin {
        sifted: Sifted,
        refusal: Refusal,
    },
}

impl SiftOutcome {
    pub fn sifted(&self) -> &Sifted {
        match self {
            Self::Enough(sifted)
            | Self::Refused { sifted, .. }
            | Self::Unclear { sifted, .. }
            | Self::TooThin { sifted, .. } => sifted,
        }
    }
}
