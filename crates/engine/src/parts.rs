//! What the movements need of the world.

use std::collections::BTreeMap;
use std::sync::Arc;

use ibidem_ports::confirmations::Confirmations;
use ibidem_ports::degrade::Part;
use ibidem_ports::entailment::Entailment;
use ibidem_ports::memory::Memory;
use ibidem_ports::owners::Owners;
use ibidem_ports::reranker::Reranker;
use ibidem_ports::tools::Tools;
use ibidem_ports::vocabulary::Vocabulary;

use crate::exemplars::Exemplars;
use crate::roles::Roles;
use crate::search::Searcher;

/// The parts that a question is answered with. A part that is not configured is skipped, and the answer is made
/// without it.
#[derive(Clone)]
pub struct Parts {
    pub searcher: Searcher,
    /// Says which model does what. Without a model that answers, the answer quotes the sources. Without a planner, a
    /// question is searched as it was asked.
    pub roles: Arc<Roles>,
    /// None when no vocabulary is configured: then questions about terms are questions like any other.
    pub vocabulary: Option<Part<dyn Vocabulary>>,
    /// None when no reranker is configured: then the cosine decides.
    pub reranker: Option<Part<dyn Reranker>>,
    /// None when nobody reads the best few again. It is nothing without a reranker.
    pub second_reader: Option<SecondReader>,
    /// None when there is no curated memory.
    pub memory: Option<Arc<dyn Memory>>,
    pub exemplars: Arc<Exemplars>,
    /// Reads each sentence against the passages it cites.
    pub entailment: Part<dyn Entailment>,
    /// None when nobody is named as the owner of anything.
    pub owners: Option<Arc<dyn Owners>>,
    /// Whom a question goes to when what it is about has no owner.
    pub admin_email: Option<String>,
    /// Tool servers by the names that the settings give them; none where nothing is looked up in other systems.
    pub tools: BTreeMap<String, Part<dyn Tools>>,
    /// Where calls wait for their asker's word. Without it no tool that changes something is called.
    pub confirmations: Option<Arc<dyn Confirmations>>,
}

/// A larger reader, which decides about the few that a smaller one finds likeliest to answer.
#[derive(Clone)]
pub struct SecondReader {
    pub reader: Part<dyn Reranker>,
    /// How many it reads again for one question.
    pub best: usize,
}

impl SecondReader {
    /// Whether it was made for such pairs. Of others the first reader's word stands.
    pub(crate) fn reads(&self, question: &str, text: &str) -> bool {
        self.reader.port().weights_for(question, text).is_some()
    }
}

impl Parts {
    /// Documents to search, something that checks sentences, and nothing else.
    pub fn new(searcher: Searcher, entailment: Part<dyn Entailment>) -> Self {
        Self {
            searcher,
            roles: Arc::default(),
            vocabulary: None,
            reranker: None,
            second_reader: None,
            memory: None,
            exemplars: Arc::default(),
            entailment,
            owners: None,
            admin_email: None,
            tools: BTreeMap::new(),
            confirmations: None,
        }
    }

    /// Who says whether a text answers a question: the second reader where there is one for such pairs, and then the
    /// first, since not every model says where a text answers. Empty where nobody reads.
    pub(crate) fn readers_of(&self, question: &str, text: &str) -> Vec<&Part<dyn Reranker>> {
        let Some(first) = &self.reranker else { return Vec::new() };
        let second = self.second_reader.as_ref().filter(|second| second.reads(question, text));
        second.map(|second| &second.reader).into_iter().chain([first]).collect()
    }
}
