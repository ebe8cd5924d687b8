"""What the rehearsals share: a log with times, an installation of its own, servers that are ended by their own process
ids, and somebody who keeps asking. Only Python's standard library is used, and every port is on loopback.
"""

import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Two documents of the demo are enough to tell an answer from none, and are loaded in seconds.
DOCUMENTS = ["leave-policy.md", "remote-work.md"]
QUESTIONS = [
    "How many days of annual leave do full-time staff have?",
    "How many unused days of leave may be carried into the next year?",
    "How many days a month may roles that need the laboratory work remotely?",
    "How many days a week may most roles work remotely?",
]
# Whatever else runs on the machine: time limits must not decide what a rehearsal finds. The reader is left out, which makes
# a question cheap; none of what is rehearsed is its work.
PATIENT = {
    "IBIDEM__RERANKER__USE": "none",
    "IBIDEM__RERANKER__TIMEOUT_MS": "60000",
    "IBIDEM__EMBEDDING__TIMEOUT_MS": "60000",
    "IBIDEM__SERVER__REQUEST_TIMEOUT_MS": "120000",
}
# How many times as long as usual is waited, for machines that have other work to do.
PATIENCE = float(os.environ.get("IBIDEM_REHEARSAL_PATIENCE", "1"))


class Failed(Exception):
    """Something was not as the runbook says."""


class Log:
    """The steps of one rehearsal, each with the seconds since its beginning."""

    def __init__(self):
        self.began = time.monotonic()
        self.lines = []

    def say(self, text):
        at = time.monotonic() - self.began
        self.lines.append((at, text))
        print(f"  {at:6.1f} s  {text}", flush=True)

    def check(self, holds, text):
        if not holds:
            raise Failed(text)
        self.say(text)


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def wait_until(what, is_so, seconds=60):
    """Seconds it took; fails after `seconds`."""
    seconds *= PATIENCE
    began = time.monotonic()
    while not is_so():
        if time.monotonic() - began > seconds:
            raise Failed(f"not within {seconds} s: {what}")
        time.sleep(0.1)
    return time.monotonic() - began


def from_debian(package, path, folder):
    """A file of a Debian package, taken out of it and not installed."""
    place = Path(folder) / package
    if not (place / path).exists():
        place.mkdir(parents=True, exist_ok=True)
        fetched = subprocess.run(["apt-get", "download", package], cwd=place, capture_output=True, text=True)
        found = list(place.glob("*.deb"))
        if fetched.returncode or not found:
            raise Failed(f"this rehearsal needs the Debian package {package}, and apt-get did not bring it")
        subprocess.run(["dpkg-deb", "-x", found[0], place], check=True)
    if not (place / path).exists():
        raise Failed(f"the Debian package {package} has no {path}")
    return place / path


class Process:
    """A process that is ended by its own id, and whose log can be read."""

    def __init__(self, command, log, environment=None, as_postgres=False, folder="/"):
        self.log = Path(log)
        user = {"user": "postgres", "group": "postgres", "extra_groups": []} if as_postgres and os.geteuid() == 0 else {}
        with self.log.open("ab") as file:
            self.process = subprocess.Popen(
                [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=file, stderr=file, cwd=folder,
                env=environment, start_new_session=True, **user)

    @property
    def pid(self):
        return self.process.pid

    def lives(self):
        return self.process.poll() is None

    def end(self, how=signal.SIGTERM, seconds=60):
        if self.lives():
            self.process.send_signal(how)
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(10)


class Postgres:
    """A PostgreSQL server in a folder of its own."""

    def __init__(self, bin_folder, place, name, settings=(), environment=None):
        self.bin, self.place, self.name = Path(bin_folder), Path(place), name
        self.data, self.port = self.place / name, free_port()
        self.settings, self.environment = list(settings), environment
        self.process = None

    def run(self, program, *arguments, check=True):
        """One of PostgreSQL's own programs, as the user that may read its files."""
        user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
        done = subprocess.run([str(self.bin / program), *map(str, arguments)], cwd="/", capture_output=True, text=True, **user)
        if check and done.returncode:
            raise Failed(f"{program} failed: {done.stderr.strip()[-500:]}")
        return done

    def make(self):
        self.run("initdb", "-D", self.data, "-U", "app", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        return self

    def copy_of(self, other):
        """A standby that follows the other by streaming."""
        self.run("pg_basebackup", "-h", "127.0.0.1", "-p", other.port, "-U", "app", "-D", self.data, "-R", "-X", "stream",
                 "-C", "-S", self.name, "--checkpoint=fast", "--no-sync")
        return self

    def start(self, seconds=60, wait=True):
        words = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=60", "shared_buffers=32MB",
                 *self.settings]
        command = [self.bin / "postgres", "-D", self.data, "-p", self.port]
        for word in words:
            command += ["-c", word]
        self.process = Process(command, self.place / f"{self.name}.log", environment=self.environment, as_postgres=True)
        if wait:
            wait_until(f"{self.name} accepts connections", self.answers, seconds)
        return self

    def sql(self, statement, database="postgres"):
        done = subprocess.run(
            [self.bin / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(self.port), "-U", "app",
             "-d", database, "-c", statement], capture_output=True, text=True, timeout=60 * PATIENCE)
        if done.returncode:
            raise Failed(done.stderr.strip()[-300:])
        return done.stdout.strip()

    def answers(self):
        with contextlib.suppress(Failed, subprocess.TimeoutExpired):
            return self.sql("select 1") == "1"
        return False

    def stop(self):
        if self.process:
            self.process.end(signal.SIGINT)

    def kill(self):
        """As if the machine had gone: nothing is written any more."""
        self.process.process.kill()
        self.process.process.wait(30)

    def url(self, database="ibidem", options=""):
        return f"postgres://app@127.0.0.1:{self.port}/{database}{options}"


class Qdrant:
    """A Qdrant server in a folder of its own."""

    def __init__(self, program, folder):
        self.program, self.folder = program, Path(folder)
        self.http, self.grpc, self.process = free_port(), free_port(), None

    def start(self):
        environment = dict(
            os.environ, QDRANT__TELEMETRY_DISABLED="true", QDRANT__LOG_LEVEL="WARN", QDRANT__SERVICE__HOST="127.0.0.1",
            QDRANT__SERVICE__HTTP_PORT=str(self.http), QDRANT__SERVICE__GRPC_PORT=str(self.grpc),
            QDRANT__STORAGE__STORAGE_PATH=str(self.folder / "storage"),
            QDRANT__STORAGE__SNAPSHOTS_PATH=str(self.folder / "snapshots"))
        self.folder.mkdir(parents=True, exist_ok=True)
        self.process = Process([self.program, "--disable-telemetry"], f"{self.folder}.log", environment, folder=self.folder)
        wait_until("Qdrant answers", lambda: get(self.http, "/readyz")[0] == 200)
        return self

    def stop(self):
        if self.process:
            self.process.end()


def get(port, path, headers=None, seconds=30):
    """Status and body of a GET; status 0 where nobody answers."""
    return request(port, "GET", path, None, headers, seconds)


def request(port, method, path, body=None, headers=None, seconds=120):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds * PATIENCE)
    try:
        sent = json.dumps(body) if body is not None else None
        connection.request(method, path, sent, {"content-type": "application/json", **(headers or {})})
        reply = connection.getresponse()
        return reply.status, reply.read().decode("utf-8", "replace")
    except (OSError, http.client.HTTPException) as error:
        return 0, str(error)
    finally:
        connection.close()


class Installation:
    """A database, an index and a folder of originals of its own, and the binary that uses them."""

    def __init__(self, binary, settings, place):
        self.binary, self.place = str(binary), Path(place)
        self.settings = dict(settings)
        self.servers = []

    def environment(self, **more):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("IBIDEM")}
        return {**clean, **PATIENT, **self.settings, **more}

    def run(self, *arguments, check=True, environment=None, seconds=600):
        done = subprocess.run([self.binary, *map(str, arguments)], capture_output=True, text=True, timeout=seconds * PATIENCE,
                              env=environment or self.environment(), cwd=self.place)
        if check and done.returncode:
            raise Failed(f"ibidem {' '.join(map(str, arguments))}: {done.stderr.strip()[-600:] or done.stdout.strip()[-600:]}")
        return done

    def load(self):
        """The tables, the index, two documents, and a key that may ask."""
        folder = self.place / "documents"
        folder.mkdir(exist_ok=True)
        for name in DOCUMENTS:
            shutil.copy(ROOT / "demo/handbook" / name, folder / name)
        self.run("migrate")
        self.run("ingest", folder, "--collection", "Handbook", "--tags", "public", "--wait")
        return self.key()

    def key(self, *arguments):
        return self.run("key", "create", "--name", "rehearsal", *arguments).stdout.split()[0]

    def serve(self, *arguments, log="server.log", **environment):
        server = Server(self, arguments, self.place / log, environment)
        self.servers.append(server)
        return server.start()

    def end(self):
        for server in self.servers:
            server.stop()


class Server:
    """`ibidem serve` on a port of its own."""

    def __init__(self, installation, arguments, log, environment):
        self.installation, self.arguments, self.log = installation, arguments, log
        self.port, self.environment, self.process = free_port(), environment, None

    def start(self, seconds=120):
        command = [self.installation.binary, "serve", "--listen", f"127.0.0.1:{self.port}", *self.arguments]
        self.process = Process(command, self.log, self.installation.environment(**self.environment),
                               folder=self.installation.place)
        self.ready_after = wait_until("the server is ready", self.is_ready, seconds)
        return self

    def is_ready(self):
        if not self.process.lives():
            raise Failed(f"the server ended: {self.log.read_text(errors='replace')[-600:]}")
        return get(self.port, "/readyz")[0] == 200

    def stop(self):
        if self.process:
            self.process.end()

    def logged(self):
        return re.sub(r"\x1b\[[0-9;]*m", "", self.log.read_text(errors="replace"))

    def ask(self, key, query, seconds=120):
        return Reply(*request(self.port, "POST", "/v1/answers", {"query": query},
                              {"authorization": f"Bearer {key}"}, seconds))


class Reply:
    def __init__(self, status, body):
        self.status, self.body = status, body
        try:
            self.answer = json.loads(body)
        except ValueError:
            self.answer = {}

    @property
    def answered(self):
        return self.status == 200 and self.answer.get("refused") is False

    @property
    def outcome(self):
        """In a word: answered, the reason of a refusal, or the status."""
        if self.answered:
            return "answered"
        if self.status == 200:
            return str(self.answer.get("reason") or self.answer.get("refusal_reason"))
        return str(self.status) if self.status else "no reply"

    def said(self):
        """What must be the same when the same documents are asked again: words, sources, and what the receipt says of
        each sentence. Not what differs each time: ids, moments, durations, signatures."""
        receipt = self.answer.get("receipt") or {}
        of_the_receipt = {name: receipt.get(name) for name in
                          ("action", "reason", "answer_sha256", "policy_sha256", "trace_sha256", "model", "verifier",
                           "reader", "stretches")}
        kept = {name: self.answer.get(name) for name in
                ("action", "answer", "refused", "reason", "why", "citations", "confidence", "warnings", "grounded")}
        return {**kept, "status": self.status, "receipt": of_the_receipt}


class Asker:
    """Keeps asking until told to stop, `at_once` questions at a time, and remembers each outcome with its moment."""

    def __init__(self, servers, key, at_once=2, pause=0.2, questions=QUESTIONS):
        self.servers, self.key, self.pause, self.questions = servers, key, pause, questions
        self.replies, self.lock, self.ended = [], threading.Lock(), threading.Event()
        self.threads = [threading.Thread(target=self.keep_asking, args=(one,), daemon=True) for one in range(at_once)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        for thread in self.threads:
            thread.join(150 * PATIENCE)

    def keep_asking(self, number):
        turn = number
        while not self.ended.is_set():
            servers = self.servers() if callable(self.servers) else self.servers
            asked_at = time.monotonic()
            reply = servers[turn % len(servers)].ask(self.key, self.questions[turn % len(self.questions)])
            with self.lock:
                self.replies.append((asked_at, time.monotonic(), reply))
            turn += len(self.threads)
            self.ended.wait(self.pause)

    def since(self, moment):
        with self.lock:
            return [reply for asked_at, _, reply in self.replies if asked_at >= moment]

    def wait_for(self, count, since=None, seconds=180):
        """Until so many questions that were asked after `since` have been answered."""
        since = time.monotonic() if since is None else since
        return wait_until(f"{count} questions are answered",
                          lambda: sum(reply.answered for reply in self.since(since)) >= count, seconds)

    def counts(self, since=0.0):
        found = {}
        for reply in self.since(since):
            found[reply.outcome] = found.get(reply.outcome, 0) + 1
        return ", ".join(f"{count} {outcome}" for outcome, count in sorted(found.items(), key=lambda one: -one[1]))

    def gap(self, since=0.0):
        """The longest time without an answered question, in seconds."""
        moments = sorted(ended for asked, ended, reply in self.replies if reply.answered and ended >= since)
        return max((after - before for before, after in zip(moments, moments[1:])), default=0.0)


def reason(reply):
    """What the asker was told: the reason of a refusal, or the title of a problem."""
    if reply.status == 200:
        return reply.outcome
    return f"{reply.status} {reply.answer.get('title') or reply.answer.get('detail') or ''}".strip()


def told(replies):
    found = {}
    for reply in replies:
        found[reason(reply)] = found.get(reason(reply), 0) + 1
    return ", ".join(f"{count} {why}" for why, count in sorted(found.items(), key=lambda one: -one[1])) or "none was without"


class SteadyAsker:
    """Asks at a steady rate, whether or not the questions before have been replied to."""

    def __init__(self, server, key, rate, questions=QUESTIONS):
        self.server, self.key, self.rate, self.questions = server, key, rate, list(questions)
        self.asked, self.replies, self.lock, self.ended = 0, [], threading.Lock(), threading.Event()
        self.clock = threading.Thread(target=self.keep_asking, daemon=True)

    def __enter__(self):
        self.clock.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.clock.join(200 * PATIENCE)

    def keep_asking(self):
        began = time.monotonic()
        with ThreadPoolExecutor(256) as pool:
            while not self.ended.wait(max(0.0, began + self.asked / self.rate - time.monotonic())):
                pool.submit(self.ask, self.questions[self.asked % len(self.questions)])
                self.asked += 1

    def ask(self, query):
        asked_at = time.monotonic()
        reply = self.server.ask(self.key, query)
        with self.lock:
            self.replies.append((query, asked_at, time.monotonic(), reply))

    def between(self, since=0.0, until=float("inf")):
        """Question, seconds and reply of what was asked within a time."""
        with self.lock:
            return [(query, ended - asked, reply) for query, asked, ended, reply in self.replies if since <= asked < until]

    def answered(self):
        with self.lock:
            return [(asked, ended) for _, asked, ended, reply in self.replies if reply.answered]

    def first_answer_after(self, moment):
        return min((ended for asked, ended in self.answered() if asked >= moment), default=None)

    def wait_for(self, count, seconds=180):
        since = time.monotonic()
        return wait_until(f"{count} questions are answered", lambda: sum(asked >= since for asked, _ in self.answered()) >= count, seconds)

    def counts(self, since=0.0, until=float("inf")):
        found = {}
        for _, _, reply in self.between(since, until):
            found[reply.outcome] = found.get(reply.outcome, 0) + 1
        return ", ".join(f"{count} {outcome}" for outcome, count in sorted(found.items(), key=lambda one: -one[1])) or "none"

    def told(self, since=0.0, until=float("inf")):
        """How many were asked, what those without an answer were told, and how long they took."""
        of = self.between(since, until)
        without = [reply for _, _, reply in of if not reply.answered]
        took = sorted(took for _, took, _ in of) or [0.0]
        return (f"{len(of)} questions, {len(without)} without an answer" + (f" ({told(without)})" if without else "")
                + f"; median {1000 * took[len(took) // 2]:.0f} ms, longest {took[-1]:.1f} s")

    def gap(self):
        moments = sorted(ended for _, ended in self.answered())
        return max((after - before for before, after in zip(moments, moments[1:])), default=0.0)

    def longest(self):
        return max(took for _, took, _ in self.between())


class Relay:
    """An address that can be moved from one server to another, as a service or a virtual address is."""

    def __init__(self, target):
        self.target, self.open, self.lock = target, set(), threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self.target), timeout=5)
                server.settimeout(None)
            except OSError:
                client.close()
                continue
            with self.lock:
                self.open |= {client, server}
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self.pump, args=(source, sink), daemon=True).start()

    def pump(self, source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        for one in (source, sink):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
            with self.lock:
                self.open.discard(one)

    def move(self, target):
        self.target = target
        with self.lock:
            for one in self.open:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    def end(self):
        self.listener.close()
        self.move(self.target)


class Stage:
    """Where a rehearsal plays: a stack instance, a folder that goes afterwards, and what ends what was started."""

    def __init__(self, binary, name, log, instances):
        self.binary, self.name, self.log = Path(binary).resolve(), name, log
        # What the rehearsals of one run share: each instance is ended once, after the last of them.
        self.instances = instances
        self.ends = contextlib.ExitStack()
        self.place = Path(tempfile.mkdtemp(prefix=f"ibidem-rehearsal-{name}-"))
        self.ends.callback(shutil.rmtree, self.place, ignore_errors=True)
        # The user that PostgreSQL runs as must be able to walk down to its own folder.
        self.place.chmod(0o755)
        self.stack = {}

    def up(self, *arguments, instance="rehearsal"):
        """An instance of the stack that is the rehearsals' own."""
        environment = {**os.environ, "IBIDEM_STACK_INSTANCE": instance}
        self.instances.add(instance)
        started = subprocess.run([ROOT / "stack/up", "--model", "none", *arguments], env=environment, capture_output=True, text=True)
        if started.returncode:
            raise Failed(f"stack/up: {started.stderr.strip()[-500:]}")
        printed = subprocess.run([ROOT / "stack/env"], env=environment, capture_output=True, text=True, check=True).stdout
        self.stack = dict(re.findall(r"^export (\w+)='([^']*)'$", printed, re.M))
        return self.stack

    def folder(self, name, for_postgres=False):
        made = self.place / name
        made.mkdir(exist_ok=True)
        if for_postgres and os.geteuid() == 0:
            shutil.chown(made, "postgres", "postgres")
        return made

    def postgres(self, name, settings=(), environment=None, place=None):
        server = Postgres(self.stack["IBIDEM_STACK_PG_BIN"], place or self.folder("postgres", for_postgres=True), name,
                          settings, environment)
        self.ends.callback(server.stop)
        return server

    def qdrant(self, folder):
        server = Qdrant(self.stack["IBIDEM_STACK_QDRANT_BIN"], folder)
        self.ends.callback(server.stop)
        return server

    def installation(self, database_url=None, **settings):
        """One of its own. Without a URL its database is a new one of the stack's PostgreSQL."""
        if database_url is None:
            name = f"r{os.urandom(4).hex()}"
            address = self.stack["IBIDEM__DATABASE__URL"].rsplit("/", 1)[0]
            subprocess.run([Path(self.stack["IBIDEM_STACK_PG_BIN"]) / "psql", "-Xq", f"{address}/postgres", "-c",
                            f"create database {name}"], check=True, capture_output=True)
            database_url = f"{address}/{name}"
        own = {name: value for name, value in self.stack.items() if name.startswith("IBIDEM__")}
        own |= {"ORT_DISABLE_TELEMETRY": "1", "IBIDEM__DATABASE__URL": database_url,
                "IBIDEM__INDEX__NAME": f"rehearsal-{os.urandom(4).hex()}",
                "IBIDEM__ORIGINALS__LOCATION": str(self.place / "originals"), **settings}
        made = Installation(self.binary, own, self.place)
        self.ends.callback(made.end)
        return made

    def sql(self, installation, *arguments, seconds=60):
        """What psql prints of an installation's database, given `-c` and a statement or `-f` and a file."""
        done = subprocess.run([Path(self.stack["IBIDEM_STACK_PG_BIN"]) / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", *map(str, arguments),
                               installation.settings["IBIDEM__DATABASE__URL"]], capture_output=True, text=True, timeout=seconds * PATIENCE)
        if done.returncode:
            raise Failed(f"psql: {done.stderr.strip()[-600:]}")
        return done.stdout.strip()

    def small_disk(self, name, megabytes, for_postgres=False):
        """A file system of its own, in memory, that can be filled up. It needs the right to mount."""
        folder = self.folder(name)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "none", folder], capture_output=True, text=True)
        if done.returncode:
            raise Failed(f"this rehearsal mounts a small file system, and may not: {done.stderr.strip()}; run it as root")
        self.ends.callback(subprocess.run, ["umount", "-l", folder])
        if for_postgres and os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
        return folder


def alone(binary, name, rehearse, ended):
    """A rehearsal by itself, `rehearse` being given its stage. What it started ends with it, and so does the program where
    something was not as it should be."""
    log, instances = Log(), set()
    stage = Stage(binary, name, log, instances)
    try:
        with stage.ends:
            rehearse(stage)
    except Failed as error:
        sys.exit(f"{name}: {error}")
    finally:
        for instance in instances:
            down(instance)
    log.say(ended)


def down(instance):
    subprocess.run([ROOT / "stack/down"], env={**os.environ, "IBIDEM_STACK_INSTANCE": instance}, stdout=subprocess.DEVNULL)


def fill(folder):
    """Takes all the space that is left on the file system of a folder, and returns how to give it back. Called again, it
    takes what became free since."""
    ballast = Path(folder) / "ballast"
    with ballast.open("ab", buffering=0) as file, contextlib.suppress(OSError):
        for size in (1 << 20, 1 << 12, 1):
            with contextlib.suppress(OSError):
                while True:
                    file.write(b"\0" * size)
    return ballast.unlink
