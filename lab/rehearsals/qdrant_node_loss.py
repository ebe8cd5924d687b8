"""One of three Qdrant nodes is killed and comes back; then one is lost with its disk; then all of them are."""

import json
import os
import shutil
import signal
import time
from pathlib import Path

from rehearsal import QUESTIONS, Asker, Failed, get, request, wait_until


def rehearse(stage):
    say, check = stage.log.say, stage.log.check
    settings = stage.up("--cluster", instance="rehearsal-cluster")
    ports = [int(url.rsplit(":", 1)[1]) for url in settings["IBIDEM_STACK_QDRANT_HTTP_NODES"].split(",")]
    installation = stage.installation()
    key = installation.load()
    check(replicas(ports[0]) == {"Active": 6}, "three nodes, three shards, two copies of each, all active")
    server = installation.serve()
    before = {query: server.ask(key, query).said() for query in QUESTIONS}

    with Asker([server], key) as asker:
        asker.wait_for(3)
        kill(settings, 2)
        killed = time.monotonic()
        say("node 3 is killed")
        asker.wait_for(8, killed)
        check(all(reply.answered for reply in asker.since(killed)),
              f"questions since: {asker.counts(killed)}; longest time without an answer {asker.gap(killed):.1f} s")
        settings = stage.up("--cluster", instance="rehearsal-cluster")
        took = wait_until("all copies are active", lambda: replicas(ports[0]) == {"Active": 6}, 120)
        say(f"node 3 is started again; all six copies are active {took:.1f} s after it answered")
        asker.wait_for(2)
    check(all(reply.answered for reply in asker.since(0)), f"questions in all: {asker.counts()}")

    # Lost with its disk: a new node with an empty disk takes its place, under another peer id.
    kill(settings, 2)
    storage = Path(stack_folder()) / "run/rehearsal-cluster/qdrant-3"
    shutil.rmtree(storage)
    say("node 3 is killed and its disk is gone")
    lost = next(peer for peer in peers(ports[0]) if peer not in {me(ports[0]), me(ports[1])})
    settings = None
    status, body = request(ports[0], "DELETE", f"/cluster/peer/{lost}?force=true")
    check(status == 200, f"the lost peer {lost} is removed from the cluster: {status}")
    settings = stage.up("--cluster", instance="rehearsal-cluster")
    check(len(peers(ports[0])) == 3, "a new, empty node joined: three peers")
    say(f"copies now: {replicas(ports[0])}")
    with Asker([server], key) as asker:
        asker.wait_for(2)
        began = time.monotonic()
        said = installation.run("reindex").stdout.strip().splitlines()
        say(f"`ibidem reindex` with questions running, {time.monotonic() - began:.1f} s: {said[-1] if said else ''}")
        asker.wait_for(4)
    check(all(reply.answered for reply in asker.since(0)), f"questions meanwhile: {asker.counts()}")
    took = wait_until("all copies are active", lambda: replicas(ports[0]) == {"Active": 6}, 120)
    check({query: server.ask(key, query).said() for query in QUESTIONS} == before, "six active copies again; all answers are the same")

    # All of it: the index is made from the database.
    status, body = get(ports[0], "/collections")
    names = [one["name"] for one in json.loads(body)["result"]["collections"]]
    for name in names:
        request(ports[0], "DELETE", f"/collections/{name}")
    say(f"every collection is deleted; a question now: {server.ask(key, QUESTIONS[0]).outcome}")
    began = time.monotonic()
    installation.run("migrate")
    said = installation.run("reconcile").stdout.strip().splitlines()
    say(f"`ibidem migrate` and `ibidem reconcile`, {time.monotonic() - began:.1f} s: {said[-1] if said else ''}")
    wait_until("questions are answered", lambda: server.ask(key, QUESTIONS[0]).answered, 60)
    check({query: server.ask(key, query).said() for query in QUESTIONS} == before, "all answers are the same as before, with no embedding made again")


def stack_folder():
    return os.environ.get("IBIDEM_STACK_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ibidem-stack"


def kill(settings, number):
    pid = int(settings["IBIDEM_STACK_QDRANT_PIDS"].split(",")[number])
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + 20
    while Path(f"/proc/{pid}/task").exists() and len(list(Path(f"/proc/{pid}/task").iterdir())) > 1:
        if time.monotonic() > deadline:
            raise Failed(f"node {number + 1} does not end")
        time.sleep(0.1)


def cluster(port):
    return json.loads(get(port, "/cluster")[1])["result"]


def peers(port):
    return set(cluster(port)["peers"])


def me(port):
    return str(cluster(port)["peer_id"])


def replicas(port):
    """How many copies of shards are in which state, over all collections, as one node sees them."""
    found = {}
    for one in json.loads(get(port, "/collections")[1])["result"]["collections"]:
        told = json.loads(get(port, f"/collections/{one['name']}/cluster")[1])["result"]
        for shard in told["local_shards"] + told["remote_shards"]:
            found[shard["state"]] = found.get(shard["state"], 0) + 1
    return found
