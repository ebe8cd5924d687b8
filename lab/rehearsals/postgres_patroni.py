"""Patroni runs two PostgreSQL servers. The leader is killed while questions are asked at a steady rate, and nobody does
anything: the standby takes over, and HAProxy leads to it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from rehearsal import QUESTIONS, ROOT, Failed, Process, SteadyAsker, free_port, from_debian, get, reason, told, wait_until

# Questions a second.
RATE = float(os.environ.get("IBIDEM_REHEARSAL_RATE", "2"))
# Patroni's own: after so many seconds without its leader's sign of life, another takes over.
TTL = 20
HAPROXY_LIBRARIES = ["liblua5.3-0", "libopentracing-c-wrapper0", "libopentracing1"]
LIBRARIES = "usr/lib/x86_64-linux-gnu"


def rehearse(stage):
    say, check = stage.log.say, stage.log.check
    stage.up()
    cluster = Cluster(stage)
    took = wait_until("both nodes run", lambda: sorted(cluster.roles()) == ["leader", "sync_standby"], 180)
    say(f"two nodes under Patroni with synchronous replication, ttl {TTL}, ready after {took:.0f} s: {cluster.told()}")
    wait_until("HAProxy leads to the leader", lambda: cluster.sql_by_address("select 1") == "1", 60)
    made = "create role app superuser login", "create database ibidem"
    for statement in made:
        wait_until(statement, lambda: cluster.sql_by_address(statement) is not None, 60)
    installation = stage.installation(f"postgres://app@127.0.0.1:{cluster.address}/ibidem")
    key = installation.load()
    server = installation.serve()
    before = {query: server.ask(key, query).said() for query in QUESTIONS}
    check(all(said["status"] == 200 and not said["refused"] for said in before.values()), "the four questions are answered")

    with SteadyAsker(server, key, RATE) as asker:
        asker.wait_for(6)
        leader = cluster.leader()
        cluster.kill(leader)
        killed = time.monotonic()
        say(f"the leader {leader.name} is killed: Patroni and PostgreSQL, both with SIGKILL")
        other = next(node for node in cluster.nodes if node is not leader)
        took = wait_until("the other node is the leader", lambda: cluster.role_at(other) == "primary", 120)
        say(f"{other.name} is the leader {took:.1f} s after the kill; nobody did anything")
        again = wait_until("a question is answered", lambda: asker.first_answer_after(killed + 1) is not None, 120)
        again = asker.first_answer_after(killed + 1) - killed
        say(f"first answer {again:.1f} s after the kill; Ibidem and HAProxy were not restarted")
        asker.wait_for(6)
        restarted = time.monotonic()
        cluster.start(leader)
        took = wait_until("the old leader follows", lambda: sorted(cluster.roles()) == ["leader", "sync_standby"], 180)
        say(f"the killed node is started again: after {took:.1f} s it is a standby of the new leader: {cluster.told()}")
        asker.wait_for(4)
    check(asker.asked == len(asker.replies), f"asked {asker.asked} questions, {RATE:g} a second: {asker.counts()}; every one got a reply")
    moments = {"before the kill": (0, killed), "from the kill to the first answer": (killed, killed + again),
               "until the old leader was started": (killed + again, restarted), "later": (restarted, float("inf"))}
    for moment, (since, until) in moments.items():
        say(f"{moment}: {asker.counts(since, until)}")
    say(f"the longest time without an answer was {asker.gap():.1f} s; a reply took at most {asker.longest():.1f} s")
    failed = [reply for _, _, _, reply in asker.replies if not reply.answered]
    check(all(reply.status in (200, 500, 503, 504) and reason(reply) for reply in failed),
          f"each question without an answer was told why: {told(failed)}")
    wrong = [query for query, _, _, reply in asker.replies if reply.answered and reply.said() != before[query]]
    check(not wrong, f"none of the {len(asker.replies) - len(failed)} answers differs from the one before in words, sources or receipt")
    ids = {reply.answer["request_id"] for _, _, _, reply in asker.replies if reply.status == 200}
    wait_until("the records are written", lambda: cluster.recorded(ids) == len(ids), 60)
    check(cluster.recorded(ids) == len(ids), f"the database has the records of all {len(ids)} questions that got an answer or a refusal")
    check(installation.run("doctor", check=False).returncode == 0, "`ibidem doctor` finds nothing wrong")


class Node:
    def __init__(self, name):
        self.name, self.rest, self.port, self.process, self.file = name, free_port(), free_port(), None, None


class Cluster:
    """etcd, two nodes of Patroni, and HAProxy in front of them, which asks Patroni which one is the leader."""

    def __init__(self, stage):
        self.stage, self.bin = stage, Path(stage.stack["IBIDEM_STACK_PG_BIN"])
        self.folder = stage.folder("patroni", for_postgres=True)
        self.packages = patroni_packages(stage)
        self.python = patroni_python(self.packages)
        self.etcd()
        self.nodes = [Node("n1"), Node("n2")]
        for node in self.nodes:
            self.configure(node)
            self.start(node)
            # The second one copies the first, which must be there.
            wait_until(f"{node.name} runs", lambda: get(node.rest, "/health")[0] == 200, 180)
        self.haproxy()

    def etcd(self):
        program = from_debian("etcd-server", "usr/bin/etcd", self.stage.folder("parts"))
        self.client, peer = free_port(), free_port()
        at, between = f"http://127.0.0.1:{self.client}", f"http://127.0.0.1:{peer}"
        process = Process([program, "--name", "one", "--data-dir", self.stage.place / "etcd", "--listen-client-urls", at,
                           "--advertise-client-urls", at, "--listen-peer-urls", between, "--initial-advertise-peer-urls", between,
                           "--initial-cluster", f"one={between}"], self.stage.place / "etcd.log")
        self.stage.ends.callback(process.end)
        wait_until("etcd answers", lambda: get(self.client, "/health")[0] == 200, 60)

    def configure(self, node):
        node.file = self.folder / f"{node.name}.json"
        user = lambda name: {"username": name, "password": "rehearsal"}  # noqa: E731
        # JSON is YAML too.
        node.file.write_text(json.dumps({
            "scope": "rehearsal", "name": node.name,
            "restapi": {"listen": f"127.0.0.1:{node.rest}", "connect_address": f"127.0.0.1:{node.rest}"},
            "etcd3": {"host": f"127.0.0.1:{self.client}"},
            "bootstrap": {
                "dcs": {"ttl": TTL, "loop_wait": 2, "retry_timeout": 5, "synchronous_mode": True,
                        "postgresql": {"use_pg_rewind": True}},
                "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}]},
            "postgresql": {
                "listen": f"127.0.0.1:{node.port}", "connect_address": f"127.0.0.1:{node.port}",
                "data_dir": str(self.folder / node.name), "bin_dir": str(self.bin),
                "authentication": {"superuser": user("postgres"), "replication": user("replication"), "rewind": user("rewind")},
                "parameters": {"unix_socket_directories": "", "shared_buffers": "32MB", "max_connections": 60},
                "pg_hba": ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"]}}))

    def start(self, node):
        node.process = Process([self.python, "-m", "patroni", node.file], self.stage.place / f"{node.name}.log",
                               environment={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONPATH": str(self.packages)}, as_postgres=True, folder=self.folder)
        self.stage.ends.callback(node.process.end)

    def haproxy(self):
        self.address = free_port()
        servers = "\n".join(f"    server {node.name} 127.0.0.1:{node.port} check port {node.rest}" for node in self.nodes)
        haproxy(self.stage, "haproxy", f"""defaults
    mode tcp
    timeout connect 2s
    timeout check 5s
    timeout client 30m
    timeout server 30m
listen primary
    bind 127.0.0.1:{self.address}
    option httpchk OPTIONS /primary
    http-check expect status 200
    default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
{servers}
""")

    def members(self):
        for node in self.nodes:
            status, body = get(node.rest, "/cluster")
            if status == 200:
                return json.loads(body)["members"]
        return []

    def roles(self):
        return [one["role"] for one in self.members() if one["state"] in ("running", "streaming")]

    def told(self):
        return ", ".join(f"{one['name']} {one['role']}" for one in self.members())

    def role_at(self, node):
        status, body = get(node.rest, "/patroni")
        return json.loads(body).get("role") if status else None

    def leader(self):
        name = next(one["name"] for one in self.members() if one["role"] == "leader")
        return next(node for node in self.nodes if node.name == name)

    def kill(self, node):
        """As if the machine had gone."""
        postmaster = int((self.folder / node.name / "postmaster.pid").read_text().split()[0])
        node.process.process.kill()
        os.kill(postmaster, signal.SIGKILL)
        node.process.process.wait(30)

    def sql_by_address(self, statement, database="postgres"):
        done = subprocess.run([self.bin / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(self.address),
                               "-U", "postgres", "-d", database, "-c", statement], capture_output=True, text=True, timeout=60)
        if done.returncode:
            # An address that moves refuses now and then; whoever asks tries again.
            self.refused = done.stderr.strip()
            return None
        return done.stdout.strip()

    def recorded(self, ids):
        listed = ",".join(f"'{one}'" for one in ids)
        return int(self.sql_by_address(f"select count(distinct request_id) from audit where request_id in ({listed})", "ibidem") or 0)


def haproxy(stage, name, configuration):
    """Debian's HAProxy with these lines, taken out of its package and not installed."""
    parts = stage.folder("parts")
    program = from_debian("haproxy", "usr/sbin/haproxy", parts)
    for package in HAPROXY_LIBRARIES:
        from_debian(package, LIBRARIES, parts)
    file = stage.place / f"{name}.cfg"
    file.write_text(configuration)
    libraries = ":".join(str(parts / package / LIBRARIES) for package in HAPROXY_LIBRARIES)
    process = Process([program, "-db", "-f", file], stage.place / f"{name}.log",
                      environment={"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": libraries})
    stage.ends.callback(process.end)


def as_postgres():
    return {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}


def patroni_packages(stage):
    """Patroni in a folder that the user of PostgreSQL can read, from the versions and hashes of
    stack/patroni_requirements.txt. They are installed once."""
    home = os.environ.get("IBIDEM_STACK_HOME") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "ibidem-stack")
    wanted, folder = ROOT / "stack/patroni_requirements.txt", Path(home) / "patroni"
    kept = folder / "requirements.txt"
    if not (kept.exists() and kept.read_text() == wanted.read_text()):
        shutil.rmtree(folder, ignore_errors=True)
        done = subprocess.run([sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--quiet", "--no-deps",
                               "--require-hashes", "--target", folder, "-r", wanted], capture_output=True, text=True)
        if done.returncode:
            raise Failed(f"Patroni could not be installed: {done.stderr.strip()[-400:]}")
        shutil.copy(wanted, kept)
    return shutil.copytree(folder, stage.place / "patroni-packages")


def patroni_python(packages):
    """A Python that the user of PostgreSQL can run, with which Patroni works."""
    for python in (sys.executable, "/usr/bin/python3"):
        try:
            done = subprocess.run([python, "-c", "import patroni, psycopg, etcd"], cwd="/", capture_output=True, text=True,
                                  env={"PYTHONPATH": str(packages)}, **as_postgres())
        except OSError:
            continue
        if done.returncode == 0:
            return python
    raise Failed("this rehearsal needs a Python 3.11 that the user postgres can run: Debian's python3")
