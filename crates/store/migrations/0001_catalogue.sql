-- The catalogue: the truth about tenants, documents, versions and passages.
-- Shapes are chosen for 10^4 tenants and 10^7 to 10^9 passages: see docs/adr/0003-catalogue-shapes.md.

CREATE TABLE tenants (
    id uuid PRIMARY KEY,
    name text NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE collections (
    tenant_id uuid NOT NULL REFERENCES tenants,
    name text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, name)
);

CREATE TABLE users (
    tenant_id uuid NOT NULL REFERENCES tenants,
    id uuid NOT NULL,
    email text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, email)
);

-- A tag's owner is whom a question about it is routed to.
CREATE TABLE tags (
    tenant_id uuid NOT NULL REFERENCES tenants,
    name text NOT NULL,
    owner_user_id uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, name),
    FOREIGN KEY (tenant_id, owner_user_id) REFERENCES users (tenant_id, id)
);

-- One row a document: what every read asks first, so it stays narrow and unpartitioned (10^6 rows at 10^7 passages).
CREATE TABLE documents (
    tenant_id uuid NOT NULL REFERENCES tenants,
    id uuid NOT NULL,
    collection text NOT NULL,
    source_location text NOT NULL,
    -- Visibility: somebody sees the document who shares one of these, or if one of them is 'public'.
    tags text[] NOT NULL,
    current_version integer NOT NULL,
    -- Digest of everything that decides what the current version looks like; equal means nothing to do.
    fingerprint bytea NOT NULL,
    address text,
    removed_at timestamptz,
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, collection) REFERENCES collections (tenant_id, name)
);
CREATE INDEX documents_by_collection ON documents (tenant_id, collection, source_location) WHERE removed_at IS NULL;
CREATE INDEX documents_by_address ON documents (tenant_id, lower(address)) WHERE address IS NOT NULL AND removed_at IS NULL;
CREATE INDEX documents_by_change ON documents (changed_at);

CREATE TABLE document_versions (
    tenant_id uuid NOT NULL,
    document_id uuid NOT NULL,
    version integer NOT NULL,
    title text NOT NULL,
    kind text,
    format text NOT NULL,
    updated_at timestamptz NOT NULL,
    -- Digest of the original's bytes: its name in the originals store.
    original_sha256 bytea NOT NULL,
    -- The extracted text, which every span of this version points into, and its digest.
    text text NOT NULL,
    text_sha256 bytea NOT NULL,
    chunk_count integer NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, document_id, version),
    FOREIGN KEY (tenant_id, document_id) REFERENCES documents (tenant_id, id) DEFERRABLE INITIALLY DEFERRED
);

-- The two large tables are hash-partitioned by what every access names, so each lookup touches one partition,
-- and vacuum, reindex and a later move to other disks work on a sixteenth at a time.
CREATE TABLE chunks (
    tenant_id uuid NOT NULL,
    document_id uuid NOT NULL,
    version integer NOT NULL,
    chunk_index integer NOT NULL,
    section text,
    page integer,
    span_start integer NOT NULL,
    span_end integer NOT NULL,
    tokens integer NOT NULL,
    sha256 bytea NOT NULL,
    -- Digest of the text that was embedded (title and section with the passage): the key of its vector.
    embedding_key bytea NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (tenant_id, document_id, version, chunk_index)
) PARTITION BY HASH (tenant_id, document_id);

-- Vectors by what was embedded, so that an unchanged passage of a changed document costs nothing
-- and the index can be rebuilt without any embedding. By tenant: a vector that is already there
-- must not tell one tenant what another one keeps.
CREATE TABLE embeddings (
    tenant_id uuid NOT NULL,
    model_hash bytea NOT NULL,
    embedding_key bytea NOT NULL,
    -- Little-endian 32-bit floats.
    vector bytea NOT NULL,
    PRIMARY KEY (tenant_id, embedding_key, model_hash)
) PARTITION BY HASH (tenant_id, embedding_key);
-- Vectors are random bits: trying to compress them only costs time.
ALTER TABLE embeddings ALTER COLUMN vector SET STORAGE EXTERNAL;

DO $$
BEGIN
    FOR part IN 0..15 LOOP
        EXECUTE format('CREATE TABLE chunks_%s PARTITION OF chunks FOR VALUES WITH (MODULUS 16, REMAINDER %s)', part, part);
        EXECUTE format('CREATE TABLE embeddings_%s PARTITION OF embeddings FOR VALUES WITH (MODULUS 16, REMAINDER %s)', part, part);
    END LOOP;
END $$;
