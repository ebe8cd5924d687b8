-- API keys. Only a digest is kept: a key has 256 random bits, so a fast digest cannot be searched back.

CREATE TABLE api_keys (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants,
    name text NOT NULL,
    key_sha256 bytea NOT NULL UNIQUE,
    role text NOT NULL CHECK (role IN ('asker', 'curator', 'admin')),
    tags text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz
);
CREATE INDEX api_keys_by_tenant ON api_keys (tenant_id, created_at);
