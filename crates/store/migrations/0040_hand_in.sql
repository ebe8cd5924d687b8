-- Who may write what: into which collections somebody may hand documents in, and of which documents somebody's own may say
-- something. See docs/adr/0065-a-word-about-another-document-needs-rights-on-both.md.

-- The collections that a key, or the members of a group, may hand documents in to, besides the role; null: all of them. Keys
-- and groups that are there keep what they could do before. One that is made by an older release, which does not say, gets
-- none.
ALTER TABLE api_keys ADD COLUMN hand_in text[];
ALTER TABLE api_keys ALTER COLUMN hand_in SET DEFAULT '{}';
ALTER TABLE group_rights ADD COLUMN hand_in text[];
ALTER TABLE group_rights ALTER COLUMN hand_in SET DEFAULT '{}';

-- Since when a document has its address.
ALTER TABLE documents ADD COLUMN address_since timestamptz NOT NULL DEFAULT now();
UPDATE documents d SET address_since = v.first_at
FROM (SELECT tenant_id, document_id, min(created_at) AS first_at FROM document_versions GROUP BY tenant_id, document_id) v
WHERE v.tenant_id = d.tenant_id AND v.document_id = d.id;

CREATE FUNCTION note_new_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.address_key IS DISTINCT FROM OLD.address_key OR (OLD.removed_at IS NOT NULL AND NEW.removed_at IS NULL) THEN
        NEW.address_since := now();
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER note_new_address BEFORE UPDATE OF address_key, removed_at ON documents
FOR EACH ROW EXECUTE FUNCTION note_new_address();

-- Who handed a document in, as it stands in its location (`api:key:…/name`) and therefore in its id: no version of it can be
-- another's. Null: the operator, whose documents' locations are paths.
CREATE FUNCTION handed_in_by(location text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN location LIKE 'api:%' THEN split_part(substr(location, 5), '/', 1) END
$$;

-- What somebody may do now: the own row of a key, also of one that has ended, or what a person's groups give. No row for
-- somebody who is not known.
CREATE FUNCTION rights_of(tenant uuid, subject text)
RETURNS TABLE (is_admin boolean, is_curator boolean, tags text[], hand_in text[])
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT role = 'admin', role <> 'asker', tags, hand_in FROM api_keys
    WHERE tenant_id = tenant AND id = CASE
        WHEN subject ~ '^key:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN substr(subject, 5)::uuid END
    UNION ALL
    SELECT bool_or(g.role = 'admin'), bool_or(g.role <> 'asker'),
           coalesce(array_agg(DISTINCT tag.name) FILTER (WHERE tag.name IS NOT NULL), '{}'),
           CASE WHEN NOT bool_or(g.hand_in IS NULL)
                THEN coalesce(array_agg(DISTINCT place.name) FILTER (WHERE place.name IS NOT NULL), '{}') END
    FROM people p
    JOIN group_rights g ON g.tenant_id = p.tenant_id AND g.name = ANY (p.groups)
    LEFT JOIN LATERAL unnest(g.tags) AS tag (name) ON true
    LEFT JOIN LATERAL unnest(g.hand_in) AS place (name) ON true
    WHERE p.tenant_id = tenant AND p.id = CASE
        WHEN subject ~ '^person:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN substr(subject, 8)::uuid END
    GROUP BY p.id
$$;

-- Whether whoever handed in what has the first location may change the document that has the second: it is theirs, or they
-- are an admin, or a curator who may hand in to its collection and carries its tags, at least one of them beside `public`.
CREATE FUNCTION may_change(tenant uuid, by_location text, of_collection text, at_location text, with_tags text[])
RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    subject text := handed_in_by(by_location);
    may record;
BEGIN
    IF subject IS NULL OR subject = handed_in_by(at_location) THEN
        RETURN true;
    END IF;
    SELECT * INTO may FROM rights_of(tenant, subject);
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    RETURN may.is_admin OR (may.is_curator
        AND (may.hand_in IS NULL OR of_collection = ANY (may.hand_in))
        AND array_remove(with_tags, 'public') <> '{}'
        AND array_remove(with_tags, 'public') <@ may.tags);
END $$;

-- Whether another document that is seen with these tags has the address and keeps it: whoever handed this one in may not
-- change that one, and that one had it first, or its author may change this one.
CREATE FUNCTION address_is_taken(
    tenant uuid, document uuid, at_location text, of_collection text, with_tags text[], key text, carried text[])
RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT EXISTS (
        SELECT FROM documents other
        LEFT JOIN documents own ON own.tenant_id = tenant AND own.id = document AND own.removed_at IS NULL
            AND own.address_key = other.address_key
        WHERE other.tenant_id = tenant AND other.address_key = key COLLATE "C" AND other.id <> document
            AND is_visible(other.tags, other.removed_at, carried)
            AND NOT may_change(tenant, at_location, other.collection, other.source_location, other.tags)
            AND ((other.address_since, other.id) < (coalesce(own.address_since, 'infinity'), document)
                OR may_change(tenant, other.source_location, of_collection, at_location, with_tags)))
$$;

-- A document's address, for whoever sees what these tags show; null where it is another's.
CREATE FUNCTION held_address(of_tenant uuid, document uuid, carried text[]) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    asked record;
BEGIN
    SELECT address, address_key, source_location, collection, tags INTO asked
    FROM documents d WHERE d.tenant_id = of_tenant AND d.id = document;
    -- Most addresses are one document's, which is seen at a glance.
    PERFORM FROM documents d
    WHERE d.tenant_id = of_tenant AND d.address_key = asked.address_key AND d.id <> document LIMIT 1;
    IF FOUND AND address_is_taken(of_tenant, document, asked.source_location, asked.collection, asked.tags,
                                  asked.address_key, carried) THEN
        RETURN NULL;
    END IF;
    RETURN asked.address;
END $$;

-- As before, and only those that were handed in by somebody who may change this one, under the addresses that they keep.
CREATE OR REPLACE FUNCTION replaced_by(tenant uuid, of_collection text, document uuid, key text, carried text[])
RETURNS text[] LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$
    SELECT array_agg(held.address ORDER BY newer.address_key, newer.id)
    FROM documents newer
    CROSS JOIN LATERAL (SELECT held_address(tenant, newer.id, carried) AS address) held
    WHERE newer.tenant_id = tenant AND newer.replaces @> ARRAY[key COLLATE "C"] AND newer.collection = of_collection
        AND newer.id <> document AND is_visible(newer.tags, newer.removed_at, carried)
        AND held.address IS NOT NULL
        AND EXISTS (SELECT FROM documents replaced
            WHERE replaced.tenant_id = tenant AND replaced.id = document
                AND may_change(tenant, newer.source_location, replaced.collection, replaced.source_location, replaced.tags))
$$;
