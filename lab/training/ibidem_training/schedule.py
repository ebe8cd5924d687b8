"""Works through `queue.json`: which runs get how many CPU minutes, in turn. Started again, it goes on with what is unfinished.

An entry has recipes and marks. Every recipe is brought to the first mark before any goes on to the second, so that runs
that are compared have used the same time whenever somebody looks. Ended by a signal, it lets the run that is going save.
"""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from . import folders, packing

HERE = Path(__file__).resolve().parents[1]


def done(runs: Path, name: str) -> float:
    """CPU minutes that a run has used."""
    path = runs / "runs" / name / "progress.json"
    return json.loads(path.read_text(encoding="utf-8"))["cpu_minutes"] if path.exists() else 0.0


def wanted(queue: list[dict], used) -> tuple[str, float] | None:
    """The recipe that comes next, and the mark it is to be brought to; `used` says how many minutes a run has had."""
    for entry in queue:
        for mark in entry["cpu minutes"]:
            for recipe in entry["recipes"]:
                if used(recipe) < mark - 1e-6:
                    return recipe, mark
    return None


class Driver:
    def __init__(self):
        self.child: subprocess.Popen | None = None
        self.told_to_end = False
        for one in (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, self.end)

    def end(self, *_) -> None:
        self.told_to_end = True
        if self.child:
            self.child.terminate()

    def run(self, module: str, *arguments: str) -> bool:
        """Runs a step; false when it was told to end. A step that fails ends the driver."""
        if self.told_to_end:
            return False
        print(time.strftime("%F %T"), module, *arguments, flush=True)
        self.child = subprocess.Popen([sys.executable, "-m", f"ibidem_training.{module}", *arguments], cwd=HERE)
        code = self.child.wait()
        self.child = None
        if code and not self.told_to_end:
            raise SystemExit(f"{module} {' '.join(arguments)} ended with {code}")
        return not self.told_to_end

    def prepare(self, runs: Path, recipe: dict) -> bool:
        """The base, the sets and their tokens, where they are not there yet."""
        base = recipe["base"]
        if not (runs / "bases" / base / "model.safetensors").exists() and not self.run("bases", base):
            return False
        for task, part in recipe["tasks"].items():
            sets = part.get("sets", task)
            if not (runs / "sets" / sets / "counts.json").exists() and not self.run(f"{task}_sets", sets):
                return False
            if not (packing.folder(runs, sets, base) / "complete").exists() and not self.run("packing", task, base, "--sets", sets):
                return False
        return True


def main() -> None:
    runs, driver = folders.runs(), Driver()
    lock = open(runs / "driver.pid", "a+", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        raise SystemExit(f"a driver is already at work in {runs}, with the process id {lock.read().strip()}") from None
    lock.truncate(0)
    print(os.getpid(), file=lock, flush=True)
    queue = HERE / "queue.json"
    # Read anew each time: what is added while it works is done too.
    while not driver.told_to_end and (following := wanted(json.loads(queue.read_text(encoding="utf-8")), lambda name: done(runs, name))):
        name, mark = following
        path = HERE / "recipes" / f"{name}.json"
        if driver.prepare(runs, json.loads(path.read_text(encoding="utf-8"))):
            driver.run("train", str(path), "--name", name, "--until", str(mark))
    print(time.strftime("%F %T"), "told to end" if driver.told_to_end else "nothing is left to do", flush=True)


if __name__ == "__main__":
    main()
