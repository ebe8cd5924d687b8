-- Keys for pages of other sites, and what evaluation runs measured.

ALTER TABLE api_keys
    -- Pages of these origins may use the key, and it can only ask. Empty: it is no key for pages.
    ADD COLUMN origins text[] NOT NULL DEFAULT '{}',
    -- Questions with the key are answered from these collections; empty: from all that its tags show.
    ADD COLUMN collections text[] NOT NULL DEFAULT '{}',
    -- Questions with the key are answered under this policy file; null: the one that is in force otherwise.
    ADD COLUMN policy_sha256 bytea REFERENCES policies;
CREATE INDEX api_keys_by_origin ON api_keys USING gin (origins) WHERE origins <> '{}';

CREATE TABLE evaluation_runs (
    tenant_id uuid NOT NULL REFERENCES tenants,
    id uuid NOT NULL,
    ran_at timestamptz NOT NULL,
    -- Numbers and names of models; no question and no answer.
    figures jsonb NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX evaluation_runs_by_time ON evaluation_runs (tenant_id, ran_at);
