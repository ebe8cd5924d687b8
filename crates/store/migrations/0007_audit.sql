-- The audit: one record for each question, in partitions of a month, in place of `turns`.

CREATE TABLE audit (
    -- Made here, in order of time: a caller chooses the request id, and may choose one twice.
    id uuid NOT NULL,
    asked_at timestamptz NOT NULL,

    -- Who. No reference to `tenants`: a record outlives what it speaks of, and a month is dropped without locking them.
    tenant_id uuid NOT NULL,
    request_id uuid NOT NULL,
    subject text NOT NULL,
    session_id text,
    -- Which question of its conversation, as far as the asker sent it along: 1 is the first.
    turn integer NOT NULL,

    -- Whether words that people or models wrote are here, or keyed digests in their place.
    texts text NOT NULL CHECK (texts IN ('plain', 'hashed')),
    question jsonb NOT NULL,
    -- `direct`: one collection was named; `tree`: several or none.
    route text NOT NULL,
    -- What the search cost; null when nothing was searched. What it found is in the decision.
    retrieval jsonb,
    -- Everything that decided, as replay reads it; null in records from before there was any.
    decision jsonb,
    action text NOT NULL,
    reason text,
    -- With the gates' records, the citations and the receipt.
    answer jsonb NOT NULL,
    -- What the model produced, before the gauntlet; null when none ran.
    draft text,

    -- What the auditor found: by outcome and verdict, what was dropped, and the share that was sound. Null where it was
    -- not counted.
    markers jsonb,
    sentences jsonb,
    markers_dropped integer NOT NULL,
    sentences_dropped integer NOT NULL,
    marker_score double precision,
    sentence_score double precision,
    citations_checked integer,
    citations_broken integer,

    tools jsonb NOT NULL,
    fallback_flags jsonb NOT NULL,
    policy_sha256 bytea NOT NULL,
    duration_ms bigint NOT NULL,
    -- [stage, milliseconds], in order.
    stages jsonb NOT NULL,
    -- What went wrong with a part, in its own words: for the operator, never for the asker.
    failure text,

    PRIMARY KEY (tenant_id, asked_at, id)
) PARTITION BY RANGE (asked_at);
CREATE INDEX audit_by_request ON audit (tenant_id, request_id);

-- For what no month was made for: a record is never lost for want of a partition.
CREATE TABLE audit_elsewhen PARTITION OF audit DEFAULT;

-- Makes the partition of a month (UTC) and moves there what fell into the default one. True when it was not there yet.
-- Several servers may call it at once. It attaches a table that is ready, which lets readers and writers of the other
-- months go on; who cannot lock the default partition within seconds fails, and is to try again later.
CREATE FUNCTION audit_make_month(moment timestamptz) RETURNS boolean
LANGUAGE plpgsql SET lock_timeout = '5s' AS $$
DECLARE
    month_begins timestamptz := date_trunc('month', moment, 'UTC');
    month_ends timestamptz := date_trunc('month', month_begins + interval '32 days', 'UTC');
    partition_name text := to_char(month_begins AT TIME ZONE 'UTC', '"audit_"YYYY_MM');
BEGIN
    IF to_regclass(partition_name) IS NOT NULL THEN
        RETURN false;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('ibidem audit months'));
    -- Looked up in the catalogue itself: what `to_regclass` remembers is from before the wait for the lock.
    PERFORM FROM pg_inherits JOIN pg_class ON pg_class.oid = pg_inherits.inhrelid
    WHERE pg_inherits.inhparent = 'audit'::regclass AND pg_class.relname = partition_name;
    IF FOUND THEN
        RETURN false;
    END IF;
    LOCK TABLE audit_elsewhen IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('CREATE TABLE %I (LIKE audit INCLUDING ALL)', partition_name);
    EXECUTE format(
        'WITH moved AS (DELETE FROM audit_elsewhen WHERE asked_at >= $1 AND asked_at < $2 RETURNING *)
         INSERT INTO %I SELECT * FROM moved', partition_name) USING month_begins, month_ends;
    EXECUTE format('ALTER TABLE audit ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        partition_name, month_begins, month_ends);
    RETURN true;
END
$$;

-- Drops the months that ended before, and deletes older records that are in no month.
CREATE FUNCTION audit_prune(before timestamptz, OUT months text[], OUT records bigint)
LANGUAGE plpgsql SET lock_timeout = '5s' AS $$
DECLARE
    partition_name text;
BEGIN
    months := '{}';
    PERFORM pg_advisory_xact_lock(hashtext('ibidem audit months'));
    FOR partition_name IN
        SELECT pg_class.relname FROM pg_inherits JOIN pg_class ON pg_class.oid = pg_inherits.inhrelid
        WHERE pg_inherits.inhparent = 'audit'::regclass AND pg_class.relname ~ '^audit_\d{4}_\d{2}$'
          AND (to_date(right(pg_class.relname, 7), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC' <= before
        ORDER BY pg_class.relname
    LOOP
        EXECUTE format('DROP TABLE %I', partition_name);
        months := months || right(partition_name, 7);
    END LOOP;
    DELETE FROM audit_elsewhen WHERE asked_at < before;
    GET DIAGNOSTICS records = ROW_COUNT;
END
$$;

-- What was recorded so far moves over: each in its month, and the months that come next are ready.
DO $$
BEGIN
    PERFORM audit_make_month(moment)
    FROM (SELECT DISTINCT date_trunc('month', asked_at, 'UTC') AS moment FROM turns
          UNION SELECT date_trunc('month', now(), 'UTC')
          UNION SELECT date_trunc('month', date_trunc('month', now(), 'UTC') + interval '32 days', 'UTC')) AS needed;
END
$$;

INSERT INTO audit (id, asked_at, tenant_id, request_id, subject, session_id, turn, texts, question, route, action, reason,
                   answer, draft, markers_dropped, sentences_dropped, tools, fallback_flags, policy_sha256, duration_ms,
                   stages, failure)
SELECT id, asked_at, tenant_id, request_id, subject, session_id,
       1 + (SELECT count(*) FROM jsonb_array_elements(coalesce(question -> 'history', '[]')) AS said
            WHERE said ->> 'role' = 'user'),
       'plain', question,
       CASE WHEN jsonb_array_length(coalesce(question -> 'collections', '[]')) = 1 THEN 'direct' ELSE 'tree' END,
       answer ->> 'action', answer ->> 'reason', answer, draft, markers_dropped, sentences_dropped, '[]',
       coalesce(answer -> 'retrieval_quality' -> 'fallback_reasons', '[]'), policy_sha256, duration_ms, '[]', failure
FROM turns;

DROP TABLE turns;
