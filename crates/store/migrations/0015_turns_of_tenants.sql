-- Jobs are taken tenant by tenant in turn: each tenant's oldest must be found without looking at the others'.
CREATE INDEX jobs_by_tenant ON jobs (tenant_id, created_at, id) WHERE failed_at IS NULL;
DROP INDEX jobs_to_do;
