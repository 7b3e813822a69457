"""Runs a command and says when it held more memory than allowed:  peak.py MEBIBYTES COMMAND..."""
import resource
import subprocess
import sys

status = subprocess.run(sys.argv[2:], check=False).returncode
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
if peak > float(sys.argv[1]):
    print(f"{sys.argv[2]} {sys.argv[3]} held {peak:.0f} MiB, at most {sys.argv[1]} are allowed")
    sys.exit(99)
sys.exit(status)
