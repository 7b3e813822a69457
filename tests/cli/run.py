#!/usr/bin/env python3
"""Runs command-line tests. README.md in this folder says what a test file looks like.

    run.py PROGRAM [TEST...]        exit code 0 only when every test passes
"""

import base64
import filecmp
import fnmatch
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
sys.path.insert(0, str(SOURCE / "tests" / "formats"))

import formats  # noqa: E402  pylint: disable=wrong-import-position
import printed  # noqa: E402  pylint: disable=wrong-import-position

RUN_LIMIT = 600  # seconds; sanitizer builds are slow
POLL = 0.005
SHOWN = 3000  # characters of output that a failure shows
TEMPORARY = ".*.tmp"  # how the program names what is not complete yet
OUTPUT_DIRECTIVES = {f"{stream}{kind}" for stream in ("stdout", "stderr")
                     for kind in ("", " has", " lacks")}
DIRECTIVES = OUTPUT_DIRECTIVES | {"file", "run", "exit", "same", "absent", "present",
                                  "interrupt when", "skip"}


class Failure(Exception):
    """A test that did not hold, in words."""


class Skipped(Exception):
    """A test whose conditions this machine does not meet."""


def parse(path):
    """[(line number, directive, argument, lines below)] of a test file."""
    directives = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if line.startswith("#:"):
            continue
        match = re.fullmatch(r"--- ([a-z ]+?)(?:: (.*))?", line)
        if match:
            if match.group(1) not in DIRECTIVES:
                raise Failure(f"{path.name}:{number}: unknown directive '{match.group(1)}'")
            directives.append((number, match.group(1), match.group(2) or "", []))
        elif directives:
            directives[-1][3].append(line)
    if directives and directives[-1][3] and directives[-1][3][-1] == "":
        directives[-1][3].pop()  # the file's own last newline
    return directives


def matcher(pattern):
    """A compiled regular expression for a line with {{...}} parts."""
    parts = re.split(r"\{\{(.*?)\}\}", pattern)
    return re.compile("".join(part if i % 2 else re.escape(part) for i, part in enumerate(parts)),
                      re.MULTILINE)


def lines_match(expected, actual):
    """Whole lines in order; `...` stands for any number of lines."""
    if not expected:
        return not actual
    if expected[0] == "...":
        return any(lines_match(expected[1:], actual[i:]) for i in range(len(actual) + 1))
    return bool(actual) and bool(matcher(expected[0]).fullmatch(actual[0])) and \
        lines_match(expected[1:], actual[1:])


def split_lines(text):
    return text.split("\n")[:-1] if text.endswith("\n") else text.split("\n") if text else []


def check_output(directive, expected, text):
    expected = [line for line in expected if line]
    if directive.endswith(" has"):
        rest = text
        for line in expected:
            match = matcher(line).search(rest)
            if not match:
                raise Failure(f"no '{line}' (in this order)")
            rest = rest[match.end():]
    elif directive.endswith(" lacks"):
        for line in expected:
            if matcher(line).search(text):
                raise Failure(f"'{line}' is there, but must not be")
    elif not lines_match(expected, [line for line in split_lines(text) if line]):
        raise Failure("expected\n    " + "\n    ".join(expected))


def write_file(folder, argument, lines):
    match = re.fullmatch(r"(.*?)(?: \((no final newline|base64)\))?", argument)
    path = folder / match.group(1)
    path.parent.mkdir(parents=True, exist_ok=True)
    if match.group(2) == "base64":
        path.write_bytes(base64.b64decode("".join(lines)))
    else:
        end = "" if match.group(2) or not lines else "\n"
        path.write_text("\n".join(lines) + end, encoding="utf-8", newline="")


def interrupt_when(process, folder, glob):
    limit = time.monotonic() + RUN_LIMIT
    while process.poll() is None and time.monotonic() < limit:
        if any(fnmatch.fnmatch(name, glob) for name in os.listdir(folder)):
            process.send_signal(signal.SIGINT)
            return
        time.sleep(POLL)
    raise Failure(f"the command ended before a file '{glob}' appeared")


def execute(command, folder, program, glob):
    # A signal is for the program itself, so that nothing stands before it then.
    first = program.program.parent if glob else program.path
    environment = dict(os.environ, SOURCE=str(SOURCE), LC_ALL="C.UTF-8",
                       PATH=f"{first}{os.pathsep}{os.environ.get('PATH', '')}")
    if glob:
        command = f"exec {command}"  # the signal is for the program, not for the shell
    process = subprocess.Popen(["/bin/sh", "-c", command], cwd=folder, env=environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    try:
        if glob:
            interrupt_when(process, folder, glob)
        stdout, stderr = process.communicate(timeout=RUN_LIMIT)
    except (subprocess.TimeoutExpired, Failure):
        process.kill()
        process.communicate()
        raise
    return {"code": process.returncode, "stdout": stdout.decode("utf-8", "replace"),
            "stderr": stderr.decode("utf-8", "replace")}


def check_after(folder, directive, argument, lines, result):
    if directive in OUTPUT_DIRECTIVES:
        check_output(directive, lines, result[directive.split()[0]])
    elif directive == "exit":
        if result["code"] != int(argument):
            raise Failure(f"exit code {result['code']}, expected {argument}")
    elif directive == "same":
        first, second = argument.split()
        if not filecmp.cmp(folder / first, folder / second, shallow=False):
            raise Failure(f"{first} and {second} differ")
    elif directive in ("absent", "present"):
        if (folder / argument).exists() != (directive == "present"):
            raise Failure(f"{argument} must be {directive}")


def shortened(text):
    return text if len(text) <= SHOWN else text[:SHOWN] + "\n[and so on]\n"


def check_always(folder, block, result):
    if all(directive != "exit" for _, directive, _, _ in block) and result["code"] != 0:
        raise Failure(f"exit code {result['code']}, expected 0")
    if result["code"] < 0 or result["code"] > 130:
        raise Failure(f"the command ended by a signal: {result['code']}")
    left = [name for name in os.listdir(folder) if fnmatch.fnmatch(name, TEMPORARY)]
    if left:
        raise Failure(f"temporary files were left behind: {left}")


def run_block(path, folder, program, number, command, block):
    """One command and everything that is said about it."""
    glob = next((argument for _, name, argument, _ in block if name == "interrupt when"), None)
    try:
        result = execute(command, folder, program, glob)
    except (Failure, subprocess.TimeoutExpired) as failure:
        raise Failure(f"{path.name}:{number}: {command}\n  {failure}") from None
    where = number
    try:
        for where, directive, argument, lines in block:
            check_after(folder, directive, argument, lines, result)
        where = number
        check_always(folder, block, result)
        faults = program.printed.faults() if program.printed else []
        if faults:
            raise Failure("\n  ".join(faults))
    except (Failure, OSError) as failure:
        raise Failure(f"{path.name}:{where}: {command}\n  {failure}\n  exit code "
                      f"{result['code']}\n  stdout:\n{shortened(result['stdout'])}\n  stderr:\n"
                      f"{shortened(result['stderr'])}") from None


def check_condition(condition):
    if condition == "root":
        if os.geteuid() == 0:
            raise Skipped("root may do everything")
    elif condition.startswith("no "):
        folder = os.environ.get("TACET_DATA", "")
        if not folder or not (pathlib.Path(folder) / condition[3:]).exists():
            raise Skipped(f"TACET_DATA holds no {condition[3:]}")
    else:
        raise Failure(f"unknown condition '{condition}'")


class Watched:
    """A program whose JSON is kept for a look, where jsonschema is there to take it."""

    def __init__(self, program, folder):
        self.program = program
        self.printed = printed.Printed(folder, program) if formats.validators() else None
        self.path = folder if self.printed else program.parent


def run_test(path, program):
    """Number of commands that ran."""
    directives = parse(path)
    runs = 0
    with tempfile.TemporaryDirectory(prefix="tacet-cli-") as name, \
            tempfile.TemporaryDirectory(prefix="tacet-printed-") as copies:
        folder = pathlib.Path(name)
        program = Watched(program, pathlib.Path(copies))
        i = 0
        while i < len(directives):
            number, directive, argument, lines = directives[i]
            i += 1
            if directive == "file":
                write_file(folder, argument, lines)
            elif directive == "skip":
                check_condition(argument)
            elif directive == "run":
                block = []
                while i < len(directives) and directives[i][1] not in ("run", "file", "skip"):
                    block.append(directives[i])
                    i += 1
                run_block(path, folder, program, number, argument, block)
                runs += 1
            else:
                raise Failure(f"{path.name}:{number}: '{directive}' before the first run")
    if runs == 0:
        raise Failure(f"{path.name}: runs nothing")
    return runs


def main(arguments):
    if not arguments:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    program = pathlib.Path(arguments[0]).resolve()
    paths = [pathlib.Path(name) for name in arguments[1:]] or sorted(HERE.glob("*.test"))
    failed = runs = 0
    for path in paths:
        try:
            runs += run_test(path, program)
        except Skipped as reason:
            print(f"{path.name}: skipped from here: {reason}")
        except Failure as failure:
            failed += 1
            print(f"FAILED {failure}")
    print(f"{len(paths)} files, {runs} commands in those that passed, {failed} files failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
