-- People who sign in at an identity provider, and what their groups let them do.

CREATE TABLE people (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants,
    -- The provider, and the id that it gives the person and never to another. Names and addresses change hands.
    issuer text NOT NULL,
    provider_subject text NOT NULL,
    -- For people to read.
    name text NOT NULL,
    -- In lower case; null where the provider does not vouch for it.
    email text,
    -- What the provider said last, and when it said it: an older word never brings a group back.
    groups text[] NOT NULL,
    groups_as_of timestamptz NOT NULL,
    first_seen_at timestamptz NOT NULL DEFAULT now(),
    last_seen_at timestamptz NOT NULL DEFAULT now(),
    -- Set by an admin: from then on the person is let in nowhere.
    disabled_at timestamptz,
    UNIQUE (tenant_id, issuer, provider_subject)
);
CREATE INDEX people_by_email ON people (tenant_id, email);

-- What a group of the provider gives its members. A group without a row gives nothing.
CREATE TABLE group_rights (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants,
    -- As the provider writes it.
    name text NOT NULL,
    role text NOT NULL CHECK (role IN ('asker', 'curator', 'admin')),
    tags text[] NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (tenant_id, name)
);
