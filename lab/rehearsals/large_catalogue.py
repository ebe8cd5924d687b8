#!/usr/bin/env python3
"""Questions, lists and figures among very many documents and records: none may take longer than somebody waits.

usage: lab/rehearsals/large_catalogue.py IBIDEM [--documents 1000000] [--records 300000] [--originals 2000] [--times 15] [--page FILE]

A worker takes documents in, PostgreSQL copies them (lab/rehearsals/large_catalogue/copies.sql says how), and the same requests
are made when there are few copies and when there are many, by somebody who sees most of them and somebody who sees none. It
ends with 1 when a reply is not the one that is due, when one takes more than `LONGEST` seconds, or when a question about
documents that were not copied takes more than `MOST` times as long among many copies as among few.
"""

import argparse
import http.client
import json
import os
import statistics
import sys
import time
import urllib.parse
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

from laboratories import answered_with_facts, laboratories, take_in, write_sheds  # noqa: E402
from rehearsal import Process, alone, wait_until  # noqa: E402

PARTS = HERE / "large_catalogue"
# Copies that are made at a time: somebody who waits sees that it goes on.
AT_ONCE = 200_000
# Seconds that a reply may take, at most.
LONGEST = 3.0
# How much longer a question may take among many, and so many milliseconds that say nothing.
MOST, NOISE = 2.0, 15.0
# Requests of a kind from which on times are compared.
FEWEST = 10


class Requests:
    """The requests, each with what its reply must be: a status, and something that it says."""

    def __init__(self, port, staff, guest, admin, asked):
        self.port, self.connection = port, None
        self.staff, self.guest, self.admin = staff, guest, admin
        self.asked = list(asked.items())

    def send(self, key, method, path, body=None):
        sent = json.dumps(body) if body is not None else None
        self.connection.request(method, path, sent, {"authorization": f"Bearer {key}", "content-type": "application/json"})
        reply = self.connection.getresponse()
        return reply.status, reply.read().decode("utf-8", "replace")

    def connect(self):
        """Anew: while copies are made, a server closes a connection on which nothing is asked."""
        if self.connection is not None:
            self.connection.close()
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    def answer(self, key, number, collections=(), says=None):
        query, fact = self.asked[number % len(self.asked)]
        status, text = self.send(key, "POST", "/v1/answers", {"query": query, "collections": list(collections)})
        return status == 200 and (says or fact) in text, text

    def unseen(self, key, number):
        query, _ = self.asked[number % len(self.asked)]
        status, text = self.send(key, "POST", "/v1/answers", {"query": query, "collections": ["Archive"]})
        return status == 422 and "unknown_collection" in text, text

    def said(self, key, query, says):
        status, text = self.send(key, "POST", "/v1/answers", {"query": query})
        return status == 200 and says in text, text

    def search(self, key, number):
        query, _ = self.asked[number % len(self.asked)]
        status, text = self.send(key, "POST", "/v1/search", {"query": query})
        return status == 200 and bool(json.loads(text)["hits"]), text

    def documents(self, key, at_least, at_most=50, pages=1, **filters):
        count, cursor = 0, {}
        for _ in range(pages):
            status, text = self.send(key, "GET", f"/v1/documents?{urllib.parse.urlencode({**filters, **cursor})}")
            if status != 200:
                return False, text
            page = json.loads(text)
            count += len(page["documents"])
            cursor = {"cursor": page["next"]}
            if page["next"] is None:
                break
        return at_least <= count <= at_most * pages, f"{count} documents"

    def models(self, key, has, has_not=None):
        status, text = self.send(key, "GET", "/v1/models")
        return status == 200 and has in text and (has_not is None or has_not not in text), text

    def figures(self):
        status, text = self.send(self.admin, "GET", "/v1/metrics")
        return status == 200 and json.loads(text)["documents"] > 0, text

    def all(self):
        """Each with its name, and whether it is a question about documents that were not copied."""
        staff, guest = self.staff, self.guest
        return [
            ("a question, guest", True, lambda n: self.answer(guest, n)),
            ("a question, staff", True, lambda n: self.answer(staff, n)),
            ("a question to one collection, guest", True, lambda n: self.answer(guest, n, ["Laboratories"])),
            ("a question to one collection, staff", True, lambda n: self.answer(staff, n, ["Laboratories"])),
            ("a question to a collection of which the guest sees nothing", True, lambda n: self.unseen(guest, n)),
            ("a search, staff", True, lambda n: self.search(staff, n)),
            ("a question to a large collection, staff", False, lambda n: self.answer(staff, n, ["Archive"], '"action"')),
            ("a question about a document by its address, staff", False, lambda n: self.said(staff, f"What does ADR-{1 + n} say?", '"action"')),
            ("a question about an address that the guest does not see", True, lambda n: self.said(guest, f"What does ADR-{1 + n} say?", '"refused":true')),
            ("“List documents about ice cores”, guest", False, lambda n: self.said(guest, "List documents about ice cores", "ice cores")),
            ("“List documents about ice cores”, staff", False, lambda n: self.said(staff, "List documents about ice cores", "ice cores")),
            ("“List all documents”, guest", False, lambda n: self.said(guest, "List all documents", '"cite"')),
            ("“List all documents”, staff", False, lambda n: self.said(staff, "List all documents", '"cite"')),
            ("the first page of documents, guest", False, lambda n: self.documents(guest, 20)),
            ("the first page of documents, staff", False, lambda n: self.documents(staff, 50)),
            ("ten pages of documents, staff", False, lambda n: self.documents(staff, 1, pages=10)),
            ("documents of a collection, staff", False, lambda n: self.documents(staff, 20, collection="laboratories")),
            ("documents of a tag, staff", False, lambda n: self.documents(staff, 1, tag="staff")),
            ("documents of a tag that the guest does not carry", False, lambda n: self.documents(guest, 0, 0, tag="staff")),
            ("documents with a word in their title, staff", False, lambda n: self.documents(staff, 1, words="walnut")),
            ("documents with a word that none has, staff", False, lambda n: self.documents(staff, 0, 0, words="zebra")),
            ("documents that are superseded, staff", False, lambda n: self.documents(staff, 0, status="superseded")),
            ("documents that are superseded, guest", False, lambda n: self.documents(guest, 0, 0, status="superseded")),
            ("models, guest", False, lambda n: self.models(guest, "Laboratories", "Archive")),
            ("models, staff", False, lambda n: self.models(staff, "Archive", "Cases")),
            ("the figures of thirty days, admin", False, lambda n: self.figures()),
        ]


def measured(requests, times, say):
    """Median and longest of each, in milliseconds, and what was wrong."""
    found, wrong = {}, []
    requests.connect()
    for name, _, send in requests.all():
        took = []
        # The first two are for plans and caches that begin empty.
        for number in range(-2, times):
            began = time.monotonic()
            holds, text = send(number + 2)
            if number >= 0:
                took.append(1000 * (time.monotonic() - began))
            if not holds:
                wrong.append(f"{name}: {text[:200]}")
                break
        found[name] = statistics.median(took or [float("nan")]), max(took or [float("nan")])
        say(f"{found[name][0]:9.1f} ms, longest {found[name][1]:9.1f}: {name}")
    return found, wrong


def rehearse(stage, documents, records, originals, times, page):
    say, check = stage.log.say, stage.log.check
    stage.up(instance=f"large-catalogue-{os.getpid()}")
    installation = stage.installation(IBIDEM__LOG__LEVEL="warn", IBIDEM__SERVER__KEY_SHARE_PERCENT="100")
    made = list(laboratories(originals))
    take_in(stage, installation, made)
    server = installation.serve()
    worker = Process([stage.binary, "worker"], stage.place / "worker.log", installation.environment(), folder=stage.place)
    stage.ends.callback(worker.end)
    keys = [installation.key("--tags", "staff"), installation.key(), installation.key("--role", "admin", "--tags", "staff,desk")]
    asked = answered_with_facts(lambda query: server.ask(keys[1], query), made)
    requests = Requests(server.port, *keys, asked)
    check(len(requests.asked) >= 10, f"{originals} documents are taken in; {len(requests.asked)} questions are answered with their fact, and these are asked")

    def copy(part, there, wanted):
        while there < wanted:
            until = min(there + AT_ONCE, wanted)
            stage.sql(installation, "-v", f"from_number={there + 1}", "-v", f"to_number={until}", "-f", PARTS / part, seconds=3600)
            say(f"{until} copies of {part.removesuffix('.sql')}")
            there = until

    # Records are written a moment after the answer.
    wait_until("there are records", lambda: int(stage.sql(installation, "-c", "select count(*) from audit")) >= 10)
    few = max(10, documents // 100)
    copy("copies.sql", 0, few)
    before, wrong = measured(requests, times, say)
    began = time.monotonic()
    copy("copies.sql", few, documents)
    copy("records.sql", 0, records)
    size = int(stage.sql(installation, "-c", "select pg_database_size(current_database())"))
    told = f"Copying took {time.monotonic() - began:.0f} s. The database has {size / 1e9:.1f} GB."
    say(told)
    after, more = measured(requests, times, say)

    began = time.monotonic()
    requests.connect()
    handed_in(stage, installation)
    wait_until("a new document is found", lambda: "Shed number 3 " in requests.send(keys[1], "POST", "/v1/search", {"query": "Shed number 3 of the yard"})[1], 120)
    told += f" A document that was handed in was found after {time.monotonic() - began:.1f} s."
    began = time.monotonic()
    doctor = installation.run("doctor", check=False, seconds=1800)
    told += f" `ibidem doctor` took {time.monotonic() - began:.0f} s."
    say(told)
    if page:
        lines = "\n".join(f"| {name} | {before[name][0]:.1f} | {before[name][1]:.1f} | {after[name][0]:.1f} | {after[name][1]:.1f} | {after[name][0] / before[name][0]:.1f} |"
                          for name in after)
        text = (PARTS / "page.md").read_text(encoding="utf-8")
        Path(page).write_text(text.format(documents=documents, records=records, originals=originals, few=few, times=times,
                                          cores=os.cpu_count(), told=told, lines=lines))
    for problem in wrong + more:
        say(f"wrong: {problem}")
    check(not wrong + more, f"{len(wrong + more)} replies are not those that are due" if wrong + more else "every reply is the one that is due")
    slow = [f"{name} ({took[1] / 1000:.1f} s)" for name, took in after.items() if took[1] > LONGEST * 1000]
    check(not slow, "too slow: " + ", ".join(slow) if slow else f"none takes more than {LONGEST:g} s")
    slower = [f"{name} ({before[name][0]:.0f} and {after[name][0]:.0f} ms)" for name, is_apart, _ in requests.all()
              if is_apart and after[name][0] > MOST * before[name][0] + NOISE]
    if times < FEWEST:
        say(f"fewer than {FEWEST} of each are too few to compare their times")
    else:
        check(not slower, "slower among many: " + ", ".join(slower) if slower else "questions take as long among many as among few")
    check(doctor.returncode in (0, 1), "`ibidem doctor` comes to an end")


def handed_in(stage, installation):
    file = stage.place / "sheds.jsonl"
    write_sheds(file, 5)
    installation.run("ingest", file, "--collection", "Sheds", "--tags", "public")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("binary")
    arguments.add_argument("--documents", type=int, default=1_000_000)
    arguments.add_argument("--records", type=int, default=300_000)
    arguments.add_argument("--originals", type=int, default=2_000, help="documents that are taken in by a worker, and copied")
    arguments.add_argument("--times", type=int, default=15, help="how often each request is made")
    arguments.add_argument("--page")
    arguments = arguments.parse_args()
    alone(arguments.binary, "large_catalogue",
          lambda stage: rehearse(stage, arguments.documents, arguments.records, arguments.originals, arguments.times, arguments.page),
          "a large catalogue answers as a small one does")


if __name__ == "__main__":
    main()
