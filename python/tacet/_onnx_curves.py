"""Principal curves as nodes of ONNX: what data/encode/curve_rows.h does in the program."""

from __future__ import annotations

import base64
import math
from typing import Any, Dict, List

import numpy as np

from ._onnx_columns import Slot
from ._onnx_graph import Graph

_HATS = 16
_DEVIATION = 0.35  # of a number by its released mean and standard deviation
_REACH = 2.5
_PLACES = 2 ** 13  # of a turn


def numbers_of(text: str, kind: str) -> Any:
    """What stands in base 64 in a list of coefficients; the least significant byte first."""
    return np.frombuffer(base64.b64decode(text), dtype=kind)


class CurveRow:
    """The features of a row of curves as one array, and the sum of their squares."""

    def __init__(self, graph: Graph, schema: Dict[str, Any], made: Dict[str, Any],
                 slots: List[Slot]) -> None:
        self._graph, self._curves, self._made = graph, schema["curves"], made
        self._numbers: List[str] = []  # [N, 1] each, in standard deviations
        self._levels: List[Any] = []  # index, how many, the first one's place among all
        # In the order of the columns: the place of a number, or what another feature is.
        self._parts: List[Any] = []
        self._read(schema, slots)
        g = graph
        self._point = g.node("Concat", *self._numbers, axis=1)
        curves = g.times(g.as_double(self._all_curves()), g.constant(made["curve_scale"]))
        whitened = self._whitened()
        parts = [g.columns(whitened, part, part + 1) if isinstance(part, int) else part
                 for part in self._parts]
        self.features = g.node("Concat", *parts, curves, axis=1)
        constant = float(schema["constant"]) if "constant" in schema else 1.0
        start = g.add(g.times(self._numbers[0], g.constant(0.0)), g.constant(constant * constant))
        self.squares = g.summed(start, g.times(self.features, self.features))

    def _read(self, schema: Dict[str, Any], slots: List[Slot]) -> None:
        """Slots stand in the order of the columns; a number may have one more, of missing ones."""
        g, left, level = self._graph, iter(slots), 0
        scale = g.constant(self._made["category_scale"])
        for column in schema["column"]:
            if column["kind"] == "ignored":
                continue
            slot = next(left)
            if column["kind"] in ("numeric", "date"):
                self._parts.append(len(self._numbers))
                self._numbers.append(g.clamp(g.over(slot.value, g.constant(_DEVIATION)), -3.0, 3.0))
                if column.get("missing_indicator"):
                    self._parts.append(g.times(next(left).value, scale))
                continue
            if slot.index is None:  # a sign, which stands for two categories
                known = g.node("Not", g.node("Equal", slot.value, g.constant(0.0)))
                above = g.as_whole(g.node("Greater", slot.value, g.constant(0.0)))
                self._levels.append((g.where(known, above, g.whole(2)), 2, level))
                self._parts.append(g.times(g.times(slot.value, scale),
                                           g.constant(math.sqrt(0.5))))
                level += 2
                continue
            none = g.node("Less", slot.index, g.whole(0))
            place = g.where(none, g.whole(slot.count), slot.index)
            self._levels.append((place, slot.count, level))
            self._parts.append(g.times(g.times(g.spread(slot), scale), g.constant(1.0)))
            level += slot.count

    def _whitened(self) -> str:
        """Products with a row of the matrix, number after number, as the program adds them."""
        g, count = self._graph, len(self._numbers)
        matrix = np.array(self._made["whitening"]).reshape(count, count)
        total = ""
        for k, number in enumerate(self._numbers):
            part = g.times(number, g.constant([matrix[:, k]]))
            total = g.add(total, part) if total else part
        return total

    def _waves(self) -> List[str]:
        """Cosines and sines, [N, frequencies]; phases are whole numbers, so their sums are exact."""
        g, count = self._graph, len(self._numbers)
        frequencies = int(self._curves["frequencies"])
        turns = numbers_of(self._made["turns"], "<i2").reshape(count, frequencies)
        whole = g.node("Floor", g.add(g.times(self._point, g.constant(2.0 ** 13)), g.constant(0.5)))
        phases = g.node("MatMul", whole, g.constant(turns.astype(np.float64)))
        angles = numbers_of(self._made["angles"], "<i4").reshape(-1, frequencies)
        for index, width, first in self._levels:
            phases = g.add(phases, self._of_level(index, angles[first:first + width], np.float64))
        place = g.node("Floor", g.over(g.add(phases, g.constant(2.0 ** 13)), g.constant(2.0 ** 14)))
        turn = g.constant(float(_PLACES))
        place = g.as_whole(g.minus(place, g.times(g.node("Floor", g.over(place, turn)), turn)))
        around = np.arange(_PLACES + _PLACES // 4) % _PLACES
        sines = np.floor(2048 * np.sin(2 * np.pi * around / _PLACES) + 0.5)
        sines[around % (_PLACES // 2) == 0] = 0
        table = g.constant(sines)
        return [g.node("Gather", table, g.add(place, g.whole(_PLACES // 4))),
                g.node("Gather", table, place)]

    def _of_level(self, index: str, rows: Any, kind: Any) -> str:
        """The row of a record's category; zeros where it has none."""
        g = self._graph
        table = np.vstack([rows, np.zeros((1, rows.shape[1]))]).astype(kind)
        return g.node("Squeeze", g.node("Gather", g.constant(table, kind), index), g.whole([1]))

    def _hats(self) -> List[str]:
        """Sums and differences of hat functions around opposite knots, [N, 8 numbers]."""
        g, count = self._graph, len(self._numbers)
        gap = 2 * _REACH / (_HATS - 1)
        place = g.over(g.add(g.clamp(self._point, -_REACH, _REACH), g.constant(_REACH)),
                       g.constant(gap))
        left = g.node("Min", g.node("Floor", place), g.constant(float(_HATS - 2)))
        share = g.minus(place, left)
        height, half = g.constant(self._made["hat_units"]), g.constant(0.5)

        def whole(part: str) -> str:
            return g.node("Unsqueeze", g.node("Floor", g.add(g.times(height, part), half)),
                          g.whole([2]))

        knots = g.constant(np.arange(float(_HATS)).reshape(1, 1, _HATS))
        behind = g.minus(knots, g.node("Unsqueeze", left, g.whole([2])))
        rest = g.where(g.node("Equal", behind, g.constant(1.0)), whole(share), g.constant(0.0))
        hats = g.where(g.node("Equal", behind, g.constant(0.0)),
                       whole(g.minus(g.constant(1.0), share)), rest)
        near = g.node("Gather", hats, g.whole(list(range(_HATS // 2))), axis=2)
        far = g.node("Gather", hats, g.whole(list(range(_HATS - 1, _HATS // 2 - 1, -1))), axis=2)
        shape = g.whole([0, _HATS // 2 * count])
        return [g.node("Reshape", g.add(near, far), shape),
                g.node("Reshape", g.minus(near, far), shape)]

    def _all_curves(self) -> str:
        """[N, directions] in single precision, as the program has them."""
        g, curves = self._graph, self._curves
        directions = int(curves["directions"])
        weights = numbers_of(curves["weights"], "<i2").reshape(directions, -1).astype(np.float64)
        even, odd = (g.node("Concat", wave, hat, axis=1)
                     for wave, hat in zip(self._waves(), self._hats()))
        if self._levels:
            values = g.node("Concat", even, odd, axis=1)
            sums = g.node("MatMul", values, g.constant(weights.T))
        else:
            first = int(curves["even"])
            sums = g.node("Concat", g.node("MatMul", even, g.constant(weights[:first].T)),
                          g.node("MatMul", odd, g.constant(weights[first:].T)), axis=1)
        lines = numbers_of(curves["lines"], "<f4").reshape(directions, -1)
        single = np.float32
        found = g.times(g.constant(self._made["unit"], single), g.as_float(sums))
        found = g.minus(found, g.constant([lines[:, 0]], single))
        count = len(self._numbers)
        for k, number in enumerate(self._numbers):
            found = g.minus(found, g.times(g.as_float(number), g.constant([lines[:, 1 + k]], single)))
        for index, width, first in self._levels:
            rows = lines[:, 1 + count + first:1 + count + first + width].T
            found = g.minus(found, self._of_level(index, rows, single))
        return found
