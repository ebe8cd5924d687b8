//! Many actions, one statement.

use ibidem_words::{Role, Subject, SubjectId};

use super::ActionRow;
use crate::Store;
use crate::audit::{WriteError, bounded_transaction, without_nul};

/// Whoever runs the installation stands above the roles of keys.
fn role_of((subject, role): &(Subject, Role)) -> &'static str {
    if subject.id() == SubjectId::Operator { "operator" } else { role.as_str() }
}

impl Store {
    pub(super) async fn write_actions(&self, rows: &[ActionRow]) -> Result<(), WriteError> {
        fn all<'a, T>(rows: &'a [ActionRow], field: impl Fn(&'a ActionRow) -> T) -> Vec<T> {
            rows.iter().map(field).collect()
        }
        let mut transaction = bounded_transaction(self).await?;
        sqlx::query!(
            "INSERT INTO actions (id, acted_at, tenant_id, subject_id, subject_name, role, action, object_kind,
                                  object_id, outcome, request_id, details)
             SELECT id, acted_at, tenant_id, subject_id, subject_name, role, action, object_kind, object_id, outcome,
                    request_id, details::jsonb
             FROM UNNEST($1::uuid[], $2::timestamptz[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[],
                         $8::text[], $9::text[], $10::text[], $11::uuid[], $12::text[])
                  AS new (id, acted_at, tenant_id, subject_id, subject_name, role, action, object_kind, object_id,
                          outcome, request_id, details)
             ON CONFLICT (acted_at, id) DO NOTHING",
            &all(rows, |row| row.id),
            &all(rows, |row| row.record.acted_at),
            &all(rows, |row| row.record.tenant.map(|tenant| tenant.0)) as &[Option<uuid::Uuid>],
            &all(rows, |row| row.record.by.as_ref().map(|(subject, _)| subject.id().to_string()))
                as &[Option<String>],
            &all(rows, |row| row.record.by.as_ref().map(|(subject, _)| without_nul(subject.name().to_owned())))
                as &[Option<String>],
            &all(rows, |row| row.record.by.as_ref().map(|by| role_of(by))) as &[Option<&str>],
            &all(rows, |row| row.record.action.as_str()) as &[&str],
            &all(rows, |row| row.record.object.as_ref().map(|object| object.kind)) as &[Option<&str>],
            &all(rows, |row| row.record.object.as_ref().map(|object| without_nul(object.id.clone())))
                as &[Option<String>],
            &all(rows, |row| row.record.outcome.as_ref()) as &[&str],
            &all(rows, |row| row.record.request_id) as &[Option<uuid::Uuid>],
            &all(rows, |row| row.record.details.to_string()) as &[String],
        )
        .execute(&mut *transaction)
        .await?;
        Ok(transaction.commit().await?)
    }
}
