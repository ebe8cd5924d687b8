-- What was done, by whom, and what became of it: one record for each action, in partitions of a month.

CREATE TABLE actions (
    -- Made here, in order of time.
    id uuid NOT NULL,
    acted_at timestamptz NOT NULL,
    -- Null for what concerns the whole installation. No reference: a record outlives what it speaks of.
    tenant_id uuid,
    -- As in `audit`. Null where a request was turned away before anybody knew whose it was.
    subject_id text,
    subject_name text,
    role text,
    action text NOT NULL,
    -- What it was done to: null where it is the tenant's documents at large.
    object_kind text,
    object_id text,
    -- `done`, or why not.
    outcome text NOT NULL,
    -- Null for what came from the command line.
    request_id uuid,
    -- Numbers and codes; of words only the query that was searched for, as `audit.queries` says.
    details jsonb NOT NULL,

    PRIMARY KEY (acted_at, id)
) PARTITION BY RANGE (acted_at);
CREATE INDEX actions_by_tenant ON actions (tenant_id, acted_at, id);

-- For what no month was made for.
CREATE TABLE actions_elsewhen PARTITION OF actions DEFAULT;

-- As `audit_make_month`, which says why it goes about it so.
CREATE FUNCTION actions_make_month(moment timestamptz) RETURNS boolean
LANGUAGE plpgsql SET lock_timeout = '5s' AS $$
DECLARE
    month_begins timestamptz := date_trunc('month', moment, 'UTC');
    month_ends timestamptz := date_trunc('month', month_begins + interval '32 days', 'UTC');
    partition_name text := to_char(month_begins AT TIME ZONE 'UTC', '"actions_"YYYY_MM');
BEGIN
    IF to_regclass(partition_name) IS NOT NULL THEN
        RETURN false;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('ibidem actions months'));
    PERFORM FROM pg_inherits JOIN pg_class ON pg_class.oid = pg_inherits.inhrelid
    WHERE pg_inherits.inhparent = 'actions'::regclass AND pg_class.relname = partition_name;
    IF FOUND THEN
        RETURN false;
    END IF;
    LOCK TABLE actions_elsewhen IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('CREATE TABLE %I (LIKE actions INCLUDING ALL)', partition_name);
    EXECUTE format(
        'WITH moved AS (DELETE FROM actions_elsewhen WHERE acted_at >= $1 AND acted_at < $2 RETURNING *)
         INSERT INTO %I SELECT * FROM moved', partition_name) USING month_begins, month_ends;
    EXECUTE format('ALTER TABLE actions ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        partition_name, month_begins, month_ends);
    RETURN true;
END
$$;

-- Drops the months that ended before, and deletes older records that are in no month.
CREATE FUNCTION actions_prune(before timestamptz, OUT months text[], OUT records bigint)
LANGUAGE plpgsql SET lock_timeout = '5s' AS $$
DECLARE
    partition_name text;
BEGIN
    months := '{}';
    PERFORM pg_advisory_xact_lock(hashtext('ibidem actions months'));
    FOR partition_name IN
        SELECT pg_class.relname FROM pg_inherits JOIN pg_class ON pg_class.oid = pg_inherits.inhrelid
        WHERE pg_inherits.inhparent = 'actions'::regclass AND pg_class.relname ~ '^actions_\d{4}_\d{2}$'
          AND (to_date(right(pg_class.relname, 7), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC' <= before
        ORDER BY pg_class.relname
    LOOP
        EXECUTE format('DROP TABLE %I', partition_name);
        months := months || right(partition_name, 7);
    END LOOP;
    DELETE FROM actions_elsewhen WHERE acted_at < before;
    GET DIAGNOSTICS records = ROW_COUNT;
END
$$;

DO $$
BEGIN
    PERFORM actions_make_month(now());
    PERFORM actions_make_month(date_trunc('month', date_trunc('month', now(), 'UTC') + interval '32 days', 'UTC'));
END
$$;
