//! Many records, one statement.

use ibidem_words::ports::catalogue::CatalogueError;
use sqlx::Error;

use super::AuditRow;
use crate::{Store, unavailable};

impl Store {
    pub(super) async fn write_audit(&self, rows: &[AuditRow]) -> Result<(), CatalogueError> {
        // A column is `Vec<String>` or `Vec<Option<String>>`, as the table has it.
        fn all<'a, T>(rows: &'a [AuditRow], field: impl Fn(&'a AuditRow) -> T) -> Vec<T> {
            rows.iter().map(field).collect()
        }
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
        .execute(&self.pool)
        .await
        .map_err(|error| if is_about_a_record(&error) { crate::convert::corrupt(error) } else { unavailable(error) })?;
        Ok(())
    }
}

/// The database is well and will not have one of these records, however often it is asked: what a column cannot hold
/// (class 22), what breaks a rule of the table (23), or what is too large (54). A rule without a name is the border of a
/// partition: a month was made while the statement waited, and the next attempt finds it.
pub(crate) fn is_about_a_record(error: &Error) -> bool {
    const CHECK_VIOLATED: &str = "23514";
    let Some(error) = error.as_database_error() else { return false };
    let Some(code) = error.code() else { return false };
    let is_border = code == CHECK_VIOLATED && error.constraint().is_none();
    !is_border && ["22", "23", "54"].iter().any(|class| code.starts_with(class))
}
