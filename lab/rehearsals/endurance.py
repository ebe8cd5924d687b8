#!/usr/bin/env python3
"""Hours of mixed load at a share of what the machine carries: nothing may grow, get lost or be wrong.

usage: lab/rehearsals/endurance.py IBIDEM [--minutes 120] [--passages 5000] [--questions 200] [--probe 60] [--share 0.7] [--page FILE]

A server and a worker run as processes of their own, as they come, with the reader; a stand-in for a language model answers
at once. First, 8 clients that never pause find out how much the machine carries. Then `--share` of that comes in: questions,
streamed questions, searches, chat completions, feedback, and sources that are opened. Six times a minute the rate is
adjusted so that the cores are busy for that share of the time: what a machine carries is not the same all day. Meanwhile
documents are handed in, changed and removed, and keys are made and revoked.

Every reply is checked: an answer has the fact of its document, and what was removed, replaced or revoked is gone at once.
Memory, file handles, threads, connections and partitions are read twice a minute. At the end, every question must be on
record, and the last sixth of the time is compared with the second one.
"""

import argparse
import collections
import http.client
import http.server
import json
import os
import random
import re
import statistics
import sys
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

from laboratories import laboratories, question, take_in  # noqa: E402
from rehearsal import Failed, Process, alone, wait_until  # noqa: E402

# How often each is done, of twenty.
KINDS = ["answer"] * 9 + ["stream"] * 3 + ["search"] * 3 + ["chat"] * 2 + ["feedback"] * 2 + ["source"]
CLIENTS = 8
ADJUST_EVERY = 10
# The rate changes by no more than this at a time.
MOST_ADJUSTED = 1.15
SAMPLE_EVERY = 30
CHANGE_EVERY = 10
REVOKE_EVERY = 20
GATES = 12
# Seconds until somebody says what they think of an answer.
READING = 3
# What may differ between the second sixth and the last one without being called growth.
MOST = {"memory": 1.10, "memory_bytes": 24e6, "handles": 12, "threads": 4, "connections": 4, "p50": 1.25, "p99": 1.5}


class Scribe(http.server.BaseHTTPRequestHandler):
    """A language model that answers at once, with the sentence of the notes that has most words of the question."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        said = self.written(body["messages"][-1]["content"])
        event = json.dumps({"choices": [{"index": 0, "delta": {"content": said}}]})
        self.reply("text/event-stream", f"data: {event}\n\ndata: [DONE]\n\n")

    def do_GET(self):
        self.reply("application/json", json.dumps({"data": [{"id": "scribe"}]}))

    def reply(self, kind, text):
        sent = text.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_):
        pass

    @staticmethod
    def written(prompt):
        words = set(re.findall(r"\w+", prompt.rstrip().rsplit("\n", 1)[-1].lower()))
        notes = re.findall(r"^\[\^(\d+)\] (.*)$", prompt, re.M)
        sentences = [(number, sentence) for number, note in notes for sentence in re.split(r"(?<=\.) ", re.sub(r"^\([^)]*\) ?", "", note))]
        if not sentences:
            return "I don't know."
        number, best = max(sentences, key=lambda one: len(words & set(re.findall(r"\w+", one[1].lower()))))
        # Half of the time in other words, so that the verifier has something to do.
        return f"{best if len(best) % 2 else 'In short, ' + best}[^{number}]"


def model():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Scribe)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Line(threading.local):
    """A connection that each thread keeps, as clients do; opened again where it was closed."""

    connection = None

    def send(self, port, method, path, body, key, kind="application/json"):
        for again in (True, False):
            kept = self.connection is not None
            try:
                if not kept:
                    self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
                self.connection.request(method, path, body, {"authorization": f"Bearer {key}", "content-type": kind})
                reply = self.connection.getresponse()
                return reply.status, reply.read().decode("utf-8", "replace")
            except (OSError, http.client.HTTPException) as error:
                self.connection.close()
                self.connection = None
                # A server may close a connection that waited; only a new one that fails says something.
                if not (again and kept):
                    return 0, str(error)
        raise AssertionError("the second try returns")


class Client:
    """Does one thing of the mix, and says what is wrong with the reply: nothing, where all is well."""

    def __init__(self, port, key, expected):
        self.port, self.key, self.expected, self.line = port, key, expected, Line()
        self.lock, self.recent, self.turns = threading.Lock(), collections.deque(maxlen=200), []

    def send(self, method, path, body=None, key=None):
        return self.line.send(self.port, method, path, json.dumps(body) if body is not None else None, key or self.key)

    def do(self, number):
        chance = random.Random(number)
        kind = chance.choice(KINDS)
        query = chance.choice(list(self.expected))
        return kind, getattr(self, kind)(query, chance)

    def answer(self, query, _):
        status, text = self.send("POST", "/v1/answers", {"query": query})
        if status != 200:
            return f"{status} {text[:200]}"
        reply = json.loads(text)
        with self.lock:
            self.recent.append((time.monotonic(), reply))
            self.turns.append(reply["request_id"])
        return self.judged(query, reply["answer"], reply.get("reason"), reply["citations"])

    def judged(self, query, said, reason, cited):
        fact, outcome = self.expected[query]
        if reason != outcome:
            return f"{query}: {reason or 'answered'}, and before {outcome or 'answered'}"
        if outcome is None and not cited:
            return f"{query}: an answer without a source"
        if outcome is None and fact is not None and fact not in said:
            return f"{query}: an answer without the fact {fact}: {said[:200]}"
        return None

    def stream(self, query, _):
        status, text = self.send("POST", "/v1/answers", {"query": query, "stream": True})
        if status != 200:
            return f"{status} {text[:200]}"
        events = [json.loads(line[5:]) for line in text.splitlines() if line.startswith("data:")]
        last = next((event for event in reversed(events) if "request_id" in event and "answer" in event), None)
        if last is None:
            return f"a stream that ends without an answer: {text[-200:]}"
        with self.lock:
            self.turns.append(last["request_id"])
        return self.judged(query, last["answer"], last.get("reason"), last["citations"])

    def search(self, query, _):
        status, text = self.send("POST", "/v1/search", {"query": query})
        if status != 200:
            return f"{status} {text[:200]}"
        return None if json.loads(text)["hits"] else f"{query}: nothing is found"

    def chat(self, query, _):
        status, text = self.send("POST", "/v1/chat/completions",
                                 {"model": "ibidem", "messages": [{"role": "user", "content": query}]})
        if status != 200:
            return f"{status} {text[:200]}"
        said = json.loads(text)["choices"][0]["message"]["content"]
        fact, outcome = self.expected[query]
        return None if outcome or fact is None or fact in said else f"{query}: a completion without the fact {fact}: {said[:200]}"

    def feedback(self, query, chance):
        # Nobody has an opinion at once, and an answer is on record a moment after it was given.
        with self.lock:
            read = [reply for at, reply in self.recent if at + READING < time.monotonic()]
        if not read:
            return self.answer(query, chance)
        reply = chance.choice(read)
        status, text = self.send("POST", f"/v1/answers/{reply['request_id']}/feedback", {"thumb": chance.choice(["up", "down"])})
        return None if status == 204 else f"feedback: {status} {text[:200]}"

    def source(self, query, chance):
        with self.lock:
            cited = [one["source_id"] for _, reply in self.recent for one in reply["citations"] if ":" in one["source_id"]]
        if not cited:
            return self.answer(query, chance)
        identity, chunk = chance.choice(cited).rsplit(":", 1)
        status, text = self.send("GET", f"/v1/documents/{identity}/passages/{chunk}")
        return None if status == 200 else f"a source: {status} {text[:200]}"


class Curator(threading.Thread):
    """Hands documents in, changes and removes them; and makes and revokes keys. What is gone must be gone at once."""

    def __init__(self, port, key):
        super().__init__(daemon=True)
        self.port, self.key, self.ended = port, key, threading.Event()
        self.wrong, self.visible_after, self.changed, self.removed, self.revoked = [], [], 0, 0, 0
        self.line, self.there = Line(), {}

    def send(self, method, path, body=None, key=None, kind="application/json"):
        return self.line.send(self.port, method, path, body, key or self.key, kind)

    def run(self):
        turn = 0
        while not self.ended.wait(CHANGE_EVERY):
            turn += 1
            try:
                self.change(turn)
                if turn % (REVOKE_EVERY // CHANGE_EVERY) == 0:
                    self.revoke(turn)
            except (Failed, ValueError, KeyError) as error:
                self.wrong.append(f"{type(error).__name__}: {error}")

    def change(self, turn):
        gate = turn % GATES
        if gate in self.there and turn % 5 == 0:
            code, identity = self.there.pop(gate)
            status, text = self.send("DELETE", f"/v1/documents/{identity}")
            self.note(status in (200, 204), f"removing a document: {status} {text[:200]}")
            self.note(code not in self.found(gate), f"gate {gate} is found after it was removed")
            self.removed += 1
            return
        code = f"{turn}{random.Random(turn).randrange(10_000, 99_999)}"
        began = time.monotonic()
        identity = self.hand_in(gate, f"# Gate {gate}\n\nThe code of the garden gate number {gate} is {code} until further notice.\n")
        wait_until(f"gate {gate} has its new code", lambda: code in self.found(gate), 300)
        self.visible_after.append(time.monotonic() - began)
        old, _ = self.there.get(gate, (None, None))
        self.note(old is None or old not in self.found(gate), f"gate {gate} is found with its old code {old}")
        self.there[gate] = code, identity
        self.changed += 1

    def hand_in(self, gate, text):
        mark = uuid.uuid4().hex
        fields = {"collection": "Gates", "tags": "public", "name": f"gate-{gate}.md"}
        parts = [f'--{mark}\r\ncontent-disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()]
        file = f'--{mark}\r\ncontent-disposition: form-data; name="file"; filename="gate-{gate}.md"\r\ncontent-type: text/markdown\r\n\r\n{text}\r\n--{mark}--\r\n'
        status, reply = self.send("POST", "/v1/documents", "".join(parts) + file, kind=f"multipart/form-data; boundary={mark}")
        if status not in (200, 202):
            raise Failed(f"handing in: {status} {reply[:200]}")
        return json.loads(reply)["document_id"]

    def found(self, gate):
        status, text = self.send("POST", "/v1/search",
                                 json.dumps({"query": f"code of the garden gate number {gate}", "collections": ["Gates"]}))
        # A collection without documents is no collection.
        if status == 422 and "unknown_collection" in text:
            return ""
        if status != 200:
            raise Failed(f"searching for a gate: {status} {text[:200]}")
        return text

    def revoke(self, turn):
        status, text = self.send("POST", "/v1/keys", json.dumps({"name": f"guest {turn}", "role": "asker"}))
        if status != 201:
            raise Failed(f"making a key: {status} {text[:200]}")
        made = json.loads(text)
        ask = json.dumps({"query": "code of the garden gate"})
        secret = made.get("secret") or made["key"]
        self.note(self.send("POST", "/v1/search", ask, secret)[0] == 200, "a new key may not search")
        self.note(self.send("DELETE", f"/v1/keys/{made['id']}")[0] == 204, "a key is not revoked")
        self.note(self.send("POST", "/v1/search", ask, secret)[0] == 401, "a revoked key may search")
        self.revoked += 1

    def note(self, holds, what):
        if not holds:
            self.wrong.append(what)


class Watch(threading.Thread):
    """Reads what each process and the database hold, twice a minute."""

    def __init__(self, processes, sql):
        super().__init__(daemon=True)
        self.processes, self.sql, self.samples, self.ended = processes, sql, [], threading.Event()
        self.began = time.monotonic()

    def run(self):
        while True:
            self.samples.append((time.monotonic() - self.began, self.read()))
            if self.ended.wait(SAMPLE_EVERY):
                return

    def read(self):
        found = {}
        for name, pid in self.processes.items():
            ids = [pid, *children(pid)]
            found[name] = {"memory": sum(memory(one) for one in ids), "handles": sum(handles(one) for one in ids),
                           "threads": sum(threads(one) for one in ids), "processes": len(ids)}
        rows = self.sql(
            "select (select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()),"
            " (select count(*) from pg_inherits where inhparent = 'audit'::regclass),"
            " (select count(*) from audit), pg_database_size(current_database())").split("|")
        found["database"] = dict(zip(("connections", "partitions", "records", "bytes"), map(int, rows)))
        return found

    def of(self, since, until, name, what):
        """The median of a measure within a time."""
        return statistics.median(sample[name][what] for at, sample in self.samples if since <= at < until)


def memory(pid):
    """Of its own, in bytes: pages of files that are mapped go when something else needs the room."""
    return line_of(pid, "RssAnon:") * 1024


def threads(pid):
    return line_of(pid, "Threads:")


def line_of(pid, name):
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(name))
    except (OSError, StopIteration):
        return 0


def handles(pid):
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


def children(pid):
    try:
        return [int(one) for task in os.listdir(f"/proc/{pid}/task")
                for one in Path(f"/proc/{pid}/task/{task}/children").read_text().split()]
    except OSError:
        return []


class Results:
    def __init__(self):
        self.lock, self.done, self.wrong = threading.Lock(), [], []

    def add(self, began, due, kind, wrong):
        now = time.monotonic()
        with self.lock:
            # From the moment it was due: a client that is behind counts as the server's time.
            self.done.append((due - began, now - due, kind))
            if wrong:
                self.wrong.append(f"after {due - began:.0f} s, {kind}: {wrong}")


def saturated(client, seconds):
    """How many requests a second so many clients get done that never pause."""
    ends, done, wrong, lock = time.monotonic() + seconds, [0], [], threading.Lock()

    def work(one):
        number = one * 1_000_000
        while time.monotonic() < ends:
            number += 1
            _, problem = client.do(number)
            with lock:
                done[0] += 1
                if problem:
                    wrong.append(problem)

    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(work, range(CLIENTS)))
    if wrong:
        raise Failed(f"wrong before the long run began: {wrong[:3]}")
    return done[0] / seconds


class Cores:
    """How busy all cores are, whoever it is for, and how much of them a virtual machine did not get."""

    def __init__(self):
        self.last = self.read()

    @staticmethod
    def read():
        names = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
        times = dict(zip(names, map(int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9])))
        idle = times["idle"] + times["iowait"]
        return sum(times.values()), sum(times.values()) - idle, times["steal"]

    def busy(self):
        """Two shares since it was last asked for: busy, and taken by other machines."""
        now, before = self.read(), self.last
        self.last = now
        total, busy, taken = (late - early for late, early in zip(now, before))
        return busy / max(1, total), taken / max(1, total)


def steady(client, rate, share, seconds, results, say):
    """Asks at a rate that keeps the cores busy for this share of the time. Returns how many requests there were, and at
    which moments how busy the cores were and how much of them other machines had."""
    began, number, told, cores, busy = time.monotonic(), 0, 0, Cores(), []
    due = adjusted = began

    def work(due, number):
        kind, wrong = client.do(number)
        results.add(began, due, kind, wrong)

    with ThreadPoolExecutor(64) as pool:
        while due < began + seconds:
            time.sleep(max(0.0, due - time.monotonic()))
            pool.submit(work, due, number)
            number += 1
            due += 1 / rate
            if due - adjusted >= ADJUST_EVERY:
                adjusted = due
                busy.append((due - began, *cores.busy()))
                rate *= min(MOST_ADJUSTED, max(1 / MOST_ADJUSTED, share / max(0.01, busy[-1][1])))
            minutes = int((due - began) // 600)
            if minutes > told:
                told = minutes
                say(f"{minutes * 10} minutes: {len(results.done)} requests, {len(results.wrong)} wrong, {rate:.1f} a second at present")
    return number, busy


def share_of(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else float("nan")


def rehearse(stage, minutes, passages, questions, probe, share, page):
    say, check = stage.log.say, stage.log.check
    stack = stage.up(instance=f"endurance-{os.getpid()}")
    scribe = model()
    stage.ends.callback(scribe.shutdown)
    installation = stage.installation(
        IBIDEM__RERANKER__USE="reader", IBIDEM__LOG__LEVEL="warn", IBIDEM__LANGUAGE_MODEL__NAME="scribe",
        IBIDEM__LANGUAGE_MODEL__URL=f"http://127.0.0.1:{scribe.server_port}/v1", IBIDEM__LANGUAGE_MODEL__TOKENIZER="estimate",
        IBIDEM__SERVER__KEY_SHARE_PERCENT="100")
    made = list(laboratories(passages))
    take_in(stage, installation, made)
    server = installation.serve()
    worker = Process([stage.binary, "worker"], stage.place / "worker.log", installation.environment(), folder=stage.place)
    stage.ends.callback(worker.end)
    key, admin = installation.key(), installation.key("--role", "admin")

    # What each question gets before anything else happens is what it must get all the time.
    expected, chance = {}, random.Random(16)
    for number, one in enumerate(chance.choices(made, k=questions)):
        query, fact = question(number, one)
        reply = server.ask(key, query)
        if reply.status != 200:
            raise Failed(f"{query}: {reply.status} {reply.body[:200]}")
        has_fact = reply.answered and fact and fact in reply.answer["answer"]
        expected[query] = fact if has_fact else None, reply.answer.get("reason")
    answered = sum(outcome is None for _, outcome in expected.values())
    with_fact = sum(fact is not None for fact, _ in expected.values())
    say(f"{passages} passages; of {len(expected)} questions {answered} are answered, {with_fact} of them with their fact, and {len(expected) - answered} refused")
    check(with_fact >= len(expected) // 2, "most questions are answered with their fact")

    client = Client(server.port, key, expected)
    saturated(client, probe / 6)
    carries = saturated(client, probe)
    rate = carries * share
    say(f"{CLIENTS} clients that never pause get {carries:.1f} requests a second done; {share:.0%} of it is {rate:.1f} a second")

    def sql(statement):
        return stage.sql(installation, "-c", statement)

    processes = {"serve": server.process.pid, "worker": worker.pid,
                 "PostgreSQL": int(stack["IBIDEM_STACK_PG_PID"]), "Qdrant": int(stack["IBIDEM_STACK_QDRANT_PID"])}
    watch, curator, results = Watch(processes, sql), Curator(server.port, admin), Results()
    watch.start()
    curator.start()
    sent, busy = steady(client, rate, share, minutes * 60, results, say)
    curator.ended.set()
    curator.join(400)
    watch.ended.set()
    watch.join(60)

    check(server.process.lives() and worker.lives(), "server and worker run as they were started")
    panics = [line for log in (server.log, worker.log) for line in log.read_text(errors="replace").splitlines() if "panicked" in line]
    check(not panics, "nothing panicked")
    turns = client.turns
    found = recorded(turns, sql)
    windows = [(number * minutes * 10, (number + 1) * minutes * 10) for number in range(6)]
    told = report(watch, results, busy, windows)
    settings = {"sent": sent, "rate": rate, "carries": carries, "share": share, "minutes": minutes, "passages": passages, "seconds": probe}
    grown = growth(watch, results, windows)
    if page:
        Path(page).write_text(page_of(settings, told, results, curator, len(turns), found, grown))
    print(told, flush=True)
    for problem in results.wrong[:10] + curator.wrong[:10]:
        say(f"wrong: {problem}")
    check(len(results.done) == sent, f"{sent} requests, each with a reply")
    check(not results.wrong, "no reply was wrong")
    check(not curator.wrong, f"{curator.changed} documents changed, {curator.removed} removed, {curator.revoked} keys revoked: each at once; "
          f"a change was found after {statistics.median(curator.visible_after):.1f} s, at most {max(curator.visible_after):.1f} s")
    check(found == len(turns), f"all {len(turns)} answers and refusals are on record")
    if minutes >= 30:
        check(not grown, "grown: " + "; ".join(grown) if grown else "nothing grew, and nothing became slower")
    else:
        say("too short to tell whether something grows" + (": " + "; ".join(grown) if grown else ""))


def recorded(turns, sql):
    """How many of these are in the audit, given time to get there."""
    found = 0
    for _ in range(30):
        found = 0
        for start in range(0, len(turns), 500):
            ids = ",".join(f"'{one}'" for one in turns[start:start + 500])
            found += int(sql(f"select count(distinct request_id) from audit where request_id in ({ids})"))
        if found == len(turns):
            break
        time.sleep(1)
    return found


MEASURES = [("serve", "memory"), ("worker", "memory"), ("PostgreSQL", "memory"), ("Qdrant", "memory"), ("serve", "handles"),
            ("worker", "handles"), ("serve", "threads"), ("database", "connections"), ("database", "partitions"), ("database", "records")]


def report(watch, results, busy, windows):
    heads = ["minutes", "cores busy", "cores taken", "requests", "p50 ms", "p99 ms", "longest ms"]
    heads += [f"{name} {what}" + (" MB" if what == "memory" else "") for name, what in MEASURES]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for since, until in windows:
        took = [seconds * 1000 for at, seconds, _ in results.done if since <= at < until]
        shares = [(share, taken) for at, share, taken in busy if since <= at < until] or [(0.0, 0.0)]
        share, taken = (statistics.mean(of) for of in zip(*shares))
        cells = [f"{since / 60:.3g}–{until / 60:.3g}", f"{share:.0%}", f"{taken:.1%}", f"{len(took)}", f"{share_of(took, 0.5):.0f}", f"{share_of(took, 0.99):.0f}",
                 f"{max(took, default=0):.0f}"]
        for name, what in MEASURES:
            try:
                value = watch.of(since, until, name, what)
            except statistics.StatisticsError:
                value = float("nan")
            cells.append(f"{value / 1e6:.0f}" if what == "memory" else f"{value:.0f}")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def growth(watch, results, windows):
    """What is more in the last sixth than in the second: in the first, everything is still warming up."""
    (since, until), (last_since, last_until) = windows[1], windows[-1]
    grown = []
    for name, what in MEASURES:
        if what == "records":
            continue
        try:
            before, after = watch.of(since, until, name, what), watch.of(last_since, last_until, name, what)
        except statistics.StatisticsError:
            continue
        if what == "memory":
            most = max(before * MOST["memory"], before + MOST["memory_bytes"])
        elif what == "partitions":
            # A new day begins with a new partition.
            most = before + 1
        else:
            most = before + MOST[what]
        if after > most:
            grown.append(f"{what} of {name} from {before:.0f} to {after:.0f}")
    for name, share in (("p50", 0.5), ("p99", 0.99)):
        before, after = (share_of([took for at, took, _ in results.done if first <= at < end], share)
                         for first, end in ((since, until), (last_since, last_until)))
        if after > before * MOST[name]:
            grown.append(f"{name} from {before * 1000:.0f} to {after * 1000:.0f} ms")
    return grown


def page_of(settings, told, results, curator, turns, found, grown):
    kinds = collections.Counter(kind for _, _, kind in results.done)
    by_kind = "\n".join(
        f"| {kind} | {count} | " + " | ".join(
            f"{share_of([took * 1000 for _, took, one in results.done if one == kind], share):.0f}" for share in (0.5, 0.99)) + " |"
        for kind, count in kinds.most_common())
    text = (HERE / "endurance.md").read_text(encoding="utf-8")
    return text.format(
        **settings, told=told, by_kind=by_kind, wrong=len(results.wrong) + len(curator.wrong), clients=CLIENTS,
        changed=curator.changed, removed=curator.removed, revoked=curator.revoked,
        median=statistics.median(curator.visible_after or [0]), longest=max(curator.visible_after, default=0), turns=turns, found=found,
        grown="; ".join(grown) or "nothing", percent=f"{settings['share']:.0%}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("binary")
    arguments.add_argument("--minutes", type=float, default=120)
    arguments.add_argument("--passages", type=int, default=5000)
    arguments.add_argument("--questions", type=int, default=200, help="different questions that are asked")
    arguments.add_argument("--probe", type=float, default=60, help="seconds in which is found out what the machine carries")
    arguments.add_argument("--share", type=float, default=0.7)
    arguments.add_argument("--page")
    arguments = arguments.parse_args()
    alone(arguments.binary, "endurance",
          lambda stage: rehearse(stage, arguments.minutes, arguments.passages, arguments.questions, arguments.probe, arguments.share,
                                 arguments.page),
          "nothing grew, got lost or was wrong")


if __name__ == "__main__":
    main()
