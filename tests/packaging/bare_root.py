"""A newcomer's hour in a fresh root of Debian 12, from the packages and the wheel alone.

    bare_root.py SOURCE PACKAGES SCRATCH [WHEEL]     PACKAGES holds the two .deb files

Every command is one of docs/how-to/install.md or of a page that it leads to; the shell blocks of those pages
run as they stand. Afterwards: an upgrade keeps a ledger, a removal leaves the user's files alone.
It needs root, debootstrap and a mirror of Debian; without them it ends with 77 and says so.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

PAGES = ("docs/how-to/install.md", "docs/start.md", "docs/tutorial.md", "docs/how-to/export.md",
         "docs/how-to/export-sql.md")
LATER = "+later"
MOST_SECONDS = 180  # without what is fetched
# What belongs to building from sources, and what only shows a line of a schema.
OTHER = re.compile(r"^make |^cmake |build/release|build/python", re.MULTILINE)


def blocks(source, page, mark):
    text = (source / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{mark}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


class Root:
    def __init__(self, folder):
        self.folder, self.seconds = folder, 0.0

    def run(self, commands, timed=True):
        started = time.monotonic()
        done = subprocess.run(
            ["chroot", str(self.folder), "sh", "-eu", "-c", commands], check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive",
                 "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"})
        self.seconds += (time.monotonic() - started) if timed else 0
        if done.returncode != 0:
            sys.exit(f"{commands}\nended with {done.returncode} in the bare root:\n{done.stdout[-4000:]}")
        return done.stdout


def later(package, folder):
    """The same package with a higher version, to upgrade to."""
    root = folder / "raw"
    subprocess.run(["dpkg-deb", "--raw-extract", package, root], check=True)
    control = root / "DEBIAN" / "control"
    text = re.sub(r"^(Version: .*)$", rf"\1{LATER}", control.read_text(encoding="utf-8"), flags=re.MULTILINE)
    control.write_text(text, encoding="utf-8")
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zgzip", "--build", root, folder / package.name],
                   check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(root)


def prepare(folder, packages, wheel):
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        print("debootstrap or the right to use it is missing: left out")
        return False
    made = subprocess.run(["debootstrap", "--variant=minbase", "bookworm", str(folder)], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if made.returncode != 0:
        print(f"no bare root can be made here: left out\n{made.stdout[-500:]}")
        return False
    # The root is thrown away: nothing waits for a disk.
    (folder / "etc/dpkg/dpkg.cfg.d").mkdir(parents=True, exist_ok=True)
    (folder / "etc/dpkg/dpkg.cfg.d/unsafe").write_text("force-unsafe-io\n", encoding="utf-8")
    # How this machine reaches the network is how the root does.
    for name in ("etc/resolv.conf", "etc/hosts", "etc/pip.conf", "etc/ssl/certs/ca-certificates.crt"):
        if pathlib.Path("/", name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(pathlib.Path("/", name), folder / name)
    # Authorities of its own, which the package ca-certificates takes up when it is installed.
    if pathlib.Path("/usr/local/share/ca-certificates").is_dir():
        shutil.copytree("/usr/local/share/ca-certificates", folder / "usr/local/share/ca-certificates",
                        dirs_exist_ok=True)
    for file in [*packages.glob("*.deb"), *wheel]:
        shutil.copy(file, folder / "root")
    (folder / "root" / "later").mkdir()
    for file in packages.glob("*.deb"):
        later(file, folder / "root" / "later")
    return True


def walk(root, source, with_wheel):
    install = blocks(source, PAGES[0], "sh root")
    assert len(install) >= 3, "the page of installing has lost its commands"
    for block in install:
        root.run(f"cd /root\n{block}", timed=False)
    where = "cd /root/first\n"
    for block in blocks(source, PAGES[0], "sh root-run"):
        root.run(f"cd /root\n{block}")
    for page in PAGES:
        runs = [block for block in blocks(source, page, "sh") if not OTHER.search(block)]
        assert runs, f"{page} has no commands"
        root.run(where + "rm -f model.*\n" + "\n".join(runs))
    if with_wheel:
        for block in blocks(source, PAGES[0], "sh root-python"):
            root.run(f"cd /root\n{block}", timed=False)
        root.run(where + '/root/python/bin/python -c "\nimport doctest, sys\ndone = doctest.testfile('
                 "'/usr/share/doc/tacet/docs/python-tutorial.md', module_relative=False)\n"
                 'sys.exit(done.failed or done.attempted < 5)"')


def upgrade_and_remove(root):
    """A ledger and a model of before are read after; nothing else is left by the packages."""
    before = "cd /root\ntacet ledger init kept.ledger --data-set kept --epsilon 2 --delta 1e-5 --data first/data/berkeley1973.csv"
    root.run(before)
    root.run("apt-get install -y /root/later/*.deb", timed=False)
    found = root.run("dpkg-query -W -f '${Version} ' tacet libtacet-dev").split()
    if len(found) != 2 or not all(version.endswith(LATER) for version in found):
        sys.exit(f"the packages were not upgraded: {found}")
    root.run("cd /root\ntacet ledger verify kept.ledger\ntacet verify first/model.json")
    files = "find / -xdev -not -path '/proc/*' -path '*tacet*' -not -path '/root/*' -not -path '/var/*'"
    root.run("apt-get remove -y tacet libtacet-dev", timed=False)
    left = root.run(f"{files} -type f").split()
    if left:
        sys.exit(f"removal leaves {left}")
    root.run("test -s /root/kept.ledger && test -s /root/first/model.json")


def main(source, packages, scratch, *wheel):
    source, packages = pathlib.Path(source), pathlib.Path(packages)
    if len(list(packages.glob("*.deb"))) < 2:
        print(f"{packages} has no packages (make deb): left out")
        return 77
    wheels = [pathlib.Path(name) for name in wheel if pathlib.Path(name).is_file()]
    folder = pathlib.Path(scratch)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if not prepare(folder, packages, wheels):
        return 77
    root = Root(folder)
    walk(root, source, bool(wheels))
    upgrade_and_remove(root)
    shutil.rmtree(folder, ignore_errors=True)
    print(f"a newcomer's hour takes {root.seconds:.0f} s without what is fetched"
          + ("" if wheels else "; without Python, since there is no wheel"))
    return 0 if root.seconds < MOST_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
