#!/usr/bin/env python3
"""Another embedding model takes the old one's place while questions are asked and documents handed in.

usage: lab/rehearsals/new_embedding_model.py IBIDEM [--passages 2000] [--rate 5]

A server and a worker use all-MiniLM-L6-v2. `ibidem reindex` with the settings of multilingual-e5-small embeds everything
into an index of its own beside theirs. Then it is run once more, for what was handed in meanwhile; a server with the
new model is started, and the old server and worker are stopped. It ends with 1 when a question gets no reply, an answer is
without the fact of its document, or a document is missing in the new index.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

from laboratories import answered_with_facts, laboratories, write, write_sheds  # noqa: E402
from rehearsal import Failed, Process, SteadyAsker, alone, get, wait_until  # noqa: E402

HANDED_IN = 20
E5 = {"NAME": "multilingual-e5-small", "MAX_TOKENS": "512", "QUERY_PREFIX": "query: ", "PASSAGE_PREFIX": "passage: ",
      "SIMILARITY__ZERO": "0.7529", "SIMILARITY__ONE": "0.9232"}


class Switch:
    """Whom clients ask; it can be moved."""

    def __init__(self, server):
        self.server = server

    def ask(self, key, query):
        return self.server.ask(key, query)


def rehearse(stage, passages, rate):
    say, check = stage.log.say, stage.log.check
    stack = stage.up("--with", "e5", instance=f"new-embedding-model-{os.getpid()}")
    installation = stage.installation()
    made = list(laboratories(passages))
    corpus = stage.place / "laboratories.jsonl"
    write(corpus, made)
    installation.run("migrate")
    began = time.monotonic()
    installation.run("ingest", corpus, "--collection", "Laboratories", "--tags", "public", "--wait", seconds=7200)
    loaded = time.monotonic() - began
    say(f"{passages} passages are loaded with all-MiniLM-L6-v2 in {loaded:.0f} s, {passages / loaded:.0f} a second")
    server, key = installation.serve(), installation.key()
    worker = Process([stage.binary, "worker"], stage.place / "worker.log", installation.environment(), folder=stage.place)
    stage.ends.callback(worker.end)
    expected = answered_with_facts(lambda query: server.ask(key, query), made)
    check(len(expected) >= 20, f"{len(expected)} of 60 questions are answered with their fact; these are asked")

    new = {f"IBIDEM__EMBEDDING__{name}": value for name, value in E5.items()}
    new |= {"IBIDEM__EMBEDDING__MODEL": f"{stack['IBIDEM_STACK_E5']}/model.onnx",
            "IBIDEM__EMBEDDING__TOKENIZER": f"{stack['IBIDEM_STACK_E5']}/tokenizer.json"}
    switch = Switch(server)
    with SteadyAsker(switch, key, rate, expected) as asker:
        asker.wait_for(20)
        began = time.monotonic()
        say(f"before: {asker.told(0, began)}")
        reindexing = Process([stage.binary, "reindex"], stage.place / "reindex.log", installation.environment(**new), folder=stage.place)
        stage.ends.callback(reindexing.end)
        hand_in(stage, installation)
        wait_until("everything is embedded again", lambda: not reindexing.lives(), 7200)
        took = time.monotonic() - began
        if reindexing.process.returncode:
            raise Failed(f"ibidem reindex: {reindexing.log.read_text(errors='replace')[-600:]}")
        say(f"`ibidem reindex` with multilingual-e5-small beside it, {took:.0f} s, {passages / took:.0f} passages a second")
        say(f"meanwhile: {asker.told(began, began + took)}")
        again = time.monotonic()
        installation.run("reindex", environment=installation.environment(**new), seconds=7200)
        say(f"once more, for {HANDED_IN} documents that were handed in meanwhile: {time.monotonic() - again:.1f} s")
        moved = time.monotonic()
        switch.server = installation.serve(log="new-server.log", **new)
        worker.end()
        server.stop()
        say("a server with the new model answers; the old server and worker are stopped")
        asker.wait_for(20)
        say(f"since then: {asker.told(moved)}")
    check(asker.asked == len(asker.replies) and all(reply.status == 200 for _, _, reply in asker.between()),
          f"all {asker.asked} questions got a reply")
    wrong = [query for query, _, reply in asker.between() if reply.answered and expected[query] not in reply.answer["answer"]]
    check(not wrong, "no answer is without its fact")
    check(installation.run("doctor", check=False, environment=installation.environment(**new)).returncode == 0,
          "`ibidem doctor` finds nothing wrong with the new settings")
    found = installation.run("search", "Shed number 7 of the yard", "--json", environment=installation.environment(**new)).stdout
    check("Shed number 7 " in found, "a document that was handed in meanwhile is found by the new model")
    said = installation.run("reindex", "--drop-other-models", environment=installation.environment(**new), seconds=7200).stdout.strip()
    port = int(stack["IBIDEM_STACK_QDRANT_HTTP"].rsplit(":", 1)[1])
    left = [one["name"] for one in json.loads(get(port, "/collections")[1])["result"]["collections"]
            if one["name"].startswith(installation.settings["IBIDEM__INDEX__NAME"])]
    check(len(left) == 1, f"the old index is deleted: {said.splitlines()[-1] if said else 'done'}")


def hand_in(stage, installation):
    file = stage.place / "sheds.jsonl"
    write_sheds(file, HANDED_IN)
    installation.run("ingest", file, "--collection", "Sheds", "--tags", "public")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("binary")
    arguments.add_argument("--passages", type=int, default=2000)
    arguments.add_argument("--rate", type=float, default=5)
    arguments = arguments.parse_args()
    alone(arguments.binary, "new_embedding_model", lambda stage: rehearse(stage, arguments.passages, arguments.rate),
          "the new model is in place")


if __name__ == "__main__":
    main()
