"""Builds a graph of ONNX step by step: nodes for arithmetic on columns of doubles."""

from __future__ import annotations

from typing import Any, Collection, Dict, List, Sequence

import numpy as np

ML = "ai.onnx.ml"


class Graph:
    """Operators by name; every method gives back the name of what it computes.

    Numbers are doubles throughout. A column of records has the shape [N, 1]. `taken` are the names of columns,
    which are those of inputs: nothing else may have one of them.
    """

    def __init__(self, onnx: Any, taken: Collection[str] = ()) -> None:
        self._onnx, self._taken = onnx, frozenset(taken)
        self.nodes: List[Any] = []
        self.inputs: List[Any] = []
        self.outputs: List[Any] = []
        self.initializers: List[Any] = []
        self._constants: Dict[Any, str] = {}
        self._single: Dict[str, float] = {}  # constants of one number, by name
        self._count = 0

    def _fresh(self) -> str:
        self._count += 1
        return self._free(f"tacet_{self._count}")

    def _free(self, name: str) -> str:
        while name in self._taken:
            name = f"tacet_{name}"
        return name

    def node(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        out = self._fresh()
        self.nodes.append(self._onnx.helper.make_node(
            kind, list(inputs), [out], domain=domain, **attributes))
        return out

    def constant(self, value: Any, dtype: Any = np.float64) -> str:
        array = np.asarray(value, dtype=dtype)
        key = (array.shape, array.dtype.str, array.tobytes())
        if key not in self._constants:
            name = self._fresh()
            self._constants[key] = name
            self.initializers.append(self._onnx.numpy_helper.from_array(array, name))
            if array.size == 1 and array.dtype == np.float64:
                self._single[name] = float(array.reshape(()))
        return self._constants[key]

    def whole(self, value: Any) -> str:
        return self.constant(value, np.int64)

    def input(self, name: str, kind: str, width: Any = 1) -> str:
        """"double", "int64" or "string" of shape [N, width]."""
        types = {"double": self._onnx.TensorProto.DOUBLE, "int64": self._onnx.TensorProto.INT64,
                 "string": self._onnx.TensorProto.STRING}
        self.inputs.append(
            self._onnx.helper.make_tensor_value_info(name, types[kind], ["N", width]))
        return name

    def output(self, value: str, name: str, kind: str, shape: Sequence[Any]) -> None:
        types = {"double": self._onnx.TensorProto.DOUBLE, "string": self._onnx.TensorProto.STRING}
        name = self._free(name)
        self.nodes.append(self._onnx.helper.make_node("Identity", [value], [name]))
        self.outputs.append(
            self._onnx.helper.make_tensor_value_info(name, types[kind], list(shape)))

    # ---- arithmetic, each step rounded as the program's

    def add(self, one: str, other: str) -> str:
        for constant, value in ((one, other), (other, one)):
            if self._rounds_to(constant, 0.0):
                return self.node("Neg", self.node("Sub", self.constant(-self._single[constant]), value))
        return self.node("Add", one, other)

    def minus(self, one: str, other: str) -> str:
        if self._rounds_to(other, 0.0):
            return self.node("Neg", self.node("Sub", other, one))
        return self.node("Sub", one, other)

    def times(self, one: str, other: str) -> str:
        for constant, value in ((one, other), (other, one)):
            if self._rounds_to(constant, 1.0):
                doubled = self.constant(2 * self._single[constant])
                return self.node("Mul", self.node("Mul", value, doubled), self.constant(0.5))
        return self.node("Mul", one, other)

    def over(self, one: str, other: str) -> str:
        if self._rounds_to(other, 1.0):
            doubled = self.constant(2 * self._single[other])
            return self.node("Mul", self.node("Div", one, doubled), self.constant(2.0))
        return self.node("Div", one, other)

    def _rounds_to(self, name: str, plain: float) -> bool:
        """Whether a constant is 0 or 1 in single precision alone, as 1e-300 and 1 + 1e-9 are.

        ONNX Runtime takes it for that, and leaves the step out.
        """
        value = self._single.get(name, plain)
        with np.errstate(over="ignore"):
            return value != plain and float(np.float32(value)) == plain

    def where(self, condition: str, one: str, other: str) -> str:
        return self.node("Where", condition, one, other)

    def columns(self, value: str, begin: int, end: int) -> str:
        """Columns `begin` to before `end` of a matrix; a negative end counts from the last."""
        return self.node("Slice", value, self.whole([begin]), self.whole([end]), self.whole([1]))

    def ordered(self, value: str, width: str) -> str:
        """Each row ascending; `width` holds how many numbers it has."""
        names = [self._fresh(), self._fresh()]
        self.nodes.append(self._onnx.helper.make_node(
            "TopK", [value, width], names, axis=1, largest=0, sorted=1))
        return names[0]

    def summed(self, start: str, values: str) -> str:
        """`start` and the values of each row, added one after the other."""
        all_of_them = self.node("Concat", start, values, axis=1)
        sums = self.node("CumSum", all_of_them, self.whole(1))
        return self.columns(sums, -1, 2 ** 31)

    def expanded(self, value: str, like: str) -> str:
        """[1, 1] or [N, 1] as [N, 1], N being the rows of `like`."""
        none = self.node("ReduceSum", self.times(like, self.constant(0.0)), self.whole([1]),
                         keepdims=1)
        return self.add(value, none)

    def picked(self, slot: Any, rows: Any, scale: str) -> str:
        """What a slot's whole numbers times [outputs, features] add to each output."""
        integer = self.truncated(self.times(slot.value, scale))
        if slot.index is None:
            return self.times(integer, self.constant([rows[:, slot.first]]))
        table = self.constant(rows[:, slot.first:slot.first + slot.count].T)
        place = self.node("Clip", slot.index, self.whole(0), self.whole(slot.count - 1))
        if not slot.several:
            return self.times(integer, self.node("GatherND", table, place))
        found = self.node("Gather", table, place)
        return self.node("ReduceSum", self.times(found, self.node("Unsqueeze", integer,
                                                                  self.whole([2]))),
                         self.whole([1]), keepdims=0)

    def spread(self, slot: Any) -> str:
        """[N, count]: the slot's value where its index says."""
        places = self.whole([list(range(slot.count))])
        return self.where(self.node("Equal", slot.index, places), slot.value, self.constant(0.0))

    def as_float(self, value: str) -> str:
        return self.node("Cast", value, to=self._onnx.TensorProto.FLOAT)

    def clamp(self, value: str, lower: float, upper: float) -> str:
        return self.node("Min", self.node("Max", value, self.constant(lower)),
                         self.constant(upper))

    def truncated(self, value: str) -> str:
        """The whole number next to it toward zero."""
        return self.times(self.node("Sign", value),
                          self.node("Floor", self.node("Abs", value)))

    def as_whole(self, value: str) -> str:
        return self.node("Cast", value, to=self._onnx.TensorProto.INT64)

    def as_double(self, value: str) -> str:
        return self.node("Cast", value, to=self._onnx.TensorProto.DOUBLE)

    def log(self, value: str) -> str:
        """The program's series for the logarithm of a number from 1 on: the same bits."""
        two = self.constant(2.0)
        half_root = self.constant(0.70710678118654752)
        guess = self.node("Floor", self.over(self.node("Log", value),
                                             self.constant(0.6931471805599453)))
        exponent = self.add(guess, self.constant(1.0))
        m = self.over(value, self.node("Pow", two, exponent))
        # The guess may be one off near powers of two; m ends in [sqrt(1/2), sqrt(2)).
        for _ in range(2):
            low = self.node("Less", m, half_root)
            high = self.node("GreaterOrEqual", m, self.constant(2 * 0.70710678118654752))
            m, exponent = (
                self.where(low, self.times(m, two), self.where(high, self.over(m, two), m)),
                self.where(low, self.minus(exponent, self.constant(1.0)),
                           self.where(high, self.add(exponent, self.constant(1.0)), exponent)))
        s = self.over(self.minus(m, self.constant(1.0)), self.add(m, self.constant(1.0)))
        s2 = self.times(s, s)
        p = self.constant(1.0 / 23)
        for part in range(21, 1, -2):
            p = self.add(self.times(p, s2), self.constant(1.0 / part))
        cube = self.times(self.times(self.times(two, s), s2), p)
        low_part = self.add(cube, self.times(exponent, self.constant(
            float.fromhex("0x1.a39ef35793c76p-33"))))
        tail = self.add(self.times(two, s), low_part)
        return self.add(self.times(exponent, self.constant(
            float.fromhex("0x1.62e42fee00000p-1"))), tail)

    def log1p(self, value: str) -> str:
        one = self.constant(1.0)
        total = self.add(one, value)
        tiny = self.node("Equal", total, one)
        safe = self.where(tiny, self.constant(2.0), total)
        found = self.times(self.log(safe), self.over(value, self.minus(safe, one)))
        return self.where(tiny, value, found)

    def logistic(self, margin: str) -> str:
        one = self.constant(1.0)
        odds = self.node("Exp", self.node("Neg", self.node("Abs", margin)))
        total = self.add(one, odds)
        return self.where(self.node("GreaterOrEqual", margin, self.constant(0.0)),
                          self.over(one, total), self.over(odds, total))
