"""The clock of the machine that serves jumps forward and back: answers go on, and nothing is deleted for its age."""

import datetime
import time

from rehearsal import QUESTIONS, Asker, Failed, from_debian, wait_until


def rehearse(stage):
    say, check = stage.log.say, stage.log.check
    stage.up()
    # Only the server's clock is moved, by a library that is loaded before all others. Its steady clock is left alone, as
    # it is when somebody sets the time of a machine.
    library = from_debian("libfaketime", "usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1", stage.place)
    offset = stage.place / "offset"

    def jump(seconds):
        offset.write_text(f"{seconds:+d}")
        time.sleep(2)

    jump(0)
    faked = {"LD_PRELOAD": str(library), "FAKETIME_TIMESTAMP_FILE": str(offset), "FAKETIME_CACHE_DURATION": "1",
             "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    installation = stage.installation()
    installation.load()
    key = installation.key("--expires-in-days", "1")
    server = installation.serve(**faked)
    before = {query: server.ask(key, query) for query in QUESTIONS}
    check(all(reply.answered for reply in before.values()), "questions are answered, with a key that expires in a day")
    with Asker([server], key) as asker:
        asker.wait_for(2)
        for name, seconds in (("two hours ahead", 7200), ("two hours behind", -7200), ("400 days ahead", 400 * 86400)):
            jump(seconds)
            jumped = time.monotonic()
            asker.wait_for(3, jumped)
            reply = next(reply for reply in asker.since(jumped) if reply.answered)
            receipt = datetime.datetime.fromisoformat(reply.answer["receipt"]["asked_at"][:26].rstrip("Z") + "+00:00")
            away = (receipt - datetime.datetime.now(datetime.timezone.utc)).total_seconds()
            check(abs(away - seconds) < 120, f"the server's clock is {name}: {asker.counts(jumped)}; receipts say {away / 3600:+.1f} h")
        jump(0)
        asker.wait_for(2)
    check(all(reply.answered for reply in asker.since(0)),
          f"questions in all: {asker.counts()}; the key still counts, since the database's clock says when it expires")

    def records():
        url = installation.settings["IBIDEM__DATABASE__URL"]
        import subprocess
        from pathlib import Path
        return int(subprocess.run([Path(stage.stack["IBIDEM_STACK_PG_BIN"]) / "psql", "-XAtq", url, "-c", "select count(*) from audit"],
                                  check=True, capture_output=True, text=True).stdout)

    asked = len(before) + len(asker.replies)
    wait_until("every record is written", lambda: records() == asked, 30)
    say(f"all {asked} questions are recorded, those of the wrong time too")
    server.stop()

    # The worst moment: a server or a worker starts with a clock that is more than `audit.retention_days` ahead.
    jump(400 * 86400)
    server.start()
    time.sleep(5)
    check(server.ask(key, QUESTIONS[0]).answered, "a server that starts 400 days ahead answers")
    time.sleep(2)
    if records() < asked:
        raise Failed(f"a clock that is ahead deleted records: {records()} of {asked} are left")
    say(f"it deletes no record for its age ({records()} are there): the earlier of its clock and the database's decides")
    jump(0)
    server.stop()
    server.start()
    after = {query: server.ask(key, query) for query in QUESTIONS}
    check(all(after[query].said() == before[query].said() for query in QUESTIONS), "with the right time again, all answers are the same")
