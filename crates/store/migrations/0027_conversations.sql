-- Conversations: questions with their answers, kept for whoever asked, apart from the audit.

CREATE TABLE conversations (
    tenant_id uuid NOT NULL REFERENCES tenants,
    id uuid NOT NULL,
    -- As in `audit`. Nobody else reads it.
    subject_id text NOT NULL,
    title text NOT NULL,
    -- `nobody` before the first question, `question` (its first words), `model`, or `person`.
    titled_by text NOT NULL CHECK (titled_by IN ('nobody', 'question', 'model', 'person')),
    created_at timestamptz NOT NULL,
    changed_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX conversations_by_subject ON conversations (tenant_id, subject_id, changed_at DESC, id DESC);
CREATE INDEX conversations_by_age ON conversations (tenant_id, changed_at);

CREATE TABLE conversation_turns (
    tenant_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    -- 1 is the first.
    number integer NOT NULL,
    request_id uuid NOT NULL,
    asked_at timestamptz NOT NULL,
    question text NOT NULL,
    -- How it was searched for, where it went on with an earlier one.
    rewritten text,
    -- With citations and receipt, as it was given. What its asker may see of it now is asked when it is read.
    answer jsonb NOT NULL,
    PRIMARY KEY (tenant_id, conversation_id, number),
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversations (tenant_id, id) ON DELETE CASCADE
);

-- Requests whose words are to be taken out of the records: a record may be written after its conversation was deleted.
CREATE TABLE conversation_erasures (
    tenant_id uuid NOT NULL REFERENCES tenants,
    request_id uuid NOT NULL,
    subject_id text NOT NULL,
    asked_for_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, request_id, subject_id)
);
