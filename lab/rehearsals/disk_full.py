"""The disks fill up one after the other: the originals', the index's, the database's. Each is then given room again."""

import time

from rehearsal import QUESTIONS, Asker, fill, get, wait_until


def rehearse(stage):
    say, check = stage.log.say, stage.log.check
    stage.up()
    disks = {"originals": stage.small_disk("originals-disk", 8), "index": stage.small_disk("index-disk", 512),
             "database": stage.small_disk("database-disk", 256, for_postgres=True)}
    postgres = stage.postgres("primary", ["max_wal_size=32MB", "wal_keep_size=0"], place=disks["database"]).make().start()
    postgres.sql("create database ibidem")
    qdrant = stage.qdrant(disks["index"] / "qdrant").start()
    installation = stage.installation(
        postgres.url(), IBIDEM__INDEX__URL=f"http://127.0.0.1:{qdrant.grpc}",
        IBIDEM__ORIGINALS__LOCATION=str(disks["originals"] / "originals"))
    key = installation.load()
    server = installation.serve("--with-worker")
    before = {query: server.ask(key, query).said() for query in QUESTIONS}
    say("database, index and originals are on small disks of their own; questions are answered")

    def load(name):
        file = stage.place / f"{name}.md"
        file.write_text(f"# The {name} room\n\nThe {name} room on the third floor has place for forty people.\n")
        return installation.run("ingest", file, "--collection", "Rooms", "--tags", "public", check=False)

    def is_found(name):
        """Another room may answer in its place."""
        reply = server.ask(key, f"How many people has the {name} room place for?")
        return reply.answered and name in reply.answer["answer"]

    def answers(name):
        return wait_until(f"the {name} room is found", lambda: is_found(name), 120)

    # The originals' disk.
    give_back = fill(disks["originals"])
    done = load("Oak")
    check(done.returncode != 0, f"originals' disk full: loading a document fails: {last(done)}")
    check({query: server.ask(key, query).said() for query in QUESTIONS} == before, "questions get the same answers as before")
    give_back()
    check(load("Oak").returncode == 0 and answers("Oak") is not None, "with room again, the same command loads it, and it answers")

    # The index's disk.
    give_back = fill(disks["index"])
    with Asker([server], key) as asker:
        asker.wait_for(3)
    check(all(reply.answered for reply in asker.since(0)), f"index's disk full: questions are answered ({asker.counts()})")
    say(f"handing a document in: {outcome(load('Elm'))}")
    time.sleep(8)
    check(not is_found("Elm"), f"it waits and does not answer yet; the server's log: {warned(server)}")
    give_back()
    freed = time.monotonic()
    if get(qdrant.http, "/readyz")[0] != 200:
        qdrant.stop()
        qdrant.start()
        say("Qdrant had ended and is started again")
    answers("Elm")
    say(f"with room again it is indexed by itself, and answers {time.monotonic() - freed:.1f} s later")
    said = installation.run("reconcile").stdout.strip().splitlines()
    say(f"`ibidem reconcile`: {said[-1] if said else ''}")

    # The database's disk: the one that counts.
    give_back = fill(disks["database"])
    full = time.monotonic()
    with Asker([server], key) as asker:
        # PostgreSQL finds some room of its own for a while, in files that it no longer needs.
        while time.monotonic() - full < 25:
            fill(disks["database"])
            time.sleep(0.5)
        outcomes = asker.counts(full)
        status, body = get(server.port, "/readyz", seconds=30)
        say(f"database's disk full for 25 s: questions {outcomes}; /readyz {status} {body[:160]}")
        say(f"loading a document: {outcome(load('Ash'))}")
        say(f"the server's log: {warned(server)}")
        if not postgres.process.lives():
            say(f"PostgreSQL has ended: {postgres.process.log.read_text(errors='replace').strip().splitlines()[-1]}")
        give_back()
        freed = time.monotonic()
        if not postgres.process.lives():
            postgres.start()
            say("PostgreSQL is started again")
        say(f"first answer {asker.wait_for(1, freed):.1f} s after there was room; Ibidem was not restarted")
        asker.wait_for(4, freed)
    answered = {reply.answer["request_id"] for _, _, reply in asker.replies if reply.answered}
    wait_until("the records are written", lambda: recorded(postgres, answered) == len(answered), 40)
    say(f"the database has the records of all {len(answered)} questions that were answered, those of the time without room too")
    # The documents that were loaded meanwhile change how rare a word is, and so the scores, but not what is said.
    same = all(after["answer"] == before[query]["answer"] and sources(after) == sources(before[query])
               for query, after in ((query, server.ask(key, query).said()) for query in QUESTIONS))
    check(same, "all answers have the same words and sources as before")
    check(load("Ash").returncode == 0 and answers("Ash") is not None, "documents can be loaded again, and answer")
    doctor = installation.run("doctor", check=False)
    check(doctor.returncode == 0, "`ibidem doctor` finds nothing wrong")


def recorded(postgres, ids):
    if not ids:
        return 0
    listed = ",".join(f"'{one}'" for one in ids)
    return int(postgres.sql(f"select count(distinct request_id) from audit where request_id in ({listed})", "ibidem"))


def sources(said):
    return [one["source_id"] for one in said["citations"]]


def last(done):
    lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
    return lines[-1][-240:] if lines else f"exit {done.returncode}"


def outcome(done):
    return "succeeds" if done.returncode == 0 else f"fails: {last(done)}"


def warned(server):
    lines = [line for line in server.logged().splitlines() if " WARN " in line or " ERROR " in line]
    return lines[-1][-300:] if lines else "nothing"
