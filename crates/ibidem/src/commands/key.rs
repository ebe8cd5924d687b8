//! `ibidem key`: API keys.

use anyhow::Context as _;
use chrono::{Duration, Utc};
use ibidem_store::{ActionObject, ActionRecord, AuditedAction, NewEmbedding, NewKey, PageOrigin};
use ibidem_words::{CollectionName, HandIn, PolicyTexts, Role, Sha256Hash, Tag};
use serde_json::json;

use crate::compose::Parts;
use crate::operator::Operator;
use crate::settings::Settings;
use crate::short_ids::{GivenId, ShownIds};
use crate::{compose, console};

#[derive(clap::Subcommand)]
pub(crate) enum Key {
    /// Creates a key and prints it. It cannot be shown again: only its hash is stored.
    Create {
        #[command(flatten)]
        operator: Operator,
        /// What the key is for. The name need not be unique: keys are told apart by their ids.
        #[arg(long)]
        name: String,
        /// asker; curator, who may also upload documents and write curated memory; or admin.
        #[arg(long, default_value = "asker")]
        role: Role,
        /// Tags of the documents that the key may see besides public ones, separated by commas.
        #[arg(long, value_delimiter = ',')]
        tags: Vec<Tag>,
        /// Collections that a curator's key may hand documents in to, separated by commas; `*` is every collection.
        /// Without it the key may hand in to none. An admin's key may hand in to all.
        #[arg(long, value_delimiter = ',')]
        hand_in: Vec<String>,
        /// The key expires after this many days. Without it, the key does not expire.
        #[arg(long)]
        expires_in_days: Option<u32>,
        /// Lets the key speak for people: a second secret is printed, with which a front end signs for whom it asks. See
        /// docs/sign_in.md.
        #[arg(long)]
        speaks_for_people: bool,
        /// Makes it a key for pages of other sites: pages of these origins may use it, separated by commas, such as
        /// https://intranet.example.org. It can only ask, and everybody who opens such a page can read it. See
        /// docs/how_to/embed.md.
        #[arg(long, value_delimiter = ',', conflicts_with_all = ["speaks_for_people", "role"])]
        origins: Vec<PageOrigin>,
        /// Questions with this key are answered from these collections, separated by commas. Only with --origins.
        #[arg(long, value_delimiter = ',', requires = "origins")]
        collections: Vec<CollectionName>,
        /// Questions with this key are answered under this policy file: the name of a built-in one, or a path. Only with
        /// --origins.
        #[arg(long, requires = "origins")]
        policy: Option<String>,
    },
    /// Lists a tenant's keys by id, name, role, tags and the collections that they may hand documents in to.
    List {
        #[command(flatten)]
        operator: Operator,
    },
    /// Revokes a key. It stops working at once.
    Revoke {
        #[command(flatten)]
        operator: Operator,
        id: GivenId,
    },
}

/// The collections that a role and a right to hand documents in come to, as lists show them.
pub(super) fn hands_in_to(role: Role, hand_in: &HandIn) -> String {
    match role {
        Role::Asker => String::new(),
        Role::Curator => hand_in.to_names().join(","),
        Role::Admin => HandIn::Everywhere.to_names().join(","),
    }
}

/// A policy file that can be put in force here, with its hash.
async fn usable(settings: &Settings, named: &str) -> anyhow::Result<(Sha256Hash, PolicyTexts)> {
    let texts = PolicyTexts { policy: compose::policy_text(named)?.into_owned(), thresholds: None };
    let usable = Parts::ready(settings).await?.policy_places(settings)?.usable(&texts);
    Ok((usable.with_context(|| format!("{named} cannot be put in force"))?.hash, texts))
}

impl Key {
    pub(crate) fn act(&self) -> ActionRecord {
        match self {
            Self::Create { operator, .. } => operator.act(AuditedAction::CreateKey),
            Self::List { operator } => operator.act(AuditedAction::ListKeys),
            Self::Revoke { operator, id } => operator.act_on("key", id, AuditedAction::RevokeKey),
        }
    }

    pub(crate) async fn run(self, settings: &Settings, act: &mut Option<ActionRecord>) -> anyhow::Result<()> {
        let store = compose::ready_store(settings).await?;
        match self {
            Self::Create {
                operator,
                name,
                role,
                tags,
                hand_in,
                expires_in_days,
                speaks_for_people,
                origins,
                collections,
                policy,
            } => {
                let hand_in = HandIn::parse(&hand_in).context("--hand-in")?;
                let tenant = store.ensure_tenant(&operator.tenant).await?;
                let expires_at = expires_in_days.map(|days| Utc::now() + Duration::days(days.into()));
                let new = NewKey { tenant, name, role, tags, hand_in, expires_at };
                let key = match origins.is_empty() {
                    true => store.create_key(&new).await?,
                    false => {
                        let policy = match &policy {
                            Some(named) => Some(usable(settings, named).await?),
                            None => None,
                        };
                        store.create_embedded_key(&new, &NewEmbedding { origins, collections, policy }).await?
                    }
                };
                if let Some(act) = act {
                    act.object = Some(ActionObject::new("key", key.id));
                    act.details = json!({ "role": role.as_str(), "speaks_for_people": speaks_for_people });
                }
                console::note(&format!("key {} created; it is shown only now:", key.id));
                console::say(&key.secret);
                if speaks_for_people && let Some(secret) = store.let_key_speak(tenant, key.id).await? {
                    console::note("the secret with which it signs for whom it speaks, shown only now:");
                    console::say(&secret);
                }
            }
            Self::List { operator } => {
                let mut table =
                    console::table(&["id", "name", "role", "tags", "hands in to", "pages of", "made", "state"]);
                let keys = store.list_keys(operator.tenant_id()).await?;
                let ids = ShownIds::of(keys.iter().map(|key| key.id));
                for key in keys {
                    let state = match (key.revoked_at, key.expires_at) {
                        (Some(at), _) => format!("revoked {}", at.format("%F")),
                        (None, Some(at)) if at <= Utc::now() => format!("expired {}", at.format("%F")),
                        (None, Some(at)) => format!("until {}", at.format("%F")),
                        (None, None) => "valid".to_owned(),
                    };
                    let tags: Vec<_> = key.tags.iter().map(Tag::as_str).collect();
                    let origins = key.embedding.map(|embedding| embedding.origins).unwrap_or_default();
                    let origins: Vec<_> = origins.iter().map(PageOrigin::as_str).collect();
                    let made = key.created_at.format("%F").to_string();
                    table.add_row([
                        ids.show(key.id),
                        key.name,
                        key.role.as_str().to_owned(),
                        tags.join(","),
                        hands_in_to(key.role, &key.hand_in),
                        origins.join(","),
                        made,
                        state,
                    ]);
                }
                console::say(&table.to_string());
            }
            Self::Revoke { operator, id } => {
                let keys = store.list_keys(operator.tenant_id()).await?;
                let missing =
                    || format!("there is no valid key {id} of tenant {}; see `ibidem key list`", operator.tenant);
                let id = id.among(keys.iter().map(|key| key.id))?.with_context(missing)?;
                if let Some(act) = act {
                    act.object = Some(ActionObject::new("key", id));
                }
                if !store.revoke_key(operator.tenant_id(), id).await? {
                    anyhow::bail!("there is no valid key {id} of tenant {}; see `ibidem key list`", operator.tenant);
                }
                console::note(&format!("key {id} is revoked"));
            }
        }
        Ok(())
    }
}
