-- What was left out or changed in reading a version, for whoever handed it in.
ALTER TABLE document_versions ADD COLUMN remarks text[] NOT NULL DEFAULT '{}';
