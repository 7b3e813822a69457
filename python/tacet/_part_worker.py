"""What runs on a worker: it reads parts of the records, and answers what is asked of them, sealed.

Nothing readable leaves it. Engines keep, log and show what passes through them, so that answers are
sealed to the key of the run, and an error leaves as its type and its part alone: its words may
quote a value. A process keeps the parts that it has read, until the run has ended or nobody has
asked for a while; one that lacks a part reads it again.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

Place = Tuple[bytes, int]  # the run's key, and the part

_LOOKS = 4  # in the time after which a part is forgotten


@dataclass(frozen=True)
class Task:
    """Some parts of a run, which one worker answers for. The engine may show all of it."""

    key: bytes  # of the run, by which digests are keyed
    public_key: bytes
    parts: Tuple[Tuple[int, str], ...]  # number and source
    load: Callable[[str], Any]
    forget_after: float


@dataclass
class _Kept:
    part: Any
    used: float
    forget_after: float


_kept: Dict[Place, _Kept] = {}
_lock = threading.Lock()
_watching = False
_wake = threading.Event()  # set for a new part, which may be due sooner than the next look


def answer(asked: Tuple[Task, bytes]) -> List[bytes]:
    """The sealed answer of each of the task's parts to a request."""
    from . import _engine

    task, request = asked
    answers = []
    for number, source in task.parts:
        try:
            with np.errstate(all="ignore"):
                found = _answer_of(task, number, source, request)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # panics of Rust, which polars ends with, are no Exception
            kind = type(error).__name__
            found = _engine.failed_part(number, request, kind, task.public_key)
        answers.append(found)
    return answers


def forget(key: bytes) -> int:
    """Ends a run on this worker; how many of its parts were kept."""
    with _lock:
        ended = [place for place in _kept if place[0] == key]
        for place in ended:
            del _kept[place]
    return len(ended)


def _answer_of(task: Task, number: int, source: str, request: bytes) -> bytes:
    place = (task.key, number)
    with _lock:
        kept = _kept.get(place)
        if kept is not None:
            kept.used = time.monotonic()
    part = kept.part if kept is not None else _read(task, number, source, request)
    found: bytes = part.answer(request, task.public_key)
    with _lock:
        _kept[place] = _Kept(part, time.monotonic(), task.forget_after)
        if kept is None:
            _wake.set()
        _watch()
    return found


def _read(task: Task, number: int, source: str, request: bytes) -> Any:
    from . import _engine, _records
    from .errors import DataError
    from .schemas import Schema

    schema = Schema._of(_engine.parts_schema(request))
    loaded = task.load(source)
    if loaded is None:
        raise DataError("load returned nothing")
    if schema._engine.feature_count is not None:
        if not isinstance(loaded, tuple) or len(loaded) != 2:
            raise DataError("a schema of numbered features reads (X, y) from load")
        X, y = loaded
        empty = isinstance(X, np.ndarray) and X.shape[:1] == (0,)
        rows = _records.numbered_rows(
            np.empty(X.shape) if empty else _records.numbers_of(X), y)
    else:
        if hasattr(loaded, "read_all"):  # a reader of Arrow's record batches
            batches = list(loaded)
            if not batches:
                raise DataError("load returned a stream that was read before; an empty part is a "
                                "table of no rows")
            loaded = type(loaded).from_batches(batches[0].schema, batches).read_all()
        wanted = [*schema.columns]
        wanted += [name for name in (schema.target, schema.unit) if name is not None]
        rows = _records.table_rows(loaded, schema.columns, wanted, {}, schema._engine.dates)
    return _engine.Part(number, task.key, request, rows)


def _watch() -> None:
    """Starts the thread that forgets parts, if there is none. The caller holds the lock."""
    global _watching
    if _watching:
        return
    _watching = True
    threading.Thread(target=_look, name="tacet parts", daemon=True).start()


def _look() -> None:
    while True:
        wait = _looked()
        if wait is None:
            return
        _wake.wait(wait)
        _wake.clear()


def _looked() -> Optional[float]:
    """Forgets what nobody asks for; seconds until the next look, None once nothing is kept.

    A function of its own: between two looks no local variable keeps a part alive.
    """
    global _watching
    with _lock:
        now = time.monotonic()
        for place, kept in list(_kept.items()):
            if now - kept.used >= kept.forget_after:
                del _kept[place]
        if not _kept:
            _watching = False
            return None
        return min(kept.forget_after for kept in _kept.values()) / _LOOKS
