#!/usr/bin/env python3
"""With a stopwatch: from a package to a first cited answer, on a Debian that has nothing else, by three commands.

usage: lab/rehearsals/install.py [--dist FOLDER] [--root BASE.tar] [--package tarball|deb|try]

--root is a root file system of Debian 12, as `mmdebstrap --variant=minbase bookworm base.tar` makes it; the commands run in it
with chroot, which wants root. Without it the tarball is tried on this machine, in an empty folder with an empty environment.
PostgreSQL and Qdrant are those of a stack of its own, on loopback: what it takes to have them is not counted. `try` has them
inside: one command, a link that is opened, and a question over HTTP.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

from rehearsal import ROOT, Failed, alone  # noqa: E402

QUESTION = "What is the daily limit for meals on a business trip?"
COMMANDS = {
    "tarball": ["tar -xzf ibidem-linux-x86_64.tar.gz && cd ibidem && export PATH=$PWD/bin:$PATH",
                "ibidem migrate && ibidem ingest demo/handbook --collection Handbook --tags public --wait",
                f'ibidem ask "{QUESTION}"'],
    "deb": ["dpkg -i ./ibidem_*_amd64.deb && export IBIDEM_CONFIG=/etc/ibidem/ibidem.yaml",
            "ibidem migrate && ibidem ingest /usr/share/ibidem/demo/handbook --collection Handbook --tags public --wait",
            f'ibidem ask "{QUESTION}"'],
}


def send(url, body, key=None):
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=600) as reply:
        return json.load(reply)


def rehearse_try(stage, arguments):
    say, check = stage.log.say, stage.log.check
    file = Path(arguments.dist) / "ibidem-try-linux-x86_64.tar.gz"
    if not file.exists():
        raise Failed(f"there is no {file}: run deploy/package/tarball --with-servers")
    folder, inside = stage.folder("clean"), []
    if arguments.root:
        subprocess.run(["tar", "-xf", arguments.root, "-C", folder], check=True)
        subprocess.run(["mount", "-t", "proc", "proc", folder / "proc"], check=True)
        stage.ends.callback(subprocess.run, ["umount", "-l", folder / "proc"])
        inside = ["chroot", folder]
    home = folder / "root" if arguments.root else folder
    subprocess.run(["cp", file, home], check=True)
    say(f"{file.name}: {file.stat().st_size / 1e6:.0f} MB to download")
    # Where PostgreSQL, which root runs as somebody else, can walk to.
    data = "/tmp/trial" if arguments.root else tempfile.mkdtemp(prefix="ibidem-try-")
    if not arguments.root:
        os.chmod(data, 0o711)
        stage.ends.callback(shutil.rmtree, data)
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/root" if arguments.root else str(home), "LANG": "C.UTF-8"}
    command = f"cd && tar -xzf {file.name} && exec ibidem/bin/ibidem try --data {data} --listen 127.0.0.1:0"
    began, printed = time.monotonic(), []
    running = subprocess.Popen([*inside, "/bin/bash", "-c", command], env=environment, stdout=subprocess.PIPE, text=True)
    link = None
    for line in running.stdout:
        printed.append(line)
        if link := re.search(r"(http://127.0.0.1:\d+)/#link=(\w+)", line):
            break
    if link is None:
        raise Failed(f"it ended without a link: {''.join(printed)[-800:]}")
    say("".join(printed).rstrip())
    up = time.monotonic() - began
    key = send(f"{link[1]}/auth/link", {"token": link[2]})["secret"]
    answer = send(f"{link[1]}/v1/answers", {"query": QUESTION}, key)
    took = time.monotonic() - began
    running.send_signal(signal.SIGTERM)
    running.wait(120)
    check(answer["action"] == "cite" and answer["citations"],
          f"one command, up after {up:.1f} s, first cited answer after {took:.1f} s")
    check(running.returncode == 0, "SIGTERM ends it in order")


def rehearse(stage, arguments):
    say, check = stage.log.say, stage.log.check
    if arguments.package == "try":
        return rehearse_try(stage, arguments)
    stage.up(instance=f"install-{os.getpid()}")
    settings = {name: value for name, value in stage.installation().settings.items()
                if name.startswith(("IBIDEM__DATABASE", "IBIDEM__INDEX"))}
    settings |= {"IBIDEM__RERANKER__TIMEOUT_MS": "60000", "IBIDEM__EMBEDDING__TIMEOUT_MS": "60000",
                 "IBIDEM__SERVER__REQUEST_TIMEOUT_MS": "120000"}
    pattern = {"tarball": "ibidem-linux-x86_64.tar.gz", "deb": "ibidem_*_amd64.deb"}[arguments.package]
    file = next(Path(arguments.dist).glob(pattern), None)
    if file is None:
        raise Failed(f"there is no {pattern} in {arguments.dist}: run deploy/package/{arguments.package}")
    folder = stage.folder("clean")
    inside = []
    if arguments.root:
        # With its device files: the machine's own are not mounted into it.
        subprocess.run(["tar", "-xf", arguments.root, "-C", folder], check=True)
        subprocess.run(["mount", "-t", "proc", "proc", folder / "proc"], check=True)
        stage.ends.callback(subprocess.run, ["umount", "-l", folder / "proc"])
        inside = ["chroot", folder]
        release = (folder / "etc/os-release").read_text().split('PRETTY_NAME="')[1].split('"')[0]
        count = (folder / "var/lib/dpkg/status").read_text().count("\nStatus: install ok installed")
        say(f"{release} with {count} packages and nothing else")
    elif arguments.package == "deb":
        raise Failed("the Debian package is tried in a root file system: name one with --root")
    home = folder / "root" if arguments.root else folder
    subprocess.run(["cp", file, home], check=True)
    say(f"{file.name}: {file.stat().st_size / 1e6:.0f} MB to download")
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root" if arguments.root else str(home), "LANG": "C.UTF-8", **settings}
    # One shell for all three, as a person has it; it says after each command how long it has taken.
    script = "set -e; cd; began=$(date +%s.%N); " + "".join(
        f'{command}; echo "STOPWATCH $(date +%s.%N) $began"; ' for command in COMMANDS[arguments.package])
    began = time.monotonic()
    done = subprocess.run([*inside, "/bin/bash", "-c", script], env=environment, capture_output=True, text=True, timeout=1800)
    took = time.monotonic() - began
    if done.returncode:
        raise Failed(f"a command failed: {done.stderr.strip()[-800:]}")
    times = [line.split() for line in done.stdout.splitlines() if line.startswith("STOPWATCH")]
    before = 0.0
    for command, (_, now, start) in zip(COMMANDS[arguments.package], times):
        at = float(now) - float(start)
        say(f"{at - before:6.1f} s  {command}")
        before = at
    check("[1]" in done.stdout, f"first cited answer after {took:.1f} s and three commands")


def main():
    arguments = argparse.ArgumentParser(usage="lab/rehearsals/install.py [--dist FOLDER] [--root BASE.tar] [--package tarball|deb|try]")
    arguments.add_argument("--dist", default=ROOT / "dist")
    arguments.add_argument("--root")
    arguments.add_argument("--package", choices=["tarball", "deb", "try"], default="tarball")
    arguments = arguments.parse_args()
    alone("/bin/true", "install", lambda stage: rehearse(stage, arguments), "the package works")


main()
