-- Tables of sheets are looked for by their first rows: a question for a figure reads what those say of their tables. In each
-- partition by itself, as its other indexes are.
CREATE INDEX chunks_first_rows ON chunks (tenant_id, document_id, version) WHERE above->'rows'->>'before' = '0';
