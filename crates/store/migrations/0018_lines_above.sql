-- What stands above a passage in its document and its sentences need to be understood: the heading, what leads a list in,
-- the head of a table; each with its text and its span. Empty for passages that were read before, until the document is
-- read again.
ALTER TABLE chunks ADD COLUMN above jsonb NOT NULL DEFAULT '{}';
