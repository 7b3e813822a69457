"""Hypotheses about coefficients, in the words of statsmodels: ``"ward=2 = ward=3, age = 0.1"``."""

from __future__ import annotations

import re
from typing import Any, List, NamedTuple, NoReturn, Optional, Sequence, Tuple

import numpy as np

from .errors import UsageError

_NUMBER = re.compile(r"(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


class Hypothesis(NamedTuple):
    """That a combination of the coefficients has a value."""

    name: str
    weights: Any
    value: float

    def text(self, names: Sequence[str]) -> str:
        """The combination as the engine reads it."""
        words = ""
        for weight, name in zip(self.weights, names):
            if weight != 0:
                sign = ("-" if weight < 0 else "") if not words else (" - " if weight < 0 else " + ")
                words += f"{sign}{abs(float(weight)):.17g} * {name}"
        return words


def read(wanted: Any, names: Sequence[str], references: Sequence[str]) -> List[Hypothesis]:
    """Of a text, of a list of texts, of numbers in the order of the coefficients, of rows of them, or
    of such rows and the values that they are compared with."""
    if getattr(getattr(wanted, "dtype", None), "kind", "") in "OUT" and hasattr(wanted, "tolist"):
        wanted = wanted.tolist()
    if isinstance(wanted, str):
        wanted = [wanted]
    if isinstance(wanted, (list, tuple)) and wanted and all(isinstance(one, str) for one in wanted):
        return [each for one in wanted for each in _Reader(one, names, references).all()]
    rows, values = _numbers(wanted, len(names))
    found = []
    for row, value in zip(rows, values):
        if not np.all(np.isfinite([*row, value])) or not np.any(row):
            raise UsageError("a hypothesis needs finite numbers, and one that is not 0 for a coefficient")
        found.append(Hypothesis("", row, float(value)))
    return [each._replace(name=each.text(names)) for each in found]


def _numbers(wanted: Any, count: int) -> Tuple[Any, Any]:
    """Rows of weights, and a value for each."""
    fault = UsageError(
        f"a hypothesis is a text as 'age - 2 * sex=m', or {count} numbers, one for each coefficient")
    values = None
    if isinstance(wanted, tuple) and len(wanted) == 2 and np.ndim(wanted[0]) > np.ndim(wanted[1]):
        wanted, values = wanted
    try:
        rows = np.asarray(wanted)
        values = np.zeros(1) if values is None else np.asarray(values)
    except ValueError:
        raise fault from None
    numeric = rows.dtype.kind in "iuf" and values.dtype.kind in "iuf"
    if not numeric or rows.ndim not in (1, 2) or rows.shape[-1] != count:
        raise fault
    rows, values = np.atleast_2d(rows).astype(float), np.atleast_1d(values).astype(float)
    if len(values) not in (1, len(rows)):
        raise UsageError(f"{len(rows)} hypotheses are compared with {len(values)} values; give one each")
    return rows, np.broadcast_to(values, len(rows))


class _Reader:
    """Sums of multiples of names. A name may hold blanks and signs: at each place the longest fits.

    A sum is a row of weights with its number behind them."""

    def __init__(self, text: str, names: Sequence[str], references: Sequence[str]) -> None:
        # Levels as formulas of statsmodels name them, and its intercept.
        words = re.sub(r"C\(([^()]*)\)\[T\.", r"\1[T.", text)
        self._text = re.sub(r"\[T\.([^\]]*)\]", r"=\1", words)
        self._at = 0
        self._count = len(names)
        known = [*enumerate(names), *((None, name) for name in references)]
        if "Intercept" not in names:
            known.append((0, "Intercept"))
        self._known = sorted(known, key=lambda each: -len(each[1]))

    def all(self) -> List[Hypothesis]:
        found = []
        while True:
            sums = self._in_brackets() or self._equal_sums()
            if len(sums) == 1:
                words, row = sums[0]
                if row[-1] != 0:
                    self._fail("'=' is expected behind a sum with a number of its own")
                found.append(self._hypothesis(words, row))
            for (left, row), (right, other) in zip(sums, sums[1:]):
                found.append(self._hypothesis(f"{left} = {right}", row - other))
            if self._done():
                return found
            if not self._takes(","):
                self._fail("'+', '-', '*', '=' or ',' is expected")

    @staticmethod
    def _hypothesis(name: str, apart: Any) -> Hypothesis:
        """That the sum is 0."""
        if not np.any(apart[:-1]):
            raise UsageError(
                f"hypothesis '{name}': nothing is left of it; name coefficients that differ")
        return Hypothesis(name, apart[:-1], 0.0 - float(apart[-1]))

    def _in_brackets(self) -> Optional[List[Tuple[str, Any]]]:
        """A whole hypothesis in parentheses, as statsmodels has them: ``(a = 0), (b = 0)``."""
        begin = self._at
        if self._place() is None and self._takes("("):
            sums = self._equal_sums()
            if len(sums) > 1 and self._takes(")"):
                return sums
        self._at = begin
        return None

    def _equal_sums(self) -> List[Tuple[str, Any]]:
        sums: List[Tuple[str, Any]] = []
        while not sums or self._takes("="):
            begin = self._at
            row = self._sum()
            sums.append((self._text[begin:self._at].strip(), row))
        return sums

    def _sum(self) -> Any:
        total = np.zeros(self._count + 1)
        sign: Optional[float] = 1.0
        if self._place() is None:
            sign = self._sign() or 1.0
        while sign is not None:
            total = total + sign * self._product()
            sign = self._sign()
        return total

    def _sign(self) -> Optional[float]:
        return 1.0 if self._takes("+") else -1.0 if self._takes("-") else None

    def _product(self) -> Any:
        found = self._factor()
        while True:
            divides = self._takes("/")
            if not divides and not self._takes("*"):
                return found
            other = self._factor()
            if not divides and not np.any(found[:-1]):
                found, other = other, found
            if np.any(other[:-1]) or (divides and other[-1] == 0):
                self._fail("a coefficient is multiplied by a number, or divided by one other than 0")
            found = found / other[-1] if divides else found * other[-1]

    def _factor(self) -> Any:
        found = np.zeros(self._count + 1)
        place = self._place()
        if place is not None:
            at, length = place
            self._at += length
            if at is not None:  # a reference has no coefficient
                found[at] = 1
            return found
        number = _NUMBER.match(self._text, self._at)
        if number:
            found[-1] = float(number.group())
            if not np.isfinite(found[-1]):
                self._fail("the number is too large")
            self._at = number.end()
            return found
        if self._takes("("):
            found = self._sum()
            if not self._takes(")"):
                self._fail("')' is expected")
            return found
        known = ", ".join(name for at, name in sorted(
            self._known, key=lambda each: -1 if each[0] is None else each[0])
            if at is not None and name != "Intercept")
        self._fail(f"the name of a coefficient or a number is expected; there are {known}")

    def _place(self) -> Optional[Tuple[Optional[int], int]]:
        """The coefficient whose name stands here, None for a reference, and the name's length."""
        self._skip_blanks()
        for at, name in self._known:
            if self._text.startswith(name, self._at):
                behind = self._text[self._at + len(name):][:1]
                if not (re.match(r"\w", name[-1]) and re.match(r"\w", behind)):
                    return at, len(name)
        return None

    def _takes(self, sign: str) -> bool:
        self._skip_blanks()
        found = self._text.startswith(sign, self._at)
        self._at += found
        return found

    def _done(self) -> bool:
        self._skip_blanks()
        return self._at == len(self._text)

    def _skip_blanks(self) -> None:
        while self._text[self._at:][:1].isspace():
            self._at += 1

    def _fail(self, what: str) -> NoReturn:
        raise UsageError(f"hypothesis '{self._text}', character {self._at + 1}: {what}")
