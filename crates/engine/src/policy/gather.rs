//! What a policy says about finding evidence.

use std::collections::BTreeMap;

use ibidem_words::{CollectionName, DocumentKind};
use serde::{Deserialize, Serialize};

use super::{AddressPattern, DocumentClasses, FigureRules, QuestionPattern, ToolRules};
use crate::search::KEYWORD_WEIGHT;

/// Each may take a megabyte, for as long as the policy is kept in memory.
const MOST_PATTERNS: usize = 64;

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GatherRules {
    /// Hits each lane brings.
    pub hits_per_lane: usize,
    /// Hits each lane brings for each passage that the asker wants (`max_context_chunks`), where those are more.
    #[serde(default)]
    pub hits_for_each_asked: usize,
    /// The best so many lexical hits are kept whatever their cosine.
    pub forced_lexical: usize,
    /// What puts candidates in order that no reranker has read.
    #[serde(default)]
    pub order: UnrankedOrder,
    /// What keywords weigh in the fused score; meaning weighs 1.
    #[serde(default = "keyword_weight")]
    pub keyword_weight: f64,
    /// The collections whose documents are asked about by their name: "in the policies", "list ADRs about …".
    #[serde(default)]
    pub document_classes: DocumentClasses,
    /// What is replied to greetings, thanks and questions about the assistant; they are searched for when null.
    #[serde(default)]
    pub small_talk: Option<SmallTalkRules>,
    /// Questions about terms are answered from the vocabulary where it has the term; off when null.
    #[serde(default)]
    pub terminology: Option<TerminologyRules>,
    /// Documents that are asked for by their address; off when null.
    #[serde(default)]
    pub addresses: Option<AddressRules>,
    /// Lists of documents, from the catalogue; off when null.
    #[serde(default)]
    pub lists: Option<ListRules>,
    /// Figures that are computed from a table of a sheet, and rows that are picked from it; off when null.
    #[serde(default)]
    pub figures: Option<FigureRules>,
    /// Questions that ask for several things are taken apart by rule, and each part is searched and read by itself; off
    /// when null.
    #[serde(default)]
    pub parts: Option<PartRules>,
    /// Lets the planner word the question differently; off when null.
    #[serde(default)]
    pub rewrites: Option<RewriteRules>,
    /// What curators wrote down; off when null.
    #[serde(default)]
    pub curated: Option<CuratedRules>,
    /// How candidates are reranked where a reranker is configured; off when null.
    #[serde(default)]
    pub rerank: Option<RerankRules>,
    /// What may be asked about; anything when null.
    #[serde(default)]
    pub topics: Option<TopicRules>,
    /// Tools that topics name, for facts that live in other systems. They are called where the settings have their server.
    #[serde(default)]
    pub tools: Vec<ToolRules>,
}

fn keyword_weight() -> f64 {
    KEYWORD_WEIGHT
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UnrankedOrder {
    /// By meaning, and only what meaning does not know by words.
    #[default]
    Cosine,
    /// By the scores of both lanes together.
    #[serde(alias = "fused_rank")]
    Fused,
}

/// Fixed replies to what asks nothing of the documents.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SmallTalkRules {
    pub greeting: String,
    pub thanks: String,
    /// What can be asked here.
    pub about_assistant: String,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TerminologyRules {
    /// A term has at most so many words; what is longer is a question of its own. No limit when null.
    pub longest_term_words: Option<usize>,
    /// A term that the vocabulary does not define is refused. Otherwise the documents are asked, and it is refused where
    /// they do not answer either.
    #[serde(default)]
    pub vocabulary_only: bool,
    /// How many of the closest existing terms a refusal may offer.
    pub suggestions: usize,
    pub wording: TerminologyWording,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TerminologyWording {
    pub not_found: String,
    pub timeout: String,
    pub error: String,
    /// Said above the meanings of a term that has several.
    pub ambiguous: String,
    /// Suggests the closest existing term, which stands in place of `{term}`.
    pub suggestion: String,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddressRules {
    pub series: Vec<AddressSeries>,
    /// The most addresses that one range stands for.
    pub longest_range: usize,
    /// How many of the nearest existing addresses a refusal may offer.
    pub suggestions: usize,
    /// The most passages of a document that is asked for by nothing but its address.
    pub quoted_passages: usize,
    /// Bounds the passages of several such documents together; each gives at least one. As many as of one when null.
    #[serde(default)]
    pub quoted_of_several: Option<usize>,
    pub wording: AddressWording,
}

impl AddressRules {
    /// Returns how many passages of several documents are quoted at most.
    pub fn quoted_of_several(&self) -> usize {
        self.quoted_of_several.unwrap_or(self.quoted_passages)
    }
}

/// Addresses that are written alike.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddressSeries {
    /// Where their documents are; anywhere when null.
    #[serde(default)]
    pub collection: Option<CollectionName>,
    pub pattern: AddressPattern,
    /// Other names of a series: `Gen` for `Genesis`.
    #[serde(default)]
    pub aliases: BTreeMap<String, String>,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddressWording {
    /// Says that there is no such document, with its address in place of `{address}`.
    pub not_found: String,
    pub suggestion: String,
    /// Said beside an answer where only some of the addresses exist, with the others in place of `{addresses}`.
    pub partly: String,
    /// Said beside an answer where some of the named documents do not answer, with these in place of `{addresses}`.
    #[serde(default = "silent")]
    pub silent: String,
    /// Said beside an answer about a range with more addresses than are looked up, with the range in place of `{range}`
    /// and their number in place of `{count}`.
    #[serde(default = "range_shortened")]
    pub range: String,
    /// Said beside a quotation that is not the whole, with the numbers in place of `{quoted}` and `{all}`.
    pub shortened: String,
}

fn silent() -> String {
    "I found nothing on this in {addresses}.".to_owned()
}

fn range_shortened() -> String {
    "Of {range} only the first {count} were looked up.".to_owned()
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListRules {
    /// The most documents that are listed.
    pub most: usize,
    pub wording: ListWording,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListWording {
    /// Stands above the list, with its length in place of `{count}`.
    pub heading: String,
    /// Said beside a list that is not the whole, with the numbers in place of `{listed}` and `{all}`.
    pub shortened: String,
    pub nothing: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartRules {
    /// A question with more parts is searched as a whole.
    pub most: usize,
    /// The best so many passages of each part are read in any case.
    pub pool: usize,
    /// Said beside an answer to the other parts, with the part in place of `{part}`.
    pub not_answered: String,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RewriteRules {
    /// Bounds how many variants are searched beside the question itself.
    pub most: usize,
    pub max_tokens: u32,
    /// What the planner is told; the question follows as a message of its own.
    pub prompt: String,
}

/// What a match with curated memory must reach, by cosine unless said otherwise.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CuratedRules {
    /// A pin that is surely meant.
    pub pin: f64,
    /// The similarity from which the reranker decides about a pin; below it the pin does not apply.
    #[serde(alias = "pin_judged")]
    pub pin_reranked: f64,
    /// What the reranker must give it.
    #[serde(alias = "judge")]
    pub reranked: f64,
    /// A note that helps.
    pub note: f64,
    /// The similarity that a note's references are given.
    pub references: f64,
    /// A note that makes searching the documents needless, if it has enough references.
    pub sufficient_note: f64,
    pub sufficient_references: usize,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RerankRules {
    /// The best so many by cosine are reranked, and with them whatever a lane forces.
    pub pool: usize,
    /// The best so many are kept.
    pub keep: usize,
    /// The best so many rows of each passage's tables that share a word with the question, or whose range holds a figure of
    /// it, are read by themselves too, each under its table's head. Where no passage is likely to answer, so many sentences of
    /// each are, too.
    #[serde(default)]
    pub rows: usize,
    /// How much the reranker's score counts beside the rank in the search: the order is by this weight times the
    /// score's log-odds, less the logarithm of the rank. What the asker named comes first. The score alone decides the
    /// order when null.
    #[serde(default)]
    pub score_weight: Option<f64>,
    /// What a kind that the question asks for gains in the order, and nowhere else.
    pub kind_boost: f64,
    /// So many of the kind that is asked for are kept at least.
    pub kind_minimum: usize,
    /// The words that ask for a kind.
    #[serde(default)]
    pub kinds: BTreeMap<DocumentKind, Vec<String>>,
    /// So many of these kinds are kept at least, asked for or not.
    #[serde(default)]
    pub reserves: BTreeMap<DocumentKind, usize>,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopicRules {
    /// The confidence below which a question with no conversation before it is asked back.
    pub least_confidence: f64,
    /// A question whose closest exemplar is farther than this is about none of the topics.
    pub least_similarity: f64,
    /// How sharply the closest topic is told from the next: the difference of cosines that counts as one step.
    pub step: f64,
    pub topics: Vec<Topic>,
    /// What becomes of a question whose topic is unclear, or that is about none of them.
    #[serde(default)]
    pub otherwise: Otherwise,
    pub wording: TopicWording,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Otherwise {
    /// It is asked back which topic is meant, or said what can be asked.
    #[default]
    Ask,
    /// The documents are searched as if there were no topics.
    Search,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Topic {
    pub name: String,
    /// Tells the asker what can be asked about it.
    pub about: String,
    pub exemplars: Vec<String>,
    /// Where questions about it are searched; everywhere when empty.
    #[serde(default)]
    pub collections: Vec<CollectionName>,
    /// A question that one of these matches is about this topic, whatever its exemplars.
    #[serde(default)]
    pub patterns: Vec<QuestionPattern>,
    /// The tool that answers questions about it, in place of a search. Where the tool cannot be had the topic is left out.
    #[serde(default)]
    pub tool: Option<String>,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopicWording {
    /// Stands above the topics that the question may be about.
    pub clarify: String,
    /// Stands above the list of what can be asked.
    pub out_of_scope: String,
}

impl GatherRules {
    /// Hits that each lane brings where the asker wants so many passages.
    pub(crate) fn hits_for(&self, asked: usize) -> usize {
        self.hits_per_lane.max(self.hits_for_each_asked.saturating_mul(asked))
    }

    fn patterns(&self) -> usize {
        let of_series = self.addresses.as_ref().map_or(0, |addresses| addresses.series.len());
        let topics = self.topics.iter().flat_map(|topics| &topics.topics);
        let of_topics: usize = topics.map(|topic| topic.patterns.len()).sum();
        let of_tools: usize = self.tools.iter().map(|tool| tool.arguments.len()).sum();
        of_series + of_topics + of_tools
    }

    pub(super) fn contradictions(&self, found: &mut Vec<String>) {
        if let Some(talk) = &self.small_talk
            && [&talk.greeting, &talk.thanks, &talk.about_assistant].iter().any(|reply| reply.trim().is_empty())
        {
            found.push("gather.small_talk: every reply needs words, or a greeting would get none".to_owned());
        }
        if let Some(rerank) = &self.rerank {
            let reserved = rerank.reserves.values().fold(rerank.kind_minimum, |all, least| all.saturating_add(*least));
            if reserved > rerank.keep {
                found.push(format!(
                    "gather.rerank reserves {reserved} places, which is more than the {} it keeps",
                    rerank.keep
                ));
            }
        }
        if self.curated.as_ref().is_some_and(|curated| curated.pin_reranked > curated.pin) {
            found.push(
                "gather.curated.pin_reranked is above gather.curated.pin: no reranker would ever decide".to_owned(),
            );
        }
        for (place, tool) in self.tools.iter().enumerate() {
            tool.contradictions(found);
            if self.tools[..place].iter().any(|other| other.name == tool.name) {
                found.push(format!("gather.tools: {} is there twice", tool.name));
            }
        }
        let patterns = self.patterns();
        if patterns > MOST_PATTERNS {
            found.push(format!("gather has {patterns} regular expressions; it must have at most {MOST_PATTERNS}"));
        }
        if let Some(topics) = &self.topics {
            if topics.topics.is_empty() || topics.topics.iter().any(|topic| topic.exemplars.is_empty()) {
                found.push("gather.topics: every topic needs an exemplar, and there must be one topic".to_owned());
            }
            let is_known = |name: &&String| self.tools.iter().any(|tool| tool.name == **name);
            for name in topics.topics.iter().filter_map(|topic| topic.tool.as_ref()).filter(|name| !is_known(name)) {
                found.push(format!("gather.topics: the tool {name} is not among gather.tools"));
            }
        }
    }
}
