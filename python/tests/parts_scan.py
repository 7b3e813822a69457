"""Looks for true sums and marked strings of parts in what engines keep, log and show."""

from __future__ import annotations

import pathlib
import pickle
import re
import struct
from typing import Any, Dict, Iterable, List, Set, Tuple

import numpy as np
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from tacet import _part_worker

_LARGE = 1 << 32  # smaller numbers occur anywhere


def _opened(key: X25519PrivateKey, sealed: bytes) -> bytes:
    """An answer, by the steps that tacet/optimize/parts/seal.h names."""
    own = key.public_key().public_bytes(
        serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    shared = key.exchange(X25519PublicKey.from_public_bytes(sealed[:32]))
    derived = HKDF(hashes.SHA256(), 32, sealed[32:64], b"tacet sealed answer 2" + sealed[:32] + own)
    return bytes(AESGCM(derived.derive(shared)).decrypt(bytes(12), sealed[64:], None))


def _numbers_of(answer: bytes) -> List[int]:
    """The rows and the sums of an answer (part_answer.cc)."""
    place = len(b"tacet part answer 1\n")

    def number() -> int:
        nonlocal place
        place += 8
        (found,) = struct.unpack_from("<q", answer, place - 8)
        return int(found)

    for _ in range(2):  # the request's digest and the version
        size = number()
        place += size
    number()  # the part
    size = number()
    assert size == 0, "it has failed"
    rows = number()
    size = number()
    place += size
    return [rows, *(number() for _ in range(number()))]


class Listening:
    """Beside an engine: what is asked of it, and what parts truly answer."""

    def __init__(self, engine: Any) -> None:
        self._run = engine.run
        self.asked: List[Tuple[Any, bytes]] = []
        self.engine = engine._replace(run=self.run)

    def run(self, function: Any, arguments: Any) -> Any:
        if function is _part_worker.answer:
            self.asked += arguments
        return self._run(function, arguments)

    def true_numbers(self) -> Set[int]:
        """Large ones, by which they are known again."""
        key = X25519PrivateKey.generate()
        public = key.public_key().public_bytes(
            serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        found: Set[int] = set()
        parts: Dict[Any, Any] = {}
        for task, request in self.asked:
            for number, source in task.parts:
                place = (task.key, number)
                if place not in parts:
                    parts[place] = _part_worker._read(task, number, source, request)
                numbers = _numbers_of(_opened(key, parts[place].answer(request, public)))
                found.update(value for value in numbers if abs(value) >= _LARGE)
        return found


def files_below(*folders: pathlib.Path) -> Dict[str, bytes]:
    return {str(path): path.read_bytes() for folder in folders for path in folder.rglob("*")
            if path.is_file()}


def as_bytes(thing: Any) -> bytes:
    """What there is to see of an object: its pickle, and its text."""
    try:
        return pickle.dumps(thing) + repr(thing).encode()
    except Exception:
        return repr(thing).encode()


def found_in(places: Dict[str, bytes], numbers: Iterable[int], words: Iterable[str]) -> List[str]:
    """Where a marked string stands, or a number: in 8 bytes of either order, or in decimal."""
    values = np.array(sorted(numbers), dtype=np.int64)
    raw = np.unique(np.concatenate([values, values.byteswap()])).view(np.uint64)
    raw = np.sort(raw)
    decimal = {str(abs(int(value))) for value in values}
    hits = []
    for name, content in places.items():
        if any(word.encode() in content for word in words):
            hits.append(f"{name}: a marked string")
        if decimal.intersection(text.decode() for text in re.findall(rb"\d{10,19}", content)):
            hits.append(f"{name}: a decimal number")
        for shift in range(8):
            size = (len(content) - shift) // 8
            if size <= 0:
                continue
            windows = np.frombuffer(content, np.uint64, size, shift)
            at = np.searchsorted(raw, windows)
            if (raw[np.minimum(at, len(raw) - 1)] == windows).any():
                hits.append(f"{name}: 8 bytes of a number")
                break
    return hits
