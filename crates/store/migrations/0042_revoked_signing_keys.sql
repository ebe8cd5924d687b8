-- Since when nothing that a key signed counts any more: whoever took it can sign with it, under any date.
ALTER TABLE signing_keys ADD COLUMN revoked_at timestamptz;
