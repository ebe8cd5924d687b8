#!/usr/bin/env python3
"""Several of everything: three servers behind HAProxy, two workers, three Qdrant nodes, and PostgreSQL with a standby.

usage: lab/rehearsals/several.py IBIDEM [--rate 10] [--passages 400] [--page FILE]

How much the three servers carry beside one; then, while questions come in at a steady rate: each server is restarted, one
is killed, a worker is killed while documents are handed in, a Qdrant node is killed and comes back, and PostgreSQL's leader
is killed. In the end, a key is revoked and a policy file put in force on one server, and the others are asked at once.

Every reply is checked: an answer has the fact of its document, and whoever gets none is told why. It ends with 1 when an
answer is wrong, a reply is missing without a server having been killed, or a record is lost.
"""

import argparse
import contextlib
import http.client
import json
import os
import random
import signal
import statistics
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

from laboratories import answered_with_facts, laboratories, write, write_sheds  # noqa: E402
from postgres_patroni import Cluster, haproxy  # noqa: E402
from qdrant_node_loss import kill, replicas  # noqa: E402
from rehearsal import ROOT, Failed, Process, Reply, SteadyAsker, alone, free_port, request, wait_until  # noqa: E402

SERVERS = 3
WORKERS = 2
CLIENTS = 8
ROUNDS = 5
ROUND_SECONDS = 8
INSTANCE = "several"
# Seconds from a reply until its record is written, at most, while nothing is wrong.
RECORDED_WITHIN = 1.0
# Seconds between two things that are done.
BETWEEN = 3


class Door:
    """Where the clients ask: HAProxy before all servers, each of which it leaves alone when it is not ready. When none is, as
    while the database is away, it asks them all the same: they say what is wrong, and HAProxy could not."""

    def __init__(self, stage, servers):
        self.port = free_port()
        ready = [f"    server s{number} 127.0.0.1:{one.port} check" for number, one in enumerate(servers)]
        lines = "\n".join(ready + [f"    server b{number} 127.0.0.1:{one.port} backup" for number, one in enumerate(servers)])
        haproxy(stage, "door", f"""defaults
    mode http
    timeout connect 2s
    timeout check 5s
    timeout client 2m
    timeout server 2m
    retries 3
    option redispatch
    retry-on conn-failure 503
listen servers
    bind 127.0.0.1:{self.port}
    balance leastconn
    option httpchk GET /readyz
    http-check expect status 200
    default-server inter 500ms fall 1 rise 1
    option allbackups
{lines}
""")

    def ask(self, key, query, seconds=120):
        return Reply(*request(self.port, "POST", "/v1/answers", {"query": query}, {"authorization": f"Bearer {key}"}, seconds))


def throughput(port, key, queries, seconds):
    """Answers a second of so many clients that never pause, each on a connection that it keeps."""
    ends, done, lock = time.monotonic() + seconds, [0], threading.Lock()

    def work(number):
        connection, chance = http.client.HTTPConnection("127.0.0.1", port, timeout=120), random.Random(number)
        while time.monotonic() < ends:
            connection.request("POST", "/v1/answers", json.dumps({"query": chance.choice(queries)}),
                               {"authorization": f"Bearer {key}", "content-type": "application/json"})
            reply = connection.getresponse()
            text = reply.read()
            if reply.status != 200:
                raise Failed(f"{reply.status} {text[:200]}")
            with lock:
                done[0] += 1

    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(work, range(CLIENTS)))
    return done[0] / seconds


def rehearse(stage, rate, passages):
    say, check = stage.log.say, stage.log.check
    stack = stage.up("--cluster", instance=INSTANCE)
    ports = [int(url.rsplit(":", 1)[1]) for url in stack["IBIDEM_STACK_QDRANT_HTTP_NODES"].split(",")]
    database = Cluster(stage)
    wait_until("both PostgreSQL servers run", lambda: sorted(database.roles()) == ["leader", "sync_standby"], 180)
    for statement in ("create role app superuser login", "create database ibidem"):
        wait_until(statement, lambda: database.sql_by_address(statement) is not None, 60)
    installation = stage.installation(f"postgres://app@127.0.0.1:{database.address}/ibidem")
    made = list(laboratories(passages))
    corpus = stage.place / "laboratories.jsonl"
    write(corpus, made)
    installation.run("migrate")
    workers = [Process([stage.binary, "worker"], stage.place / f"worker-{number}.log", installation.environment(), folder=stage.place)
               for number in range(WORKERS)]
    for worker in workers:
        stage.ends.callback(worker.end)
    began = time.monotonic()
    installation.run("ingest", corpus, "--collection", "Laboratories", "--tags", "public")

    def published():
        return int(database.sql_by_address("select (select count(*) from jobs where failed_at is null) + (select count(*) from outbox)", "ibidem") or 1) == 0

    wait_until("everything is loaded", published, 600)
    say(f"{passages} documents are loaded by {WORKERS} workers in {time.monotonic() - began:.0f} s")
    servers = [installation.serve(log=f"server-{number}.log") for number in range(SERVERS)]
    door = Door(stage, servers)
    key, admin = installation.key(), installation.key("--role", "admin")
    wait_until("HAProxy leads to the servers", lambda: door.ask(key, "Who?").status == 200, 60)
    expected = answered_with_facts(lambda query: door.ask(key, query), made)
    check(len(expected) >= 20, f"{len(expected)} of 60 questions are answered with their fact; these are asked")

    # How much several carry: arms in turn.
    queries, ratios, rates = list(expected), [], ([], [])
    for server in servers:
        throughput(server.port, key, queries, 2)
    for number in range(ROUNDS):
        order = (0, 1) if number % 2 == 0 else (1, 0)
        for place in order:
            rates[place].append(throughput((servers[0], door)[place].port, key, queries, ROUND_SECONDS))
        ratios.append(rates[1][-1] / rates[0][-1])
    spread = lambda values: f"{statistics.median(values):.2f} ({min(values):.2f}–{max(values):.2f})"  # noqa: E731
    say(f"answers a second, {CLIENTS} clients, {ROUNDS} rounds of {ROUND_SECONDS} s: one server {spread(rates[0])}, three behind HAProxy "
        f"{spread(rates[1])}; three over one {spread(ratios)}")

    marks = []
    with SteadyAsker(door, key, rate, expected) as asker:
        def during(name, change):
            since = time.monotonic()
            change()
            wait_until("questions are answered again", lambda: asker.first_answer_after(time.monotonic() - 2) is not None, 120)
            marks.append((name, since, time.monotonic()))
            # What was asked until then is replied to before the next thing is done.
            time.sleep(BETWEEN)
            say(f"{name}: {asker.told(*marks[-1][1:])}")

        during("nothing is done", lambda: time.sleep(5))
        during("each server is restarted, one after the other", lambda: restart_each(servers, say))
        during("one server is killed and started again", lambda: kill_server(servers[1]))
        during("a worker is killed while documents are handed in",
               lambda: kill_worker(stage, installation, workers, published, say))
        during("a Qdrant node is killed and started again", lambda: kill_node(stage, stack, ports))
        during("PostgreSQL's leader is killed", lambda: fail_over(database, asker, say))
    check(asker.asked == len(asker.replies), f"{asker.asked} questions in all, {rate:g} a second; each came to an end")
    wrong = [query for query, _, reply in asker.between(0) if reply.answered and expected[query] not in reply.answer["answer"]]
    check(not wrong, "no answer is without its fact")
    of_killed = next((since, until) for name, since, until in marks if name.startswith("one server is killed"))
    silent = [reply for query, asked, _, reply in asker.replies if reply.status == 0 and not of_killed[0] - BETWEEN <= asked < of_killed[1]]
    check(not silent, "no reply is missing, except where the server that had the question was killed")
    for name in ("nothing is done", "each server is restarted", "a worker is killed", "a Qdrant node"):
        since, until = next((since, until) for one, since, until in marks if one.startswith(name))
        failed = [reply for _, _, reply in asker.between(since, until) if not reply.answered]
        check(not failed, f"{name}: every question is answered")
    moments = {reply.answer["request_id"]: ended for _, _, ended, reply in asker.replies if reply.status == 200}
    with contextlib.suppress(Failed):
        wait_until("the records are written", lambda: not missing(database, moments), 60)
    # What a server had not written when it was killed is gone with it: a record is written within moments of its answer.
    lost = missing(database, moments)
    of_the_killed = [one for one in lost if of_killed[0] - RECORDED_WITHIN <= moments[one] <= of_killed[0]]
    for one in lost - set(of_the_killed):
        say(f"no record of {one}, replied to {moments[one] - marks[0][1]:.1f} s after the first question")
    check(len(lost) == len(of_the_killed),
          f"the database has the records of {len(moments) - len(lost)} of {len(moments)} questions that got an answer or a refusal"
          + (f"; {len(lost)} went with the server that was killed" if lost else ""))
    reach(servers, key, admin, queries, check)


def missing(database, moments):
    """Which of these questions have no record."""
    listed = ",".join(f"('{one}'::uuid)" for one in moments)
    said = database.sql_by_address(
        f"select id from (values {listed}) as asked (id) where not exists (select from audit where request_id = asked.id)", "ibidem")
    return set(moments) if said is None else set(said.split())


def restart_each(servers, say):
    for number, server in enumerate(servers):
        began = time.monotonic()
        server.process.end()
        ended = time.monotonic() - began
        server.start()
        say(f"server {number + 1} ended after {ended:.1f} s and was ready {server.ready_after:.1f} s after its start")
        # HAProxy looks twice a second.
        time.sleep(1.5)


def kill_server(server):
    server.process.end(signal.SIGKILL)
    time.sleep(3)
    server.start()


def kill_worker(stage, installation, workers, published, say):
    more = stage.place / "more.jsonl"
    write_sheds(more, 120)
    installation.run("ingest", more, "--collection", "Sheds", "--tags", "public")
    workers[0].end(signal.SIGKILL)
    began = time.monotonic()
    wait_until("the other worker has done it all", published, 600)
    say(f"the other worker had done everything {time.monotonic() - began:.1f} s after the kill")


def kill_node(stage, stack, ports):
    kill(stack, 2)
    time.sleep(5)
    stage.up("--cluster", instance=INSTANCE)
    wait_until("all copies are active", lambda: set(replicas(ports[0])) == {"Active"}, 120)


def fail_over(database, asker, say):
    leader = database.leader()
    database.kill(leader)
    killed = time.monotonic()
    wait_until("a question is answered", lambda: asker.first_answer_after(killed + 1) is not None, 180)
    say(f"first answer {asker.first_answer_after(killed + 1) - killed:.1f} s after {leader.name} was killed")
    database.start(leader)
    wait_until("the killed one follows", lambda: sorted(database.roles()) == ["leader", "sync_standby"], 180)


def reach(servers, key, admin, queries, check):
    """What is decided on one server holds on the others in the next request."""
    first, *others = servers
    by_admin = {"authorization": f"Bearer {admin}"}
    status, body = request(first.port, "POST", "/v1/keys", {"name": "guest", "role": "asker"}, by_admin)
    made = json.loads(body)
    guest = made.get("secret") or made.get("key")
    check(all(server.ask(guest, queries[0]).status == 200 for server in servers), "a key made on one server asks on all three")
    status, _ = request(first.port, "DELETE", f"/v1/keys/{made['id']}", None, by_admin)
    revoked = time.monotonic()
    refused = [server.ask(guest, queries[0]).status for server in others]
    check(status == 204 and refused == [401] * len(others),
          f"revoked on one, refused by the others in the next request, {1000 * (time.monotonic() - revoked):.0f} ms later")
    before = [server.ask(key, queries[0]).answer["receipt"]["policy_sha256"] for server in servers]
    status, body = request(first.port, "PUT", "/v1/policies", {"policy": (ROOT / "policies/architecture.yaml").read_text()}, by_admin)
    put = time.monotonic()
    after = [server.ask(key, queries[0]).answer["receipt"]["policy_sha256"] for server in others]
    if status != 200:
        raise Failed(f"PUT /v1/policies: {status} {body[:300]}")
    check(len(set(before)) == 1 and len(set(after)) == 1 and after[0] != before[0],
          f"a policy file put in force on one server decides on the others in the next question, {1000 * (time.monotonic() - put):.0f} ms later")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("binary")
    arguments.add_argument("--rate", type=float, default=10)
    arguments.add_argument("--passages", type=int, default=400)
    arguments.add_argument("--page", help="writes what was seen to this file")
    arguments = arguments.parse_args()

    def with_page(stage):
        rehearse(stage, arguments.rate, arguments.passages)
        if arguments.page:
            lines = "\n".join(f"| {at:.1f} | {said.replace('|', '/')} |" for at, said in stage.log.lines)
            cores = len(os.sched_getaffinity(0))
            head = (HERE / "several.md").read_text(encoding="utf-8")
            Path(arguments.page).write_text(head.format(
                rate=arguments.rate, passages=arguments.passages, cores=cores, load=os.getloadavg()[2], lines=lines))

    alone(arguments.binary, "several", with_page, "several of everything")


if __name__ == "__main__":
    main()
