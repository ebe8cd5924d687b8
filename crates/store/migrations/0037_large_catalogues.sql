-- What somebody sees of many documents is found from the different sets of tags that the documents of a collection have,
-- their audiences, and not from the documents: there are few audiences however many documents there are, and what is hidden
-- costs no time. See docs/adr/0064-what-is-seen-is-found-by-audiences.md.

-- What a list is ordered and chosen by, as the current version has it.
ALTER TABLE documents
    ADD COLUMN title text NOT NULL DEFAULT '',
    ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN standing jsonb NOT NULL DEFAULT '{}';
UPDATE documents d SET title = v.title, updated_at = v.updated_at, standing = v.standing
FROM document_versions v
WHERE v.tenant_id = d.tenant_id AND v.document_id = d.id AND v.version = d.current_version;

-- The database keeps them itself, as it does the counts of words: a worker of an older release knows nothing of them.
CREATE FUNCTION follow_current_version() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    answering record;
BEGIN
    IF NEW.erased_at IS NOT NULL THEN
        NEW.title := '';
        NEW.standing := '{}';
        RETURN NEW;
    END IF;
    SELECT v.title, v.updated_at, v.standing INTO answering FROM document_versions v
    WHERE v.tenant_id = NEW.tenant_id AND v.document_id = NEW.id AND v.version = NEW.current_version;
    -- It may be stored after the document; then the other function follows.
    IF FOUND THEN
        NEW.title := answering.title;
        NEW.updated_at := answering.updated_at;
        NEW.standing := answering.standing;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER follow_current_version BEFORE UPDATE OF current_version, erased_at ON documents
FOR EACH ROW EXECUTE FUNCTION follow_current_version();

CREATE FUNCTION follow_new_version() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    UPDATE documents d SET title = NEW.title, updated_at = NEW.updated_at, standing = NEW.standing
    WHERE d.tenant_id = NEW.tenant_id AND d.id = NEW.document_id AND d.current_version = NEW.version
        AND d.erased_at IS NULL
        AND (d.title, d.updated_at, d.standing) IS DISTINCT FROM (NEW.title, NEW.updated_at, NEW.standing);
    RETURN NULL;
END $$;

CREATE TRIGGER follow_new_version AFTER INSERT ON document_versions
FOR EACH ROW EXECUTE FUNCTION follow_new_version();

CREATE INDEX documents_by_audience ON documents (tenant_id, collection, tags, updated_at, id) WHERE removed_at IS NULL;
-- The addresses of an audience next to one that is not there.
CREATE INDEX documents_by_audience_and_address ON documents (tenant_id, collection, tags, address_key, id)
WHERE removed_at IS NULL AND address_key IS NOT NULL;
-- The few that say what they replace.
CREATE INDEX documents_that_replace ON documents (tenant_id, collection, tags) WHERE removed_at IS NULL AND replaces <> '{}';
-- Documents are listed by the first of these now.
DROP INDEX document_versions_by_update;
-- How many versions were taken in on which day is counted without reading them.
CREATE INDEX document_versions_by_day ON document_versions (tenant_id, created_at);

-- The audiences that somebody is of, from one to the next along the index. Sorting is off so that a plan that was made while
-- there were few documents uses the index, too.
CREATE FUNCTION audiences_seen(tenant uuid, carried text[]) RETURNS TABLE (collection text, tags text[])
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10 SET enable_sort = off SET enable_incremental_sort = off AS $$
DECLARE
    here record;
BEGIN
    SELECT d.collection, d.tags INTO here FROM documents d
    WHERE d.tenant_id = tenant AND d.removed_at IS NULL
    ORDER BY d.collection, d.tags LIMIT 1;
    WHILE FOUND LOOP
        IF is_visible(here.tags, NULL, carried) THEN
            collection := here.collection;
            tags := here.tags;
            RETURN NEXT;
        END IF;
        SELECT d.collection, d.tags INTO here FROM documents d
        WHERE d.tenant_id = tenant AND d.removed_at IS NULL AND (d.collection, d.tags) > (here.collection, here.tags)
        ORDER BY d.collection, d.tags LIMIT 1;
    END LOOP;
END $$;

-- Whether somebody sees anything of a collection: asked with every question that names one.
CREATE FUNCTION sees_collection(tenant uuid, of_collection text, carried text[]) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET enable_sort = off SET enable_incremental_sort = off AS $$
DECLARE
    audience text[];
BEGIN
    SELECT d.tags INTO audience FROM documents d
    WHERE d.tenant_id = tenant AND d.collection = of_collection AND d.removed_at IS NULL
    ORDER BY d.tags LIMIT 1;
    WHILE FOUND LOOP
        IF is_visible(audience, NULL, carried) THEN
            RETURN true;
        END IF;
        SELECT d.tags INTO audience FROM documents d
        WHERE d.tenant_id = tenant AND d.collection = of_collection AND d.removed_at IS NULL AND d.tags > audience
        ORDER BY d.tags LIMIT 1;
    END LOOP;
    RETURN false;
END $$;
