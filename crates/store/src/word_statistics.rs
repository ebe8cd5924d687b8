//! How many passages have a word, counted for each set of tags and added up for a scope. Triggers of the database keep
//! the counts in step with the documents (migration 13); here are the terms of a document and the reading.

use async_trait::async_trait;
use ibidem_language::bm25::{Analysis, DocumentTerms, TermCounts, TermId};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::intake::{Job, NewVersion};
use ibidem_ports::word_statistics::WordStatistics;
use ibidem_words::{DocumentId, Scope, TenantId, passage_in_context};
use sqlx::PgConnection;

use crate::asked::{Asked as _, Run as _};
use crate::convert::{scope_tags, to_i32};
use crate::{Store, unavailable};

#[async_trait]
impl WordStatistics for Store {
    fn analysis(&self) -> &Analysis {
        &self.analysis
    }

    async fn counts(&self, scope: &Scope, terms: &[TermId]) -> Result<Option<TermCounts>, CatalogueError> {
        let terms: Vec<i32> = terms.iter().copied().map(as_integer).collect();
        let rows = sqlx::query!(
            r#"WITH visible AS MATERIALIZED (
                   SELECT id, passages FROM tag_sets
                   WHERE tenant_id = $1 AND analysis = $2 AND is_visible(tags, NULL, $3)
               )
               SELECT NULL::integer AS term, coalesce(sum(passages), 0)::bigint AS "passages!",
                      EXISTS (SELECT FROM counted_analyses WHERE analysis = $2) AS "is_complete!"
               FROM visible
               UNION ALL
               SELECT asked.term, sum(counted.passages)::bigint, true
               FROM unnest($4::integer[]) AS asked (term)
               CROSS JOIN LATERAL (SELECT passages FROM term_counts
                   WHERE tenant_id = $1 AND term = asked.term AND tag_set IN (SELECT id FROM visible) OFFSET 0) counted
               GROUP BY asked.term"#,
            scope.tenant().0,
            self.analysis.id(),
            &scope_tags(scope),
            &terms,
        )
        .all_in_time(self)
        .await?;
        if rows.iter().any(|row| !row.is_complete) {
            return Ok(None);
        }
        let mut counts = TermCounts::default();
        for row in rows {
            let passages = u64::try_from(row.passages).unwrap_or(0);
            match row.term {
                None => counts.passages = passages,
                Some(term) => drop(counts.with_term.insert(as_term(term), passages)),
            }
        }
        Ok(Some(counts))
    }
}

impl Store {
    /// The terms of versions that are to be committed. Long texts take a while, so they have a thread of their own.
    pub(crate) async fn terms_of(&self, versions: &[(Job, NewVersion)]) -> Result<Vec<DocumentTerms>, CatalogueError> {
        let texts: Vec<Vec<String>> = versions.iter().map(|(_, version)| texts_of(version)).collect();
        self.counted(texts).await
    }

    async fn counted(&self, documents: Vec<Vec<String>>) -> Result<Vec<DocumentTerms>, CatalogueError> {
        let analysis = self.analysis;
        let counting = tokio::task::spawn_blocking(move || {
            documents.iter().map(|passages| analysis.count(passages.iter().map(String::as_str))).collect()
        });
        counting.await.map_err(|error| CatalogueError::Unavailable(format!("counting words: {error}")))
    }

    /// Counts documents that are not counted by the configured analysis, some at a time. Returns how many it found:
    /// none when all are.
    pub async fn count_words_of_some(&self, most: usize) -> Result<usize, CatalogueError> {
        let analysis = self.analysis.id();
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        // Locked, so that a commit meanwhile is not overwritten by the terms of the version before it.
        let documents = sqlx::query!(
            "SELECT d.tenant_id, d.id, d.current_version, v.title
             FROM documents d
             JOIN document_versions v ON v.tenant_id = d.tenant_id AND v.document_id = d.id
                 AND v.version = d.current_version
             WHERE d.removed_at IS NULL AND NOT EXISTS (SELECT FROM document_terms t
                 WHERE t.tenant_id = d.tenant_id AND t.document_id = d.id AND t.analysis = $1)
             ORDER BY d.tenant_id, d.id LIMIT $2 FOR UPDATE OF d",
            analysis,
            i64::from(to_i32(most)?),
        )
        .all(&mut *transaction)
        .await?;
        let mut texts = Vec::with_capacity(documents.len());
        for document in &documents {
            let passages = sqlx::query!(
                "SELECT section, text FROM chunks WHERE tenant_id = $1 AND document_id = $2 AND version = $3",
                document.tenant_id,
                document.id,
                document.current_version,
            )
            .all(&mut *transaction)
            .await?;
            let in_context =
                passages.iter().map(|row| passage_in_context(&document.title, row.section.as_deref(), &row.text));
            texts.push(in_context.collect());
        }
        let counted = self.counted(texts).await?;
        for (document, terms) in documents.iter().zip(counted) {
            let (tenant, id) = (TenantId(document.tenant_id), DocumentId(document.id));
            store_terms(&mut transaction, &analysis, tenant, id, &terms).await?;
        }
        transaction.commit().await.map_err(unavailable)?;
        Ok(documents.len())
    }

    /// Notes that words can be weighed, if every document is counted. Says whether they can.
    pub async fn conclude_counting(&self) -> Result<bool, CatalogueError> {
        let analysis = self.analysis.id();
        sqlx::query!(
            "INSERT INTO counted_analyses (analysis)
             SELECT $1 WHERE NOT EXISTS (SELECT FROM documents d
                 WHERE d.removed_at IS NULL AND NOT EXISTS (SELECT FROM document_terms t
                     WHERE t.tenant_id = d.tenant_id AND t.document_id = d.id AND t.analysis = $1))
             ON CONFLICT DO NOTHING",
            analysis,
        )
        .run(&self.pool)
        .await?;
        self.weighs_words().await
    }

    /// Whether every document is counted by the configured analysis.
    pub async fn weighs_words(&self) -> Result<bool, CatalogueError> {
        sqlx::query_scalar!(
            r#"SELECT EXISTS (SELECT FROM counted_analyses WHERE analysis = $1) AS "weighs!""#,
            self.analysis.id()
        )
        .one(&self.pool)
        .await
    }
}

/// Makes these the terms of a document that is there. Under another analysis it is not counted any more.
pub(crate) async fn store_terms(
    connection: &mut PgConnection,
    analysis: &str,
    tenant: TenantId,
    document: DocumentId,
    terms: &DocumentTerms,
) -> Result<(), CatalogueError> {
    let (ids, counts) = columns(terms);
    sqlx::query!(
        "INSERT INTO document_terms (tenant_id, document_id, analysis, tags, passages, terms, counts)
         SELECT tenant_id, id, $3, tag_set_of(tags), $4, $5, $6 FROM documents WHERE tenant_id = $1 AND id = $2
         ON CONFLICT (tenant_id, document_id) DO UPDATE SET
             analysis = excluded.analysis, tags = excluded.tags, passages = excluded.passages,
             terms = excluded.terms, counts = excluded.counts",
        tenant.0,
        document.0,
        analysis,
        to_i32(terms.passages)?,
        &ids,
        &counts,
    )
    .run(&mut *connection)
    .await?;
    sqlx::query!("DELETE FROM counted_analyses WHERE analysis <> $1", analysis).run(connection).await?;
    Ok(())
}

/// Terms, and how many passages have each, as they are stored.
pub(crate) fn columns(terms: &DocumentTerms) -> (Vec<i32>, Vec<i32>) {
    let counted = terms.with_term.iter();
    counted.map(|(term, count)| (as_integer(*term), i32::try_from(*count).unwrap_or(i32::MAX))).unzip()
}

/// What the index finds words in.
fn texts_of(version: &NewVersion) -> Vec<String> {
    let passages = version.passages.iter();
    passages.map(|passage| passage_in_context(&version.title, passage.section.as_deref(), &passage.text)).collect()
}

fn as_integer(term: TermId) -> i32 {
    i32::from_ne_bytes(term.0.to_ne_bytes())
}

fn as_term(integer: i32) -> TermId {
    TermId(u32::from_ne_bytes(integer.to_ne_bytes()))
}
