#!/usr/bin/env python3
"""Puts the bill of materials of a wheel into it, where Python's packages have theirs (PEP 770):
`*.dist-info/sboms/tacet.spdx.json`. Then packs it as small as its format allows.

    wheel.py WHEEL BUILD...

BUILD are folders of Ninja whose objects the extension is made of. The wheel is packed again by the
package `wheel`, which dates its files by SOURCE_DATE_EPOCH, and once more by `advzip` of the distribution's
package advancecomp: a wheel is a zip file, and zlib at its best leaves 4 % more.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def main(wheel, *builds):
    wheel = pathlib.Path(wheel).resolve()
    if shutil.which("advzip") is None:
        print("wheel: advzip is missing; 'scripts/setup wheel' installs it", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as scratch:
        run = [sys.executable, "-m", "wheel"]
        subprocess.run([*run, "unpack", "--dest", scratch, wheel], check=True, stdout=subprocess.DEVNULL)
        root, = pathlib.Path(scratch).iterdir()
        info, = root.glob("*.dist-info")
        bill = info / "sboms" / "tacet.spdx.json"
        bill.parent.mkdir(exist_ok=True)
        binaries = sorted(path for path in root.rglob("*.so*") if path.is_file())
        command = [sys.executable, HERE / "sbom.py", "--name", "tacet", "--source", HERE.parents[1],
                   "--without", "modules/apps/", "--output", bill]
        for build in builds:
            command += ["--build", build]
        if subprocess.run([*command, *binaries], check=False).returncode != 0:
            return 1
        wheel.unlink()
        subprocess.run([*run, "pack", "--dest-dir", wheel.parent, root], check=True,
                       stdout=subprocess.DEVNULL)
    subprocess.run(["advzip", "--quiet", "--recompress", "--shrink-extra", wheel], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
