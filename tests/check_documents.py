"""Runs the shell commands of a document in a scratch folder and fails on the first that fails.

    check_documents.py DOCUMENT SOURCE BUILD

Every ```sh block that calls `tacet` is run, in order, in one shell, as a reader would do it: in a
folder that looks like the source tree, with the built program on the path.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile


def main(document, source, build):
    source, build = pathlib.Path(source), pathlib.Path(build)
    text = (source / document).read_text(encoding="utf-8")
    blocks = [block for block in re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
              if re.search(r"^tacet ", block, re.MULTILINE)]
    if not blocks:
        sys.exit(f"{document} has no commands to run")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("data", "docs", "examples"):
            (pathlib.Path(folder) / name).symlink_to(source / name)
        environment = dict(os.environ, PATH=f"{build}:{os.environ['PATH']}")
        run = subprocess.run(["sh", "-eux", "-c", "\n".join(blocks)], cwd=folder, check=False,
                             env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True)
        print(run.stdout)
    return run.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
