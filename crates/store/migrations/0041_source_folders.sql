-- From which folder a document was handed in last, so that what is no longer in the folder is known. A row stands before
-- its document is read, and says nothing of documents that came over HTTP or in an older version. See
-- docs/adr/0066-nothing-is-shared-or-kept-by-omission.md.
CREATE TABLE source_folders (
    tenant_id uuid NOT NULL REFERENCES tenants,
    document_id uuid NOT NULL,
    collection text NOT NULL,
    -- As the machine names it that the documents were handed in on.
    folder text NOT NULL,
    PRIMARY KEY (tenant_id, document_id)
);
CREATE INDEX source_folders_by_folder ON source_folders (tenant_id, collection, folder);
