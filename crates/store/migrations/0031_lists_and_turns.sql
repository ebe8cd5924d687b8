-- Documents are listed by when they were updated, a page after the other.
CREATE INDEX document_versions_by_update ON document_versions (tenant_id, updated_at, document_id);

-- Whether a document is in force on a day: what `Standing::on` says, for filters. `replaced` are the addresses of the
-- visible documents that say they replace it.
CREATE FUNCTION status_on(standing jsonb, replaced text[], day date) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN coalesce(standing->>'status', 'in_force') <> 'in_force' THEN standing->>'status'
        WHEN jsonb_array_length(coalesce(standing->'replaced_by', '[]')) + coalesce(cardinality(replaced), 0) > 0
            THEN 'superseded'
        WHEN (standing->>'valid_to')::date < day THEN 'expired'
        WHEN (standing->>'valid_from')::date > day THEN 'not_yet'
        ELSE 'in_force'
    END
$$;

-- Tenants take turns in the outbox, as they do with jobs: one that changes many documents keeps no other's waiting.
CREATE INDEX outbox_by_tenant ON outbox (tenant_id, enqueued_at, document_id);
