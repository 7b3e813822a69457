"""Collects what `tacet ... --json` prints while a test runs, and checks it against docs/formats.

A small script named tacet stands before the program on the path. It runs the program, keeps a copy
of what `--json` prints into a pipe or a file, and leaves everything else alone: terminals, devices,
and commands that print no JSON.
"""

import pathlib
import shlex

import formats

SCRIPT = """#!/bin/sh
json=no
for word; do
  case $word in --json) json=yes ;; esac
done
if [ $json = no ] || [ "$1" = help ] || {{ [ ! -p /dev/stdout ] && [ ! -f /dev/stdout ]; }}; then
  exec {program} "$@"
fi
copy={folder}/$$
printf '%s\\n' "$@" >"$copy.arguments"
{program} "$@" >"$copy.text"
code=$?
echo $code >"$copy.code"
cat "$copy.text"
exit $code
"""


class Printed:
    """What commands print below `folder`, where the script is."""

    def __init__(self, folder, program):
        self.folder = pathlib.Path(folder)
        script = self.folder / "tacet"
        script.write_text(SCRIPT.format(program=shlex.quote(str(program)),
                                        folder=shlex.quote(str(self.folder))))
        script.chmod(0o755)

    def faults(self):
        """A line for each output that is not as its format says; outputs are forgotten then."""
        found = []
        for path in sorted(self.folder.glob("*.code")):
            arguments = path.with_suffix(".arguments").read_text(encoding="utf-8").splitlines()
            text = path.with_suffix(".text").read_bytes()
            failed = path.read_text() != "0\n"
            for kind in (".code", ".arguments", ".text"):
                path.with_suffix(kind).unlink()
            if not text:
                continue
            try:
                formats.check_printed(arguments, text.decode("utf-8"))
            except (formats.Fault, UnicodeDecodeError) as fault:
                # A command that failed may have printed the beginning of something.
                if not failed or "format" in str(fault):
                    found.append(f"tacet {shlex.join(arguments)}: {fault}")
        return found
