-- A record of a turn is large, and LZ4 takes less processor time to compress it than PostgreSQL's own way. Records that are
-- there stay as they are. A server that was built without LZ4 keeps to its own way.
DO $$
DECLARE
    kept record;
BEGIN
    FOR kept IN
        SELECT a.attrelid::regclass AS relation, a.attname AS name
        FROM pg_attribute a JOIN pg_partition_tree('audit') t ON t.relid = a.attrelid
        WHERE a.attnum > 0 AND NOT a.attisdropped AND a.atttypid IN ('jsonb'::regtype, 'text'::regtype)
        ORDER BY t.level, a.attrelid, a.attnum
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET COMPRESSION lz4', kept.relation, kept.name);
    END LOOP;
EXCEPTION WHEN feature_not_supported THEN
    RAISE NOTICE 'this server has no LZ4';
END $$;
