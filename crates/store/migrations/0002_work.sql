-- Work in progress: documents on their way in (jobs) and on their way to the index (outbox).
-- Both are taken with FOR UPDATE SKIP LOCKED and leased, so that a worker may die at any moment.

CREATE TABLE jobs (
    id uuid PRIMARY KEY,
    -- Everything handed in together, for `--wait` and progress.
    batch uuid NOT NULL,
    tenant_id uuid NOT NULL REFERENCES tenants,
    document_id uuid NOT NULL,
    collection text NOT NULL,
    source_location text NOT NULL,
    format text NOT NULL,
    original_sha256 bytea NOT NULL,
    fingerprint bytea NOT NULL,
    tags text[] NOT NULL,
    title text,
    address text,
    kind text,
    updated_at timestamptz,
    -- Attempts that ended in an error, and times taken: a document that kills its worker is given up too.
    attempts integer NOT NULL DEFAULT 0,
    claims integer NOT NULL DEFAULT 0,
    not_before timestamptz NOT NULL DEFAULT now(),
    leased_until timestamptz,
    lease uuid,
    -- Set when the job was given up: the reason, for the person who handed the document in.
    failed_at timestamptz,
    failure text,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- A document has at most one job: handing it in again replaces what was not done yet.
    UNIQUE (tenant_id, document_id)
);
CREATE INDEX jobs_to_do ON jobs (created_at, id) WHERE failed_at IS NULL;
CREATE INDEX jobs_by_batch ON jobs (batch);

CREATE TABLE outbox (
    tenant_id uuid NOT NULL REFERENCES tenants,
    document_id uuid NOT NULL,
    -- Counts changes; acknowledging an older one leaves a newer one in place.
    generation bigint NOT NULL DEFAULT 1,
    leased_until timestamptz,
    lease uuid,
    enqueued_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, document_id)
);
CREATE INDEX outbox_to_do ON outbox (enqueued_at, tenant_id, document_id);

-- Both tables empty and fill all day: vacuum them early, or their indexes grow over dead rows.
ALTER TABLE jobs SET (autovacuum_vacuum_scale_factor = 0.02, fillfactor = 70);
ALTER TABLE outbox SET (autovacuum_vacuum_scale_factor = 0.02, fillfactor = 70);
