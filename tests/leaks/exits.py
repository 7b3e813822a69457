"""The ways a command ends early: refusals, faults of structure, interruptions, full disks.

What is printed and left behind must be the same on both of two neighbouring data sets, and hold
nothing of a record. Interruptions come at a moment that no record decides: while the records are
awaited from a pipe, or in a training far longer than the test.
"""

import dataclasses
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

import released
import worlds
from observe import marks_in, run, wait_until

TRAIN = "train data.csv --schema two.toml --method gradient --epsilon 4 --delta 1e-5"
INIT = "ledger init b.ledger --data-set s --data data.csv --epsilon 30 --delta 1e-3"
# A record of two worlds; the fault that follows stands in the same line of both.
PAIR = (worlds.OTHER.replace("other", "first"), worlds.HOSTILE.replace("\n", " "))


@dataclasses.dataclass(frozen=True)
class Exit:
    """A command that ends early."""

    name: str
    words: str
    code: int
    fault: object = None  # bytes of data.csv: bytes with the fault
    first: str = ""  # a command before
    file_size: int = None  # no file may grow beyond so many bytes
    when: str = ""  # "reading" or "computing": it is interrupted
    signal: int = signal.SIGINT


def at_line(change):
    """A fault in line 150, which is behind the record that differs."""
    def apply(content):
        lines = content.split(b"\n")
        lines[149] = change(lines[149])
        return b"\n".join(lines)
    return apply


STRUCTURE = {
    "a field too few": at_line(lambda line: line.rsplit(b",", 1)[0]),
    "a field too many": at_line(lambda line: line + b"," + worlds.MARK.encode()),
    "a quote that is never closed": at_line(lambda line: line.replace(b",", b',"', 1)),
    "a zero byte": at_line(lambda line: line + b"\0"),
    "bytes that are no text": at_line(lambda line: b"\xff\xfe" + line),
    "an empty file": lambda content: b"",
    "a missing column": lambda content: content.replace(b"a,b,two", b"a,b,too", 1),
    "a column twice": lambda content: content.replace(b"a,b,two", b"a,a,two", 1),
    "no end": lambda content: content[:-40],
}
READERS = {
    "train": TRAIN + " --seed 3",
    "describe": "describe data.csv --schema two.toml --epsilon 1 --seed 3",
    "quantile": "quantile data.csv --schema two.toml --column a --epsilon 1 --seed 3",
    "evaluate": "evaluate two.json data.csv --epsilon 1 --delta 1e-5 --seed 3",
    "schema fit": "schema fit data.csv --epsilon 1 --target two --positive p --seed 3",
    "tune": "tune data.csv --schema two.toml --grid grid.toml --method gradient --epsilon 4",
    "local simulate": "local simulate data.csv --schema two.toml --epsilon 4 --seed 3",
    "predict": "predict two.json data.csv", "split": "split data.csv",
    "schema check": "schema check data.csv --schema two.toml",
}
PATIENCE = 20  # seconds until an interrupted command has to be gone
OWNERS = ("predict", "split", "schema check")  # show records, but not in their errors
CHECKED = b"NOT PRIVATE: exact counts"  # `schema check` read the file to its end


def structural():
    for fault, change in STRUCTURE.items():
        for name, words in READERS.items():
            yield Exit(f"{fault}: {name}", words, None, change)
    yield Exit("a wrong end mark", TRAIN + " --end-mark end", 3)
    yield Exit("a fault, booked", TRAIN + " --ledger b.ledger", 3,
               STRUCTURE["a field too many"], INIT)


def refusals():
    yield Exit("an unknown option", TRAIN + " --nothing", 2)
    yield Exit("no budget", TRAIN + " --ledger b.ledger --epsilon 50", 2, first=INIT)
    much = TRAIN.replace("--epsilon 4", "--epsilon 50")
    yield Exit("past the cap", much + " --ledger b.ledger", 4, first=INIT)
    yield Exit("without the ledger", TRAIN, 4, first=INIT)
    yield Exit("seeded, booked", TRAIN + " --seed 3 --ledger b.ledger", 4, first=INIT)
    yield Exit("no proof", "train data.csv --schema two.toml --method phased --epsilon 1 "
               "--adjacency add_remove", 5)
    yield Exit("an output that exists", TRAIN + " --output two.json", 7)
    yield Exit("too many terms", "train data.csv --schema line.toml --method inference --epsilon 4 "
               "--terms b", None)


def full_disks():
    for size in (0, 1000):
        for name, words in (("train", TRAIN + " --output m.json"),
                            ("wide", TRAIN.replace("gradient", "wide --steps 5")),
                            ("describe", "describe data.csv --schema two.toml --epsilon 1 --json "
                             "-o d.json"),
                            ("fit", "schema fit data.csv --epsilon 1 --target two --positive p -o "
                             "f.toml"),
                            ("embed", "embed texts.txt --vocabulary words.txt --epsilon 4 --delta "
                             "1e-5 --public-row-count 200 --dim 30 --steps 5 --output v.vec"),
                            ("split", "split data.csv"),
                            ("init", INIT)):
            yield Exit(f"no file beyond {size} bytes: {name}", words, 7, file_size=size)
        yield Exit(f"no file beyond {size} bytes: booked", TRAIN + " --ledger b.ledger", 7,
                   first=INIT, file_size=size)
    for words in (TRAIN + " --output /dev/full", "describe data.csv --schema two.toml --epsilon 1 "
                  "-o /dev/full --force"):
        yield Exit(f"a full device: {words.split()[0]}", words, 7)


def interruptions():
    long_run = " --steps 1000000 --output m.json"
    for name in ("INT", "TERM", "HUP", "QUIT"):
        yield Exit(f"{name} while reading", TRAIN, 130, when="reading",
                   signal=getattr(signal, f"SIG{name}"))
    for name, words in READERS.items():
        if name != "split":
            yield Exit(f"INT while reading: {name}", words, 130, when="reading")
    yield Exit("INT while computing", TRAIN + long_run, 130, when="computing")
    yield Exit("INT while computing, booked", TRAIN + long_run + " --ledger b.ledger", 130,
               first=INIT, when="computing")
    yield Exit("TERM while computing: wide", TRAIN.replace("gradient", "wide") + long_run, 130,
               when="computing", signal=signal.SIGTERM)
    # A crash: no dump of the memory, which holds records, may be left.
    yield Exit("ABRT while computing", TRAIN + long_run, -6, when="computing",
               signal=signal.SIGABRT)


def exits(long):
    made = [*refusals(), *full_disks(), *interruptions(), *structural()]
    # Every reader meets every fault in the long tier; here each fault meets one reader at least.
    return [entry for place, entry in enumerate(made)
            if long or ":" not in entry.name or place % 3 == 0]


def interrupt_when(entry, here, content):
    """Feeds a pipe and interrupts: before its end, or some time behind it."""
    def stop(process):
        with open(here / "data.csv", "wb") as pipe:  # waits until the command opens it
            pipe.write(content)
            pipe.flush()
            if entry.when == "reading":
                wait_until_asleep(process)
                process.send_signal(entry.signal)
                process.wait(PATIENCE)
                return
        wait_until_busy(process)
        process.send_signal(entry.signal)
    return stop


def state(process):
    text = pathlib.Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8")
    fields = text.rsplit(")", 1)[1].split()
    return fields[0], int(fields[11]) + int(fields[12])


def wait_until_asleep(process):
    """All that was written is read, and the command waits for more."""
    calm = 0
    while process.poll() is None and calm < 10:
        calm = calm + 1 if state(process)[0] == "S" else 0
        time.sleep(0.005)


def wait_until_busy(process):
    """It has used processor time since the end of the records."""
    begun = state(process)[1]
    wait_until(lambda: state(process)[1] > begun + 20, process)


def observe(program, folder, public, record, entry):
    first, _ = worlds.worlds()
    changed = list(first.records)
    changed[worlds.CHANGED] = record
    made = pathlib.Path(tempfile.mkdtemp(dir=folder))
    here, temporary = made / "here", made / "tmp"
    shutil.copytree(public, here)
    temporary.mkdir()
    worlds.write_records(here, dataclasses.replace(first, records=tuple(changed)))
    if entry.first:
        run(program, entry.first.split(), here, temporary)
    content = (here / "data.csv").read_bytes()
    if entry.fault:
        (here / "data.csv").write_bytes(entry.fault(content))
    stop = None
    if entry.when:
        if not entry.first:  # a pipe has no account
            (here / "data.csv").unlink()
            os.mkfifo(here / "data.csv")
            stop = interrupt_when(entry, here, content)
        else:
            def stop(process):
                time.sleep(0.2)
                wait_until_busy(process)
                process.send_signal(entry.signal)
    known = {path.name: path.read_bytes() for path in here.iterdir() if path.is_file()}
    seen = run(program, entry.words.split(), here, temporary, entry.file_size, stop)
    seen.files = {name: found for name, found in seen.files.items() if known.get(name) != found}
    shutil.rmtree(made)
    return seen


def compared(seen, entry):
    kind = "fit" if entry.words.startswith("schema fit") else ""
    talk = released.compared_talk(seen.stderr.decode("utf-8", "replace"), kind)
    return {"exit code": seen.exit, "standard error": talk, "names of files": sorted(seen.files)}


def check_one(program, folder, public, entry):
    faults = []
    try:
        both = [observe(program, folder, public, record, entry) for record in PAIR]
    except subprocess.TimeoutExpired as late:
        return [f"{entry.name}\n  {entry.words}\n  goes on after a signal: {late}"]
    owners = any(entry.words.startswith(owner) for owner in OWNERS)
    checked = all(CHECKED in seen.stderr for seen in both)  # no error: its remarks, which show values
    for seen in both:
        results = {"standard output", *(f"file {name}" for name in seen.files)}
        if checked:
            results.add("standard error")
        places = marks_in(seen, results if owners and seen.exit == 0 else ())
        faults += [f"{entry.name}\n  {entry.words}\n  a marked value stands in {place}"
                   for place in places]
        if seen.temporary:
            faults.append(f"{entry.name}\n  files are made in TMPDIR: {seen.temporary}")
        if entry.code is not None and seen.exit != entry.code:
            faults.append(f"{entry.name}\n  {entry.words}\n  exit code {seen.exit}, not "
                          f"{entry.code}: {seen.stderr.decode('utf-8', 'replace')}")
    left, right = (compared(seen, entry) for seen in both)
    if checked:
        del left["standard error"]
    return faults + [f"{entry.name}\n  {entry.words}\n  {what} tells one world from another:\n"
                     f"    {left[what]}\n    {right[what]}" for what in left
                     if left[what] != right[what]]


def check(program, folder, public, pool, long):
    work = [pool.submit(check_one, program, folder, public, entry) for entry in exits(long)]
    return [fault for done in work for fault in done.result()]
