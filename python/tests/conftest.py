"""What the tests share: the bundled table, and the program where it was built."""

from __future__ import annotations

import importlib
import os
import pathlib
import signal
import subprocess
import sys
from typing import Callable, Iterator

import pandas
import pytest

import tacet

ROOT = pathlib.Path(__file__).resolve().parents[2]
FORMATS = ROOT / "tests" / "formats"


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """A shell lets what it runs in the background ignore interruptions."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def berkeley() -> pandas.DataFrame:
    """The table of the tutorial, in the order of its schema: then a saved model has no more to say
    than the program's."""
    table = pandas.read_csv(ROOT / "data/berkeley1973.csv", keep_default_na=False)
    return table[["sex", "department", "admitted"]]


@pytest.fixture(scope="session")
def schema_file() -> pathlib.Path:
    return ROOT / "data/schemas/berkeley1973.toml"


@pytest.fixture(scope="session")
def schema(schema_file: pathlib.Path) -> tacet.Schema:
    return tacet.Schema.load(schema_file)


@pytest.fixture(scope="session")
def program() -> Callable[..., str]:
    """Runs ``tacet`` with arguments; its standard output."""
    path = os.environ.get("TACET_PROGRAM")
    if not path:
        pytest.fail("TACET_PROGRAM does not say where the program is that models are compared with")

    def run(*arguments: object) -> str:
        done = subprocess.run([path, *map(str, arguments)], check=True, capture_output=True,
                              text=True)
        if (FORMATS / "formats.py").is_file() and "--json" in arguments:
            sys.path.append(str(FORMATS))
            importlib.import_module("formats").expect_printed(arguments, done.stdout)
            sys.path.remove(str(FORMATS))
        return done.stdout

    return run
