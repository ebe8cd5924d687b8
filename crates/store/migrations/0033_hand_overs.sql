-- Questions on their way to somebody who may know: queued with the answer, sent by a worker.

CREATE TABLE hand_overs (
    tenant_id uuid NOT NULL REFERENCES tenants,
    -- Follows from asker, owner, question and day: the same question is handed over once in a day.
    id uuid NOT NULL,
    -- As in `audit`: whoever asked.
    subject_id text NOT NULL,
    request_id uuid NOT NULL,
    -- The place it goes to, by the name that the settings give it.
    target text NOT NULL,
    queued_at timestamptz NOT NULL DEFAULT now(),
    -- What is sent. Null once it was sent.
    message jsonb,
    -- Times that it was taken: a worker that dies while it sends has tried too.
    attempts integer NOT NULL DEFAULT 0,
    not_before timestamptz NOT NULL DEFAULT now(),
    leased_until timestamptz,
    lease uuid,
    sent_at timestamptz,
    -- Set when it was given up.
    failed_at timestamptz,
    -- Why the last attempt failed.
    failure text,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX hand_overs_to_do ON hand_overs (not_before) WHERE sent_at IS NULL AND failed_at IS NULL;
CREATE INDEX hand_overs_by_subject ON hand_overs (tenant_id, subject_id, queued_at);
CREATE INDEX hand_overs_by_request ON hand_overs (tenant_id, request_id);
