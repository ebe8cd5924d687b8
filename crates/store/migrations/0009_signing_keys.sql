-- The keys that sign receipts. One that signs no more stays: what it signed can still be checked.

CREATE TABLE signing_keys (
    -- As receipts name it: the beginning of the public half's digest.
    id text PRIMARY KEY,
    public_key bytea NOT NULL CHECK (octet_length(public_key) = 32),
    -- The private half; null where the operator keeps it in a file.
    seed bytea CHECK (octet_length(seed) = 32),
    created_at timestamptz NOT NULL DEFAULT now(),
    retired_at timestamptz
);
