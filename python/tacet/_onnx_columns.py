"""The way of a record to its features, as nodes of ONNX: what data/encode does in the program."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Callable, Dict, List, Optional

from ._onnx_graph import ML, Graph
from ._onnx_numbers import days_of, exp, log1p, number_of


@dataclasses.dataclass
class Slot:
    """Features of a record of which at most one differs from 0; of words and ids up to K."""

    value: str  # [N, 1] or [N, K], before row scaling
    index: Optional[str]  # [N, 1] or [N, K] of int64: which one; below 0: none
    first: int
    count: int
    several: bool = False  # K of them


class NumericConstants:
    """What data::NumericMap computes from a column of the schema."""

    def __init__(self, column: Dict[str, Any]) -> None:
        self.date = column["kind"] == "date"
        read: Callable[[Any], float] = days_of if self.date else float
        self.lower, self.upper = read(column["lower"]), read(column["upper"])
        self.log1p = column.get("log1p", False)
        self.period = column.get("period")
        self.knots = column.get("knots", 0)
        self.indicator = column.get("missing_indicator", False)
        bins_only = column.get("bins_only", False)
        self.lines = 2 if self.period else 0 if bins_only else 1
        typical = read(column["typical"]) if "typical" in column else None
        self.filled = "fill" in column
        centred = typical is not None or column.get(
            "centre", self.lower != 0 or self.upper != 1)
        self.origin = self._transform(self.lower)
        self.width = self._transform(self.upper) - self.origin
        self.fill = self._missing_value(column, read, typical, centred)
        self.slope, self.zero = 1.0, 0.0
        if centred:
            self.slope = 2.5
            self.zero = self._share(typical) if typical is not None else 0.5
        self.missing_share = self._share(self.fill) if self.filled else \
            0.5 if self.indicator and typical is None else self.zero
        if "mean" in column:
            self.slope = 2 * 0.35 / column["standard_deviation"]
            self.zero = (1 + column["mean"]) / 2
        self.edges = [read(edge) for edge in column.get("edges", [])]
        bins = column.get("bins", 0)
        self.edges += [self._equal_edge(k, bins) for k in range(1, bins)]
        self.bin_height = 1.0 if bins_only else 0.5

    @property
    def bin_count(self) -> int:
        return len(self.edges) + 1 if self.edges else 0

    @property
    def width_of_features(self) -> int:
        return int(self.lines + self.knots + self.bin_count + (1 if self.indicator else 0))

    def largest_square(self) -> float:
        hats = 0.25 if self.knots else 0.0
        longest = max(self.slope * (1 - self.zero), -self.slope * (0 - self.zero))
        filled = self.slope * (self.missing_share - self.zero)
        line = 1.0 if self.period else longest * longest if self.lines == 1 else 0.0
        none = (1.0 if self.filled else 0.0) if self.period else \
            filled * filled if self.lines == 1 else 0.0
        bins = self.bin_height ** 2 if self.edges else 0.0
        return max(line, none + 1 if self.indicator else 0.0) + hats + bins

    def _transform(self, value: float) -> float:
        return log1p(value) if self.log1p else value

    def _share(self, value: float) -> float:
        place = self._transform(min(max(value, self.lower), self.upper))
        return min(max((place - self.origin) / self.width, 0.0), 1.0)

    def _missing_value(self, column: Dict[str, Any], read: Any, typical: Optional[float],
                       centred: bool) -> float:
        if self.filled:
            return float(read(column["fill"]))
        if typical is not None:
            return typical
        if not (centred or self.indicator):
            return self.lower
        if not self.log1p:
            middle = self.lower + (self.upper - self.lower) / 2
            return math.floor(middle) if self.date else middle
        middle = math.sqrt(1 + self.lower) * math.sqrt(1 + self.upper) - 1
        return min(max(middle, self.lower), self.upper)

    def _equal_edge(self, edge: int, bins: int) -> float:
        if self.log1p:
            value = exp(self.origin + edge / bins * self.width) - 1
        else:
            value = (self.lower * (bins - edge) + self.upper * edge) / bins
        return min(max(value, self.lower), self.upper)


class Columns:
    """Slots of all columns of a schema, ascending."""

    def __init__(self, graph: Graph, schema: Dict[str, Any]) -> None:
        self.graph, self.schema = graph, schema
        self.slots: List[Slot] = []
        self.square = 0.0  # of the longest row that the schema allows, without the intercept
        self._places: Dict[str, Any] = {}
        self.first = 0
        for column in schema.get("column", []):
            kind = column["kind"]
            if kind in ("numeric", "date"):
                self._numeric(column)
            elif kind == "categorical":
                self._categorical(column)
            elif kind in ("hashed", "crossed"):
                self._hashed(column)
            elif kind in ("text", "ids"):
                self._bag(column)
        for first, second in schema.get("interactions", []):
            self._pair(self._places[first], self._places[second])

    def _slot(self, value: str, first: int, index: Optional[str] = None, count: int = 1) -> None:
        self.slots.append(Slot(value, index, first, count))

    def _missing_numbers(self, column: Dict[str, Any]) -> List[float]:
        words = [*self.schema.get("missing", []), *column.get("missing", [])]
        return sorted({number for number in map(number_of, words) if number is not None})

    def _numeric(self, column: Dict[str, Any]) -> None:
        g, c = self.graph, NumericConstants(column)
        given = g.input(column["name"], "double")
        missing = g.node("Or", g.node("IsNaN", given), g.node("IsInf", given))
        for number in [] if c.date else self._missing_numbers(column):
            missing = g.node("Or", missing, g.node("Equal", given, g.constant(number)))
        value = g.where(missing, g.constant(c.fill), given)
        first = self.first
        share = ""
        if (not c.period and c.lines == 1) or c.knots:
            place = g.clamp(value, c.lower, c.upper)
            place = g.log1p(place) if c.log1p else place
            way = g.over(g.minus(place, g.constant(c.origin)), g.constant(c.width))
            share = g.where(missing, g.constant(c.missing_share), g.clamp(way, 0.0, 1.0))
        if not c.period and c.lines == 1:
            self._slot(g.times(g.constant(c.slope), g.minus(share, g.constant(c.zero))), first)
        if c.period:
            self._turn(g.over(g.clamp(value, c.lower, c.upper), g.constant(float(c.period))),
                       None if c.filled else missing)
        if c.knots:
            self._hats(share, first + c.lines, c.knots)
        if c.edges:
            above = g.as_whole(g.node("GreaterOrEqual", value, g.constant([c.edges])))
            bin_of = g.node("ReduceSum", above, g.whole([1]), keepdims=1)
            self._slot(g.add(g.constant(c.bin_height), g.times(g.as_double(bin_of),
                                                               g.constant(0.0))),
                       first + c.lines + c.knots, bin_of, c.bin_count)
        if c.indicator:
            self._slot(g.as_double(missing), first + c.width_of_features - 1)
        self.first += c.width_of_features
        self.square += c.largest_square()

    def _hats(self, share: str, first: int, knots: int) -> None:
        g = self.graph
        place = g.times(share, g.constant(float(knots - 1)))
        left = g.node("Min", g.node("Floor", place), g.constant(float(knots - 2)))
        right = g.minus(place, left)
        half = g.constant(0.5)
        index = g.as_whole(left)
        self._slot(g.times(half, g.minus(g.constant(1.0), right)), first, index, knots)
        self._slot(g.times(half, right), first, g.add(index, g.whole(1)), knots)

    def _turn(self, turns: str, missing: Optional[str]) -> None:
        """Sine and cosine by the program's series: another one could differ in the last bit."""
        g = self.graph
        part = g.minus(turns, g.node("Round", turns))
        quarter = g.node("Round", g.times(g.constant(4.0), part))
        x = g.times(g.constant(6.283185307179586),
                    g.minus(part, g.over(quarter, g.constant(4.0))))
        x2 = g.times(x, x)
        sine, cosine = g.constant(1.0 / 1307674368000.0), g.constant(1.0 / 20922789888000.0)
        for k in (13, 11, 9, 7, 5, 3, 1):
            sine = g.minus(g.constant(1.0 / math.factorial(k)), g.times(sine, x2))
        for k in (14, 12, 10, 8, 6, 4, 2, 0):
            cosine = g.minus(g.constant(1.0 / math.factorial(k)), g.times(cosine, x2))
        sine = g.times(sine, x)
        minus_sine, minus_cosine = g.node("Neg", sine), g.node("Neg", cosine)

        def turned(zero: str, one: str, back: str, half: str) -> str:
            found = half
            for number, value in ((-1.0, back), (1.0, one), (0.0, zero)):
                found = g.where(g.node("Equal", quarter, g.constant(number)), value, found)
            return found if missing is None else g.where(missing, g.constant(0.0), found)

        self._slot(turned(sine, cosine, minus_cosine, minus_sine), self.first)
        self._slot(turned(cosine, minus_sine, sine, minus_cosine), self.first + 1)

    def _categorical(self, column: Dict[str, Any]) -> None:
        g, categories = self.graph, column["categories"]
        other = column.get("other") == "column"
        places: Dict[str, int] = {}
        for k, category in enumerate(categories):
            places.setdefault(category, k)
        for k, category in enumerate(categories):
            for spelling in _spellings(category):
                places.setdefault(spelling, k)
        none = len(categories) if other else -1
        index = g.node("LabelEncoder", g.input(column["name"], "string"), domain=ML,
                       keys_strings=list(places), values_int64s=list(places.values()),
                       default_int64=none)
        width = len(categories) + (1 if other else 0)
        scales = column.get("scales") or []
        if column.get("coding") == "sign":
            found = g.node("Gather", g.constant([-1.0, 1.0]), g.node("Max", index, g.whole(0)))
            self._slot(self._present(index, found), self.first)
            width = 1
        else:
            held = [*scales, *[1.0] * (width - len(scales))]
            found = g.node("Gather", g.constant(held), g.node("Max", index, g.whole(0)))
            self._slot(self._present(index, found), self.first, index, width)
            self._places[column["name"]] = (index, width)
        self.first += width
        self.square += max(scales) ** 2 if scales else 1.0

    def _hashed(self, column: Dict[str, Any]) -> None:
        """The number of the bucket is given: ONNX has no public hash."""
        g, count = self.graph, 2 ** column.get("bits", 16)
        index = g.input(column["name"], "int64")
        self._slot(self._present(index, g.constant(1.0)), self.first, index, count)
        self.first += count
        self.square += 1.0

    def _bag(self, column: Dict[str, Any]) -> None:
        """Words and ids are given as the numbers of their features, -1 where there is no further one.

        Each counts once, in ascending order, as the program adds them.
        """
        g = self.graph
        bits = column.get("bits", 18 if column["kind"] == "text" else 16)
        count = column["count"] if "count" in column else 2 ** bits
        given = g.input(column["name"], "int64", f"of {column['name']}")
        width = g.node("Slice", g.node("Shape", given), g.whole([1]), g.whole([2]))
        ordered = g.ordered(given, width)
        first = g.node("GreaterOrEqual", g.columns(ordered, 0, 1), g.whole(0))
        again = g.node("Equal", g.columns(ordered, 1, 2 ** 31), g.columns(ordered, 0, -1))
        fresh = g.node("Concat", first, g.node("Not", again), axis=1)
        known = g.node("And", g.node("GreaterOrEqual", ordered, g.whole(0)),
                       g.node("Less", ordered, g.whole(count)))
        present = g.node("And", fresh, known)
        number = g.node("ReduceSum", g.as_double(present), g.whole([1]), keepdims=1)
        one = g.constant(1.0)
        share = g.over(one, g.node("Sqrt", g.node("Max", number, one)))
        self.slots.append(Slot(g.where(present, share, g.constant(0.0)),
                               g.where(present, ordered, g.whole(-1)), self.first, count, True))
        self.first += count
        self.square += 1.0

    def _present(self, index: str, value: str) -> str:
        g = self.graph
        return g.where(g.node("GreaterOrEqual", index, g.whole(0)), value, g.constant(0.0))

    def _pair(self, one: Any, other: Any) -> None:
        g = self.graph
        (first, first_width), (second, second_width) = one, other
        both = g.node("And", g.node("GreaterOrEqual", first, g.whole(0)),
                      g.node("GreaterOrEqual", second, g.whole(0)))
        index = g.where(both, g.add(g.times(first, g.whole(second_width)), second), g.whole(-1))
        self._slot(self._present(index, g.constant(1.0)), self.first, index,
                   first_width * second_width)
        self.first += first_width * second_width
        self.square += 1.0


def _spellings(category: str) -> List[str]:
    """Other usual texts of a category that is a number: 1, 1.0, 1.00, +1 and 1e0 are alike."""
    number = number_of(category)
    if number is None or abs(number) >= 2 ** 53:
        return []
    found = [repr(number)]
    if number == int(number):
        whole = str(int(number))
        found += [whole, whole + ".", whole + ".0", whole + ".00", whole + "e0"]
        found += ["-0", "-0.0"] if number == 0 else []
    elif "e" not in found[0]:
        found += [found[0] + "0"]
    return found + ["+" + text for text in found if not text.startswith("-")]
