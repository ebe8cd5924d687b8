//! `ibidem policies`: which policy file is in force for a tenant and for its collections.

use anyhow::Context as _;
use ibidem_store::{ActionObject, ActionRecord, AuditedAction, NewPlacedPolicy};
use ibidem_words::{CollectionName, PolicyTexts, SubjectId};
use serde_json::json;

use crate::compose::{self, Parts};
use crate::console;
use crate::operator::Operator;
use crate::settings::Settings;

#[derive(clap::Subcommand)]
pub(crate) enum Policies {
    /// Puts a policy file in force for a tenant, or for one of its collections.
    ///
    /// It counts from the next question on, on every server. A question that names collections with one and the same
    /// policy file is answered under it. Every other question is answered under the tenant's policy file, or under
    /// `policy.use` where the tenant has none.
    Set {
        #[command(flatten)]
        operator: Operator,
        /// The policy file: the name of a built-in one, or a path.
        policy: String,
        /// Only for this collection.
        #[arg(long)]
        collection: Option<CollectionName>,
    },
    /// Takes back the policy file of a tenant, or of one of its collections.
    Unset {
        #[command(flatten)]
        operator: Operator,
        /// Of this collection.
        #[arg(long)]
        collection: Option<CollectionName>,
    },
    /// Lists what is set for a tenant and its collections.
    List {
        #[command(flatten)]
        operator: Operator,
        /// Also lists what was set before.
        #[arg(long)]
        history: bool,
    },
}

fn named(collection: Option<&CollectionName>) -> String {
    collection.map_or("the whole tenant".to_owned(), |name| format!("the collection {name}"))
}

fn kind(collection: Option<&CollectionName>) -> &'static str {
    if collection.is_some() { "collection" } else { "tenant" }
}

impl Policies {
    pub(crate) fn act(&self) -> ActionRecord {
        match self {
            Self::Set { operator, .. } => operator.act(AuditedAction::SetPolicy),
            Self::Unset { operator, .. } => operator.act(AuditedAction::UnsetPolicy),
            Self::List { operator, .. } => operator.act(AuditedAction::ListPolicies),
        }
    }

    pub(crate) async fn run(self, settings: &Settings, act: &mut Option<ActionRecord>) -> anyhow::Result<()> {
        match self {
            Self::Set { operator, policy, collection } => {
                let texts = PolicyTexts { policy: compose::policy_text(&policy)?.into_owned(), thresholds: None };
                let parts = Parts::ready(settings).await?;
                let usable = parts.policy_places(settings)?.usable(&texts);
                let usable = usable.with_context(|| format!("{policy} cannot be put in force"))?;
                let tenant = parts.store.ensure_tenant(&operator.tenant).await?;
                let new = NewPlacedPolicy { sha256: usable.hash, texts: &texts, name: &usable.rules.name };
                let by = SubjectId::Operator;
                let version = parts.store.place_policy(tenant, collection.as_ref(), &new, by).await?;
                if let Some(act) = act {
                    act.object = Some(ActionObject::new("policy", usable.hash));
                    act.details = json!({ "place": kind(collection.as_ref()), "version": version });
                }
                let place = named(collection.as_ref());
                console::note(&format!("{} is in force for {place}, version {version}", usable.rules.name));
            }
            Self::Unset { operator, collection } => {
                let (store, place) = (compose::ready_store(settings).await?, named(collection.as_ref()));
                let tenant = operator.tenant_id();
                let version = store.unplace_policy(tenant, collection.as_ref(), SubjectId::Operator).await?;
                let version =
                    version.with_context(|| format!("nothing is set for {place}; see `ibidem policies list`"))?;
                if let Some(act) = act {
                    act.details = json!({ "place": kind(collection.as_ref()), "version": version });
                }
                console::note(&format!("nothing is set for {place} any more"));
            }
            Self::List { operator, history } => {
                let (store, tenant) = (compose::ready_store(settings).await?, operator.tenant_id());
                let settings = match history {
                    true => store.policy_history(tenant).await?,
                    false => store.placed_policies(tenant).await?,
                };
                let mut table = console::table(&["collection", "version", "policy file", "hash", "set by", "set"]);
                for setting in settings {
                    table.add_row([
                        setting.collection.map_or("(all)".to_owned(), String::from),
                        setting.version.to_string(),
                        setting.name,
                        setting.policy.map_or("(taken back)".to_owned(), |hash| hash.short(12)),
                        setting.set_by,
                        setting.set_at.format("%F %R").to_string(),
                    ]);
                }
                console::say(&table.to_string());
            }
        }
        Ok(())
    }
}
