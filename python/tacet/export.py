"""Models for other programs: ONNX.

``est.to_onnx()`` gives the graph of a linear model, one with curves or a wide one; for a model file there is a command::

    python -m tacet.export model.json -o model.onnx

With ``--verify model.onnx`` it compares such a file. It needs the package ``onnx``. C, SQL and lists of
coefficients are written by ``tacet export``.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import pathlib
import sys
from typing import Any, Dict, List, Optional, Union

import numpy as np

from . import _arguments, _engine
from ._onnx_columns import Columns, Slot
from ._onnx_curves import CurveRow
from ._onnx_graph import ML, Graph
from ._onnx_wide import Net
from .errors import DataError, Error, GuaranteeError, IoError, UsageError

__all__ = ["bucket", "model_to_onnx"]

_OPSET, _ML_OPSET, _IR = 17, 3, 8
_UNPROTECTED = "UNPROTECTED"
_CODES = {"usage": 2, "data": 3, "guarantee": 5, "io": 7}  # those of the program
_HASH = ("bucket of a text in a hashed column: FNV-1a of 64 bits over its bytes in UTF-8, then the "
         "finaliser of SplitMix64, then the leading `bits`; for a crossed column over every value with "
         "its length in bytes and a colon before it (3:low3:fri); -1 where it is missing; for a "
         "column of words or ids the buckets of all in one row, -1 behind the last")


def bucket(text: Union[str, bytes], bits: int) -> int:
    """The bucket of a text in a hashed column, which a graph takes as a number.

    FNV-1a over the bytes, then the finaliser of SplitMix64; the bucket is its leading bits. For a
    crossed column the text is every value with its length in bytes before it: ``3:low3:fri``.
    """
    mask = 2 ** 64 - 1
    value = 0xcbf29ce484222325
    for byte in text.encode("utf-8") if isinstance(text, str) else text:
        value = (value ^ byte) * 0x100000001b3 & mask
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9 & mask
    value = (value ^ value >> 27) * 0x94d049bb133111eb & mask
    return (value ^ value >> 31) >> 64 - bits


def model_to_onnx(model: Union[str, "os.PathLike[str]", _engine.Model]) -> Any:
    """The ``onnx.ModelProto`` of a model file, checked by ``onnx.checker``.

    Raises ``UsageError`` for a model that has no such form: regression tables, projected rows and
    chosen features.
    """
    if not isinstance(model, _engine.Model):
        model = _engine.Model.load(os.fspath(model))
    try:
        import onnx
    except ImportError:
        raise UsageError("an export as ONNX needs the package onnx: pip install onnx") from None
    made = _Export(onnx, json.loads(model.exported("coefficients", "sqlite", "records", [])))
    return made.model()


class _Export:
    def __init__(self, onnx: Any, found: Dict[str, Any]) -> None:
        self._onnx, self._found, self._schema = onnx, found, found["schema"]
        if "selected_columns" in self._schema:
            raise UsageError("a model of chosen features cannot be exported as ONNX: train with "
                             "feature_selection='all'; C holds it, except texts and ids")
        self._graph = Graph(onnx, {column["name"] for column in self._schema.get("column", [])})

    def model(self) -> Any:
        margins = self._margins()
        if self._found["task"] == "regression":
            self._regression(margins)
        else:
            self._classes(margins)
        onnx, g, notes = self._onnx, self._graph, self._found["export"]
        unprotected = notes.get(_UNPROTECTED)
        name = "tacet_model" if unprotected is None else f"tacet_model_{_UNPROTECTED}"
        graph = onnx.helper.make_graph(g.nodes, name, g.inputs, g.outputs, g.initializers,
                                       doc_string=notes["guarantee"])
        made = onnx.helper.make_model(
            graph, producer_name="tacet", producer_version=notes["version"], ir_version=_IR,
            opset_imports=[onnx.helper.make_opsetid("", _OPSET),
                           onnx.helper.make_opsetid(ML, _ML_OPSET)])
        made.doc_string = notes["guarantee"]
        kinds = {column["kind"] for column in self._schema.get("column", [])}
        facts = {"guarantee": notes["guarantee"], "receipt_sha256": notes["receipt_sha256"],
                 "tacet_version": notes["version"], "trained_by": notes["trained_by"],
                 "schema": json.dumps(self._schema, sort_keys=True)}
        if kinds & {"hashed", "crossed", "text", "ids"}:
            facts["hash"] = _HASH
        if unprotected is not None:
            facts[_UNPROTECTED] = unprotected
        onnx.helper.set_model_props(made, facts)
        onnx.checker.check_model(made, full_check=True)
        return made

    # ---- from records to margins

    def _margins(self) -> str:
        """[N, outputs], added in the order of the features as the program does."""
        g, schema, found = self._graph, self._schema, self._found
        if "features" in schema:
            return self._of_numbered()
        constant = self._constant()
        columns = Columns(g, schema)
        if "curve_functions" in found:
            row = CurveRow(g, schema, found["curve_functions"], columns.slots)
            return self._of_matrix(row.features, columns.square, row.squares)
        self._expect_width(columns.first)
        factor = self._factor(self._squares(columns.slots, constant), columns.square, constant)
        scale = g.times(factor, g.constant(float(found["grid"])))
        if "wide" in found:
            return Net(g, found["wide"], found["grid"]).margins(columns.slots, scale)
        rows = self._rows()
        total = ""
        for slot in columns.slots:
            part = g.picked(slot, rows, scale)
            total = g.add(total, part) if total else part
        if schema["intercept"]:
            last = g.times(g.truncated(g.times(g.constant(constant), scale)),
                           g.constant([rows[:, -1]]))
            total = g.add(total, last) if total else last
        return g.times(total, g.constant(1.0 / found["grid"]))

    def _rows(self) -> Any:
        """[outputs, features]"""
        return np.array([[one["value"] for one in output["coefficients"]]
                         for output in self._found["outputs"]])

    def _constant(self) -> float:
        return float(self._schema.get("constant", 1.0)) if self._schema["intercept"] else 0.0

    def _expect_width(self, features: int) -> None:
        if "wide" in self._found:
            return
        expected = features + (1 if self._schema["intercept"] else 0)
        if self._rows().shape[1] != expected:
            raise UsageError(f"the schema has {features} features, but the model has "
                             f"{self._rows().shape[1]}: this version of tacet cannot export it")

    def _squares(self, slots: List[Slot], constant: float) -> str:
        g = self._graph
        total = g.constant([[constant * constant]])
        for slot in slots:
            square = g.times(slot.value, slot.value)
            total = g.summed(g.expanded(total, square), square) if slot.several else \
                g.add(total, square)
        return total

    def _factor(self, squared: str, largest: float, constant: float) -> str:
        """What a row is multiplied by, so that its norm is at most 1."""
        g = self._graph
        limit = 1.0
        if self._schema["row_scaling"] == "const":
            limit = 1.0 / math.sqrt(largest + constant * constant)
        own = g.over(g.constant(1.0), g.node("Sqrt", squared))
        short = g.node("LessOrEqual", squared, g.constant(1.0))
        return g.where(short, g.constant(limit), g.node("Min", own, g.constant(limit)))

    def _of_numbered(self) -> str:
        g, features = self._graph, self._schema["features"]
        count, lower, upper = features["count"], features["lower"], features["upper"]
        given = g.input("features", "double", count)
        missing = g.node("Or", g.node("IsNaN", given), g.node("IsInf", given))
        values = g.over(g.clamp(g.where(missing, g.constant(0.0), given), lower, upper),
                        g.constant(float(max(-lower, upper))))
        squares = g.node("ReduceSum", g.times(values, values), g.whole([1]), keepdims=1)
        squares = g.add(squares, g.constant(self._constant() ** 2))
        return self._of_matrix(values, float(features.get("max_nonzero", count)), squares)

    def _of_matrix(self, values: str, largest: float, squares: str) -> str:
        """The margins of a row that is one array without the constant, its squares with it."""
        g, found, constant = self._graph, self._found, self._constant()
        factor = self._factor(squares, largest, constant)
        scale = g.times(factor, g.constant(float(found["grid"])))
        whole = g.truncated(g.times(values, scale))
        if "wide" in found:
            return Net(g, found["wide"], found["grid"]).margins_of(whole)
        rows = self._rows()
        count = rows.shape[1] - (1 if self._schema["intercept"] else 0)
        total = g.node("MatMul", whole, g.constant(rows[:, :count].T))
        if rows.shape[1] > count:
            total = g.add(total, g.times(g.truncated(g.times(g.constant(constant), scale)),
                                         g.constant([rows[:, -1]])))
        total = g.times(total, g.constant(1.0 / found["grid"]))
        return g.add(total, g.constant(found["offset"])) if "offset" in found else total

    # ---- from margins to answers

    def _regression(self, margins: str) -> None:
        g, found = self._graph, self._found
        lower, upper, link = found["target_lower"], found["target_upper"], found["link"]
        if link == "identity":
            label = g.clamp(margins, -1.0, 1.0)
        elif link == "logit":
            label = g.logistic(margins)
        else:
            label = g.node("Exp", g.node("Min", margins, g.constant(0.0)))
        if self._schema["target"].get("kind") is None:
            label = g.over(g.add(label, g.constant(1.0)), g.constant(2.0))
        value = g.add(g.constant(float(lower)), g.times(label, g.constant(float(upper - lower))))
        g.output(value, "prediction", "double", ["N", 1])
        g.output(margins, "margin", "double", ["N", 1])

    def _classes(self, margins: str) -> None:
        g, classes = self._graph, self._found["classes"]
        count = self._outputs()
        if count == 1:
            above = g.node("Greater", margins, g.constant(0.0))
            place = g.node("Squeeze", g.as_whole(above), g.whole([1]))
        else:
            place = g.node("ArgMax", margins, axis=1, keepdims=0)
        label = g.node("LabelEncoder", place, domain=ML, keys_int64s=list(range(len(classes))),
                       values_strings=classes, default_string="")
        g.output(label, "label", "string", ["N"])
        probabilities = self._probabilities(margins, count)
        if probabilities:
            g.output(probabilities, "probabilities", "double", ["N", len(classes)])
        g.output(margins, "margin", "double", ["N", count])

    def _outputs(self) -> int:
        wide = self._found.get("wide")
        return int(wide["outputs"]) if wide else len(self._found["outputs"])

    def _probabilities(self, margins: str, count: int) -> Optional[str]:
        g, loss = self._graph, self._found["loss"]
        if self._found["link"] != "logit":
            return None
        if count == 1:
            return g.node("Concat", g.logistic(g.node("Neg", margins)), g.logistic(margins),
                          axis=1)
        if loss == "softmax":
            largest = g.node("ReduceMax", margins, axes=[1], keepdims=1)
            shares = g.node("Exp", g.minus(margins, largest))
        else:
            shares = g.logistic(margins)
        total = g.node("ReduceSum", shares, g.whole([1]), keepdims=1)
        none = g.node("LessOrEqual", total, g.constant(0.0))
        safe = g.where(none, g.constant(1.0), total)
        return g.where(none, g.constant(1.0 / count), g.over(shares, safe))


def _verify(model: str, file: str) -> None:
    import onnx

    try:
        found = onnx.load(file)
    except OSError as error:
        raise IoError(f"cannot read '{file}': {error.strerror}") from None
    except Exception:  # whatever the decoder of protobuf raises
        raise DataError(f"{file}: not an ONNX file") from None
    if found != model_to_onnx(model):
        raise GuaranteeError(f"'{file}' is not what this version exports of '{model}'")


def _write(made: bytes, output: pathlib.Path, force: bool) -> None:
    if output.exists() and not force:
        raise IoError(f"'{output}' exists; give --force to overwrite it")
    target = output.resolve()  # a link stays one
    whole = target.is_file() or not target.exists()  # a device or a pipe cannot be replaced
    part = target.with_name(f".{target.name}.{os.getpid()}.tmp") if whole else target
    try:
        part.write_bytes(made)
        if whole:
            part.replace(target)
    except OSError as error:
        raise IoError(f"cannot write '{output}': {error.strerror}") from None
    finally:
        if whole:
            with contextlib.suppress(OSError):  # it has got its name, or was never made
                part.unlink()


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tacet.export",
                                     description="Writes a model file as ONNX, or compares such a file with its model.")
    parser.add_argument("model", help="model file that tacet train wrote")
    ways = parser.add_mutually_exclusive_group(required=True)
    ways.add_argument("-o", "--output", help="file to write")
    ways.add_argument("--verify", metavar="FILE", help="an export to compare with what this version exports")
    parser.add_argument("--force", action="store_true", help="overwrite the output file")
    asked = parser.parse_args(arguments)
    try:
        if asked.verify:
            _verify(asked.model, asked.verify)
            print(f"'{asked.verify}' is an export of '{asked.model}'.", file=sys.stderr)
        else:
            if _arguments.same_place(asked.model, asked.output):
                raise UsageError(f"--output would overwrite the model '{asked.model}'; name another file")
            _write(model_to_onnx(asked.model).SerializeToString(), pathlib.Path(asked.output), asked.force)
    except Error as error:
        print(f"tacet.export: {error}", file=sys.stderr)
        return _CODES.get(error.kind, 1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
