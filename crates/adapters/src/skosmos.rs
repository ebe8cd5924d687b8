//! Vocabularies on a Skosmos server, over its REST interface, version 1.
//!
//! A lookup is one search. A second request fetches the concept itself where the search cannot be trusted with its
//! definition: searches break definitions at the ends of lines, and leave out those without a language.

mod data;
mod fetch;
mod hits;

use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;
use futures::{StreamExt as _, TryStreamExt as _};
use ibidem_ports::vocabulary::{
    Concept, Definition, Description, Lookup, Vocabulary, VocabularyError, checked, closest_labels, folded,
};
use reqwest::Url;

use hits::{Hit, SearchReply};

/// Definitions fetched at a time for one ambiguous term.
const AT_A_TIME: usize = 4;
/// Rows asked for when looking for the closest terms.
const ROWS: &str = "100";
/// The shortest beginning of a word worth searching by.
const SHORTEST_BEGINNING: usize = 3;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SkosmosSettings {
    /// Up to and with `/rest/v1`.
    pub url: String,
    /// The ids of the vocabularies to look in; all that the server has when empty.
    pub vocabularies: Vec<String>,
    /// The language that terms are looked up in first, such as `en`.
    pub language: String,
    /// For a whole lookup, all of its requests together.
    pub timeout: Duration,
}

/// The settings cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the Skosmos address {url:?} cannot be used: {reason}; it looks like https://host/rest/v1")]
pub struct SkosmosUrlError {
    url: String,
    reason: String,
}

/// A Skosmos server. Cheap to clone.
#[derive(Clone)]
pub struct Skosmos {
    base: Url,
    settings: SkosmosSettings,
    client: reqwest::Client,
}

impl Skosmos {
    pub fn new(settings: SkosmosSettings) -> Result<Self, SkosmosUrlError> {
        let refused = |reason: String| SkosmosUrlError { url: settings.url.clone(), reason };
        let base = Url::parse(settings.url.trim_end_matches('/')).map_err(|error| refused(error.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(refused("it is not an HTTP address".to_owned()));
        }
        let client = reqwest::Client::builder()
            // Never to another host than the one that was configured, and never by way of another.
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build()
            .map_err(|error| refused(error.to_string()))?;
        Ok(Self { base, settings, client })
    }

    async fn in_time<T>(
        &self,
        work: impl Future<Output = Result<T, VocabularyError>> + Send,
    ) -> Result<T, VocabularyError> {
        let limit = self.settings.timeout;
        let late = |_| VocabularyError::Timeout(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX));
        tokio::time::timeout(limit, work).await.map_err(late)?
    }

    async fn looked_up(&self, term: &str) -> Result<Lookup, VocabularyError> {
        let mut hits = self.hits(term, true).await?;
        if hits.is_empty() {
            hits = self.hits(term, false).await?;
        }
        let mut languages = HashMap::new();
        for hit in &hits {
            languages.entry(hit.concept.uri.clone()).or_insert_with(|| hit.language.clone());
        }
        match Lookup::among(hits.into_iter().map(|hit| hit.concept).collect()) {
            Lookup::Found { concept, see_also } => {
                Ok(Lookup::Found { concept: self.defined(concept, &languages).await?, see_also })
            }
            Lookup::Ambiguous(concepts) => {
                let defined = concepts.into_iter().map(|concept| self.defined(concept, &languages));
                Ok(Lookup::Ambiguous(futures::stream::iter(defined).buffered(AT_A_TIME).try_collect().await?))
            }
            Lookup::Unknown => Ok(Lookup::Unknown),
        }
    }

    /// Searches for a whole label; what comes back is believed only as far as its labels say the term.
    async fn hits(&self, term: &str, in_language: bool) -> Result<Vec<Hit>, VocabularyError> {
        let mut url = self.search_url(term, in_language);
        url.query_pairs_mut().append_pair("fields", "definition");
        let reply: SearchReply = fetch::json(&self.client, url).await?;
        Ok(hits::verified(reply, &folded(term), &self.settings))
    }

    /// The concept with its definition, fetched if the search did not bring it whole.
    async fn defined(
        &self,
        mut concept: Concept,
        languages: &HashMap<String, Option<String>>,
    ) -> Result<Concept, VocabularyError> {
        if concept.definition.is_some() {
            return Ok(concept);
        }
        let url = self.data_url(&concept.vocabulary, &concept.uri);
        let definitions = data::definitions(&fetch::json(&self.client, url).await?, &concept.uri)?;
        let matched = languages.get(&concept.uri).and_then(Option::as_deref);
        let wanted: Vec<&str> = [self.settings.language.as_str()].into_iter().chain(matched).collect();
        concept.definition = Definition::best(&definitions, &wanted);
        Ok(concept)
    }

    /// A concept of the vocabularies that are configured; where none is named, of any that the server has.
    async fn described(&self, uri: &str, language: &str) -> Result<Option<Description>, VocabularyError> {
        let vocabularies: Vec<&str> = match self.settings.vocabularies.as_slice() {
            [] => vec![""],
            named => named.iter().map(String::as_str).collect(),
        };
        for vocabulary in vocabularies {
            if let Some(reply) = fetch::json_if_there(&self.client, self.data_url(vocabulary, uri)).await? {
                return data::description(&reply, uri, vocabulary, language).map(Some);
            }
        }
        Ok(None)
    }

    /// Labels that begin like this, to be shown to people.
    async fn beginning(&self, beginning: &str) -> Result<Vec<String>, VocabularyError> {
        let mut url = self.search_url(&format!("{beginning}*"), true);
        url.query_pairs_mut().append_pair("maxhits", ROWS);
        let reply: SearchReply = fetch::json(&self.client, url).await?;
        Ok(hits::labels(reply))
    }

    async fn nearest(&self, term: &str, limit: usize) -> Result<Vec<String>, VocabularyError> {
        // People misspell the ends of words more often than their beginnings; the shorter beginning is for the rest.
        let letters = term.chars().count();
        let half: String = term.chars().take((letters / 2).max(SHORTEST_BEGINNING)).collect();
        let least: String = term.chars().take(SHORTEST_BEGINNING).collect();
        let mut labels = self.beginning(half.trim_end()).await?;
        if labels.is_empty() && least != half {
            labels = self.beginning(least.trim_end()).await?;
        }
        Ok(closest_labels(term, labels.iter().map(String::as_str), limit))
    }

    fn search_url(&self, query: &str, in_language: bool) -> Url {
        // Asked for by its own path, a vocabulary that is not there is a clean error.
        let (mut url, several) = match self.settings.vocabularies.as_slice() {
            [] => (self.url(&["search"]), None),
            [one] => (self.url(&[one, "search"]), None),
            several => (self.url(&["search"]), Some(several.join(" "))),
        };
        let language = &self.settings.language;
        let mut pairs = url.query_pairs_mut();
        pairs.append_pair("query", query);
        if in_language {
            pairs.append_pair("lang", language);
        }
        pairs.append_pair("labellang", language).append_pair("unique", "true");
        if let Some(several) = several {
            pairs.append_pair("vocab", &several);
        }
        drop(pairs);
        url
    }

    fn data_url(&self, vocabulary: &str, uri: &str) -> Url {
        let mut url = self.url(&[vocabulary, "data"]);
        url.query_pairs_mut().append_pair("uri", uri).append_pair("format", "application/json");
        url
    }

    fn url(&self, path: &[&str]) -> Url {
        let mut url = self.base.clone();
        // An HTTP address always has a path to add to.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path.iter().filter(|segment| !segment.is_empty()));
        }
        url
    }
}

#[async_trait]
impl Vocabulary for Skosmos {
    async fn lookup(&self, term: &str) -> Result<Lookup, VocabularyError> {
        let term = checked(term)?;
        self.in_time(self.looked_up(&term)).await
    }

    async fn closest(&self, term: &str, limit: usize) -> Result<Vec<String>, VocabularyError> {
        let term = checked(term)?;
        if limit == 0 {
            return Ok(Vec::new());
        }
        self.in_time(self.nearest(&term, limit)).await
    }

    async fn describe(&self, uri: &str, language: &str) -> Result<Option<Description>, VocabularyError> {
        self.in_time(self.described(uri, language)).await
    }
}
