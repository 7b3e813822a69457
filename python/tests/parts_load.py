"""What workers of the tests read: functions that a worker can import."""

from __future__ import annotations

import os
import pathlib
import signal
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow

from tacet import _part_worker

SECRET = "marked-7f3a"


def table(source: str) -> pandas.DataFrame:
    return pandas.read_csv(source, keep_default_na=False)


def numbers(source: str) -> Any:
    frame = pandas.read_csv(source)
    return frame.drop(columns="y").to_numpy(), frame["y"].to_numpy()


def nothing(source: str) -> None:
    del source


def quoting(source: str) -> Any:
    if source.endswith("part-1.csv"):
        raise ValueError(f"cannot parse {SECRET}")
    return table(source)


def dying_once(source: str) -> Any:
    """Kills its worker the first time that part 1 is read."""
    mark = pathlib.Path(source + ".died")
    if source.endswith("part-1.csv") and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return table(source)


def growing(source: str) -> Any:
    """One record more each time that part 1 is read."""
    frame = table(source)
    if not source.endswith("part-1.csv"):
        return frame
    mark = pathlib.Path(source + ".reads")
    reads = int(mark.read_text()) if mark.exists() else 0
    mark.write_text(str(reads + 1))
    return pandas.concat([frame, frame.iloc[:reads]])


def words(source: str) -> pandas.DataFrame:
    return pandas.read_csv(source, dtype=str, keep_default_na=False)


def quoting_all(source: str) -> Any:
    raise ValueError(words(source).to_csv())


def kept() -> int:
    """How many parts this process keeps."""
    return len(_part_worker._kept)


class Panic(BaseException):
    """As what Rust's panics come to Python as: no Exception."""


def panicking(source: str) -> Any:
    if source.endswith("part-1.csv"):
        raise Panic(f"cannot parse {SECRET}")
    return table(source)


def interrupted(source: str) -> Any:
    raise KeyboardInterrupt


def fewer_columns(source: str) -> Any:
    frame = table(source)
    return frame.drop(columns="sex") if source.endswith("part-1.csv") else frame


def other_types(source: str) -> Any:
    frame = table(source)
    if source.endswith("part-1.csv"):
        frame["sex"] = np.full(len(frame), 1j)
    return frame


def no_table(source: str) -> Any:
    return 7 if source.endswith("part-1.csv") else table(source)


def no_header(source: str) -> Any:
    return pandas.read_csv(source, header=None) if source.endswith("part-1.csv") else table(source)


def stream(source: str) -> Any:
    return pyarrow.Table.from_pandas(table(source)).to_reader()


def consumed(source: str) -> Any:
    reader = stream(source)
    if source.endswith("part-1.csv"):
        reader.read_all()
        reader.close()
    return reader


def polars_frame(source: str) -> Any:
    return polars.read_csv(source)
