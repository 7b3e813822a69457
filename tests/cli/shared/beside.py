"""Runs a command beside another one and says when it took more than allowed:
beside.py RATIO MEBIBYTES COMMAND... -- OTHER COMMAND...

Counted is time of the processor, as a multiple of what the other one took, so that it holds on any
machine; and memory beyond what the program holds to say its version."""
import resource
import subprocess
import sys

ratio, room = float(sys.argv[1]), float(sys.argv[2])
place = sys.argv.index("--")
command, other = sys.argv[3:place], sys.argv[place + 1:]


def run(words, **more):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    status = subprocess.run(words, check=False, **more).returncode
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return status, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, after.ru_maxrss


_, _, alone = run([command[0], "--version"], capture_output=True)
status, took, most = run(command)
_, others, _ = run(other, capture_output=True)
held = (most - alone) / 1024
if took > ratio * others or held > room:
    print(f"took {took:.1f} s beside {others:.1f} s, and {held:.0f} MiB")
    sys.exit(99)
sys.exit(status)
