#!/usr/bin/env python3
"""An installation of version 0.1 is upgraded while questions are asked, with `ibidem migrate` interrupted on the way.

usage: lab/rehearsals/upgrade_under_questions.py IBIDEM [--rate R] [--asks A] [--kills N]

1. While `ibidem migrate` runs, and its connection is ended after N of its statements, R times a second somebody does to
   the tables what the old binary did for a question: looks a key up, confirms passages and writes a record. The statements
   are the old binary's own, from its checked queries in commit 4f601b6. The old binary itself is not run: building it
   takes too long here.
2. The new server is started beside the index of version 0.1, before `ibidem reindex`.
3. While `ibidem reindex` makes the new index, A questions a second are put to the new server. They go on while `ibidem
   migrate` and `ibidem reindex` are run once more. A is R where it is not given. A development build on a machine that has
   other work to do cannot answer 20 a second, and then turns questions away.

What fails is counted and told. It ends with 1 when something other than the pause that docs/how_to/upgrade.md describes fails.
"""

import argparse
import gzip
import hashlib
import json
import os
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE / "release_0_1"))
sys.dont_write_bytecode = True

from make import key_of  # noqa: E402
from rehearsal import Failed, SteadyAsker, alone, get, told, wait_until  # noqa: E402
from upgrade import COMMIT, TRAP, UNTRAP, Databases, old_index, old_queries  # noqa: E402


def literal(value, kind):
    if value is None:
        return f"NULL::{kind}"
    text = json.dumps(value) if isinstance(value, (dict, list)) and not kind.endswith("[]") else str(value)
    return "'" + text.replace("'", "''") + f"'::{kind}"


def filled(query, values):
    for number in range(len(values), 0, -1):
        query = query.replace(f"${number}", values[number - 1])
    return query


class OldQuestion:
    """What the old binary asks of the database for a question: three of its own statements, with values of this database."""

    def __init__(self, databases, name):
        queries = {query["query"]: query["describe"]["parameters"]["Left"] for query in old_queries()}
        if not queries:
            raise Failed(f"commit {COMMIT} is not in this checkout: its statements cannot be tried")
        find = lambda *words: next(one for one in queries if all(word in " ".join(one.split()) for word in words))  # noqa: E731
        self.key = filled(find("FROM api_keys WHERE key_sha256 = $1", "revoked_at IS NULL"),
                          [f"'\\x{hashlib.sha256(key_of('asker').encode()).hexdigest()}'::bytea"])
        tenant, document, version, chunk = databases.sql(
            name, "select tenant_id, document_id, version, chunk_index from chunks order by 1, 2, 4 limit 1").split("|")
        confirm = find("c.text, c.tokens FROM unnest($2::uuid[], $3::integer[], $4::integer[])")
        every = [f"'{tenant}'::uuid", f"array['{document}']::uuid[]", f"array[{version}]::integer[]", f"array[{chunk}]::integer[]"]
        count = len(queries[confirm])
        self.confirm = filled(confirm, every + ["array['public']::text[]"] * (count - len(every)))
        self.insert = find("INSERT INTO audit (id, asked_at")
        self.columns = self.insert[self.insert.index("AS new (") + 8:].split(")")[0].replace("\n", " ").split(",")
        self.columns = [column.strip() for column in self.columns]
        self.kinds = [kind.removesuffix("Array").lower() for kind in queries[self.insert]]
        self.row = json.loads(databases.sql(name, "select row_to_json(one) from (select * from audit limit 1) as one"))

    def record(self):
        row = {**self.row, "id": str(uuid.uuid4()), "request_id": str(uuid.uuid4()),
               "asked_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
        values = []
        for column, kind in zip(self.columns, self.kinds):
            value = row[column]
            if isinstance(value, (dict, list)):
                value = json.dumps(value)
            values.append("array[" + literal(value, kind) + "]")
        return filled(self.insert, values)


class OldServer:
    """Asks at a steady rate over one connection that stays, as a pool's connections do."""

    STEPS = ("key", "passages", "record")

    def __init__(self, databases, name, question, rate):
        self.question, self.rate, self.ended = question, rate, threading.Event()
        self.outcomes = []  # (moment, seconds, {step: error})
        self.psql = subprocess.Popen([databases.bin / "psql", "-XAtq", "-d", databases.url(name)], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1)
        self.thread = threading.Thread(target=self.keep_asking, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join(120)
        self.psql.stdin.close()
        self.psql.wait(30)

    def keep_asking(self):
        began = time.monotonic()
        while not self.ended.wait(max(0.0, began + len(self.outcomes) / self.rate - time.monotonic())):
            at, failed = time.monotonic(), {}
            for step, statement in zip(self.STEPS, (self.question.key, self.question.confirm, self.question.record())):
                error = self.run(statement)
                if error:
                    failed[step] = error
            self.outcomes.append((at, time.monotonic() - at, failed))

    def run(self, statement):
        mark, error = uuid.uuid4().hex, None
        self.psql.stdin.write(f"{statement};\nselect '{mark}';\n")
        self.psql.stdin.flush()
        for line in self.psql.stdout:
            if line.strip() == mark:
                return error
            if "ERROR:" in line and error is None:
                error = line.split("ERROR:")[1].strip()
        return "the connection ended"

    def told(self, since, until):
        of = [one for one in self.outcomes if since <= one[0] < until]
        failed = {}
        for _, _, errors in of:
            for step, error in errors.items():
                failed[step, error] = failed.get((step, error), 0) + 1
        told = "; ".join(f"{count} × {step}: {error}" for (step, error), count in failed.items())
        longest = max((seconds for _, seconds, _ in of), default=0)
        return f"{len(of)} questions, the longest took {longest:.2f} s; {told or 'no statement failed'}"


def rehearse(stage, rate, asks, kills):
    say, check = stage.log.say, stage.log.check
    stage.up(instance=f"upgrade-{os.getpid()}")
    databases = Databases(stage)
    databases.sql("postgres", "create database release_0_1")
    databases.sql("release_0_1", gzip.decompress((HERE / "release_0_1/database.sql.gz").read_bytes()).decode())
    name = databases.copy("release_0_1")
    installation = stage.installation(databases.url(name))
    old_index(stage, installation.settings["IBIDEM__INDEX__NAME"])
    question = OldQuestion(databases, name)

    # What a run without interruption does, to know where to interrupt.
    trial = databases.copy("release_0_1")
    databases.sql(trial, TRAP.format(at=0))
    other = stage.installation(databases.url(trial))
    other.run("migrate")
    count = int(databases.sql(trial, "select last_value from trap_count"))
    places = sorted({1 + round(number * (count - 1) / max(1, kills - 1)) for number in range(kills)})

    with OldServer(databases, name, question, rate) as old:
        time.sleep(5)
        began = time.monotonic()
        say(f"what version 0.1 does for a question, {rate:g} times a second, before: {old.told(0, began)}")
        done_before = 0
        for place in places:
            databases.sql(name, TRAP.format(at=max(1, place - done_before)))
            first = installation.run("migrate", check=False)
            databases.sql(name, UNTRAP)
            applied = databases.sql(name, "select max(version), count(*) from _sqlx_migrations").split("|")
            say(f"`ibidem migrate`, its connection ended after statement {place}: exit {first.returncode}; migrations applied up to {applied[0]}")
            done_before = place
        done = installation.run("migrate", check=False)
        migrated = time.monotonic()
        say(f"`ibidem migrate` again: {(done.stderr.strip() or done.stdout.strip()).splitlines()[-1].replace(installation.settings['IBIDEM__INDEX__NAME'], 'NAME')[:160]}")
        say(f"during the migration ({migrated - began:.0f} s): {old.told(began, migrated)}")
        time.sleep(5)
        ended = time.monotonic()
        say(f"afterwards: {old.told(migrated, ended)}")
    reads = [errors for _, _, errors in old.outcomes if set(errors) - {"record"}]
    check(not reads, "no statement that reads failed at any moment: keys are found and passages confirmed throughout")
    others = {errors["record"] for _, _, errors in old.outcomes if "record" in errors and "subject" not in errors["record"]}
    check(not others, f"records fail for one reason only, the column that migration 0010 renames {others or ''}".strip())

    try:
        server = installation.serve()
    except Failed as error:
        server = None
        say(f"the new server beside the old index does not start: {str(error).strip().splitlines()[-1][:200]}")
    if server:
        reply = server.ask(key_of("asker"), "How many days of annual leave do full-time staff have?")
        say(f"the new server beside the old index, before `ibidem reindex`: /readyz {get(server.port, '/readyz')[0]}; a question: {reply.outcome}")
    began = time.monotonic()
    if server is None:
        installation.run("reindex")
        say(f"`ibidem reindex` without a server, {time.monotonic() - began:.1f} s")
        server = installation.serve()
    with SteadyAsker(server, key_of("asker"), asks) as asker:
        began = time.monotonic()
        installation.run("reindex")
        switched = time.monotonic()
        wait_until("a question is answered", lambda: asker.first_answer_after(switched) is not None)
        say(f"`ibidem reindex` with questions running, {switched - began:.1f} s: {asker.counts()}")
        time.sleep(3)
        again = time.monotonic()
        installation.run("migrate")
        installation.run("reindex")
        say(f"`ibidem migrate` and `ibidem reindex` once more, {time.monotonic() - again:.1f} s")
        time.sleep(3)
        asker.wait_for(2)
    since = [reply for _, asked, _, reply in asker.replies if asked >= switched]
    failed = [reply for reply in since if not reply.answered]
    took = max(ended for _, _, ended, _ in asker.replies) - min(asked for _, asked, _, _ in asker.replies)
    check(not failed, f"after the first `ibidem reindex` {len(since)} questions were asked, and none failed" if not failed else
          f"of {len(since)} questions after the first `ibidem reindex` {len(failed)} failed: {told(failed)}")
    say(f"asked {asker.asked} in {took:.0f} s ({asker.asked / took:.1f} a second): {asker.counts()}; the slowest reply took {asker.longest():.1f} s")


def main():
    arguments = argparse.ArgumentParser(usage="lab/rehearsals/upgrade_under_questions.py IBIDEM [--rate R] [--asks A] [--kills N]")
    arguments.add_argument("binary")
    arguments.add_argument("--rate", type=float, default=20)
    arguments.add_argument("--asks", type=float)
    arguments.add_argument("--kills", type=int, default=3)
    arguments = arguments.parse_args()
    asks = arguments.asks or arguments.rate
    alone(arguments.binary, "upgrade_under_questions", lambda stage: rehearse(stage, arguments.rate, asks, arguments.kills),
          "upgrade under questions: as docs/how_to/upgrade.md says")


if __name__ == "__main__":
    main()
