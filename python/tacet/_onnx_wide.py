"""Wide models as nodes of ONNX: what model/wide/wide_net.h does in the program."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import numpy as np

from ._onnx_columns import Slot
from ._onnx_curves import numbers_of
from ._onnx_graph import Graph


class Net:
    """The outputs of a wide model from a record's features."""

    def __init__(self, graph: Graph, wide: Dict[str, Any], grid: int) -> None:
        self._graph, self._wide, self._grid = graph, wide, grid
        self._towers = wide["head"] == "two-tower"
        self._dense = np.array(wide["dense"], dtype=np.int64)
        self._numbers = numbers_of(wide["numbers"], "<f4")
        self._next = 0
        self._tables = [self._take(field["rows"], field["width"]) for field in wide["fields"]]
        outputs = wide["outputs"]
        self._weights = [self._take(field["rows"], outputs) for field in wide["fields"]] \
            if wide["linear_part"] else []
        beside = wide["linear_part"] and (wide["hidden"] or self._towers) and len(self._dense) > 0
        self._beside = self._take(len(self._dense), outputs) if beside else None
        self._layers: List[Tuple[Any, Any]] = []
        if self._towers:
            self._bias = self._take(1, 1)
            return
        width = sum(field["width"] for field in wide["fields"]) + len(self._dense)
        for neurons in [*wide["hidden"], outputs]:
            self._layers.append((self._take(width, neurons), self._take(1, neurons)))
            width = neurons

    def _take(self, rows: int, width: int) -> Any:
        begin, self._next = self._next, self._next + rows * width
        return self._numbers[begin:self._next].reshape(rows, width)

    def margins(self, slots: List[Slot], scale: str) -> str:
        """Of features whose parts are slots; `scale` is the row's factor times the grid."""
        fields = {field["first"]: k for k, field in enumerate(self._wide["fields"])}
        pooled: List[Any] = [None] * len(fields)
        dense = []
        for slot in slots:
            if slot.first in fields:
                pooled[fields[slot.first]] = self._entries(fields[slot.first], slot, scale)
            else:
                dense.append(slot)
        return self._outputs(pooled, lambda rows: self._of_slots(rows, dense, scale))

    def margins_of(self, whole: str) -> str:
        """Of features that are one array, all of them dense."""
        g = self._graph
        values = g.times(whole, g.constant(1.0 / self._grid))
        return self._outputs([], lambda rows: g.node("MatMul", values, self._double(rows)))

    def _double(self, rows: Any) -> str:
        return self._graph.constant(rows.astype(np.float64))

    def _of_slots(self, rows: Any, slots: List[Slot], scale: str) -> str:
        """The dense features times `rows`, a row for each."""
        g = self._graph
        end = 1 + max((slot.first + slot.count for slot in slots), default=0)
        full = np.zeros((rows.shape[1], max(end, int(self._dense.max(initial=0)) + 1)))
        full[:, self._dense] = rows.T
        total = ""
        for slot in slots:
            part = g.times(g.picked(slot, full, scale), g.constant(1.0 / self._grid))
            total = g.add(total, part) if total else part
        return total

    def _entries(self, field: int, slot: Slot, scale: str) -> Tuple[str, str]:
        """Which ids a record has, and how much of the pooled vector each is."""
        g = self._graph
        held = g.node("Not", g.node("Equal", g.truncated(g.times(slot.value, scale)),
                                    g.constant(0.0)))
        weight = g.as_double(held)
        if self._wide["fields"][field]["pooling"] == "mean":
            number = g.node("ReduceSum", weight, g.whole([1]), keepdims=1)
            weight = g.over(weight, g.node("Max", number, g.constant(1.0)))
        index = slot.index if slot.index is not None else g.whole([[0]])
        return g.node("Max", index, g.whole(0)), weight

    def _pooled(self, entries: Tuple[str, str], table: Any) -> str:
        """Rows of a table in single precision, added in double precision."""
        g, (index, weight) = self._graph, entries
        vectors = g.as_double(g.node("Gather", g.constant(table, np.float32), index))
        return g.node("ReduceSum", g.times(vectors, g.node("Unsqueeze", weight, g.whole([2]))),
                      g.whole([1]), keepdims=0)

    def _outputs(self, entries: List[Any], dense_times: Any) -> str:
        g = self._graph
        pooled = [self._pooled(one, table) for one, table in zip(entries, self._tables)]
        total = self._of_towers(pooled) if self._towers else self._of_layers(pooled, dense_times)
        for one, weights in zip(entries, self._weights):
            total = g.add(total, self._pooled(one, weights))
        return total if self._beside is None else g.add(total, dense_times(self._beside))

    def _of_towers(self, pooled: List[str]) -> str:
        g, sides = self._graph, {"left": "", "right": ""}
        for vector, field in zip(pooled, self._wide["fields"]):
            side = field["side"]
            sides[side] = g.add(sides[side], vector) if sides[side] else vector
        product = g.node("ReduceSum", g.times(sides["left"], sides["right"]), g.whole([1]),
                         keepdims=1)
        return g.add(product, self._double(self._bias))

    def _of_layers(self, pooled: List[str], dense_times: Any) -> str:
        g, found = self._graph, ""
        for k, (weights, biases) in enumerate(self._layers):
            parts = [self._double(biases)]
            if k > 0:
                parts.append(g.node("MatMul", g.node("Relu", found), self._double(weights)))
            else:
                first = weights.shape[0] - len(self._dense)
                if pooled:
                    both = g.node("Concat", *pooled, axis=1)
                    parts.append(g.node("MatMul", both, self._double(weights[:first])))
                if len(self._dense):
                    parts.append(dense_times(weights[first:]))
            found = parts[0]
            for part in parts[1:]:
                found = g.add(found, part)
        return found
