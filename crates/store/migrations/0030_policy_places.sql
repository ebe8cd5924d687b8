-- Which policy is in force where: for a tenant, and for single collections of it. What was set before stays, so that
-- every version can be named. Where nothing is set, the installation's policy is in force.
CREATE TABLE policy_places (
    tenant_id uuid NOT NULL REFERENCES tenants,
    -- The collection's name in lower case; empty for the tenant as a whole.
    place text NOT NULL,
    -- Counted from 1 at each place.
    version integer NOT NULL,
    -- The collection's name as it was written; null for the tenant as a whole.
    collection text,
    -- Null where what was set before was taken back.
    policy_sha256 bytea REFERENCES policies,
    -- What the policy calls itself.
    name text NOT NULL,
    -- Who set it: `key:`, `person:` and an id, or `operator`.
    set_by text NOT NULL,
    set_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, place, version)
);
