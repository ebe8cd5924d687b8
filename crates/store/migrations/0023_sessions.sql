-- Sign-ins under way, and the sessions that came of them. Whatever opens something is kept only as a digest.

CREATE TABLE sign_in_attempts (
    -- Of the `state` that goes to the provider and comes back.
    state_sha256 bytea PRIMARY KEY,
    -- Of the cookie of the browser that began: no other can end what it began.
    browser_sha256 bytea NOT NULL,
    nonce text NOT NULL,
    -- The PKCE verifier: worth nothing without the code, which comes back to the browser.
    verifier text NOT NULL,
    -- The page to return to, on this server.
    return_to text NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX sign_in_attempts_by_expiry ON sign_in_attempts (expires_at);

CREATE TABLE sessions (
    -- Names the session in lists; it opens nothing.
    id uuid PRIMARY KEY,
    secret_sha256 bytea NOT NULL UNIQUE,
    tenant_id uuid NOT NULL REFERENCES tenants,
    person_id uuid NOT NULL REFERENCES people ON DELETE CASCADE,
    -- The provider's own session, by which it logs out.
    provider_session text,
    -- Shown to the provider at logout, so that it knows whose session ends.
    id_token text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX sessions_by_person ON sessions (person_id, created_at);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);
