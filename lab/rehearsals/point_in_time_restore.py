"""Documents are erased by mistake; the database is brought back to the moment before, and the index follows."""

import shutil
import time

from rehearsal import QUESTIONS, wait_until


def rehearse(stage):
    say, check = stage.log.say, stage.log.check
    stage.up()
    archive = stage.folder("archive", for_postgres=True)
    primary = stage.postgres("primary", [
        "wal_level=replica", "archive_mode=on", "max_wal_senders=10",
        f"archive_command=test ! -f {archive}/%f && cp %p {archive}/%f"]).make().start()
    primary.sql("create database ibidem")
    installation = stage.installation(primary.url())
    key = installation.load()
    base = stage.place / "postgres" / "base"
    began = time.monotonic()
    primary.run("pg_basebackup", "-h", "127.0.0.1", "-p", primary.port, "-U", "app", "-D", base, "-X", "none", "--checkpoint=fast", "--no-sync")
    say(f"PostgreSQL archives its WAL; `pg_basebackup` took {time.monotonic() - began:.1f} s")
    originals = stage.place / "originals"

    # Loaded after the base backup: only the archived WAL has it.
    late = stage.place / "late.md"
    late.write_text("# The Oak room\n\nThe Oak room on the third floor has place for forty people.\n")
    installation.run("ingest", late, "--collection", "Rooms", "--tags", "public", "--wait")
    questions = [*QUESTIONS, "How many people has the Oak room place for?"]
    server = installation.serve()
    before = {query: server.ask(key, query) for query in questions}
    check(all(reply.answered for reply in before.values()), f"a document is loaded after it; {len(before)} questions are answered")
    # The records of these questions are written after the answers.
    ids = [reply.answer["request_id"] for reply in before.values()]
    wait_until("the records are written", lambda: recorded(primary, ids) == len(ids), 30)
    copied = stage.place / "originals.copy"
    shutil.copytree(originals, copied)
    say("the originals are copied, as every night")
    time.sleep(1.5)
    moment = primary.sql("select now()")
    time.sleep(1.5)

    listed = installation.run("document", "list").stdout
    victims = [line.replace("│", " ").split()[0] for line in listed.splitlines() if "leave-policy" in line or "late" in line]
    for victim in victims:
        installation.run("document", "erase", victim, "--yes")
    lost = server.ask(key, questions[-1])
    check(len(victims) == 2 and not lost.answered, f"at {moment[11:19]} + 1.5 s two documents are erased by mistake: {lost.outcome}")
    server.stop()
    primary.sql("select pg_switch_wal()")
    wait_until("the last WAL is archived", lambda: primary.sql("select count(*) from pg_stat_archiver where last_archived_time > now() - interval '60 s'") == "1", 60)
    time.sleep(2)
    primary.stop()

    began = time.monotonic()
    restored = stage.postgres("base", [f"restore_command=cp {archive}/%f %p", f"recovery_target_time={moment}",
                                       "recovery_target_action=promote", "archive_mode=off"])
    restored.run("pg_ctl", "--version")
    signal_file = base / "recovery.signal"
    signal_file.write_text("")
    if hasattr(shutil, "chown"):
        shutil.chown(signal_file, base.owner(), base.group())
    restored.start(120)
    wait_until("recovery has ended", lambda: restored.sql("select pg_is_in_recovery()") == "f", 120)
    say(f"the base backup is started with recovery_target_time = {moment[:19]}; recovery took {time.monotonic() - began:.1f} s")
    shutil.rmtree(originals)
    shutil.copytree(copied, originals)
    installation.settings["IBIDEM__DATABASE__URL"] = restored.url()
    migrated = time.monotonic()
    installation.run("migrate")
    said = installation.run("reconcile").stdout.strip().splitlines()
    say(f"originals copied back, `ibidem migrate` and `ibidem reconcile` took {time.monotonic() - migrated:.1f} s: {said[-1] if said else ''}")
    check(installation.run("doctor", check=False).returncode == 0, "`ibidem doctor` finds nothing wrong")
    server = installation.serve()
    after = {query: server.ask(key, query) for query in questions}
    same = sum(after[query].said() == before[query].said() for query in questions)
    check(same == len(questions), f"{same} of {len(questions)} answers and what their receipts say are identical to those before the mistake")
    check(recorded(restored, ids) == len(ids), f"the records of the {len(ids)} questions from before the moment are there")
    wait_until("a receipt from before holds", lambda: verified(installation, stage, before[questions[0]]), 30)
    say("`ibidem verify`: a receipt from before the mistake still holds")
    listed = installation.run("document", "list").stdout
    check("late" in listed and "leave-policy" in listed, "both documents are in the list again")


def verified(installation, stage, reply):
    import json
    file = stage.place / "answer.json"
    file.write_text(json.dumps(reply.answer))
    return installation.run("verify", file, check=False).returncode == 0


def recorded(postgres, ids):
    listed = ",".join(f"'{one}'" for one in ids)
    return int(postgres.sql(f"select count(distinct request_id) from audit where request_id in ({listed})", "ibidem"))
