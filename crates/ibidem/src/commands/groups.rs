//! `ibidem groups`: what groups of the identity provider give their members.

use anyhow::Context as _;
use ibidem_store::{ActionObject, ActionRecord, AuditedAction, NewGroup};
use ibidem_words::{HandIn, Role, Tag};
use serde_json::json;
use uuid::Uuid;

use super::key::hands_in_to;
use crate::operator::Operator;
use crate::settings::Settings;
use crate::{compose, console};

#[derive(clap::Subcommand)]
pub(crate) enum Groups {
    /// Gives a group's members a role and tags, in place of what it gave them before.
    ///
    /// It counts from each member's next request on. Somebody in several groups has the highest of their roles and all
    /// of their tags. Somebody whose groups give nothing is not let in.
    Map {
        #[command(flatten)]
        operator: Operator,
        /// The group, written exactly as the identity provider writes it.
        name: String,
        /// asker; curator, who may also upload documents and write curated memory; or admin.
        #[arg(long, default_value = "asker")]
        role: Role,
        /// Tags of the documents that its members may see besides public ones, separated by commas.
        #[arg(long, value_delimiter = ',')]
        tags: Vec<Tag>,
        /// Collections that its members may hand documents in to as curators, separated by commas; `*` is every
        /// collection. Without it they may hand in to none. Admins may hand in to all.
        #[arg(long, value_delimiter = ',')]
        hand_in: Vec<String>,
    },
    /// Lists the groups that give something, with their ids, roles, tags and collections to hand documents in to.
    List {
        #[command(flatten)]
        operator: Operator,
    },
    /// Takes away what a group gives its members.
    Remove {
        #[command(flatten)]
        operator: Operator,
        /// The id that `ibidem groups list` shows.
        id: Uuid,
    },
}

impl Groups {
    pub(crate) fn act(&self) -> ActionRecord {
        match self {
            Self::Map { operator, .. } => operator.act(AuditedAction::MapGroup),
            Self::List { operator } => operator.act(AuditedAction::ListGroups),
            Self::Remove { operator, id } => operator.act_on("group", id, AuditedAction::RemoveGroup),
        }
    }

    pub(crate) async fn run(self, settings: &Settings, act: &mut Option<ActionRecord>) -> anyhow::Result<()> {
        let store = compose::ready_store(settings).await?;
        match self {
            Self::Map { operator, name, role, tags, hand_in } => {
                let hand_in = HandIn::parse(&hand_in).context("--hand-in")?;
                let tenant = store.ensure_tenant(&operator.tenant).await?;
                let count = tags.len();
                let id = store.map_group(tenant, &NewGroup::new(&name, role, tags)?.handing_in(hand_in)).await?;
                if let Some(act) = act {
                    act.object = Some(ActionObject::new("group", id));
                    act.details = json!({ "role": role.as_str(), "tags": count });
                }
                console::note(&format!("members of {name:?} have the role {} now", role.as_str()));
            }
            Self::List { operator } => {
                let mut table = console::table(&["id", "group", "role", "tags", "hands in to", "changed"]);
                for group in store.list_groups(operator.tenant_id()).await? {
                    let tags: Vec<_> = group.tags.iter().map(Tag::as_str).collect();
                    table.add_row([
                        group.id.to_string(),
                        group.name,
                        group.role.as_str().to_owned(),
                        tags.join(","),
                        hands_in_to(group.role, &group.hand_in),
                        group.changed_at.format("%F").to_string(),
                    ]);
                }
                console::say(&table.to_string());
            }
            Self::Remove { operator, id } => {
                if !store.unmap_group(operator.tenant_id(), id).await? {
                    anyhow::bail!("tenant {} has no group {id}; see `ibidem groups list`", operator.tenant);
                }
                console::note(&format!("group {id} gives nothing any more"));
            }
        }
        Ok(())
    }
}
