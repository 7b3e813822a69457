"""Where a measurement comes from: what every table says beside its numbers."""

import datetime
import os
import pathlib
import platform
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def git(*words):
    run = subprocess.run(["git", *words], cwd=ROOT, check=False, capture_output=True, text=True)
    return run.stdout.strip() if run.returncode == 0 else ""


def machine():
    """What a reader needs to judge the numbers, and nothing that names the computer."""
    cpu = ""
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            cpu = line.split(":", 1)[1].strip()
            break
    return {"cpu": cpu or platform.processor(), "architecture": platform.machine(),
            "cores": os.cpu_count(), "system": platform.system()}


def origin():
    """Commit of the tree that measures, day and machine."""
    return {"commit": git("rev-parse", "--short=12", "HEAD") or "unknown",
            "uncommitted_changes": bool(git("status", "--porcelain", "--untracked-files=no")),
            "date": datetime.date.today().isoformat(), "machine": machine()}
