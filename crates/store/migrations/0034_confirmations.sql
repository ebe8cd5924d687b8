-- Calls of tools that change something, on their way to be confirmed by whoever asked for them.

CREATE TABLE confirmations (
    -- Of the token that the asker was shown. The token itself is kept nowhere.
    token_sha256 bytea PRIMARY KEY CHECK (octet_length(token_sha256) = 32),
    tenant_id uuid NOT NULL REFERENCES tenants,
    -- As in `audit`: whoever asked. Nobody else can confirm.
    subject_id text NOT NULL,
    -- Null where the question belonged to no conversation.
    conversation text,
    -- The call in the record of the turn that asked for the confirmation.
    call_id uuid NOT NULL,
    server text NOT NULL,
    tool text NOT NULL,
    -- The digest of the tool's description when the asker was shown what it does.
    pin bytea NOT NULL CHECK (octet_length(pin) = 32),
    -- What it is called with, and the digest of that. The arguments go when the token is used.
    arguments jsonb,
    arguments_sha256 bytea NOT NULL CHECK (octet_length(arguments_sha256) = 32),
    proposed_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    -- Set by the one that confirmed it.
    used_at timestamptz
);
CREATE INDEX confirmations_by_tenant ON confirmations (tenant_id, subject_id);
CREATE INDEX confirmations_by_end ON confirmations (expires_at);
