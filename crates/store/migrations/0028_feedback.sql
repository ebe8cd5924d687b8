-- What askers say of their answers: one for each answer and asker, the last counts.

CREATE TABLE feedback (
    tenant_id uuid NOT NULL REFERENCES tenants,
    request_id uuid NOT NULL,
    -- As in `audit`: whoever asked.
    subject_id text NOT NULL,
    given_at timestamptz NOT NULL,
    thumb text NOT NULL CHECK (thumb IN ('up', 'down')),
    reason text CHECK (reason IN ('wrong', 'unsupported', 'incomplete', 'should_have_refused',
                                  'should_not_have_refused')),
    comment text,
    -- The documents that the answer cites: whoever curates all of them reads it.
    documents uuid[] NOT NULL,
    PRIMARY KEY (tenant_id, request_id, subject_id)
);
CREATE INDEX feedback_by_time ON feedback (tenant_id, given_at DESC, request_id DESC);
