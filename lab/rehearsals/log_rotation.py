"""The log file is rotated by logrotate while questions are asked: no line is torn, and the space is given back."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

from rehearsal import ROOT, Asker, from_debian


def rehearse(stage):
    say, check = stage.log.say, stage.log.check
    stage.up()
    logrotate, libraries = shutil.which("logrotate"), ""
    if not logrotate:
        logrotate = from_debian("logrotate", "usr/sbin/logrotate", stage.place)
        libraries = str(from_debian("libpopt0", "usr/lib/x86_64-linux-gnu/libpopt.so.0", stage.place).parent)
    installation = stage.installation()
    key = installation.load()
    server = installation.serve(log="ibidem.log", IBIDEM__LOG__FORMAT="json", IBIDEM__LOG__LEVEL="debug")
    # The file that ships, with this rehearsal's log in the place of the installed one.
    shipped = (ROOT / "deploy/logrotate/ibidem").read_text()
    check("/var/log/ibidem/*.log" in shipped, "deploy/logrotate/ibidem is what is tried")
    settings = stage.place / "logrotate.conf"
    settings.write_text(shipped.replace("/var/log/ibidem/*.log", str(server.log)).replace("su ibidem ibidem", "su root root"))
    settings.chmod(0o644)
    stage.place.chmod(0o755)
    open_file = server.log.stat().st_ino
    with Asker([server], key) as asker:
        asker.wait_for(3)
        for turn in range(3):
            before = server.log.stat().st_size
            done = subprocess.run([logrotate, "--force", "--state", stage.place / "state", settings],
                                  env={**os.environ, "LD_LIBRARY_PATH": libraries}, capture_output=True, text=True)
            check(done.returncode == 0, f"logrotate succeeds {done.stderr.strip()[-300:]}".strip())
            check(server.log.stat().st_size < before, f"rotation {turn + 1}: the file had {before:,} bytes, and has {server.log.stat().st_size:,}")
            asker.wait_for(2)
        asked = asker.since(0)
    time.sleep(1)
    check(all(reply.answered for reply in asked), f"questions asked meanwhile: {asker.counts()}")
    check(server.log.stat().st_ino == open_file and server.process.lives(), "the server writes to the same file and was not restarted")
    files = sorted(Path(stage.place).glob("ibidem.log*"))
    torn, requests = 0, set()
    for file in files:
        text = subprocess.run(["gzip", "-dc", file], capture_output=True, check=True).stdout if file.suffix == ".gz" else file.read_bytes()
        check(b"\0" not in text, f"{file.name}: {len(text):,} bytes, no hole")
        for line in text.decode().splitlines():
            # Said to whoever starts it, before the log begins.
            if line.startswith("listening on "):
                continue
            try:
                requests.add(json.loads(line).get("request_id"))
            except ValueError:
                torn += 1
    lost = [reply for reply in asked if reply.answer["request_id"] not in requests]
    check(torn == 0, f"{len(files)} files, every line of them whole")
    check(len(lost) <= 1, f"{len(asked) - len(lost)} of {len(asked)} questions are in the files")
    say("(copytruncate can lose what is written between the copy and the truncation; the audit does not depend on the log)")
