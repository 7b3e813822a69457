#!/usr/bin/env python3
"""A spool on a disk that is full after a few blocks: an error that names it, and the budget comes back.

    spool_full_disk.py PROGRAM

The disk is a file of 12 MB that is mounted, which needs the superuser and mkfs.ext4: exit code 77,
skipped, where either is missing. 21 MB of encoded records do not fit there.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent / "formats"))
import formats  # noqa: E402  pylint: disable=wrong-import-position

COLUMNS, ROWS = 50, 180_000
SKIPPED = 77


def write_records(folder):
    names = [f"x{k}" for k in range(COLUMNS)]
    lines = "".join(",".join(str((k * (j + 3)) % 10) for j in range(COLUMNS)) + f",{k % 2}\n"
                    for k in range(1000))
    (folder / "t.csv").write_text(",".join([*names, "y"]) + "\n" + ROWS // 1000 * lines)
    listed = ", ".join(f'"{name}"' for name in names)
    (folder / "s.toml").write_text(
        f'public_row_count = {ROWS}\n[target]\ncolumn = "y"\npositive = "1"\nnegative = "0"\n'
        f'[[column]]\nnames = [{listed}]\nkind = "numeric"\nlower = 0\nupper = 9\n')


class Disk:
    def __init__(self, folder):
        self.image, self.place = folder / "image", folder / "disk"
        self.place.mkdir()

    def mounted(self):
        self.image.write_bytes(bytes(12 << 20))
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": False}
        made = subprocess.run(["mkfs.ext4", "-q", "-F", self.image], **quiet).returncode == 0
        return made and subprocess.run(["mount", "-o", "loop", self.image, self.place],
                                       **quiet).returncode == 0

    def free(self):
        found = os.statvfs(self.place)
        return found.f_bfree * found.f_frsize


def check(program, folder, disk):
    def tacet(*words):
        done = subprocess.run([program, *words, "--quiet"], cwd=folder, capture_output=True,
                              text=True, check=False)
        formats.expect_printed(words, done.stdout)
        return done
    write_records(folder)
    tacet("ledger", "init", "l.db", "--data-set", "people", "--epsilon", "3", "--delta", "1e-5")
    before = disk.free()
    found = tacet("train", "t.csv", "--schema", "s.toml", "--epsilon", "1", "--delta", "1e-6",
                  "--knots", "none", "--ledger", "l.db", "--data-set", "people", "--spool", "disk",
                  "--output", "m.json")
    assert found.returncode == 7, (found.returncode, found.stderr)
    assert "'disk' does not take the encoded records" in found.stderr, found.stderr
    assert not (folder / "m.json").exists()
    assert disk.free() == before, "the disk has less room"
    shown = json.loads(tacet("ledger", "show", "l.db", "--data-set", "people", "--json").stdout)
    states = [run["state"] for run in shown["accounts"][0]["runs"]]
    assert states == ["cancelled"], states


def main(program):
    if os.geteuid() != 0 or shutil.which("mkfs.ext4") is None:
        return SKIPPED
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        folder = pathlib.Path(name)
        disk = Disk(folder)
        if not disk.mounted():
            return SKIPPED
        try:
            check(program, folder, disk)
        finally:
            subprocess.run(["umount", disk.place], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(str(pathlib.Path(sys.argv[1]).resolve())))
