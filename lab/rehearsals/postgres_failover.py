"""The primary PostgreSQL is killed under questions; its standby is promoted and takes over its address."""

import time

from rehearsal import QUESTIONS, Asker, Relay, get, wait_until


def rehearse(stage):
    say, check = stage.log.say, stage.log.check
    stage.up()
    # A commit waits until the standby has it, so that a fail-over loses nothing that was acknowledged.
    primary = stage.postgres("primary", ["wal_level=replica", "max_wal_senders=10"]).make().start()
    primary.sql("create database ibidem")
    standby = stage.postgres("standby").copy_of(primary).start()
    wait_until("the standby streams", lambda: primary.sql("select count(*) from pg_stat_replication where state = 'streaming'") == "1")
    primary.sql("alter system set synchronous_standby_names = '*'")
    primary.sql("select pg_reload_conf()")
    wait_until("commits wait for the standby", lambda: primary.sql("select sync_state from pg_stat_replication") == "sync")
    address = Relay(primary.port)
    stage.ends.callback(address.end)
    say("a primary and a standby run, with synchronous replication; Ibidem knows one address")
    installation = stage.installation(f"postgres://app@127.0.0.1:{address.port}/ibidem")
    key = installation.load()
    server = installation.serve()
    with Asker([server], key, pause=0.1) as asker:
        asker.wait_for(4)
        primary.kill()
        killed = time.monotonic()
        say("the primary is killed (SIGKILL)")
        time.sleep(5)
        during = asker.since(killed)
        check(not any(reply.answered for reply in during), f"in the 5 s after: {asker.counts(killed)}")
        say(f"/readyz replies {ready(server)}")
        standby.run("pg_ctl", "promote", "-D", standby.data, "-w")
        promoted = time.monotonic()
        say(f"`pg_ctl promote` is done, {promoted - killed:.1f} s after the kill")
        # Without this, commits on the new primary would wait for a standby that is not there.
        standby.sql("alter system set synchronous_standby_names = ''")
        standby.sql("select pg_reload_conf()")
        address.move(standby.port)
        moved = time.monotonic()
        say("the address leads to the new primary")
        took = asker.wait_for(1, moved)
        say(f"first answer {took:.1f} s after the address was moved; Ibidem was not restarted")
        asker.wait_for(4, moved)
    failed = [reply for reply in asker.since(killed) if not reply.answered]
    say(f"questions: {asker.counts()}; without answers for {asker.gap():.1f} s in all")
    check(all(reply.status in (200, 500, 503, 504) for reply in failed), "each failed question got a refusal or an error that says so, none hung")
    answered = [reply for _, _, reply in asker.replies if reply.answered]
    ids = {reply.answer["request_id"] for reply in answered}
    wait_until("the records are written", lambda: recorded(standby, ids) == len(ids), 30)
    check(recorded(standby, ids) == len(ids), f"the new primary has the records of all {len(ids)} answered questions")
    check(server.ask(key, QUESTIONS[0]).said() == first(answered, server, key), "the same question gets the same answer as before")

    # The old primary must not come back as a second primary: it is made anew as a standby.
    again = stage.postgres("standby2").copy_of(standby).start()
    wait_until("the new standby streams", lambda: standby.sql("select count(*) from pg_stat_replication where state = 'streaming'") == "1")
    check(again.sql("select pg_is_in_recovery()") == "t", "a new standby is made with pg_basebackup and streams")


def ready(server):
    status, body = get(server.port, "/readyz", seconds=30)
    return f"{status} {body[:200]}"


def recorded(postgres, ids):
    listed = ",".join(f"'{one}'" for one in ids)
    return int(postgres.sql(f"select count(distinct request_id) from audit where request_id in ({listed})", "ibidem"))


def first(answered, server, key):
    asked = next(reply for reply in answered if reply.answer["answer"] == server.ask(key, QUESTIONS[0]).answer["answer"])
    return asked.said()
