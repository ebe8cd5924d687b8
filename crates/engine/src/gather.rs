//! The second movement: every lane in one call, pooled, confirmed by the catalogue, and reranked.

mod alone;
mod curated;
mod echoes;
mod lanes;
mod rerank;
mod second_reading;

use std::collections::{BTreeMap, HashMap};

use crate::candidate::Candidate;
use futures::future::join;
use ibidem_language::{PresentTerms, Terms};
use ibidem_ports::clock::{self, Instant};
use ibidem_ports::degrade::Fault;
use ibidem_ports::index::IndexQuery;
use ibidem_words::Fallback;
use ibidem_words::{DocumentId, PassageKey, Promise};
use tracing::{Instrument as _, trace_span};

use crate::columns::tables_first;
use crate::in_force::{missing_successors, successors_first};
use crate::parts::Parts;
use crate::policy::bounds::MOST_HITS_PER_LANE;
use crate::policy::{GatherRules, RewriteRules};
use crate::search::{Fusion, Rounds, SearchError, Weighed};
use crate::turn::{Asked, Gathered, NamedDocuments, SearchFailed, SearchRecord, TurnLog, Variant, VariantKind};
use curated::Recalled;
use echoes::echoes_behind;
use lanes::{HITS_OF_NAMED, HITS_OF_SUCCESSOR, LaneHit, Sweep, Swept};

/// The most forms of one question that are searched: itself, its parts, and the planner's.
const MOST_VARIANTS: usize = 16;
/// The most hits of one lane, for one form of the question; a later round brings twice what the first does.
const MOST_HITS: usize = 2 * MOST_HITS_PER_LANE;
/// The most passages that the catalogue confirms in one round, and with their texts are read and judged: what a question
/// takes is bounded here, whatever a policy says.
const MOST_CANDIDATES: usize = 256;

/// Fails only when there is nothing to search: then nothing can be answered.
/// A later round looks wider: twice the hits, and twice the variants.
pub async fn gather(parts: &Parts, asked: Asked, named: &NamedDocuments, round: u32) -> Result<Gathered, SearchFailed> {
    let began = clock::now();
    let collections = asked.question.collections.clone();
    let record = SearchRecord { round, collections, ..SearchRecord::default() };
    let log = TurnLog { warnings: named.warnings.clone(), ..TurnLog::default() };
    let mut search =
        Search { record, log, since: began, rounds: Rounds::default(), confirmed_since: None, by_words_alone: false };
    let found = search.candidates(parts, &asked, named).await;
    search.record.took = began.elapsed();
    match found {
        Ok((candidates, reranked, background)) => {
            let Search { record: search, log, confirmed_since, .. } = search;
            Ok(Gathered { asked, candidates, reranked, background, confirmed_since, log, search })
        }
        Err(error) => Err(SearchFailed { asked, error, search: search.record }),
    }
}

/// A search while it goes on: what is to be remembered of it.
struct Search {
    record: SearchRecord,
    log: TurnLog,
    since: Instant,
    rounds: Rounds,
    /// Before the first passage was confirmed.
    confirmed_since: Option<Instant>,
    /// The embedding model did not answer.
    by_words_alone: bool,
}

/// The question and its variants, by meaning and by words.
struct Query {
    /// None where the embedding model did not answer.
    vectors: Option<Vec<Vec<f32>>>,
    words: Weighed,
}

impl Search {
    async fn candidates(
        &mut self,
        parts: &Parts,
        asked: &Asked,
        named: &NamedDocuments,
    ) -> Result<(Vec<Candidate>, bool, Vec<String>), SearchError> {
        let rules = &asked.policy.rules.gather;
        // Of a document that was named, all of the question is asked.
        let asks = if named.documents.is_empty() { asked.parts() } else { Vec::new() };
        self.plan(parts, asked, &asks).await;
        let query = self.query(parts, asked).await?;
        let (swept, mut recalled, found) = loop {
            let mut swept = self.sweep(parts, asked, named, &query).await?;
            let mut recalled = self.recall(parts, asked, &swept).await;
            self.search_within(parts, asked, &swept.question, &mut recalled).await;
            let hits = if recalled.suffices { BTreeMap::new() } else { std::mem::take(&mut swept.hits) };
            let found = self.confirmed(parts, asked, named, &swept.question, hits).await?;
            if !self.rounds.another() {
                break (swept, recalled, found);
            }
        };
        let background = std::mem::take(&mut recalled.background);
        let (mut candidates, mut reranked) = self.with_curated(parts, asked, &asks, found, &recalled).await;
        // What a curator chose is not enough where it was read and does not answer.
        if recalled.suffices && reranked && !recalled.answers(&candidates) {
            self.record.curated_suffices = false;
            let found = self.confirmed(parts, asked, named, &swept.question, swept.hits).await?;
            (candidates, reranked) = self.with_curated(parts, asked, &asks, found, &recalled).await;
        }
        recalled.settle(&mut candidates, reranked);
        if !recalled.candidates.is_empty() {
            self.confirmed_since = None;
        }
        let candidates = trace_span!("read").in_scope(|| self.rank(asked, candidates));
        self.log.warnings.extend(silent(rules, named, &candidates));
        Ok((candidates, reranked, background))
    }

    /// The candidates of the lanes, as far as the catalogue confirms them, and what replaced them.
    async fn confirmed(
        &mut self,
        parts: &Parts,
        asked: &Asked,
        named: &NamedDocuments,
        question: &IndexQuery,
        hits: BTreeMap<PassageKey, LaneHit>,
    ) -> Result<Vec<Candidate>, SearchError> {
        let rules = &asked.policy.rules.gather;
        let reranking = rules.rerank.as_ref().filter(|_| parts.reranker.is_some());
        let mut hits = hits;
        if self.by_words_alone && reranking.is_some() && rules.forced_lexical > 0 {
            // What words force is read with the embedding model too; what else they bring might never have been.
            hits.retain(|_, hit| hit.forced || hit.addressed);
        }
        // Without a reranker, no more than the question alone would bring: with many variants they would be hundreds.
        let most = reranking
            .map_or_else(|| rules.hits_for(asked.question.max_context_chunks).saturating_mul(2), |rerank| rerank.pool);
        let pool = pool(hits, most.saturating_mul(self.wider()), named);
        let mut candidates = self.confirm(parts, asked, pool).await?;
        let successors = self.successors(parts, asked, question.clone(), &candidates).await?;
        candidates.extend(successors);
        Ok(candidates)
    }

    /// With the candidates of curated memory, and read where there is somebody to read them. Says whether they were.
    async fn with_curated(
        &mut self,
        parts: &Parts,
        asked: &Asked,
        asks: &[String],
        mut candidates: Vec<Candidate>,
        recalled: &Recalled,
    ) -> (Vec<Candidate>, bool) {
        lend(&mut candidates, recalled.candidates.clone());
        self.record.unread.clear();
        self.record.found = candidates.len();

        let reranking = asked.policy.rules.gather.rerank.as_ref().zip(parts.reranker.as_ref());
        let Some((_, reranker)) = reranking else { return (candidates, false) };
        let readers = (reranker, parts.second_reader.as_ref());
        let read = rerank::read(readers, asked, asks, self.by_words_alone, &mut candidates);
        let is_read = match read.instrument(trace_span!("rerank")).await {
            Ok(rerank::Read { cut_short, by }) => {
                self.record.read_by = Some(by);
                self.log.unread = None;
                if let Some(error) = cut_short {
                    self.fall_back(Fallback::FewerRead, &error);
                    self.record.unread.extend(candidates.extract_if(.., |candidate| candidate.rerank.is_none()));
                }
                true
            }
            Err(error) => {
                self.log.unread = Some(rerank::why(&error));
                self.fall_back(Fallback::NoRerank, &error);
                false
            }
        };
        self.stage("rerank");
        (candidates, is_read)
    }

    /// A document that a curator chose as a whole brings the passages of it that come closest to the question; its first
    /// ones where the index cannot say.
    async fn search_within(&mut self, parts: &Parts, asked: &Asked, question: &IndexQuery, recalled: &mut Recalled) {
        let documents = recalled.whole_documents();
        if documents.is_empty() {
            return;
        }
        self.record.index_calls += 1;
        // A curator's choice is wanted wherever it is.
        let question = IndexQuery { collections: Vec::new(), ..question.clone() };
        let hits = lanes::of_documents(&parts.searcher.index, asked, question, documents, HITS_OF_NAMED).await;
        let found = match hits {
            Ok(hits) => self.confirm(parts, asked, hits.into_iter().collect()).await,
            Err(error) => Err(error.into()),
        };
        match found {
            Ok(found) => recalled.take(found),
            Err(error) => self.record.failures.push(error.to_string()),
        }
        self.stage("memory");
    }

    /// Puts the candidates in order, keeps the best, and reads these for the question's terms.
    fn rank(&mut self, asked: &Asked, mut candidates: Vec<Candidate>) -> Vec<Candidate> {
        let (rules, query) = (&asked.policy.rules.gather, &asked.question.query);
        let kinds = rules.rerank.as_ref().map_or_else(Vec::new, |rerank| rerank::asked_kinds(query, rerank));
        rerank::order(&mut candidates, rules.rerank.as_ref(), &kinds, rules.order);
        rerank::best_of_parts_first(&mut candidates);
        echoes_behind(query, &mut candidates);
        successors_first(&mut candidates);
        tables_first(query, &mut candidates);
        let terms = Terms::of(query);
        promise_words(&mut candidates, &terms);
        if let Some(rules) = &rules.rerank {
            (candidates, self.record.left_out) = rerank::keep(candidates, rules, &kinds);
            self.record.left_out.append(&mut self.record.unread);
        }
        for candidate in &mut candidates {
            candidate.overlap_with(&terms);
        }
        self.stage("read");
        candidates
    }

    /// The question, its parts, and its variants where the policy wants them and a planner is there in time.
    async fn plan(&mut self, parts: &Parts, asked: &Asked, asks: &[String]) {
        let question = asked.question.query.clone();
        self.record.variants = vec![Variant { kind: VariantKind::Question, text: question }];
        let part = |text: &String| Variant { kind: VariantKind::SubQuestion, text: text.clone() };
        self.record.variants.extend(asks.iter().take(MOST_VARIANTS - 1).map(part));
        let rules = asked.policy.rules.gather.rewrites.as_ref();
        let Some((rules, planner)) = rules.zip(parts.roles.planner.as_deref()) else { return };
        let left = MOST_VARIANTS.saturating_sub(self.record.variants.len());
        let rules = RewriteRules { most: rules.most.saturating_mul(self.wider()).min(left), ..rules.clone() };
        let variants = planner.variants(&asked.question.query, &rules, asked.deadline);
        match variants.instrument(trace_span!("rewrite")).await {
            Ok(mut variants) => {
                variants.retain(|variant| !asks.contains(&variant.text));
                variants.truncate(left);
                self.record.variants.extend(variants);
            }
            Err(error) => self.fall_back(Fallback::NoRewrites, &error),
        }
        self.stage("rewrite");
    }

    /// The variants as the index is asked for them.
    async fn query(&mut self, parts: &Parts, asked: &Asked) -> Result<Query, SearchError> {
        let texts: Vec<&str> = self.record.variants.iter().map(|variant| variant.text.as_str()).collect();
        let (vectors, words) = join(
            lanes::embed(&parts.searcher.embedder, &self.record.variants, asked.deadline),
            parts.searcher.weighed(&asked.scope, &texts),
        )
        .instrument(trace_span!("embed"))
        .await;
        let vectors = match vectors {
            Ok(vectors) => {
                self.record.embedding_requests += 1;
                Some(vectors)
            }
            Err(error) => {
                // What was not asked did not fail.
                let attempts = u32::from(!error.is_circuit_open());
                self.record.embedding_requests += attempts;
                self.record.embedding_failures += attempts;
                self.by_words_alone = true;
                self.fall_back(Fallback::KeywordsOnly, &error);
                None
            }
        };
        self.stage("embed");
        let words = words?;
        if !words.by_rarity {
            self.log.raise(Fallback::WordsUnweighed);
        }
        Ok(Query { vectors, words })
    }

    async fn sweep(
        &mut self,
        parts: &Parts,
        asked: &Asked,
        named: &NamedDocuments,
        query: &Query,
    ) -> Result<Swept, SearchError> {
        let rules = &asked.policy.rules.gather;
        let documents: Vec<_> = named.documents.iter().map(|named| named.document).collect();
        let wanted = Sweep {
            variants: &self.record.variants,
            words: &query.words.texts,
            attainable: &query.words.attainable,
            fusion: Fusion {
                scale: parts.searcher.embedder.port().model().scale,
                keyword_weight: rules.keyword_weight,
            },
            collections: &asked.question.collections,
            hits_per_lane: hits_per_lane(rules, parts, asked.question.max_context_chunks)
                .saturating_mul(self.wider())
                .min(MOST_HITS),
            forced_lexical: rules.forced_lexical,
            reserved: rules.parts.as_ref().map_or(0, |parts| parts.pool),
            named: &documents,
            with_memory: rules.curated.is_some() && parts.memory.is_some(),
        };
        self.record.index_calls += 1;
        let swept = lanes::sweep(&parts.searcher.index, asked, &wanted, query.vectors.as_deref());
        let swept = swept.instrument(trace_span!("index")).await;
        self.stage("index");
        Ok(swept?)
    }

    /// A memory that fails is skipped, and that is said.
    async fn recall(&mut self, parts: &Parts, asked: &Asked, swept: &Swept) -> Recalled {
        let rules = asked.policy.rules.gather.curated.as_ref();
        let Some((rules, memory)) = rules.zip(parts.memory.as_deref()) else { return Recalled::default() };
        let scale = parts.searcher.embedder.port().model().scale;
        let recalled = curated::recall(memory, parts.reranker.as_ref(), asked, rules, &swept.memory, scale);
        let mut recalled = match recalled.instrument(trace_span!("memory")).await {
            Ok(recalled) => recalled,
            Err(error) => {
                self.log.raise(Fallback::NoMemory);
                self.record.failures.push(error.to_string());
                Recalled::default()
            }
        };
        if let Some(failure) = recalled.failure.take() {
            self.record.failures.push(failure);
        }
        self.record.curated = std::mem::take(&mut recalled.matches);
        self.record.curated_suffices = recalled.suffices;
        self.stage("memory");
        recalled
    }

    /// What replaced a document that was found, where the search did not bring it: it answers first.
    async fn successors(
        &mut self,
        parts: &Parts,
        asked: &Asked,
        question: IndexQuery,
        candidates: &[Candidate],
    ) -> Result<Vec<Candidate>, SearchError> {
        let missing = missing_successors(candidates);
        if missing.is_empty() {
            return Ok(Vec::new());
        }
        let documents = parts.searcher.catalogue.addressed(&asked.scope, None, &missing).await?;
        if documents.is_empty() {
            return Ok(Vec::new());
        }
        let documents = documents.into_iter().map(|successor| successor.document).collect();
        self.record.index_calls += 1;
        let hits = lanes::of_documents(&parts.searcher.index, asked, question, documents, HITS_OF_SUCCESSOR).await?;
        let known = |key: &PassageKey| candidates.iter().any(|candidate| candidate.passage.passage == *key);
        let hits = hits.into_iter().filter(|(key, _)| !known(key)).collect();
        self.confirm(parts, asked, hits).await
    }

    /// Keeps what the catalogue confirms as existing, current and visible now.
    async fn confirm(
        &mut self,
        parts: &Parts,
        asked: &Asked,
        pool: Vec<(PassageKey, LaneHit)>,
    ) -> Result<Vec<Candidate>, SearchError> {
        let keys: Vec<PassageKey> = pool.iter().map(|(key, _)| *key).collect();
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        self.confirmed_since.get_or_insert_with(clock::now);
        let visible = parts.searcher.catalogue.visible(&asked.scope, &keys);
        let visible = visible.instrument(trace_span!("catalogue")).await;
        self.stage("catalogue");
        let mut visible: HashMap<_, _> = visible?.into_iter().map(|passage| (passage.passage, passage)).collect();
        self.rounds.confirmed(&keys, visible.keys());
        let scale = parts.searcher.embedder.port().model().scale;
        let confirmed = pool.into_iter().filter_map(|(key, hit)| {
            let LaneHit { cosine, bm25, fused, forced, addressed, .. } = hit;
            let passage = visible.remove(&key)?;
            let candidate = Candidate::unscored(passage).near(cosine, scale);
            let on_its_text = addressed;
            let promised = addressed.then_some(Promise::Name);
            Some(Candidate { promised, bm25, fused: fused.unwrap_or(0.0), forced, addressed, on_its_text, ..candidate })
        });
        Ok(confirmed.collect())
    }

    fn wider(&self) -> usize {
        if self.record.round == 0 { 1 } else { 2 }
    }

    /// A part is skipped: because it failed, or because it was not asked.
    fn fall_back(&mut self, flag: Fallback, failure: &impl Fault) {
        self.log.fall_back(flag, failure);
        self.record.failures.push(failure.to_string());
    }

    /// Ends a stage: what passed since the last one was its time.
    fn stage(&mut self, name: &'static str) {
        self.record.stages.push((name, self.since.elapsed()));
        self.since = clock::now();
    }
}

/// What is said of the named documents that the reader found no answer in, if others of them answer.
fn silent(rules: &GatherRules, named: &NamedDocuments, candidates: &[Candidate]) -> Vec<String> {
    let Some(wording) = rules.addresses.as_ref().map(|rules| &rules.wording) else { return Vec::new() };
    let answers = |document: DocumentId| {
        let mut read =
            candidates.iter().filter(|one| one.is_named_and_read() && one.passage.passage.document == document);
        read.any(Candidate::is_likely_to_answer)
    };
    let (speaking, silent): (Vec<_>, Vec<_>) = named.documents.iter().partition(|named| answers(named.document));
    let is_read = candidates.iter().any(Candidate::is_named_and_read);
    if speaking.is_empty() || silent.is_empty() || !is_read || wording.silent.trim().is_empty() {
        return Vec::new();
    }
    let addresses: Vec<&str> = silent.iter().map(|named| named.address.as_str()).collect();
    vec![wording.silent.replace("{addresses}", &addresses.join(", "))]
}

/// A reranker reads more than would be kept without one.
fn hits_per_lane(rules: &GatherRules, parts: &Parts, wanted: usize) -> usize {
    match &rules.rerank {
        Some(rerank) if parts.reranker.is_some() => rerank.pool.max(rules.hits_for(wanted)),
        _ => rules.hits_for(wanted),
    }
}

/// The `most` best by cosine, the best of each part of the question, and whatever a lane forces. A named document that the index does not know yet is there all
/// the same.
fn pool(hits: BTreeMap<PassageKey, LaneHit>, most: usize, named: &NamedDocuments) -> Vec<(PassageKey, LaneHit)> {
    let mut pool: Vec<(PassageKey, LaneHit)> = hits.into_iter().collect();
    for named in &named.documents {
        const PASSAGES: u32 = 3;
        if pool.iter().any(|(key, _)| key.document == named.document && key.version == named.version) {
            continue;
        }
        let missing = (0..named.passages.min(PASSAGES)).map(|chunk_index| {
            let key = PassageKey { document: named.document, version: named.version, chunk_index };
            (key, LaneHit { forced: true, addressed: true, ..LaneHit::default() })
        });
        pool.extend(missing);
    }
    let cosine = |hit: &LaneHit| hit.cosine.unwrap_or(f32::NEG_INFINITY);
    pool.sort_by(|(one_key, one), (other_key, other)| {
        let named = other.addressed.cmp(&one.addressed);
        named.then_with(|| cosine(other).total_cmp(&cosine(one))).then_with(|| one_key.cmp(other_key))
    });
    // What is exempt stands anywhere in the order: it has its places ahead of the others.
    let mut exempt = pool.iter().filter(|(_, hit)| hit.forced || hit.reserved).count().min(MOST_CANDIDATES);
    let (mut rank, mut others) = (0, MOST_CANDIDATES - exempt);
    pool.retain(|(_, hit)| {
        rank += 1;
        let left = if hit.forced || hit.reserved { &mut exempt } else { &mut others };
        let keeps = (rank <= most || hit.forced || hit.reserved) && *left > 0;
        *left -= usize::from(keeps);
        keeps
    });
    pool
}

/// A term that the asker typed is never lost: of what the asker's own words brought, the best passage with each of them is
/// promised a place, unless one that is promised its own has the term too. Best first.
fn promise_words(candidates: &mut [Candidate], terms: &Terms) {
    let mut present = PresentTerms::default();
    for candidate in candidates.iter_mut().filter(|candidate| candidate.promised.is_some()) {
        present.add(&candidate.overlap_with(terms).present);
    }
    let by_words = |candidate: &&mut Candidate| candidate.forced && candidate.promised.is_none();
    for candidate in candidates.iter_mut().filter(by_words) {
        let own = candidate.overlap_with(terms).present.clone();
        if own.has_more_than(&present) {
            candidate.promised = Some(Promise::Words);
            present.add(&own);
        }
    }
}

/// Curators' sources join what the lanes brought; a passage that both have keeps its scores.
fn lend(candidates: &mut Vec<Candidate>, curated: Vec<Candidate>) {
    for lent in curated {
        match candidates.iter_mut().find(|known| known.passage.passage == lent.passage.passage) {
            Some(known) => {
                known.curated = lent.curated;
                known.forced = true;
                known.promised = known.promised.max(lent.promised);
            }
            None => candidates.push(lent),
        }
    }
}
