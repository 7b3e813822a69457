"""Programs that leak on purpose: each passes the command on to the real program and adds one leak.

The scan has to find every one of them, and nothing in a program that only passes commands on.
"""

import pathlib
import sys
import tempfile

# What stands for the real program; it knows the words of the command and the records.
PASS_ON = """#!{python}
import json, os, pathlib, subprocess, sys, tempfile
words = sys.argv[1:]
records = pathlib.Path("data.csv").read_text(encoding="utf-8").splitlines()[1:]
{before}
done = subprocess.run([{program!r}, *words])
code = done.returncode
{after}
sys.exit(code)
"""
LEAKS = {
    "a value in a warning": (
        "", 'sys.stderr.write("warning: cannot read " + records[-1].split(",")[6] + "\\n")'),
    "a number in a debugging line": (
        "", 'sys.stderr.write("largest value %r\\n" % max(float(w) for r in records '
        'for w in r.split(",") if w.replace(".", "").isdigit()))'),
    "the number of records in a receipt": (
        "", 'm = json.load(open("model.json")); m["receipt"]["parameters"]["rows_read"] = '
        'len(records); json.dump(m, open("model.json", "w"))'),
    "records in a temporary file": (
        't = tempfile.NamedTemporaryFile("w"); t.write("\\n".join(records)); t.flush()', ""),
    "an exit code by a record": ("", 'code = 6 if any("1e400" in r for r in records) else code'),
    "a name of a file": ("", 'open("%d.log" % len(records), "w")'),
    "a record in base 64": (
        "", 'import base64; print(base64.b64encode(records[3].encode()).decode())'),
    "a longer line where a value is unknown": (
        "", 'print("done" + "." * sum("<script>" in r for r in records))'),
}
CASE = "train two --method gradient --epsilon 4 --delta 1e-5 add_remove"


def write_program(folder, program, before="", after=""):
    path = pathlib.Path(tempfile.mkdtemp(dir=folder)) / "tacet"
    path.write_text(PASS_ON.format(python=sys.executable, program=program, before=before,
                                   after=after), encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def check(scanner, case, pool):
    """Faults of the scan itself: planted leaks that it does not find, and one that is none."""
    def found(leak):
        return scanner.check(case, False, write_program(scanner.folder, scanner.program, *leak))

    honest = pool.submit(found, ("", ""))
    planted = {name: pool.submit(found, leak) for name, leak in LEAKS.items()}
    faults = [f"the scan does not find a planted leak: {name}" for name, done in planted.items()
              if not done.result()]
    return faults + [f"without a leak: {fault}" for fault in honest.result()]
