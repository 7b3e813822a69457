"""Runs a command and says when it held more memory than allowed:  peak.py MEBIBYTES COMMAND...

Counted is what the command holds beyond what its program holds to say its version: a program that
is larger, or built with sanitizers, has no less room for its work."""
import resource
import subprocess
import sys


def peak():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


subprocess.run([sys.argv[2], "--version"], check=True, capture_output=True)
alone = peak()
status = subprocess.run(sys.argv[2:], check=False).returncode
if peak() - alone > float(sys.argv[1]):
    print(f"{sys.argv[2]} {sys.argv[3]} held {peak() - alone:.0f} MiB more than its program, "
          f"at most {sys.argv[1]} are allowed")
    sys.exit(99)
sys.exit(status)
