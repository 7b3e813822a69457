#!/usr/bin/env python3
"""Server, devices and hostile clients on one machine, instrumented: address and undefined-behaviour
sanitizers, then the thread sanitizer. Builds what it needs (build/sanitize, build/tsan).

    sanitized_loopback.py SOURCE [JOBS]
"""

import os
import pathlib
import subprocess
import sys

TESTS = "NetworkTest.*:ConnectionTest.*:TlsStreamTest.*:HostileServerTest.*:CollectorTest.*:ClientTest.*"


def run(*command, cwd):
    print("+", *command, flush=True)
    return subprocess.run(command, cwd=cwd, check=False,
                          env=dict(os.environ, TACET_SETUP="skip")).returncode


def main(source, jobs=str(os.cpu_count() or 2)):
    source = pathlib.Path(source).resolve()
    for preset in ("sanitize", "tsan"):
        build = source / "build" / preset
        if run("scripts/build", preset, jobs, "local_test", "tacet_program", cwd=source) != 0:
            return 1
        if run(build / "modules/local/local_test", f"--gtest_filter={TESTS}", "--gtest_brief=1",
               cwd=source) != 0:
            return 1
        for script, *more in (["local_service.py"], ["local_storm.py", "20"]):
            if run(sys.executable, source / "tests" / script, build / "tacet", source, *more,
                   cwd=source) != 0:
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
