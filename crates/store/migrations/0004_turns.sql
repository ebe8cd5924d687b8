-- What was asked and answered, for whoever must explain it later.

CREATE TABLE turns (
    -- Made here, in order of time: a caller chooses the request id, and may choose one twice.
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants,
    request_id uuid NOT NULL,
    subject text NOT NULL,
    session_id text,
    asked_at timestamptz NOT NULL,
    duration_ms bigint NOT NULL,
    policy_sha256 bytea NOT NULL,
    question jsonb NOT NULL,
    answer jsonb NOT NULL,
    -- What the model produced, before the gauntlet; null when none ran.
    draft text,
    markers_dropped integer NOT NULL,
    sentences_dropped integer NOT NULL,
    -- What went wrong with a part, in its own words: for the operator, never for the asker.
    failure text
);
CREATE INDEX turns_by_tenant ON turns (tenant_id, asked_at);
CREATE INDEX turns_by_request ON turns (tenant_id, request_id);
