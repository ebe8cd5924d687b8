-- Who asked is an id. The name stays beside it, for people to read.

ALTER TABLE audit RENAME COLUMN subject TO subject_name;
-- `operator`, or `key:` and the key's id. Null in records from before there were ids: a name can be two keys', so
-- nobody owns those, and nobody reads them again as their own answers.
ALTER TABLE audit ADD COLUMN subject_id text;
