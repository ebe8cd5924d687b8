-- Documents that were erased: the id stays, so that every index learns that they went, and nothing else of them does.

ALTER TABLE documents ADD COLUMN erased_at timestamptz;
