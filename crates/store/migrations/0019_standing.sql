-- Whether a version is in force, as the document says itself: its status, what replaced it, from when and until when it
-- holds. Empty for versions that were read before, until the document is read again.
ALTER TABLE document_versions ADD COLUMN standing jsonb NOT NULL DEFAULT '{}';

-- The keys of the addresses that the current version says it replaces.
ALTER TABLE documents ADD COLUMN replaces text[] COLLATE "C" NOT NULL DEFAULT '{}';
CREATE INDEX documents_by_replaced_address ON documents USING gin (replaces);

-- The addresses of the documents that say they replace this one: those of its own collection, and only those that the
-- asker sees. A document without an address cannot be replaced by name.
CREATE FUNCTION replaced_by(tenant uuid, of_collection text, document uuid, key text, carried text[]) RETURNS text[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$
    SELECT array_agg(address ORDER BY address_key, id) FROM documents
    WHERE tenant_id = tenant AND replaces @> ARRAY[key COLLATE "C"] AND collection = of_collection AND id <> document
        AND address IS NOT NULL AND is_visible(tags, removed_at, carried)
$$;
