"""Runs a command and keeps everything that it leaves: what it prints, its exit code, the files of
its folder, and the names of all files that it made meanwhile, also in TMPDIR.
"""

import base64
import ctypes
import dataclasses
import os
import pathlib
import re
import resource
import signal
import struct
import subprocess
import sys
import time

from worlds import DIGITS, MARK

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "formats"))
import formats  # noqa: E402  pylint: disable=wrong-import-position

RUN_LIMIT = 300  # seconds; sanitizer builds are slow
IN_CREATE, IN_MOVED_TO, IN_NONBLOCK = 0x100, 0x80, 0o4000
LIBC = ctypes.CDLL(None, use_errno=True)


@dataclasses.dataclass
class Observation:
    """What whoever sees the result of a command may see."""

    exit: int
    stdout: bytes
    stderr: bytes
    files: dict  # name: bytes, after the command; inputs as they are then
    made: list  # names of files made in the folder meanwhile, in order
    temporary: list  # the same in TMPDIR

    def everything(self):
        yield "standard output", self.stdout
        yield "standard error", self.stderr
        for name, content in self.files.items():
            yield f"file {name}", content
        for name in [*self.files, *self.made, *self.temporary]:
            yield "the name of a file", name.encode("utf-8", "surrogateescape")


class Watch:
    """Names of the files that appear in a folder, also of those that are gone by the end."""

    def __init__(self, folder):
        self.descriptor = LIBC.inotify_init1(IN_NONBLOCK)
        if self.descriptor < 0 or LIBC.inotify_add_watch(
                self.descriptor, os.fsencode(folder), IN_CREATE | IN_MOVED_TO) < 0:
            raise OSError(ctypes.get_errno(), f"cannot watch {folder}")

    def names(self):
        found = []
        try:
            while True:
                events = os.read(self.descriptor, 65536)
                while events:
                    _, _, _, length = struct.unpack_from("iIII", events)
                    name = events[16:16 + length].rstrip(b"\0")
                    found.append(os.fsdecode(name))
                    events = events[16 + length:]
        except BlockingIOError:
            return found
        finally:
            os.close(self.descriptor)


def limits(file_size):
    def apply():
        # A shell lets what it runs in the background ignore interruptions.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            signal.signal(number, signal.SIG_DFL)
        # A dump is wanted: the program has to forbid it by itself.
        hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
        if file_size is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))
    return apply


def start(program, words, folder, temporary, file_size=None, **streams):
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8", "NO_COLOR": "1",
                   "TMPDIR": str(temporary), "HOME": str(temporary)}
    return subprocess.Popen([program, *words], cwd=folder, env=environment,
                            preexec_fn=limits(file_size),
                            **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                               "stderr": subprocess.PIPE, **streams})


def read_files(folder):
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found


def run(program, words, folder, temporary, file_size=None, stop=None, **streams):
    """`stop(process)` is called once the command runs, to interrupt it."""
    watches = Watch(folder), Watch(temporary)
    process = start(program, words, folder, temporary, file_size, **streams)
    try:
        if stop:
            stop(process)
        stdout, stderr = process.communicate(timeout=RUN_LIMIT)
    except BaseException:
        process.kill()
        process.wait()
        raise
    if process.returncode == 0:
        formats.expect_printed(words, stdout)
    made, hidden = (watch.names() for watch in watches)
    temporary = r"\.\d+-\d+\.tmp\b"  # which has the process's number
    made = [re.sub(temporary, ".#.tmp", name) for name in made]
    said = re.sub(temporary.encode(), b".#.tmp", stderr or b"")
    return Observation(process.returncode, stdout or b"", said, read_files(folder), made, hidden)


def wait_until(condition, process):
    limit = time.monotonic() + RUN_LIMIT
    while process.poll() is None and time.monotonic() < limit:
        if condition():
            return
        time.sleep(0.002)


def spellings():
    """The marks as a file could hold them: plain, in capitals, hexadecimal, base 64, binary."""
    found = []
    for mark in (MARK, DIGITS):
        raw = mark.encode()
        found += [raw, raw.upper(), raw.lower(), raw.hex().encode(), mark.encode("utf-16-le"),
                  raw[::-1]]
        for shift in range(3):
            # The characters of base 64 that depend on nothing beside the mark.
            text = base64.b64encode(b"\0" * shift + raw)
            found.append(text[4 if shift else 0:-4])
    for sign in (1, -1):
        for end in (".25", ".5", ""):
            found.append(struct.pack("<d", sign * float(DIGITS + end)))
    return found


SPELLINGS = spellings()


def marks_in(observation, except_for=()):
    """Where something of a record stands; inputs and what shows records by purpose left out."""
    return [place for place, content in observation.everything()
            if place not in except_for and any(mark in content for mark in SPELLINGS)]
