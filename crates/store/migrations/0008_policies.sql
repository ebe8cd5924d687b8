-- Every policy that was ever in force, as it was read: what it decided can be decided again.

CREATE TABLE policies (
    -- As records name it: of the text, or of both texts.
    sha256 bytea PRIMARY KEY,
    policy text NOT NULL,
    -- Thresholds of single collections that were laid over it.
    thresholds text,
    first_in_force timestamptz NOT NULL DEFAULT now()
);
