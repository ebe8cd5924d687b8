#!/usr/bin/env python3
"""Traces of real questions arrive in a server of another project: Arize Phoenix, which takes OTLP over HTTP, stores the
spans and gives them back.

usage: lab/rehearsals/traces_arrive.py IBIDEM

Phoenix is installed from PyPI into the stack's cache folder (about 620 MB), or is the one whose Python IBIDEM_PHOENIX_PYTHON
names. It needs a minute to start on a machine that has other work to do.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

from rehearsal import QUESTIONS, Failed, Process, alone, free_port, get, request, wait_until  # noqa: E402

PHOENIX = "arize-phoenix==20.26.0"
TOKEN = "a-token-for-the-rehearsal"
# A caller's trace and span, as its `traceparent` names them.
TRACE, CALLER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


def phoenix_python():
    named = os.environ.get("IBIDEM_PHOENIX_PYTHON")
    if named:
        return Path(named)
    home = os.environ.get("IBIDEM_STACK_HOME") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "ibidem-stack")
    folder = Path(home) / "venv-phoenix"
    complete = folder / PHOENIX
    if not complete.exists():
        for command in ([sys.executable, "-m", "venv", "--clear", folder],
                        [folder / "bin/python", "-m", "pip", "install", "--disable-pip-version-check", "--quiet",
                         "--only-binary=:all:", PHOENIX]):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise Failed(f"{PHOENIX} could not be installed: {done.stderr.strip()[-400:]}")
        complete.touch()
    return folder / "bin/python"


def phoenix(stage):
    port = free_port()
    environment = {**os.environ, "PHOENIX_HOST": "127.0.0.1", "PHOENIX_PORT": str(port), "PHOENIX_GRPC_PORT": str(free_port()),
                   "PHOENIX_WORKING_DIR": str(stage.folder("phoenix")), "PHOENIX_TELEMETRY_ENABLED": "false",
                   "PHOENIX_ALLOW_EXTERNAL_RESOURCES": "false"}
    process = Process([phoenix_python(), "-m", "phoenix.server.main", "serve"], stage.place / "phoenix.log", environment,
                      folder=stage.place)
    stage.ends.callback(process.end)

    def answers():
        if not process.lives():
            raise Failed(f"Phoenix ended: {process.log.read_text(errors='replace')[-600:]}")
        return get(port, "/v1/projects")[0] == 200

    return port, process, wait_until("Phoenix answers", answers, 300)


def spans(port):
    """All spans that Phoenix has of the project that spans without a name of one go to."""
    found, cursor = [], None
    while True:
        status, body = get(port, f"/v1/projects/default/spans?limit=100{f'&cursor={cursor}' if cursor else ''}", seconds=60)
        if status != 200:
            return found
        page = json.loads(body)
        found += page["data"]
        cursor = page.get("next_cursor")
        if not cursor:
            return found


def lost(server):
    _, body = get(server.port, "/metrics", {"authorization": f"Bearer {TOKEN}"})
    line = next(line for line in body.splitlines() if line.startswith("trace_span_lost_total"))
    return int(float(line.split()[-1]))


def rehearse(stage):
    say, check = stage.log.say, stage.log.check
    stage.up(instance=f"traces-{os.getpid()}")
    port, collector, took = phoenix(stage)
    say(f"Arize Phoenix answers after {took:.0f} s")
    installation = stage.installation(IBIDEM__SERVER__OTLP_URL=f"http://127.0.0.1:{port}", IBIDEM__SERVER__METRICS_TOKEN=TOKEN)
    key = installation.load()
    done = installation.run("doctor", check=False)
    say(f"`ibidem doctor`: {next((line.strip() for line in done.stdout.splitlines() if line.split()[1:2] == ['traces']), 'says nothing of them')}")
    server = installation.serve()
    replies = [server.ask(key, query) for query in QUESTIONS]
    check(all(reply.answered for reply in replies), f"{len(replies)} questions are answered")
    status, _ = request(server.port, "POST", "/v1/answers", {"query": QUESTIONS[0]},
                        {"authorization": f"Bearer {key}", "traceparent": f"00-{TRACE}-{CALLER}-01"})
    check(status == 200, "one more is asked with a `traceparent`")
    wanted = {reply.answer["request_id"].replace("-", "") for reply in replies} | {TRACE}

    def arrived():
        return {one["context"]["trace_id"] for one in spans(port)} >= wanted

    took = wait_until("all traces arrived", arrived, 120)
    # A trace comes in several parts: until no more come.
    time.sleep(10)
    mine = [one for one in spans(port) if one["context"]["trace_id"] in wanted]
    say(f"Phoenix has all {len(wanted)} traces {took:.1f} s later: {len(mine)} spans, {', '.join(sorted({one['name'] for one in mine}))}")
    by_id = {one["context"]["span_id"] for one in mine}
    orphans = [one["name"] for one in mine if one.get("parent_id") and one["parent_id"] not in by_id | {CALLER}]
    check(not orphans, "every span's parent is there too")
    check(any(one.get("parent_id") == CALLER for one in mine), "the trace with the `traceparent` goes on from its caller's span")
    text = json.dumps(mine)
    check(not any(word in text for query in QUESTIONS for word in (query, "annual leave", "laboratory")), "no span has a word of a question or an answer")
    check(lost(server) == 0, "no span was lost (trace_span_lost_total is 0)")
    collector.end()
    reply = server.ask(key, QUESTIONS[1])
    check(reply.answered and reply.said() == replies[1].said(), "with Phoenix ended, the same question gets the same answer")
    wait_until("lost spans are counted", lambda: lost(server) > 0, 120)
    say(f"trace_span_lost_total counts what it missed: {lost(server)}")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: lab/rehearsals/traces_arrive.py IBIDEM")
    alone(sys.argv[1], "traces", rehearse, "the traces arrive")


main()
