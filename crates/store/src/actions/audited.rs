//! Every action on data, by name. docs/actions.md is made of this list.

use std::fmt::Write as _;

/// One line an action: the variant, its name in records, and what it is.
macro_rules! actions {
    ($($variant:ident, $name:literal, $what:literal;)*) => {
        /// What somebody does to data. Whoever adds a route or a command says here what it is.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum AuditedAction {
            $(#[doc = $what] $variant,)*
        }

        impl AuditedAction {
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// As records name it.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// In a sentence.
            pub fn what(self) -> &'static str {
                match self {
                    $(Self::$variant => $what,)*
                }
            }
        }
    };
}

actions! {
    Ask, "answer.ask", "A question is asked. What led to its answer is in the audit, under the same request id.";
    AnswerByRule, "chat.by_rule", "A chat program's own prompt, for example for a title, is answered by rule.";
    ListCollections, "collection.list", "The collections are listed for a chat program, as its models.";
    ReadAnswer, "answer.read", "A stored answer is read again.";
    CreateConversation, "conversation.create", "A conversation is begun.";
    ListConversations, "conversation.list", "Somebody's own conversations are listed.";
    ReadConversation, "conversation.read", "A conversation is read.";
    RenameConversation, "conversation.rename", "A conversation gets another title.";
    ExportConversation, "conversation.export", "A conversation is exported as a file.";
    EraseConversation, "conversation.erase", "A conversation is deleted, with its words in the records of its questions.";
    GiveFeedback, "answer.feedback", "An asker says what they think of an answer.";
    ListFeedback, "feedback.list", "What askers said of answers is read.";
    VerifyAnswer, "answer.verify", "A receipt is checked against the documents.";
    ExplainQuestion, "question.explain", "The way of a question through retrieval and gates is shown.";
    Search, "search", "Passages are searched for.";
    VerifyClaim, "claim.verify", "A claim is held against the documents.";
    SubmitDocument, "document.submit", "Documents are handed in. With `ibidem ingest --sync`, `removed` has the ids of what \
        was removed because it is gone.";
    ListDocuments, "document.list", "Documents are listed.";
    ReadDocument, "document.read", "A document, a passage of it, its original or what is known of it is read.";
    RetagDocument, "document.retag", "A document gets other tags.";
    RemoveDocument, "document.remove", "A document is removed.";
    EraseDocument, "document.erase", "A document is erased, with its words in records and stored answers.";
    Pin, "memory.pin", "A question is pinned to sources.";
    WriteNote, "memory.note", "A background note is written.";
    ReplaceEntry, "memory.replace", "An entry of curated memory gets a new wording.";
    ListEntries, "memory.list", "Entries of curated memory are listed.";
    ReadEntry, "memory.read", "An entry of curated memory is read.";
    TestMemory, "memory.test", "It is tested which entries a question calls up.";
    RemoveEntry, "memory.remove", "An entry of curated memory is removed.";
    CreateKey, "key.create", "An API key is made.";
    RotateSigningKey, "signing_key.rotate", "A new key signs receipts.";
    RevokeSigningKey, "signing_key.revoke", "Nothing that a key signed counts any more.";
    ListKeys, "key.list", "A tenant's API keys are listed.";
    RevokeKey, "key.revoke", "An API key is ended.";
    ListGroups, "group.list", "What groups of the identity provider give their members is listed.";
    MapGroup, "group.map", "A group's members get a role and tags.";
    RemoveGroup, "group.remove", "A group's members no longer get anything.";
    ListPeople, "person.list", "The people of a tenant are listed.";
    SetPerson, "person.set", "A person is kept out, or let in again.";
    ReadSelf, "person.read", "Somebody reads who they are here, and what they may do.";
    SignIn, "person.sign_in", "A person signs in, and a session begins.";
    ListSessions, "session.list", "Somebody lists their own sessions.";
    EndSession, "session.end", "Somebody ends a session of their own.";
    SignOut, "session.sign_out", "Somebody ends the session that they are in.";
    ProviderLogout, "session.provider_logout", "The identity provider ends a person's session.";
    OwnTag, "tag.own", "Somebody becomes the owner of a tag.";
    EraseTenant, "tenant.erase", "A tenant is erased, with everything that is its own.";
    ReadMetrics, "metrics.read", "A tenant's own numbers are read.";
    ReadQueue, "queue.read", "It is read how far the intake of a tenant's documents is.";
    ReadLimits, "limits.read", "Limits and what a tenant's keys and people have used of them are read.";
    ListEvaluations, "quality.list", "What evaluation runs measured is read.";
    ListTerms, "term.list", "Terms of the vocabularies are searched or listed.";
    ReadTerm, "term.read", "A term of a vocabulary is read.";
    ReadAudit, "audit.read", "The record of a question is read.";
    ListActions, "audit.actions", "These records are read.";
    ReplayDecisions, "audit.replay", "Recorded decisions are made again.";
    PruneAudit, "audit.prune", "Old records are removed.";
    ListPolicies, "policy.list", "The policy files that are set for a tenant and its collections are listed.";
    SetPolicy, "policy.set", "A policy file is put in force for a tenant or a collection.";
    UnsetPolicy, "policy.unset", "The policy file of a tenant or a collection is taken back.";
    PolicyInForce, "policy.in_force", "A policy comes into force on a server.";
    ModelsInForce, "models.in_force", "The language models of the settings come into force on a server.";
    MeasureQuality, "quality.measure", "Questions are asked of the documents to measure or calibrate quality.";
    Reindex, "index.rebuild", "The index is built anew.";
    Reconcile, "index.reconcile", "The index is compared with the catalogue and mended.";
    Backup, "installation.back_up", "Everything is copied into a backup.";
    Restore, "installation.restore", "Everything is brought back from a backup.";
    Migrate, "schema.migrate", "The database and the index are brought to a new version's shape.";
}

impl AuditedAction {
    /// The list as docs/actions.md has it.
    pub fn table() -> String {
        let mut table = "| action | what is recorded |\n|---|---|\n".to_owned();
        for action in Self::ALL {
            // Writing to a string does not fail.
            let _ = writeln!(table, "| `{}` | {} |", action.as_str(), action.what());
        }
        table
    }
}

impl std::str::FromStr for AuditedAction {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.iter().find(|action| action.as_str() == written);
        known.copied().ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|action| action.as_str()).collect();
            format!("{written:?} is no action; there are {}", names.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_has_a_name_of_its_own_and_stands_in_the_documentation() {
        for action in AuditedAction::ALL {
            assert_eq!(action.as_str().parse(), Ok(*action));
        }
        let page = include_str!("../../../../docs/actions.md");
        assert!(page.contains(&AuditedAction::table()), "docs/actions.md should hold:\n{}", AuditedAction::table());
    }
}
