"""Streams of Arrow's C interface that break it are errors, and none of them ends the process.

The structs are those of https://arrow.apache.org/docs/format/CDataInterface.html, filled by hand.
"""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Dict, List, Optional

import numpy as np
import pytest

import tacet
from tacet import _engine

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")


class Type(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


RELEASE_TYPE = ctypes.CFUNCTYPE(None, ctypes.POINTER(Type))
RELEASE_ARRAY = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
RELEASE_STREAM = ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))
GET_TYPE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Type))
GET_NEXT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))
GET_ERROR = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(Stream))

Type._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Type))), ("dictionary", ctypes.POINTER(Type)),
    ("release", RELEASE_TYPE), ("private_data", ctypes.c_void_p)]
Array._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))), ("dictionary", ctypes.POINTER(Array)),
    ("release", RELEASE_ARRAY), ("private_data", ctypes.c_void_p)]
Stream._fields_ = [
    ("get_schema", GET_TYPE), ("get_next", GET_NEXT), ("get_last_error", GET_ERROR),
    ("release", RELEASE_STREAM), ("private_data", ctypes.c_void_p)]

COUNT = 20
VALUES = np.linspace(0, 1, COUNT)
LABELS = ["a", "b"] * (COUNT // 2)
SCHEMA = tacet.Schema([tacet.numeric("x", 0, 1)], public_row_count=COUNT,
                      target=tacet.binary("y", positive="b", negative="a"))
Spoil = Callable[[Any], None]


def keep(_: Any) -> None:
    pass


class Capsule:
    """A stream of one batch of numbers, with something wrong in its type, its batch or itself."""

    def __init__(self, type_: Spoil = keep, batch: Spoil = keep, stream: Spoil = keep,
                 name: bytes = b"arrow_array_stream") -> None:
        self.alive = 0
        self.done = False
        self.kept: List[Any] = []
        self.type = self.given_type()
        type_(self.type)
        self.batch = self.given_batch()
        batch(self.batch)
        self.stream = Stream(GET_TYPE(self.get_type), GET_NEXT(self.get_next),
                             GET_ERROR(lambda _: b"geheim"), RELEASE_STREAM(self.release_stream),
                             None)
        self.alive += 1
        stream(self.stream)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
        self.name = ctypes.create_string_buffer(name)
        self.object = new(ctypes.addressof(self.stream), ctypes.addressof(self.name), None)

    def hold(self, thing: Any) -> Any:
        self.kept.append(thing)
        return thing

    def pointers(self, kind: Any, things: List[Any]) -> Any:
        return self.hold((ctypes.POINTER(kind) * len(things))(*map(ctypes.pointer, things)))

    def given_type(self) -> Any:
        child = self.hold(Type(format=b"g", name=b"x"))
        child.release = self.hold(RELEASE_TYPE(lambda _: None))
        table = self.hold(Type(format=b"+s", name=b"", n_children=1))
        table.children = self.pointers(Type, [child])
        table.release = self.hold(RELEASE_TYPE(self.release_type))
        return table

    def given_batch(self) -> Any:
        data = self.hold(np.array(VALUES))
        child = self.hold(Array(length=COUNT, n_buffers=2))
        child.buffers = self.hold((ctypes.c_void_p * 2)(None, data.ctypes.data))
        child.release = self.hold(RELEASE_ARRAY(lambda _: None))
        table = self.hold(Array(length=COUNT, n_buffers=1, n_children=1))
        table.buffers = self.hold((ctypes.c_void_p * 1)(None))
        table.children = self.pointers(Array, [child])
        table.release = self.hold(RELEASE_ARRAY(self.release_array))
        return table

    def get_type(self, _: Any, out: Any) -> int:
        ctypes.pointer(out.contents)[0] = self.type
        self.alive += 1
        return 0

    def get_next(self, _: Any, out: Any) -> int:
        ctypes.memset(ctypes.addressof(out.contents), 0, ctypes.sizeof(Array))
        if not self.done:
            ctypes.pointer(out.contents)[0] = self.batch
            self.alive += 1
        self.done = True
        return 0

    def release_type(self, given: Any) -> None:
        self.alive -= 1
        given.contents.release = RELEASE_TYPE()

    def release_array(self, given: Any) -> None:
        self.alive -= 1
        given.contents.release = RELEASE_ARRAY()

    def release_stream(self, given: Any) -> None:
        self.alive -= 1
        given.contents.release = RELEASE_STREAM()


def fit(capsule: Capsule, budget: Optional[tacet.Budget] = None) -> Any:
    rows = _engine.Rows.table(capsule.object, [("y", LABELS)])
    context = _engine.Context()
    context.seed = 1
    if budget is not None:
        context.payer = budget._held
    plan = _engine.plan(SCHEMA._engine, {"epsilon": "1", "steps": "3"})
    return _engine.fit(plan, rows, context, None)


def test_streams_made_by_hand_are_read_and_given_back() -> None:
    capsule = Capsule()
    model = fit(capsule)
    assert capsule.alive == 0
    expected = tacet.LogisticRegression(epsilon=1, steps=3, schema=SCHEMA, random_state=1).fit(
        {"x": VALUES}, LABELS)
    assert model.coefficients == expected._model.coefficients


def child_of(given: Any) -> Any:
    return given.children[0].contents


def with_bitmap(given: Any) -> None:
    bits = np.frombuffer(bytes([0b11111101, 0xFF, 0xFF]), dtype=np.uint8)
    given.null_count = 1
    given.kept = (bits, (ctypes.c_void_p * 1)(bits.ctypes.data))
    given.buffers = given.kept[1]


def test_a_record_that_is_null_is_missing() -> None:
    capsule = Capsule(batch=with_bitmap)
    missing = [None if k == 1 else value for k, value in enumerate(VALUES.tolist())]
    expected = tacet.LogisticRegression(epsilon=1, steps=3, schema=SCHEMA, random_state=1).fit(
        {"x": missing}, LABELS)
    assert fit(capsule).coefficients == expected._model.coefficients
    assert capsule.alive == 0


def without(field: str, of: Callable[[Any], Any] = lambda given: given) -> Spoil:
    """Sets a pointer or a function of a struct to null."""

    def spoil(given: Any) -> None:
        thing = of(given)
        kinds: Any = dict(type(thing)._fields_)
        setattr(thing, field, kinds[field]())

    return spoil


def null_child(given: Any) -> None:
    given.children[0] = type(given.children[0])()


def set_to(field: str, value: int, of: Callable[[Any], Any] = lambda given: given) -> Spoil:
    return lambda given: setattr(of(given), field, value)


LARGE = 2**63 - 1
TYPES: Dict[str, Spoil] = {
    "no format": lambda given: setattr(given, "format", None),
    "no children": without("children"), "null child": null_child,
    "fewer than none": set_to("n_children", -1),
    "no format of a child": lambda given: setattr(child_of(given), "format", None),
    "released child": without("release", child_of), "released": without("release"),
    "no table": lambda given: setattr(given, "format", b"g"),
}
BATCHES: Dict[str, Spoil] = {
    "no children": without("children"), "null child": null_child,
    "released child": without("release", child_of),
    "no buffers": without("buffers", child_of),
    "null buffer": lambda given: child_of(given).buffers.__setitem__(1, None),
    "fewer buffers": set_to("n_buffers", 1, child_of),
    "fewer than no buffers": set_to("n_buffers", -1, child_of),
    "other columns": set_to("n_children", 0), "negative": set_to("length", -1),
    "shorter child": set_to("length", COUNT - 1, child_of),
    "offset beyond": set_to("offset", LARGE, child_of), "offset": set_to("offset", LARGE),
    "negative offset": set_to("offset", -1, child_of),
}
STREAMS: Dict[str, Spoil] = {
    "no functions": without("get_schema"), "no batches": without("get_next"),
    "released": without("release"),
}


@pytest.mark.parametrize("what", TYPES)
def test_types_that_break_the_interface_are_errors(what: str) -> None:
    budget = tacet.Budget(2, 1e-3)
    with pytest.raises(tacet.DataError):
        fit(Capsule(type_=TYPES[what]), budget)
    assert budget.spent == (0, 0)


@pytest.mark.parametrize("what", BATCHES)
def test_batches_that_break_the_interface_are_errors(what: str) -> None:
    with pytest.raises(tacet.DataError):
        fit(Capsule(batch=BATCHES[what]))


@pytest.mark.parametrize("what", STREAMS)
def test_streams_that_break_the_interface_are_errors(what: str) -> None:
    with pytest.raises(tacet.DataError):
        fit(Capsule(stream=STREAMS[what]))


def test_what_is_no_stream_is_an_error() -> None:
    with pytest.raises(tacet.DataError, match="stream"):
        fit(Capsule(name=b"arrow_schema"))
    capsule = Capsule()
    fit(capsule)
    with pytest.raises(tacet.DataError, match="read before"):
        fit(capsule)
    capsule.object = "geheim"
    with pytest.raises(tacet.DataError, match="stream"):
        fit(capsule)


def test_extensions_are_refused_within_dictionaries_too() -> None:
    import pyarrow

    storage = pyarrow.array([b"0" * 16] * COUNT, type=pyarrow.binary(16))
    ids = pyarrow.ExtensionArray.from_storage(pyarrow.uuid(), storage)
    codes = pyarrow.array([0] * COUNT, type=pyarrow.int32())
    schema = tacet.Schema([tacet.hashed("x")], public_row_count=COUNT,
                          target=tacet.binary("y", positive="b", negative="a"))
    for column in (ids, pyarrow.DictionaryArray.from_arrays(codes, ids)):
        table = pyarrow.table({"x": column, "y": LABELS})
        with pytest.raises(tacet.DataError, match="extension"):
            tacet.LogisticRegression(epsilon=1, schema=schema).fit(table)
    with pytest.raises(tacet.DataError, match="extension"):
        tacet.LogisticRegression(epsilon=1, schema=schema).fit({"x": ids, "y": LABELS})
