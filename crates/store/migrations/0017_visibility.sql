-- Who sees what: the one place that says so. A row is visible to somebody who carries one of its tags, until it is
-- removed. The planner puts the body in the place of the call, so the indexes are used as before.
CREATE FUNCTION is_visible(tags text[], removed_at timestamptz, carried text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT removed_at IS NULL AND tags && carried
$$;
