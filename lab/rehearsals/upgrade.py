#!/usr/bin/env python3
"""An installation of version 0.1 (commit 4f601b6) is brought to today's version, interrupted after every statement.

usage: lab/rehearsals/upgrade.py IBIDEM [--kills N]

lab/rehearsals/release_0_1 has the database and the index; its make.py says how they were made, and what of them the old
binary did not write itself. What is checked:

1. Every statement of every later migration: the connection is ended right after it. Nothing of the migration is left,
   and it is then applied as a whole.
2. `ibidem migrate` itself is interrupted after N of its statements, spread over all of them, by ending its connection,
   and run again until it succeeds.
3. Both ways end in the same tables as a migration without interruption, and all of them have every row of version 0.1.
4. `ibidem migrate` refuses the old index and says what to do. After `ibidem reindex`, keys of that time open what they
   opened then and nothing else. Old records and receipts are there, unchanged.
5. Which statements of the old binary today's tables still accept, if the commit is in the history of this checkout.

The old binary is not run: building it takes too long here. That old servers go on answering while tables are migrated
is therefore not shown; the last check says which of their statements would fail.
"""

import argparse
import gzip
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE / "release_0_1"))
sys.dont_write_bytecode = True

from make import LAST, apply, key_of, migrations  # noqa: E402
from rehearsal import ROOT, Asker, Failed, alone, get, request  # noqa: E402

COMMIT = "4f601b6"
TABLES = ["tenants", "collections", "users", "tags", "documents", "document_versions", "chunks", "embeddings", "api_keys",
          "memory_entries", "memory_passages", "policies", "audit"]


def statements(text):
    """The statements of an SQL file. Bodies of functions, quoted texts and comments are passed over as a whole."""
    found, current = [], ""
    for token in re.finditer(r"--[^\n]*\n?|\$(\w*)\$.*?\$\1\$|'(?:[^']|'')*'|;|[^;'$-]+|.", text, re.S):
        piece = token.group(0)
        if piece.startswith("--"):
            continue
        if piece == ";":
            if current.strip():
                found.append(current.strip())
            current = ""
        else:
            current += piece
    if current.strip():
        found.append(current.strip())
    return found


class Databases:
    def __init__(self, stage):
        self.bin = Path(stage.stack["IBIDEM_STACK_PG_BIN"])
        self.address = stage.stack["IBIDEM__DATABASE__URL"].rsplit("/", 1)[0]
        self.count = 0

    def url(self, name):
        return f"{self.address}/{name}"

    def sql(self, name, text, check=True):
        done = subprocess.run([self.bin / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", self.url(name)], input=text, text=True,
                              capture_output=True, timeout=300)
        if check and done.returncode:
            raise Failed(done.stderr.strip()[-600:])
        return done.stdout.strip() if check else done

    def copy(self, template):
        self.count += 1
        name = f"u{self.count}"
        self.sql("postgres", f"create database {name} template {template}")
        return name

    def shape(self, name):
        """The tables, without what differs from one run to the next."""
        dump = subprocess.run([self.bin / "pg_dump", "--schema-only", "--no-owner", "-d", self.url(name)], check=True,
                              capture_output=True, text=True).stdout
        return "\n".join(line for line in dump.splitlines() if not line.startswith(("\\restrict", "\\unrestrict")))

    def rows(self, name, columns):
        """A digest and a count of each table of version 0.1, over the columns it had then."""
        found = {}
        for table, its in columns.items():
            listed = ", ".join(its)
            found[table] = self.sql(name, f"select count(*), md5(coalesce(string_agg(one::text, ',' order by one::text), '')) from (select {listed} from {table}) as one")
        return found

    def columns(self, name):
        return {table: self.sql(name, f"select attname from pg_attribute where attrelid = '{table}'::regclass and attnum > 0 and not attisdropped order by attnum").splitlines()
                for table in TABLES}


def interrupt_every_statement(databases, name, log):
    """After each statement the connection is ended. Then the migration is applied, and the next one follows."""
    ended = 0
    for version, description, file in migrations():
        if version <= LAST:
            continue
        before = databases.shape(name)
        parts = statements(file.read_text())
        for number in range(1, len(parts) + 1):
            done = databases.sql(name, "begin;\n" + ";\n".join(parts[:number]) + ";\nselect pg_terminate_backend(pg_backend_pid());", check=False)
            if "terminating connection" not in done.stderr:
                raise Failed(f"{file.name}: statement {number} did not run: {done.stderr.strip()[-300:]}")
            ended += 1
        if databases.shape(name) != before:
            raise Failed(f"{file.name} left something behind when it was interrupted")
        apply(lambda text: databases.sql(name, text), version, description, file)
    log.say(f"interrupted after each of {ended} statements of {len(migrations()) - LAST} migrations: nothing was left behind, and each applied afterwards")


# Ends the connection after so many statements that change tables, and never again: a sequence keeps its count whatever
# becomes of the transaction.
TRAP = """
create sequence trap_count;
create function trap() returns event_trigger language plpgsql as $$
begin
    if nextval('public.trap_count') = {at} then
        perform pg_terminate_backend(pg_backend_pid());
    end if;
end $$;
create event trigger trap on ddl_command_end execute function trap();
"""
UNTRAP = "drop event trigger trap; drop function trap(); drop sequence trap_count;"


def interrupt_the_binary(stage, databases, template, kills, whole):
    name = databases.copy(template)
    databases.sql(name, TRAP.format(at=0))
    installation = stage.installation(databases.url(name))
    installation.run("migrate")
    count = int(databases.sql(name, "select last_value from trap_count"))
    databases.sql(name, UNTRAP)
    if databases.shape(name) != whole:
        raise Failed("`ibidem migrate` leads to other tables than the migrations one by one")
    stage.log.say(f"`ibidem migrate` from version 0.1 runs {count} statements that change tables")
    places = sorted({1 + round(number * (count - 1) / max(1, kills - 1)) for number in range(kills)})
    for place in places:
        name = databases.copy(template)
        databases.sql(name, TRAP.format(at=place))
        installation.settings["IBIDEM__DATABASE__URL"] = databases.url(name)
        first = installation.run("migrate", check=False)
        if first.returncode == 0:
            raise Failed(f"`ibidem migrate` did not notice that its connection was ended after statement {place}")
        installation.run("migrate")
        databases.sql(name, UNTRAP)
        if databases.shape(name) != whole:
            raise Failed(f"interrupted after statement {place}, `ibidem migrate` leads to other tables")
        databases.sql("postgres", f"drop database {name}")
    stage.log.say(f"its connection was ended after statement {', '.join(map(str, places))}: it failed each time, and the next run completed it to the same tables")


def old_index(stage, name):
    """The collection as version 0.1 made it: Qdrant itself weighed the words (its own BM25 with IDF)."""
    kept = json.loads(gzip.decompress((HERE / "release_0_1/index.json.gz").read_bytes()))
    port = int(stage.stack["IBIDEM_STACK_QDRANT_HTTP"].rsplit(":", 1)[1])
    alias = f"{name}-{kept['model']}"
    collection = f"{alias}-0001"
    size = len(kept["points"][0]["vector"]["dense"])

    def call(method, path, body):
        status, said = request(port, method, path, body)
        if status != 200:
            raise Failed(f"Qdrant: {said[:300]}")

    call("PUT", f"/collections/{collection}", {
        "vectors": {"dense": {"size": size, "distance": "Cosine", "hnsw_config": {"m": 16, "payload_m": 16}}},
        "sparse_vectors": {"bm25": {"modifier": "idf"}}, "on_disk_payload": True})
    for field, schema in (("tenant", {"type": "keyword", "is_tenant": True}), ("tags", "keyword"), ("collection", "keyword"), ("document", "uuid")):
        call("PUT", f"/collections/{collection}/index?wait=true", {"field_name": field, "field_schema": schema})
    points = [{"id": one["id"], "payload": one["payload"], "vector": {
        "dense": one["vector"]["dense"],
        "bm25": {"text": one["words"], "model": "qdrant/bm25", "options": {"language": "english", "avg_len": 100.0}}}}
        for one in kept["points"]]
    call("PUT", f"/collections/{collection}/points?wait=true", {"points": points})
    call("POST", "/collections/aliases", {"actions": [{"create_alias": {"collection_name": collection, "alias_name": alias}}]})
    return len(points)


def old_queries():
    """The checked queries of the old binary; none where its commit is not in this checkout."""
    def git(*words):
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True).stdout

    return [json.loads(git("show", f"{COMMIT}:{file}")) for file in git("ls-tree", "--name-only", COMMIT, ".sqlx/").split()]


def old_statements(databases, name, log):
    """Whether today's tables take the statements of the old binary."""
    queries = [listed["query"] for listed in old_queries()]
    if not queries:
        log.say(f"commit {COMMIT} is not in this checkout: its statements were not tried")
        return
    failed, total = [], len(queries)
    for query in queries:
        done = databases.sql(name, f"prepare one as {query}", check=False)
        if done.returncode:
            failed.append((" ".join(query.split())[:60], done.stderr.strip().splitlines()[0].removeprefix("psql:<stdin>:").split("ERROR:")[-1].strip()))
    log.say(f"{total - len(failed)} of the old binary's {total} statements are accepted by today's tables")
    for query, why in failed:
        log.say(f"not accepted: {query} … ({why})")


def rehearse(stage, kills):
    say, check = stage.log.say, stage.log.check
    stage.up(instance=f"upgrade-{os.getpid()}")
    databases = Databases(stage)
    databases.sql("postgres", "create database release_0_1")
    databases.sql("release_0_1", gzip.decompress((HERE / "release_0_1/database.sql.gz").read_bytes()).decode())
    databases.sql("release_0_1", "select 1")
    columns = databases.columns("release_0_1")
    before = databases.rows("release_0_1", columns)
    say(f"version 0.1: {', '.join(f'{table} {told.split(chr(124))[0]}' for table, told in before.items())}")

    name = databases.copy("release_0_1")
    interrupt_every_statement(databases, name, stage.log)
    whole = databases.shape(name)
    interrupt_the_binary(stage, databases, "release_0_1", kills, whole)

    name = databases.copy("release_0_1")
    # With the reader, as the records were made.
    installation = stage.installation(databases.url(name), IBIDEM__RERANKER__USE="reader")
    points = old_index(stage, installation.settings["IBIDEM__INDEX__NAME"])
    began = time.monotonic()
    done = installation.run("migrate", check=False)
    said = done.stderr.strip().splitlines()[-1].replace(installation.settings["IBIDEM__INDEX__NAME"], "NAME")
    check(done.returncode != 0 and "ibidem reindex" in said,
          f"`ibidem migrate`, {time.monotonic() - began:.1f} s, beside an index of version 0.1 with {points} points: the tables are "
          f"migrated, and it says what is left to do: {said}")
    columns["audit"] = ["subject_name" if one == "subject" else one for one in columns["audit"]]
    after = databases.rows(name, columns)
    changed = [table for table in TABLES if after[table] != before[table]]
    check(not changed, f"all rows of the {len(TABLES)} tables of version 0.1 are unchanged {changed or ''}".strip())

    began = time.monotonic()
    said = installation.run("reindex").stdout.strip().splitlines()
    say(f"`ibidem reindex`, {time.monotonic() - began:.1f} s: {said[-1] if said else ''}")
    check(installation.run("migrate", check=False).returncode == 0, "`ibidem migrate` has nothing left to say")
    server = installation.serve()
    with Asker([server], key_of("asker")) as asker:
        asker.wait_for(4)
    check(all(reply.answered for reply in asker.since(0)), f"an API key of version 0.1 works, and its questions are answered: {asker.counts()}")
    stored = json.loads(databases.sql(name, "select json_object_agg(question->>'query', answer) from audit where subject_id is null"))
    asked = {query: answer for query, answer in stored.items() if not answer["refused"]}
    now = {query: server.ask(key_of("asker"), query) for query in asked}
    same = [query for query in asked if now[query].answer.get("answer") == asked[query]["answer"] and
            [one["source_id"] for one in now[query].answer["citations"]] == [one["source_id"] for one in asked[query]["citations"]]]
    check(len(same) == len(asked), f"{len(same)} of {len(asked)} questions of version 0.1's records get the recorded answer with the recorded sources")

    salary, canteen = "What is the salary of band seven?", "When does the canteen of the neighbour open?"
    check(server.ask(key_of("staff"), salary).answered, "a key with the tag `staff` gets what is for staff")
    leaked = [server.ask(key_of(name), query) for name, query in (("asker", salary), ("neighbour", salary), ("staff", canteen), ("asker", canteen))]
    check(not any("71,000" in reply.body or "eleven thirty" in reply.body for reply in leaked),
          f"a key without the tag and keys of another tenant get nothing of it: {', '.join(reply.outcome for reply in leaked)}")
    check(server.ask(key_of("neighbour"), canteen).answered, "the neighbour's own document answers the neighbour")
    pinned = server.ask(key_of("asker"), "How long is the yearly holiday?")
    check(pinned.answered, "a pin of version 0.1 answers")

    old = json.loads(databases.sql(name, "select json_agg(row_to_json(one)) from (select request_id, answer from audit where subject_id is null) as one"))
    read = 0
    for row in old:
        status, body = get(server.port, f"/v1/audit/{row['request_id']}", {"authorization": f"Bearer {key_of('admin')}"}, 60)
        record = json.loads(body) if status == 200 else {}
        if status == 200 and row["answer"]["receipt"]["sha256"] in body and row["answer"]["answer"] in json.dumps(record, ensure_ascii=False).replace("\\n", "\n").replace('\\"', '"'):
            read += 1
        elif status != 200:
            raise Failed(f"the record of {row['request_id']} cannot be read: {status} {body[:300]}")
    check(read == len(old), f"an admin reads all {len(old)} records of version 0.1, with their receipts as they were")
    file = stage.place / "receipt.json"
    file.write_text(json.dumps(old[0]["answer"]["receipt"]))
    done = installation.run("verify", file, check=False)
    line = ((done.stderr.strip() or done.stdout.strip()).splitlines() or [""])[-1].strip()
    say(f"`ibidem verify` of a receipt of version 0.1: exit {done.returncode}: {line[:200]}")
    old_statements(databases, name, stage.log)
    check(installation.run("doctor", check=False).returncode == 0, "`ibidem doctor` finds nothing wrong")


def main():
    arguments = argparse.ArgumentParser(usage="lab/rehearsals/upgrade.py IBIDEM [--kills N]")
    arguments.add_argument("binary")
    arguments.add_argument("--kills", type=int, default=4)
    arguments = arguments.parse_args()
    alone(arguments.binary, "upgrade", lambda stage: rehearse(stage, arguments.kills),
          "upgrade from version 0.1: as it should be")


if __name__ == "__main__":
    main()
