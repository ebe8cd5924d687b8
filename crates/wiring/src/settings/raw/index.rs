//! The section `index`.

use std::time::Duration;

use ibidem_adapters::qdrant::{QdrantSettings, Quantization};
use ibidem_language::bm25::{Analysis, Language};
use ibidem_words::TenantId;
use serde::Deserialize;

use super::Problems;

/// Fewer than what is shown of a search find too little; with more, comparing every passage is hardly dearer.
const SEARCH_BREADTHS: std::ops::RangeInclusive<u64> = 10..=10_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawIndex {
    url: String,
    also_at: Vec<String>,
    api_key: Option<String>,
    name: String,
    timeout_ms: u64,
    search_breadth: u64,
    shards: u32,
    own_shards: Vec<String>,
    replicas: u32,
    write_consistency: u32,
    on_disk: bool,
    quantization: String,
    language: String,
}

impl RawIndex {
    /// How texts are cut into terms: the same for the index and for the counts in the database.
    pub(super) fn analysis(&self, problems: &mut Problems) -> Analysis {
        match self.language.parse::<Language>() {
            Ok(language) => Analysis::of(language),
            Err(error) => {
                problems.note("index.language", &error.to_string());
                Analysis::default()
            }
        }
    }

    pub(super) fn check(self, analysis: Analysis, problems: &mut Problems) -> Option<QdrantSettings> {
        problems.url("index.url", &self.url, &["http://", "https://"]);
        for url in &self.also_at {
            problems.url("index.also_at", url, &["http://", "https://"]);
        }
        problems.at_least("index.timeout_ms", self.timeout_ms, 1);
        if !SEARCH_BREADTHS.contains(&self.search_breadth) {
            let (least, most) = (SEARCH_BREADTHS.start(), SEARCH_BREADTHS.end());
            problems.note(
                "index.search_breadth",
                &format!("is {}; it must be from {least} to {most}", self.search_breadth),
            );
        }
        problems.at_least("index.shards", self.shards.into(), 1);
        problems.at_least("index.replicas", self.replicas.into(), 1);
        problems.at_least("index.write_consistency", self.write_consistency.into(), 1);
        if self.write_consistency > self.replicas {
            problems.note(
                "index.write_consistency",
                "is more than `index.replicas`: no write could succeed; lower it, or raise `index.replicas`",
            );
        }
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        if self.name.is_empty() || !self.name.chars().all(plain) {
            problems.note("index.name", "must consist of lower-case letters, digits, '-' and '_'");
        }
        let quantizations =
            [("none", Quantization::None), ("int8", Quantization::Int8), ("binary", Quantization::Binary)];
        let quantization = problems.one_of("index.quantization", &self.quantization, &quantizations)?;
        Some(QdrantSettings {
            also_at: self.also_at,
            api_key: self.api_key,
            alias: self.name,
            search_timeout: Duration::from_millis(self.timeout_ms),
            search_breadth: self.search_breadth,
            shards: self.shards,
            own_shards: self.own_shards.iter().map(|tenant| TenantId::named(tenant)).collect(),
            replicas: self.replicas,
            write_consistency: self.write_consistency,
            on_disk: self.on_disk,
            quantization,
            analysis,
            ..QdrantSettings::at(self.url)
        })
    }
}
