-- Finding documents by the names people call them, and listing them by what they are about.

-- The address in the one spelling that all its spellings share: words in lower case, numbers filled up with zeros to
-- nine digits. In byte order, so that neighbours in the index are the nearest numbers.
ALTER TABLE documents ADD COLUMN address_key text COLLATE "C";
-- The words of the current version's title and beginning.
ALTER TABLE documents ADD COLUMN words tsvector;

UPDATE documents SET address_key = (
    SELECT string_agg(CASE WHEN part[1] ~ '^[0-9]+$' AND length(ltrim(part[1], '0')) <= 9
                           THEN lpad(ltrim(part[1], '0'), 9, '0') ELSE part[1] END, ' ' ORDER BY place)
    FROM regexp_matches(lower(address), '[0-9]+|[[:alpha:]]+', 'g') WITH ORDINALITY AS parts (part, place))
WHERE address IS NOT NULL;
UPDATE documents d SET words = strip(to_tsvector('english', v.title || ' ' || left(v.text, 100000)))
FROM document_versions v
WHERE v.tenant_id = d.tenant_id AND v.document_id = d.id AND v.version = d.current_version;

DROP INDEX documents_by_address;
CREATE INDEX documents_by_address ON documents (tenant_id, address_key, id) WHERE address_key IS NOT NULL;
CREATE INDEX documents_by_words ON documents USING gin (words) WHERE removed_at IS NULL;
