#!/usr/bin/env python3
"""Makes the database and the index of an installation of version 0.1 (commit 4f601b6), as files in this folder.

usage: lab/rehearsals/release_0_1/make.py IBIDEM

The tables are those of that commit's migrations, 0001 to 0008, which are unchanged since. The rows are written in that
version's form: today's binary loads two tenants and answers questions, the columns that were there then are copied, and
what was written otherwise then is written so here: who asked is a name, answers have that version's fields, and receipts
list `sentences` and have no signature. The old binary itself did not write them. How documents are cut into passages is
today's. The API keys are made up for this and open nothing else.
"""

import gzip
import hashlib
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.dont_write_bytecode = True

from rehearsal import QUESTIONS, ROOT, Log, Stage, down, get, request  # noqa: E402

LAST = 8
# name: (tenant, role, tags). The key itself is `ibk_release_0_1_` and the name.
KEYS = {"asker": ("default", "asker", []), "staff": ("default", "asker", ["staff"]),
        "admin": ("default", "admin", ["staff"]), "neighbour": ("neighbour", "asker", [])}
ANSWER = ["request_id", "action", "answer", "refused", "refusal_reason", "reason", "citations", "confidence",
          "retrieval_quality", "transparency", "route_to", "suggestions", "warnings", "model_used", "context_chunks_used",
          "context_tokens_used", "generation_time_ms", "grounded", "trace", "receipt"]
CITATION = ["marker", "source_id", "document_id", "document_name", "version", "updated_at", "chunk_index", "page_number",
            "section", "relevance_score", "snippet", "snippet_full", "span"]
RECEIPT = ["request_id", "asked_at", "action", "reason", "answer_sha256", "policy_sha256", "trace_sha256", "model", "verifier"]


def key_of(name):
    return f"ibk_release_0_1_{name}"


def migrations():
    files = sorted((ROOT / "crates/store/migrations").glob("*.sql"))
    return [(int(file.name[:4]), file.stem[5:].replace("_", " "), file) for file in files]


def apply(sql, version, description, file):
    """One migration as sqlx applies it: the file and its row in one transaction."""
    checksum = hashlib.sha384(file.read_bytes()).hexdigest()
    row = (f"insert into _sqlx_migrations (version, description, success, checksum, execution_time) "
           f"values ({version}, '{description}', true, '\\x{checksum}', 0)")
    sql(f"begin;\n{file.read_text()}\n;{row};\ncommit;")


def canonical(value):
    """Canonical JSON (RFC 8785) of what receipts hold: texts, and numbers of at most four places."""
    def plain(one):
        if isinstance(one, float) and one.is_integer():
            return int(one)
        if isinstance(one, dict):
            return {name: plain(inner) for name, inner in one.items()}
        return [plain(inner) for inner in one] if isinstance(one, list) else one
    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def as_then(answer):
    """An answer and its receipt as version 0.1 wrote them."""
    then = {name: answer.get(name) for name in ANSWER}
    then["citations"] = [{name: one.get(name) for name in CITATION} for one in answer["citations"]]
    if then["confidence"]:
        then["confidence"] = {"llm_score": 0.0, **{name: then["confidence"][name] for name in
                                                   ("overall", "retrieval_score", "coverage_score")}}
    receipt = {name: answer["receipt"].get(name) for name in RECEIPT}
    receipt["sentences"] = [
        {"text": one["text"].strip(), "check": {name: one["check"].get(name) for name in
                                                ("verdict", "support", "by", "why", "attributed")},
         "sources": one["sources"]}
        for one in answer["receipt"]["stretches"] if one.get("sources")]
    receipt["sha256"] = hashlib.sha256(canonical(receipt).encode()).hexdigest()
    then["receipt"] = receipt
    return then


def main(binary):
    log, instances = Log(), set()
    stage = Stage(binary, "release_0_1", log, instances)
    try:
        with stage.ends:
            make(stage)
    finally:
        for instance in instances:
            down(instance)


def make(stage):
    settings = stage.up(instance="release-0-1")
    bin_folder = Path(settings["IBIDEM_STACK_PG_BIN"])
    new, old = stage.installation(), stage.installation()
    urls = [one.settings["IBIDEM__DATABASE__URL"] for one in (new, old)]

    def sql(url, text, output=True):
        done = subprocess.run([bin_folder / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", url], input=text, text=True, capture_output=True)
        if done.returncode:
            raise SystemExit(done.stderr[-800:])
        return done.stdout.strip() if output else None

    new.load()
    extra = stage.folder("extra")
    (extra / "salaries.md").write_text("# Salary bands\n\nThe salary of band seven is 71,000 euros a year.\n")
    (extra / "canteen.md").write_text("# Canteen\n\nThe canteen of the neighbour opens at eleven thirty.\n")
    new.run("ingest", extra / "salaries.md", "--collection", "Pay", "--tags", "staff", "--wait")
    new.run("ingest", extra / "canteen.md", "--collection", "House", "--tags", "public", "--tenant", "neighbour", "--wait")
    document = next(line for line in new.run("document", "list").stdout.splitlines() if "leave-policy" in line)
    new.run("memory", "pin", "How long is the yearly holiday?", "--source", document.replace("│", " ").split()[0], "--trigger", "yearly holiday")
    key, server = new.key(), new.serve()
    for query in [*QUESTIONS, "Who painted the ceiling of the chapel?"]:
        server.ask(key, query)
    server.stop()
    stage.log.say("today's installation is loaded and asked")

    sql(urls[1], "create table _sqlx_migrations (version bigint primary key, description text not null, installed_on "
        "timestamptz not null default now(), success boolean not null, checksum bytea not null, execution_time bigint not null)")
    for version, description, file in migrations():
        if version <= LAST:
            apply(lambda text: sql(urls[1], text), version, description, file)
    sql(urls[1], "select audit_make_month('2026-11-15'), audit_make_month('2026-12-15')")
    tables = ["tenants", "collections", "users", "tags", "documents", "document_versions", "chunks", "embeddings",
              "memory_entries", "memory_passages", "policies"]
    for table in tables:
        columns = sql(urls[1], f"select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute where attrelid = '{table}'::regclass and attnum > 0 and not attisdropped and attgenerated = ''")
        rows = subprocess.run([bin_folder / "psql", "-Xq", "-d", urls[0], "-c", f"copy (select {columns} from {table}) to stdout"],
                              check=True, capture_output=True).stdout
        subprocess.run([bin_folder / "psql", "-Xq", "-v", "ON_ERROR_STOP=1", "-d", urls[1], "-c", f"begin; set constraints all deferred; copy {table} ({columns}) from stdin; commit"],
                       input=rows, check=True, capture_output=True)
    # As version 0.1 wrote who acts: by name.
    sql(urls[1], "update memory_entries set created_by = 'operator', changed_by = 'operator'")
    for name, (tenant, role, tags) in KEYS.items():
        digest = hashlib.sha256(key_of(name).encode()).hexdigest()
        sql(urls[1], f"insert into api_keys (id, tenant_id, name, key_sha256, role, tags) select gen_random_uuid(), id, '{name}', "
            f"'\\x{digest}', '{role}', array[{','.join(repr(tag) for tag in tags)}]::text[] from tenants where name = '{tenant}'")
    old_columns = ["id", "asked_at", "tenant_id", "request_id", "session_id", "turn", "texts", "question", "route", "retrieval",
                   "action", "reason", "draft", "markers", "sentences", "markers_dropped", "sentences_dropped", "marker_score",
                   "sentence_score", "citations_checked", "citations_broken", "tools", "fallback_flags", "policy_sha256",
                   "duration_ms", "stages", "failure"]
    listed = sql(urls[0], f"select json_agg(row_to_json(one)) from (select {', '.join(old_columns)}, answer from audit order by asked_at) as one")
    for row in json.loads(listed):
        if row["reason"] in ("not_answered", "beside_the_question"):
            row["reason"] = row["answer"]["reason"] = row["answer"]["receipt"]["reason"] = "low_similarity"
        row |= {"subject": "asker", "decision": None, "answer": as_then(row["answer"])}
        quoted = json.dumps(row).replace("'", "''")
        sql(urls[1], f"insert into audit select * from jsonb_populate_record(null::audit, '{quoted}'::jsonb)")
    dump = subprocess.run([bin_folder / "pg_dump", "--no-owner", "--no-privileges", "-d", urls[1]], check=True, capture_output=True).stdout
    write(HERE / "database.sql.gz", dump)

    collections = json.loads(get(int(settings["IBIDEM_STACK_QDRANT_HTTP"].rsplit(":", 1)[1]), "/collections")[1])["result"]["collections"]
    name = next(one["name"] for one in collections if one["name"].startswith(new.settings["IBIDEM__INDEX__NAME"]))
    port = int(settings["IBIDEM_STACK_QDRANT_HTTP"].rsplit(":", 1)[1])
    status, body = request(port, "POST", f"/collections/{name}/points/scroll", {"limit": 1000, "with_payload": True, "with_vector": ["dense"]})
    points = json.loads(body)["result"]["points"]
    words = json.loads(sql(urls[0], """select json_object_agg(c.document_id || ':' || c.chunk_index, v.title || coalesce(E'\\n' || c.section, '') || E'\\n\\n' || c.text)
        from chunks c join document_versions v using (tenant_id, document_id, version)"""))
    for point in points:
        point["words"] = words.get(f"{point['payload']['document']}:{point['payload']['chunk']}", "How long is the yearly holiday? yearly holiday")
    suffix = name[len(new.settings["IBIDEM__INDEX__NAME"]):]
    write(HERE / "index.json.gz", json.dumps({"model": suffix.split("-")[1], "points": points}).encode())
    stage.log.say(f"written: {len(dump):,} bytes of SQL, {len(points)} points")


def write(path, data):
    with path.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(data)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
