//! Many records, one statement.

use ibidem_ports::catalogue::CatalogueError;
use sqlx::{Error, Postgres, Transaction};

use super::AuditRow;
use crate::{Store, unavailable};

/// The longest that one statement of records may take. After that the database ends it, also when nobody waits for it any
/// more: otherwise an attempt that was given up would go on beside the next one.
const LONGEST_STATEMENT_MS: u32 = 4_000;

/// Why records were not written, by what to do about it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum WriteError {
    /// Try again later.
    #[error("the database is unavailable: {0}")]
    Away(String),
    /// The database is there, and ended the statement because it took too long.
    #[error("writing took more than {LONGEST_STATEMENT_MS} ms")]
    TooSlow,
    /// The database will not have one of the records, however often it is asked.
    #[error("the database refuses a record: {0}")]
    Refused(String),
}

impl From<WriteError> for CatalogueError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Refused(reason) => Self::Refused(reason),
            other => Self::Unavailable(other.to_string()),
        }
    }
}

impl From<Error> for WriteError {
    fn from(error: Error) -> Self {
        const CANCELED: &str = "57014";
        let code = error.as_database_error().and_then(|error| error.code());
        if code.is_some_and(|code| code == CANCELED) {
            return Self::TooSlow;
        }
        if is_about_a_record(&error) || matches!(error, Error::Encode(_)) {
            return Self::Refused(error.to_string());
        }
        Self::Away(unavailable(error).to_string())
    }
}

/// A transaction whose statements the database ends when they take too long.
pub(crate) async fn bounded_transaction(store: &Store) -> Result<Transaction<'static, Postgres>, WriteError> {
    let mut transaction = store.pool.begin().await?;
    let limit = LONGEST_STATEMENT_MS.to_string();
    sqlx::query("SELECT set_config('statement_timeout', $1, true)").bind(limit).execute(&mut *transaction).await?;
    Ok(transaction)
}

impl Store {
    pub(super) async fn write_audit(&self, rows: &[AuditRow]) -> Result<(), WriteError> {
        // A column is `Vec<String>` or `Vec<Option<String>>`, as the table has it.
        fn all<'a, T>(rows: &'a [AuditRow], field: impl Fn(&'a AuditRow) -> T) -> Vec<T> {
            rows.iter().map(field).collect()
        }
        let mut transaction = bounded_transaction(self).await?;
        sqlx::query!(
            r#"INSERT INTO audit (id, asked_at, tenant_id, request_id, subject_name, session_id, turn, texts, question, route,
                                  retrieval, decision, action, reason, answer, draft, markers, sentences,
                                  markers_dropped, sentences_dropped, marker_score, sentence_score, citations_checked,
                                  citations_broken, tools, fallback_flags, policy_sha256, duration_ms, stages, failure,
                                  subject_id)
               SELECT id, asked_at, tenant_id, request_id, subject_name, session_id, turn, texts, question::jsonb, route,
                      retrieval::jsonb, decision::jsonb, action, reason, answer::jsonb, draft, markers::jsonb,
                      sentences::jsonb, markers_dropped, sentences_dropped, marker_score, sentence_score,
                      citations_checked, citations_broken, '[]', fallback_flags::jsonb, policy_sha256, duration_ms,
                      stages::jsonb, failure, subject_id
               FROM UNNEST($1::uuid[], $2::timestamptz[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::int[],
                           $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[],
                           $15::text[], $16::text[], $17::text[], $18::text[], $19::int[], $20::int[], $21::float8[],
                           $22::float8[], $23::int[], $24::int[], $25::text[], $26::bytea[], $27::bigint[], $28::text[],
                           $29::text[], $30::text[])
                    AS new (id, asked_at, tenant_id, request_id, subject_name, session_id, turn, texts, question, route,
                            retrieval, decision, action, reason, answer, draft, markers, sentences, markers_dropped,
                            sentences_dropped, marker_score, sentence_score, citations_checked, citations_broken,
                            fallback_flags, policy_sha256, duration_ms, stages, failure, subject_id)
               ON CONFLICT (tenant_id, asked_at, id) DO NOTHING"#,
            &all(rows, |row| row.id),
            &all(rows, |row| row.asked_at),
            &all(rows, |row| row.tenant.0),
            &all(rows, |row| row.request_id),
            &all(rows, |row| row.subject_name.as_str()) as &[&str],
            &all(rows, |row| row.session_id.as_deref()) as &[Option<&str>],
            &all(rows, |row| row.turn),
            &all(rows, |row| row.texts) as &[&str],
            &all(rows, |row| row.question.as_str()) as &[&str],
            &all(rows, |row| row.route) as &[&str],
            &all(rows, |row| row.retrieval.as_deref()) as &[Option<&str>],
            &all(rows, |row| row.decision.as_str()) as &[&str],
            &all(rows, |row| row.action) as &[&str],
            &all(rows, |row| row.reason) as &[Option<&str>],
            &all(rows, |row| row.answer.as_str()) as &[&str],
            &all(rows, |row| row.draft.as_deref()) as &[Option<&str>],
            &all(rows, |row| row.markers.as_str()) as &[&str],
            &all(rows, |row| row.sentences.as_str()) as &[&str],
            &all(rows, |row| row.markers_dropped),
            &all(rows, |row| row.sentences_dropped),
            &all(rows, |row| row.marker_score),
            &all(rows, |row| row.sentence_score),
            &all(rows, |row| row.citations_checked) as &[Option<i32>],
            &all(rows, |row| row.citations_broken) as &[Option<i32>],
            &all(rows, |row| row.fallback_flags.as_str()) as &[&str],
            &all(rows, |row| row.policy_sha256.as_slice()) as &[&[u8]],
            &all(rows, |row| row.duration_ms),
            &all(rows, |row| row.stages.as_str()) as &[&str],
            &all(rows, |row| row.failure.as_deref()) as &[Option<&str>],
            &all(rows, |row| row.subject_id.as_str()) as &[&str],
        )
        .execute(&mut *transaction)
        .await?;
        Ok(transaction.commit().await?)
    }
}

/// The database is well and will not have one of these records, however often it is asked: what a column cannot hold
/// (class 22), what breaks a rule of the table (23), or what is too large (54). A rule without a name is the border of a
/// partition: a month was made while the statement waited, and the next attempt finds it.
fn is_about_a_record(error: &Error) -> bool {
    const CHECK_VIOLATED: &str = "23514";
    let Some(error) = error.as_database_error() else { return false };
    let Some(code) = error.code() else { return false };
    let is_border = code == CHECK_VIOLATED && error.constraint().is_none();
    !is_border && ["22", "23", "54"].iter().any(|class| code.starts_with(class))
}
