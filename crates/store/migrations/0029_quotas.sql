-- What keys, people and tenants have used of their limits, so that all servers count together.

-- Requests: the moment at which whoever it is would have used up nothing again. A request moves it on by the time
-- between two requests; it is refused when that would lie too far ahead.
CREATE UNLOGGED TABLE request_rates (
    tenant_id uuid NOT NULL,
    -- `tenant`, or a subject's id as in `audit`.
    holder text NOT NULL,
    free_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, holder)
) WITH (fillfactor = 50);

-- Turns under way. One whose server died ends by itself.
CREATE UNLOGGED TABLE turns_under_way (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    holder text NOT NULL,
    ends_by timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, holder, id)
);

-- What is counted by the day (UTC): tokens of language models, documents and bytes that were handed in.
CREATE TABLE daily_use (
    tenant_id uuid NOT NULL,
    holder text NOT NULL,
    what text NOT NULL CHECK (what IN ('model_tokens', 'documents', 'bytes')),
    day date NOT NULL,
    used bigint NOT NULL,
    PRIMARY KEY (tenant_id, holder, what, day)
);
