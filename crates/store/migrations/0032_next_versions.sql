-- A version of a document that is kept, and of which the index does not have every passage yet. Until it has, the version
-- before it answers. Then the next one becomes the current one, in one transaction. See
-- docs/adr/0046-the-old-version-answers-until-the-new-one-can.md.
CREATE TABLE next_versions (
    tenant_id uuid NOT NULL,
    document_id uuid NOT NULL,
    version integer NOT NULL,
    -- What the document's row will say.
    tags text[] NOT NULL,
    fingerprint bytea NOT NULL,
    address text,
    address_key text COLLATE "C",
    words tsvector NOT NULL,
    replaces text[] COLLATE "C" NOT NULL,
    -- What its row of document_terms will say.
    analysis text NOT NULL,
    passages integer NOT NULL,
    terms integer[] NOT NULL,
    counts integer[] NOT NULL,
    PRIMARY KEY (tenant_id, document_id),
    FOREIGN KEY (tenant_id, document_id) REFERENCES documents (tenant_id, id) ON DELETE CASCADE
);
-- It fills and empties all day, as the outbox does.
ALTER TABLE next_versions SET (autovacuum_vacuum_scale_factor = 0.02, fillfactor = 70);
