#!/usr/bin/env python3
"""Builds the container image from the tarball in dist/, and measures it: its size, the time from its start until it is ready,
its memory when idle, and the time to a first cited answer. It runs as a user id that the image does not know, with a
read-only root file system and no capabilities.

usage: lab/rehearsals/image.py [--dist FOLDER] [--base IMAGE] [--image NAME]

Needs podman (or what IBIDEM_CONTAINERS names, with podman's options) and `deploy/package/tarball` before it. The database
and the index are those of a stack of its own; the container uses the machine's network, on loopback. With --image nothing
is built.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

from rehearsal import ROOT, Failed, alone, free_port, get, wait_until  # noqa: E402

PODMAN = os.environ.get("IBIDEM_CONTAINERS", "podman").split()
USER = "12345:23456"
QUESTION = "What is the daily limit for meals on a business trip?"


def podman(*arguments, check=True, seconds=900):
    done = subprocess.run([*PODMAN, *map(str, arguments)], capture_output=True, text=True, timeout=seconds)
    if check and done.returncode:
        raise Failed(f"podman {' '.join(map(str, arguments[:3]))}: {done.stderr.strip()[-600:]}")
    return done


def rehearse(stage, arguments):
    say, check = stage.log.say, stage.log.check
    image = arguments.image or "localhost/ibidem:measured"
    if not arguments.image:
        began = time.monotonic()
        podman("build", *os.environ.get("IBIDEM_BUILD_OPTIONS", "").split(), "-q", "-f", ROOT / "deploy/container/Dockerfile",
               *(["--build-arg", f"BASE={arguments.base}"] if arguments.base else []), "-t", image, arguments.dist)
        say(f"the image is built in {time.monotonic() - began:.0f} s")
    size = int(podman("image", "inspect", "--format", "{{.Size}}", image).stdout)
    layers = podman("image", "history", "--format", "{{.Size}} {{.CreatedBy}}", image).stdout.strip().splitlines()
    say(f"the image has {size / 1e6:.0f} MB (uncompressed, with its base): {', '.join(line.split('  ')[0][:60] for line in layers if not line.startswith('0 '))}")
    stage.up(instance=f"image-{os.getpid()}")
    installation = stage.installation()
    port = free_port()
    settings = {name: value for name, value in installation.settings.items()
                if name.startswith(("IBIDEM__DATABASE", "IBIDEM__INDEX"))}
    settings |= {"IBIDEM__SERVER__LISTEN": f"127.0.0.1:{port}", "IBIDEM__RERANKER__TIMEOUT_MS": "60000",
                 "IBIDEM__EMBEDDING__TIMEOUT_MS": "60000", "IBIDEM__SERVER__REQUEST_TIMEOUT_MS": "120000"}
    originals = stage.folder("originals")
    originals.chmod(0o777)
    common = ["--network", "host", "--read-only", "--user", USER, "--cap-drop", "all", "--security-opt", "no-new-privileges",
              "--tmpfs", "/tmp:size=256m", "-v", f"{originals}:/var/lib/ibidem/originals"]
    for name, value in settings.items():
        common += ["-e", f"{name}={value}"]
    first = time.monotonic()
    podman("run", "--rm", *common, image, "migrate")
    say(f"`ibidem migrate` in a container, {time.monotonic() - first:.1f} s")
    began = time.monotonic()
    container = podman("run", "-d", *common, image, "serve", "--with-worker").stdout.strip()
    stage.ends.callback(podman, "rm", "-f", container, check=False)
    started = time.monotonic() - began

    def ready():
        if podman("inspect", "--format", "{{.State.Running}}", container).stdout.strip() != "true":
            raise Failed(f"the container ended: {podman('logs', container, check=False).stderr[-600:]}")
        return get(port, "/readyz")[0] == 200

    wait_until("the container is ready", ready, 120)
    took = time.monotonic() - began
    say(f"ready {took:.1f} s after `podman run` began, {took - started:.1f} s after the container was there")
    pid = podman("inspect", "--format", "{{.State.Pid}}", container).stdout.strip()
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    check(status["Uid"].split()[0] == USER.split(":")[0], f"it runs as user id {USER.split(':')[0]}, which the image does not know")
    time.sleep(10)
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    say(f"idle, 10 s later: {int(status['VmRSS'].split()[0]) / 1024:.0f} MiB resident")
    # By its own mounts: a small base has no shell to try it with.
    root = next(line.split() for line in Path(f"/proc/{pid}/mountinfo").read_text().splitlines() if line.split()[4] == "/")
    check("ro" in root[5].split(","), "its root file system cannot be written")
    podman("exec", container, "ibidem", "ingest", "demo/handbook", "--collection", "Handbook", "--tags", "public", "--wait")
    said = podman("exec", container, "ibidem", "ask", QUESTION).stdout
    check("[1]" in said, f"a cited answer {time.monotonic() - first:.0f} s after the first command: {' '.join(said.split())[:120]}")
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    say(f"after loading six documents: {int(status['VmRSS'].split()[0]) / 1024:.0f} MiB resident")
    began = time.monotonic()
    podman("stop", "-t", "30", container)
    say(f"`podman stop` ends it in {time.monotonic() - began:.1f} s")


def main():
    arguments = argparse.ArgumentParser(usage="lab/rehearsals/image.py [--dist FOLDER] [--base IMAGE] [--image NAME]")
    arguments.add_argument("--dist", default=ROOT / "dist")
    arguments.add_argument("--base")
    arguments.add_argument("--image")
    arguments = arguments.parse_args()
    alone("/bin/true", "image", lambda stage: rehearse(stage, arguments), "the image works")


main()
