#!/usr/bin/env python3
"""One tenant has the largest policy file that is allowed and asks as much as it can; another tenant asks beside it.

usage: lab/rehearsals/one_tenant.py IBIDEM [--passages 25000] [--askers 16] [--seconds 60]

The large tenant has so many passages, and so many askers who never pause. The other tenant has two documents and one asker,
who asks alone first. It ends with 1 when a larger policy file is taken, when the server has more than `MOST_MEMORY` bytes, or
when the other tenant waits more than `MOST` times as long as alone (the 95th percentile).
"""

import argparse
import itertools
import json
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

from laboratories import asked, laboratories, write  # noqa: E402
from rehearsal import DOCUMENTS, ROOT, Asker, alone, request, told  # noqa: E402

MOST_MEMORY = 1_500_000_000
# How much longer the other tenant may wait, and so many seconds that say nothing.
MOST, NOISE = 2.0, 0.05
# Every number that costs something, at its most. `policy.of_tenants.most_passages` is 100 where nothing else is said.
LARGEST = """\
extends: default
name: largest
about: The largest policy file that is allowed.
gather:
  hits_per_lane: {hits}
  hits_for_each_asked: 5
  forced_lexical: 50
  parts: {{most: 8, pool: 20, not_answered: "This part is not answered here: {{part}}"}}
  rerank: {{pool: 100, keep: 100, rows: 10, score_weight: 0.5, kind_boost: 0.15, kind_minimum: 2}}
sift:
  gates: [{{per_document: 100}}, {{keep_best: {{at_least: 20}}}}]
  left_to_reader: []
speak: {{extractive_sentences: 20, max_answer_tokens: 4096, budget: {{history: 131072, context: 131072}}}}
refusals: {{nearest: 20}}
"""


class Memory:
    """The most memory that a process had, in bytes, looked at ten times a second."""

    def __init__(self, pid):
        self.status, self.most, self.ended = Path(f"/proc/{pid}/status"), 0, threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join(10)

    def watch(self):
        while not self.ended.wait(0.1):
            for line in self.status.read_text().splitlines():
                if line.startswith("VmRSS:"):
                    self.most = max(self.most, int(line.split()[1]) * 1024)


def seconds_taken(asker):
    return sorted(ended - began for began, ended, _ in asker.replies)


def p95(taken):
    return taken[min(len(taken) - 1, int(len(taken) * 0.95))]


def asked_for(server, key, seconds, beside):
    """What an asker of the other tenant was told, who pauses a little between questions."""
    with Asker([server], key, at_once=1, pause=0.1) as asker, beside:
        time.sleep(seconds)
    return asker


def rehearse(stage, passages, askers, seconds):
    say, check = stage.log.say, stage.log.check
    stage.up(instance="one-tenant")
    installation = stage.installation(IBIDEM__LOG__LEVEL="warn", IBIDEM__RERANKER__USE="reader",
                                      IBIDEM__SERVER__KEY_SHARE_PERCENT="100")
    installation.run("migrate")
    made = list(laboratories(passages))
    corpus = stage.place / "laboratories.jsonl"
    write(corpus, made)
    began = time.monotonic()
    installation.run("ingest", corpus, "--tenant", "large", "--collection", "Laboratories", "--tags", "public", "--wait", seconds=7200)
    say(f"{passages} documents of the large tenant are taken in after {time.monotonic() - began:.0f} s")
    for name in DOCUMENTS:
        installation.run("ingest", ROOT / "demo/handbook" / name, "--tenant", "small", "--collection", "Handbook", "--tags", "public", "--wait")
    server = installation.serve()
    large, small = installation.key("--tenant", "large"), installation.key("--tenant", "small")
    admin = installation.key("--tenant", "large", "--role", "admin")

    def put(hits):
        return request(server.port, "PUT", "/v1/policies", {"policy": LARGEST.format(hits=hits)}, {"authorization": f"Bearer {admin}"})

    for hits in (101, 10_000_000):
        status, body = put(hits)
        check(status == 422 and "gather.hits_per_lane" in body, f"a policy file with {hits} hits for each lane is refused: {json.loads(body)['detail']}")
    status, body = put(100)
    check(status == 200, f"the largest policy file that is allowed is in force: {status} {'' if status == 200 else body}")

    for query in itertools.islice(asked(10, made), 4):
        server.ask(large, query)
    with Memory(server.process.pid) as memory:
        alone_asked = asked_for(server, small, seconds, Asker([server], large, at_once=0))
        before = memory.most
        crowd = Asker([server], large, at_once=askers, pause=0.0, questions=list(asked(500, made)))
        beside = asked_for(server, small, seconds, crowd)
    taken, crowded = seconds_taken(alone_asked), seconds_taken(beside)
    lost = [reply for *_, reply in [*alone_asked.replies, *beside.replies] if reply.status != 200]
    check(not lost, f"every question of the other tenant had an answer or a refusal, but {len(lost)}: {told(lost)}")
    check(len(taken) >= 10 and len(crowded) >= 3, f"the other tenant had {len(taken)} replies alone and {len(crowded)} beside {askers} askers")
    say(f"the large tenant had {len(crowd.replies)} replies, p95 {p95(seconds_taken(crowd)):.2f} s: {told([reply for *_, reply in crowd.replies])}")
    say(f"the other tenant: p95 {p95(taken):.2f} s alone, {p95(crowded):.2f} s beside; told: {told([reply for *_, reply in beside.replies])}")
    say(f"the server had {before / 1e6:.0f} MB before, and {memory.most / 1e6:.0f} MB at most")
    found = memory.most <= MOST_MEMORY, p95(crowded) <= MOST * p95(taken) + NOISE
    check(found[0], f"the server has less than {MOST_MEMORY / 1e9:g} GB" if found[0] else f"the server had {memory.most / 1e9:.2f} GB")
    check(found[1], f"the other tenant waits {p95(crowded) / p95(taken):.1f} times as long as alone, at most {MOST:g} are allowed")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("binary")
    arguments.add_argument("--passages", type=int, default=25_000)
    arguments.add_argument("--askers", type=int, default=16)
    arguments.add_argument("--seconds", type=float, default=60)
    arguments = arguments.parse_args()
    alone(arguments.binary, "one_tenant",
          lambda stage: rehearse(stage, arguments.passages, arguments.askers, arguments.seconds),
          "one tenant cannot take the machine")


if __name__ == "__main__":
    main()
