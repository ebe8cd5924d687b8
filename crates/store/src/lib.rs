//! PostgreSQL: the truth about documents, who may see them, and the work under way.

mod actions;
mod ages;
mod asked;
mod audit;
mod backup;
mod catalogue;
mod collections;
mod commit;
mod confirmations;
mod conversations;
mod convert;
mod document_list;
mod documents;
mod embedding;
mod erase;
mod evaluations;
mod feedback;
mod hand_overs;
mod in_time;
mod intake;
mod keys;
mod memory;
mod new_version;
mod next_versions;
mod others_words;
mod outbox;
mod owners;
mod people;
mod policies;
mod policy_places;
mod queue;
mod quotas;
mod readable;
mod retag;
mod schema;
mod sessions;
mod show;
mod signing_keys;
mod source_folders;
mod submit;
mod survey;
mod tenant_metrics;
mod texts;
mod vectors;
mod word_statistics;

use std::time::Duration;

use ibidem_language::bm25::Analysis;
use ibidem_ports::catalogue::CatalogueError;
use sqlx::Connection as _;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};

pub use actions::{ActionEntry, ActionObject, ActionRecord, ActionRow, ActionsOf, AuditedAction};
pub use audit::{
    AuditLog, AuditRecord, AuditRow, CitationCheck, DecisionsOf, HashKey, KeptDecision, LastDecision, LastDecisionsOf,
    Months, Pruned, StoredAnswer, Texts, WriteError, bytes_left_out,
};
pub use backup::{BackupError, Restore, Snapshot, TableShape};
pub use conversations::{
    ConversationRow, ConversationTurn, DeletedConversation, InvalidTitle, NewTurn, Retention, Talker, checked_title,
    history,
};
pub use document_list::{DocumentsOf, ListedRow};
pub use documents::{DocumentRow, RemovalOutcome};
pub use embedding::{InvalidOrigin, KeyEmbedding, NewEmbedding, PageOrigin};
pub use erase::{EraseError, Erased};
pub use evaluations::{EvaluationRun, RiskAtCoverage, RunFigures, SureAnswers};
pub use feedback::{Feedback, FeedbackReason, GivenFeedback, Thumb};
pub use hand_overs::{HandOverCounts, LeasedHandOver, NewHandOver, Retries, UnsentHandOver};
pub use keys::{ApiKeyRow, CreatedKey, KeyError, KeyHolder, NewKey};
pub use memory::{Author, MemoryOutcome, MemoryRow};
pub use people::{GroupRow, InvalidGroup, NewGroup, PersonError, PersonRow};
pub use policy_places::{NewPlacedPolicy, PlacedPolicy, PolicyOfTenant};
pub use queue::{GivenUp, TenantQueue};
pub use quotas::{DailyUse, Exceeded, Holder, HolderUse, TurnPlace};
pub use readable::{KeptVersion, ReadableDocument};
pub use retag::RetagOutcome;
pub use schema::SchemaState;
pub use sessions::{BegunSignIn, KeptSignIn, NewSession, OpenSession, ProviderLogout, SessionRow};
pub use show::ShownDocument;
pub use signing_keys::SigningKeyRow;
pub use source_folders::FolderDocument;
pub use survey::{Backlog, BatchProgress, DocumentState, Exclusive, FailedJob};
pub use tenant_metrics::TenantDay;

/// How long a connection that went idle is taken to live without being asked.
const TRUSTED_FOR: Duration = Duration::from_secs(1);

#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error("`database.url` is not a PostgreSQL URL ({0}); it reads postgres://user:password@host:port/database")]
    Url(String),
    #[error("PostgreSQL does not answer: {0}")]
    Unreachable(String),
}

/// How to reach the database.
#[derive(Clone, Debug)]
pub struct StoreSettings {
    pub url: String,
    pub max_connections: u32,
    pub acquire_timeout: Duration,
    /// For a read that a question waits for, from getting a connection to the last row.
    pub read_timeout: Duration,
    /// How long a worker holds a job or publication without a sign of life.
    pub lease: Duration,
    /// How texts are cut into the terms that are counted; the index must be made with the same.
    pub analysis: Analysis,
}

/// Everything kept in PostgreSQL. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    pool: PgPool,
    read_timeout: Duration,
    lease: Duration,
    analysis: Analysis,
}

impl Store {
    /// Connects on first use, so that a command can say itself what is wrong.
    pub fn new(settings: &StoreSettings) -> Result<Self, ConnectError> {
        let options: PgConnectOptions =
            settings.url.parse().map_err(|error: sqlx::Error| ConnectError::Url(error.to_string()))?;
        let options = options.application_name("ibidem").options([
            // Sixteen partitions make planning dearer than running; every query here has one best plan. A query that
            // looks up many rows of a growing table says which: by `LATERAL (… OFFSET 0)`, which the planner does not
            // take apart. Left to choose while the tables were still empty, it chose scans, and kept to them: one
            // publication took 72 seconds before the statistics came.
            ("plan_cache_mode", "force_generic_plan"),
            // "Already exists, skipping" is not worth a line in anybody's log.
            ("client_min_messages", "warning"),
        ]);
        let pool = PgPoolOptions::new()
            .max_connections(settings.max_connections)
            .acquire_timeout(settings.acquire_timeout)
            .test_before_acquire(false)
            .before_acquire(|connection, about| Box::pin(still_lives(connection, about.idle_for)))
            .connect_lazy_with(options);
        Ok(Self { pool, read_timeout: settings.read_timeout, lease: settings.lease, analysis: settings.analysis })
    }

    /// Whether the database answers, and which version it is.
    pub async fn ping(&self) -> Result<String, ConnectError> {
        sqlx::query_scalar!(r#"SELECT current_setting('server_version') AS "version!""#)
            .fetch_one(&self.pool)
            .await
            .map_err(|error| ConnectError::Unreachable(error.to_string()))
    }

    pub async fn close(&self) {
        self.pool.close().await;
    }

    /// How long a job or publication is held without a sign of life.
    pub fn lease(&self) -> Duration {
        self.lease
    }

    fn lease_interval(&self) -> Result<sqlx::postgres::types::PgInterval, CatalogueError> {
        self.lease.try_into().map_err(|_| CatalogueError::Corrupt("the lease is too long for an interval".to_owned()))
    }
}

/// Whether an idle connection can be used. One used a moment ago is not asked: that would be a round trip for every
/// query of a busy server.
async fn still_lives(connection: &mut sqlx::PgConnection, idle_for: Duration) -> Result<bool, sqlx::Error> {
    Ok(idle_for < TRUSTED_FOR || connection.ping().await.is_ok())
}

/// An error of storing a document: its own where its data is at fault, however often it is tried; else as every other.
fn refused(error: sqlx::Error) -> CatalogueError {
    /// Data exceptions (a NUL, a date outside the calendar), violated constraints, and program limits (a value too
    /// large for its index).
    const OF_THE_DATA: [&str; 3] = ["22", "23", "54"];
    let of_the_data = match &error {
        sqlx::Error::Encode(_) => true,
        sqlx::Error::Database(database) => {
            database.code().is_some_and(|code| OF_THE_DATA.iter().any(|class| code.starts_with(class)))
        }
        _ => false,
    };
    if of_the_data { CatalogueError::Refused(error.to_string()) } else { unavailable(error) }
}

/// Everything but a value that cannot be read back is a database that does not serve us right now.
fn unavailable(error: sqlx::Error) -> CatalogueError {
    match error {
        sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => CatalogueError::Corrupt(error.to_string()),
        other => CatalogueError::Unavailable(other.to_string()),
    }
}
