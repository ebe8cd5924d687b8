-- Curated memory: what curators wrote down, and what of it is embedded.

CREATE TABLE memory_entries (
    tenant_id uuid NOT NULL REFERENCES tenants,
    -- Made here, in order of time: no document ever has the same, so both share the outbox.
    id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('pin', 'note')),
    -- Of a note only.
    text text,
    -- Questions, as a curator would put them, that call the entry up.
    triggers text[] NOT NULL,
    -- Passages, documents and addresses, as the curator named them; what they lead to is looked up when it is needed.
    refers_to jsonb NOT NULL,
    -- Visibility, as of a document: whoever shares one of these is helped by the entry.
    tags text[] NOT NULL,
    -- Counts the changes: a point in the index of an older one is of words that are no longer the entry's.
    version integer NOT NULL,
    passage_count integer NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    changed_by text NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    -- A removed entry keeps its id and nothing it said: a rebuilt index must learn that it went.
    removed_at timestamptz,
    PRIMARY KEY (tenant_id, id),
    CHECK ((kind = 'note') = (text IS NOT NULL))
);

-- What is embedded of an entry: its triggers first, each whole, then the passages of its note.
CREATE TABLE memory_passages (
    tenant_id uuid NOT NULL,
    entry_id uuid NOT NULL,
    chunk_index integer NOT NULL,
    -- Digest of the text: the key of its vector.
    embedding_key bytea NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (tenant_id, entry_id, chunk_index),
    FOREIGN KEY (tenant_id, entry_id) REFERENCES memory_entries (tenant_id, id)
);
