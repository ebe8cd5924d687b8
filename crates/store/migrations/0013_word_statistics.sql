-- How many passages have a word, for each audience: what BM25 weighs a query's words by. Which audience sees what is
-- decided when it is read, so the counts are kept for each distinct set of tags.
--
-- The database keeps them itself, by triggers: whatever commits, retags, removes or erases a document, the counts follow
-- in the same transaction. See docs/adr/0018-word-statistics-within-the-scope.md.

-- The distinct terms of each document's current version. Deleting the row takes them out of the counts.
CREATE TABLE document_terms (
    tenant_id uuid NOT NULL,
    document_id uuid NOT NULL,
    -- How the text was cut into terms: counts of two ways are never added up.
    analysis text NOT NULL,
    -- The document's tags, in order, each once.
    tags text[] NOT NULL,
    passages integer NOT NULL,
    -- Hashes of terms, and for each the number of passages that have it.
    terms integer[] NOT NULL,
    counts integer[] NOT NULL,
    PRIMARY KEY (tenant_id, document_id),
    FOREIGN KEY (tenant_id, document_id) REFERENCES documents (tenant_id, id) ON DELETE CASCADE
);

CREATE TABLE tag_sets (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants ON DELETE CASCADE,
    analysis text NOT NULL,
    tags text[] NOT NULL,
    passages bigint NOT NULL,
    UNIQUE (tenant_id, analysis, tags)
) WITH (fillfactor = 70);

CREATE TABLE term_counts (
    tenant_id uuid NOT NULL,
    term integer NOT NULL,
    tag_set bigint NOT NULL,
    passages bigint NOT NULL,
    PRIMARY KEY (tenant_id, term, tag_set)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

-- The analyses under which every document is counted. While the one in use is missing here, words are not weighed.
CREATE TABLE counted_analyses (
    analysis text PRIMARY KEY
);

CREATE FUNCTION tag_set_of(tags text[]) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(array_agg(DISTINCT tag ORDER BY tag), '{}') FROM unnest(tags) AS tag
$$;

-- A document's audience changes, or it goes, or has another version: so do its terms. Whoever makes a version has to say
-- its terms.
CREATE FUNCTION follow_document() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    IF NEW.removed_at IS NOT NULL OR NEW.current_version <> OLD.current_version THEN
        DELETE FROM document_terms WHERE tenant_id = NEW.tenant_id AND document_id = NEW.id;
    ELSIF NEW.tags IS DISTINCT FROM OLD.tags THEN
        UPDATE document_terms SET tags = tag_set_of(NEW.tags)
        WHERE tenant_id = NEW.tenant_id AND document_id = NEW.id;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER follow_document AFTER UPDATE OF tags, removed_at, current_version ON documents
FOR EACH ROW EXECUTE FUNCTION follow_document();

-- A worker of an older release, still running while this is migrated, makes versions and counts nothing: then not
-- every document is counted any more, and that is said.
CREATE FUNCTION notice_uncounted_document() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    -- Only a table with one index is asked: planned while `documents` is empty, a look there would keep to the wrong one.
    IF NEW.removed_at IS NULL
        AND NOT EXISTS (SELECT FROM document_terms t WHERE t.tenant_id = NEW.tenant_id AND t.document_id = NEW.id)
    THEN
        DELETE FROM counted_analyses;
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER notice_uncounted_document AFTER INSERT OR UPDATE OF current_version ON documents
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION notice_uncounted_document();

-- Adds what a row of document_terms has now, and takes away what it had.
CREATE FUNCTION count_terms() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    tenant uuid;
    joined bigint;
    left_set bigint;
BEGIN
    tenant := CASE WHEN TG_OP = 'DELETE' THEN OLD.tenant_id ELSE NEW.tenant_id END;
    -- One transaction at a time changes a tenant's counts. It takes this lock when it commits, after all others, so that
    -- no two wait for each other in a circle.
    PERFORM pg_advisory_xact_lock(hashtextextended(tenant::text, 13));
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO tag_sets AS known (tenant_id, analysis, tags, passages)
        VALUES (tenant, NEW.analysis, NEW.tags, NEW.passages)
        ON CONFLICT (tenant_id, analysis, tags) DO UPDATE SET passages = known.passages + excluded.passages
        RETURNING id INTO joined;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        UPDATE tag_sets SET passages = passages - OLD.passages
        WHERE tenant_id = tenant AND analysis = OLD.analysis AND tags = OLD.tags
        RETURNING id INTO left_set;
    END IF;
    INSERT INTO term_counts AS known (tenant_id, term, tag_set, passages)
    SELECT tenant, change.term, change.tag_set, sum(change.passages)
    FROM (
        SELECT joined AS tag_set, added.term, added.passages
        FROM unnest(CASE WHEN TG_OP <> 'DELETE' THEN NEW.terms END,
                    CASE WHEN TG_OP <> 'DELETE' THEN NEW.counts END) AS added (term, passages)
        UNION ALL
        SELECT left_set, gone.term, -gone.passages
        FROM unnest(CASE WHEN TG_OP <> 'INSERT' THEN OLD.terms END,
                    CASE WHEN TG_OP <> 'INSERT' THEN OLD.counts END) AS gone (term, passages)
    ) AS change
    WHERE change.tag_set IS NOT NULL
    GROUP BY change.tag_set, change.term
    HAVING sum(change.passages) <> 0
    ORDER BY change.tag_set, change.term
    ON CONFLICT (tenant_id, term, tag_set) DO UPDATE SET passages = known.passages + excluded.passages;
    -- What nobody has leaves nothing behind: an erased word is gone. The set itself stays: it may come back at once.
    IF left_set IS NOT NULL THEN
        DELETE FROM term_counts
        WHERE tenant_id = tenant AND term = ANY (OLD.terms) AND tag_set = left_set AND passages <= 0;
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER count_terms AFTER INSERT OR UPDATE OR DELETE ON document_terms
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_terms();

-- A tenant that goes takes its counts along.
CREATE FUNCTION forget_tag_set() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM term_counts WHERE tenant_id = OLD.tenant_id AND tag_set = OLD.id;
    RETURN NULL;
END $$;

CREATE TRIGGER forget_tag_set AFTER DELETE ON tag_sets
FOR EACH ROW EXECUTE FUNCTION forget_tag_set();
