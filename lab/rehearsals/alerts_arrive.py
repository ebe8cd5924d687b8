#!/usr/bin/env python3
"""The alerts and objectives of deploy/prometheus from end to end: Ibidem, a real Prometheus, a real Alertmanager and a
webhook. While all is well nothing arrives. The index is killed under questions, and comes back; then the server is killed.

usage: lab/rehearsals/alerts_arrive.py IBIDEM

Everything happens sixty times as fast: a minute of the rules is a second here. Alertmanager is Debian's, taken out of its
package. It reads two files at a fixed place, so this needs root where the package is not installed.
"""

import http.server
import json
import os
import re
import shutil
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

from rehearsal import ROOT, Asker, Failed, Process, alone, free_port, from_debian, get, wait_until  # noqa: E402

TOKEN = "a-token-for-the-rehearsal"
TEMPLATES = Path("/usr/share/prometheus/alertmanager")
# Each must arrive when the index is gone: the part, the symptom, and the objective.
EXPECTED = {("IbidemBreakerOpen", ""), ("IbidemPartsUnavailable", ""), ("IbidemBudgetBurnsFast", "questions")}


def hurried(rules):
    """Windows and waiting times sixty times as short. Names of recorded series keep theirs."""
    def seconds(found):
        count, unit = int(found[2]), found[3]
        return f"{found[1]}{count * {'m': 1, 'h': 60, 'd': 1440}[unit]}s"

    return re.sub(r"(\[|for: )(\d+)([mhd])\b", seconds, rules)


class Webhook:
    """Remembers which alerts are firing, as Alertmanager tells it."""

    def __init__(self):
        self.firing, self.seen, self.told = set(), {}, []
        hook = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # noqa: N802
                hook.take(json.loads(self.rfile.read(int(self.headers["content-length"]))))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, message):
        for alert in message["alerts"]:
            name = (alert["labels"]["alertname"], alert["labels"].get("slo", ""))
            if alert["status"] == "firing":
                self.firing.add(name)
                self.seen.setdefault(name, (time.monotonic(), alert))
            else:
                self.firing.discard(name)

    def since(self, name, moment):
        return self.seen[name][0] - moment


def alertmanager(stage, hook):
    parts = stage.folder("parts")
    program = from_debian("prometheus-alertmanager", "usr/bin/prometheus-alertmanager", parts)
    for template in (parts / "prometheus-alertmanager" / TEMPLATES.relative_to("/")).glob("*.tmpl"):
        place = TEMPLATES / template.name
        if not place.exists():
            if os.geteuid() != 0:
                raise Failed(f"Alertmanager reads {place}: install prometheus-alertmanager, or run this as root")
            TEMPLATES.mkdir(parents=True, exist_ok=True)
            shutil.copy(template, place)
            stage.ends.callback(place.unlink)
    file = stage.place / "alertmanager.yml"
    file.write_text(json.dumps({
        "route": {"receiver": "hook", "group_by": ["alertname", "slo"], "group_wait": "1s", "group_interval": "1s"},
        "receivers": [{"name": "hook", "webhook_configs": [{"url": f"http://127.0.0.1:{hook.port}/", "send_resolved": True}]}]}))
    port = free_port()
    process = Process([program, f"--config.file={file}", f"--storage.path={stage.place / 'alertmanager'}",
                       f"--web.listen-address=127.0.0.1:{port}", "--cluster.listen-address="], stage.place / "alertmanager.log")
    stage.ends.callback(process.end)
    wait_until("Alertmanager is ready", lambda: get(port, "/-/ready")[0] == 200)
    return port


def prometheus(stage, server, manager):
    folder = stage.folder("prometheus")
    shipped = ROOT / "deploy/prometheus"
    for name in ("rules.yml", "slo.yml"):
        (folder / name).write_text(hurried((shipped / name).read_text()))
    (folder / "ibidem.token").write_text(TOKEN)
    text = (shipped / "prometheus.yml").read_text().replace("127.0.0.1:8080", f"127.0.0.1:{server.port}").replace("15s", "1s")
    text += f"alerting: {{alertmanagers: [{{static_configs: [{{targets: [\"127.0.0.1:{manager}\"]}}]}}]}}\n"
    (folder / "prometheus.yml").write_text(text)
    port = free_port()
    process = Process([stage.stack["IBIDEM_STACK_PROMETHEUS"], f"--config.file={folder / 'prometheus.yml'}",
                       f"--storage.tsdb.path={folder / 'data'}", f"--web.listen-address=127.0.0.1:{port}"], stage.place / "prometheus.log")
    stage.ends.callback(process.end)
    wait_until("Prometheus is ready", lambda: get(port, "/-/ready")[0] == 200)
    return port


def rehearse(stage):
    say, check = stage.log.say, stage.log.check
    stage.up(instance=f"alerts-{os.getpid()}")
    if "IBIDEM_STACK_PROMETHEUS" not in stage.stack:
        raise Failed("there is no Prometheus here: stack/fetch brings Debian's")
    qdrant = stage.qdrant(stage.folder("index")).start()
    installation = stage.installation(IBIDEM__INDEX__URL=f"http://127.0.0.1:{qdrant.grpc}", IBIDEM__SERVER__METRICS_TOKEN=TOKEN)
    key = installation.load()
    server = installation.serve()
    hook = Webhook()
    stage.ends.callback(hook.server.shutdown)
    prometheus(stage, server, alertmanager(stage, hook))
    with Asker([server], key, pause=0.5) as asker:
        asker.wait_for(10)
        time.sleep(15)
        check(not hook.seen, f"Ibidem, Prometheus and Alertmanager run; {asker.counts()}; no alert arrived")
        qdrant.stop()
        gone = time.monotonic()
        say("the index is ended")
        wait_until(f"{EXPECTED} arrive", lambda: hook.firing >= EXPECTED, 180)
        for name, slo in sorted(EXPECTED):
            at, alert = hook.seen[name, slo]
            runbook = alert["annotations"]["runbook"]
            check(runbook == f"docs/runbooks.md#{name.lower()}",
                  f"{name}{f' of {slo}' if slo else ''} arrived {at - gone:.1f} s after ({alert['labels']['severity']}, {runbook})")
        unexpected = set(hook.seen) - EXPECTED
        say(f"also arrived: {', '.join(sorted(' '.join(one).strip() for one in unexpected)) or 'nothing'}; questions: {asker.counts(gone)}")
        qdrant.start()
        back = time.monotonic()
        say("the index is started again")
        wait_until("every alert is resolved", lambda: not hook.firing & EXPECTED, 400)
        say(f"all three are resolved {time.monotonic() - back:.1f} s later; questions since: {asker.counts(back)}")
    server.process.process.kill()
    killed = time.monotonic()
    wait_until("IbidemDown arrives", lambda: ("IbidemDown", "") in hook.firing, 60)
    say(f"the server is killed: IbidemDown arrived {hook.since(('IbidemDown', ''), killed):.1f} s after")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: lab/rehearsals/alerts_arrive.py IBIDEM")
    alone(sys.argv[1], "alerts", rehearse, "the alerts arrive")


main()
