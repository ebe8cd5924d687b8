-- Copies documents that were taken in until there are so many copies, with everything that taking a document in writes but
-- vectors: `from_number` to `to_number`, each with an id, a name and a title of its own. Four fifths are in a collection that
-- carries the tag staff, the rest in one for desk. They are newer than what was copied. Every tenth has an
-- address, and every thousandth replaces the one that has the address before its own.
BEGIN;
-- Triggers count the words of each document by itself. Here all of them are counted at once.
ALTER TABLE documents DISABLE TRIGGER USER;
ALTER TABLE document_terms DISABLE TRIGGER USER;

CREATE TEMPORARY TABLE originals ON COMMIT DROP AS
SELECT row_number() OVER (ORDER BY source_location) - 1 AS place, id FROM documents
WHERE collection = 'Laboratories' AND removed_at IS NULL;

CREATE TEMPORARY TABLE copies ON COMMIT DROP AS
SELECT number, md5('copy ' || number)::uuid AS id, originals.id AS original,
       CASE WHEN number % 5 = 0 THEN 'Cases' ELSE 'Archive' END AS collection,
       CASE WHEN number % 5 = 0 THEN '{desk}' ELSE '{staff}' END::text[] AS tags,
       CASE WHEN number % 10 = 1 THEN number / 10 END AS address
FROM generate_series(:from_number, :to_number) AS number
JOIN originals ON originals.place = number % (SELECT count(*) FROM originals);
CREATE INDEX ON copies (original);
ANALYZE copies;

INSERT INTO collections (tenant_id, name) SELECT id, unnest('{Archive,Cases}'::text[]) FROM tenants ON CONFLICT DO NOTHING;
INSERT INTO tags (tenant_id, name) SELECT id, unnest('{staff,desk}'::text[]) FROM tenants ON CONFLICT DO NOTHING;

INSERT INTO documents (tenant_id, id, collection, source_location, tags, current_version, fingerprint, address, address_key,
                       words, replaces, title, updated_at, standing)
SELECT d.tenant_id, c.id, c.collection, 'copies/' || c.number || '.md', c.tags, 1, d.fingerprint,
       'ADR-' || c.address, 'adr ' || lpad(c.address::text, 9, '0'), d.words,
       CASE WHEN c.number % 1000 = 1 AND c.address > 0 THEN ARRAY['adr ' || lpad((c.address - 1)::text, 9, '0')] ELSE '{}' END,
       d.title || ', number ' || c.number, d.updated_at + c.number * interval '1 millisecond', d.standing
FROM copies c JOIN documents d ON d.id = c.original;

INSERT INTO document_versions (tenant_id, document_id, version, title, kind, format, updated_at, original_sha256, text,
                               text_sha256, chunk_count, remarks, standing)
SELECT v.tenant_id, c.id, 1, v.title || ', number ' || c.number, v.kind, v.format,
       v.updated_at + c.number * interval '1 millisecond', v.original_sha256, v.text, v.text_sha256, v.chunk_count, v.remarks,
       v.standing
FROM copies c
JOIN documents d ON d.id = c.original
JOIN document_versions v ON v.tenant_id = d.tenant_id AND v.document_id = d.id AND v.version = d.current_version;

INSERT INTO chunks (tenant_id, document_id, version, chunk_index, section, page, span_start, span_end, tokens, sha256,
                    embedding_key, text, above)
SELECT p.tenant_id, c.id, 1, p.chunk_index, p.section, p.page, p.span_start, p.span_end, p.tokens, p.sha256, p.embedding_key,
       p.text, p.above
FROM copies c
JOIN documents d ON d.id = c.original
JOIN chunks p ON p.tenant_id = d.tenant_id AND p.document_id = d.id AND p.version = d.current_version;

INSERT INTO document_terms (tenant_id, document_id, analysis, tags, passages, terms, counts)
SELECT t.tenant_id, c.id, t.analysis, c.tags, t.passages, t.terms, t.counts
FROM copies c JOIN document_terms t ON t.document_id = c.original;

CREATE TEMPORARY TABLE counted ON COMMIT DROP AS
SELECT t.tenant_id, t.analysis, t.tags, t.passages, t.terms, t.counts FROM copies c JOIN document_terms t ON t.document_id = c.id;
INSERT INTO tag_sets AS known (tenant_id, analysis, tags, passages)
SELECT tenant_id, analysis, tags, sum(passages) FROM counted GROUP BY 1, 2, 3
ON CONFLICT (tenant_id, analysis, tags) DO UPDATE SET passages = known.passages + excluded.passages;
INSERT INTO term_counts AS known (tenant_id, term, tag_set, passages)
SELECT c.tenant_id, one.term, s.id, sum(one.passages)
FROM counted c
JOIN tag_sets s ON s.tenant_id = c.tenant_id AND s.analysis = c.analysis AND s.tags = c.tags
CROSS JOIN LATERAL unnest(c.terms, c.counts) AS one (term, passages)
GROUP BY 1, 2, 3
ON CONFLICT (tenant_id, term, tag_set) DO UPDATE SET passages = known.passages + excluded.passages;

ALTER TABLE documents ENABLE TRIGGER USER;
ALTER TABLE document_terms ENABLE TRIGGER USER;
COMMIT;
VACUUM (ANALYZE) documents, document_versions, document_terms, chunks, tag_sets, term_counts;
