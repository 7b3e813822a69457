"""Runs a command and says when it took more than allowed:  within.py SECONDS MEBIBYTES COMMAND...

Counted is time of the processor, and memory beyond what the program holds to say its version. A build with sanitizers,
which holds far more for that, may take ten times as long."""
import resource
import subprocess
import sys

seconds, room = float(sys.argv[1]), float(sys.argv[2])


def used():
    return resource.getrusage(resource.RUSAGE_CHILDREN)


subprocess.run([sys.argv[3], "--version"], check=True, capture_output=True)
alone = used()
instrumented = alone.ru_maxrss > 40 * 1024
status = subprocess.run(sys.argv[3:], check=False).returncode
after = used()
took = after.ru_utime + after.ru_stime - alone.ru_utime - alone.ru_stime
held = (after.ru_maxrss - alone.ru_maxrss) / 1024
if took > seconds * (10 if instrumented else 1) or held > room * (3 if instrumented else 1):
    print(f"took {took:.1f} s and {held:.0f} MiB, at most {seconds:g} s and {room:g} MiB are allowed")
    sys.exit(99)
sys.exit(status)
