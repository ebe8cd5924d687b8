#!/usr/bin/env python3
"""Many passages are backed up with questions running, everything is wiped, and the backup is restored elsewhere.

usage: lab/rehearsals/backup_at_size.py IBIDEM [--passages 2000] [--questions 50]

The documents are made up: a laboratory each, with facts that nobody can know from elsewhere. Nine of ten questions have an
answer; the tenth is about a place that does not exist. The answers, and what their receipts say, must be identical
before and after, but for ids, moments and signatures; receipts from before must still hold.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

from laboratories import asked, laboratories, write  # noqa: E402
from rehearsal import Asker, Failed, alone, get, request  # noqa: E402


def ask_all(server, key, questions):
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda query: server.ask(key, query), questions))


def database_size(stage, installation):
    return int(stage.sql(installation, "-c", "select pg_database_size(current_database())"))


def rehearse(stage, passages, count):
    say, check = stage.log.say, stage.log.check
    settings = stage.up(instance=f"backup-at-size-{os.getpid()}")
    # As it comes, with the reader.
    installation = stage.installation(IBIDEM__RERANKER__USE="reader")
    made = list(laboratories(passages))
    corpus = stage.place / "laboratories.jsonl"
    write(corpus, made)
    installation.run("migrate")
    began = time.monotonic()
    said = installation.run("ingest", corpus, "--collection", "Laboratories", "--tags", "public", "--wait", seconds=7200).stdout.strip()
    say(f"loaded in {time.monotonic() - began:.0f} s: {said.splitlines()[-1]}")
    say(f"the database has {database_size(stage, installation) / 1e6:.0f} MB")
    key, server = installation.key(), installation.serve()
    questions = list(asked(count, made))
    began = time.monotonic()
    before = ask_all(server, key, questions)
    outcomes = sorted({reply.outcome: sum(one.outcome == reply.outcome for one in before) for reply in before}.items())
    say(f"{count} questions in {time.monotonic() - began:.0f} s: {', '.join(f'{many} {what}' for what, many in outcomes)}")

    folder = stage.place / "backup"
    with Asker([server], key, questions=questions) as asker:
        asker.wait_for(2)
        began = time.monotonic()
        said = installation.run("backup", folder, seconds=3600).stdout.strip()
        took, since = time.monotonic() - began, began
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    say(f"`ibidem backup` with questions running, {took:.1f} s, {size / 1e6:.1f} MB: {said.splitlines()[-1].replace(str(stage.place), '…')}")
    check(all(reply.status == 200 for reply in asker.since(0)), f"questions meanwhile: {asker.counts(since)}")
    server.stop()

    # The machine is gone: the database, the index and the originals.
    port = int(settings["IBIDEM_STACK_QDRANT_HTTP"].rsplit(":", 1)[1])
    for one in json.loads(get(port, "/collections")[1])["result"]["collections"]:
        request(port, "DELETE", f"/collections/{one['name']}")
    shutil.rmtree(stage.place / "originals")
    restored = stage.installation(IBIDEM__RERANKER__USE="reader")
    old = installation.settings["IBIDEM__DATABASE__URL"]
    subprocess.run([Path(settings["IBIDEM_STACK_PG_BIN"]) / "psql", "-Xq", restored.settings["IBIDEM__DATABASE__URL"], "-c",
                    f"drop database {old.rsplit('/', 1)[1]} with (force)"], check=True, capture_output=True)
    say("database, index and originals are deleted")
    began = time.monotonic()
    restored.run("restore", folder, seconds=7200)
    say(f"`ibidem restore` into a new database and an empty index: {time.monotonic() - began:.1f} s")
    check(restored.run("doctor", check=False).returncode == 0, "`ibidem doctor` finds nothing wrong")
    server = restored.serve()
    after = ask_all(server, key, questions)
    different = [number for number in range(count) if after[number].said() != before[number].said()]
    for number in different[:5]:
        one, other = before[number].said(), after[number].said()
        say(f"differs: {questions[number]}: {[name for name in one if one[name] != other[name]]}")
    check(not different, f"{count - len(different)} of {count} answers, with what their receipts say, are identical")
    sample = [reply for reply in before if reply.answered][:: max(1, count // 5)][:5]
    for reply in sample:
        file = stage.place / "answer.json"
        file.write_text(json.dumps(reply.answer))
        if restored.run("verify", file, check=False).returncode:
            raise Failed(f"the receipt of {reply.answer['request_id']} no longer holds")
    say(f"`ibidem verify`: {len(sample)} receipts from before the wipe hold, signed by this installation")


def main():
    arguments = argparse.ArgumentParser(usage="lab/rehearsals/backup_at_size.py IBIDEM [--passages 2000] [--questions 50]")
    arguments.add_argument("binary")
    arguments.add_argument("--passages", type=int, default=2000)
    arguments.add_argument("--questions", type=int, default=50)
    arguments = arguments.parse_args()
    alone(arguments.binary, "backup_at_size",
          lambda stage: rehearse(stage, arguments.passages, arguments.questions), "the backup holds all of it")


main()
