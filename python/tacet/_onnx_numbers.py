"""Numbers as the program reads and computes them, bit for bit, for the constants of a graph."""

from __future__ import annotations

import datetime
import math
import re
import sys
from typing import Optional

_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_LN2_HIGH, _LN2_LOW = float.fromhex("0x1.62e42fee00000p-1"), float.fromhex("0x1.a39ef35793c76p-33")
_LOG2_E = float.fromhex("0x1.71547652b82fep+0")


def number_of(text: str) -> Optional[float]:
    """The number that fills a text up to blanks and tabs; 1e400 is the largest double."""
    text = text.strip(" \t")
    if not _DECIMAL.fullmatch(text):
        return None
    return min(sys.float_info.max, max(-sys.float_info.max, float(text)))


def days_of(text: str) -> float:
    """Since 1970-01-01. Python's calendar lacks the year 0, which is a leap year as 2000 is."""
    if text.startswith("0000"):
        return days_of("2000" + text[4:]) - 5 * 146097.0  # days of 400 years
    return float((datetime.date.fromisoformat(text) - datetime.date(1970, 1, 1)).days)


def log1p(value: float) -> float:
    total = 1 + value
    return value if total == 1 else _log(total) * (value / (total - 1))


def _log(value: float) -> float:
    m, exponent = math.frexp(value)
    if m < 0.70710678118654752:
        m, exponent = 2 * m, exponent - 1
    s = (m - 1) / (m + 1)
    s2 = s * s
    p = 1.0 / 23
    for part in range(21, 1, -2):
        p = p * s2 + 1.0 / part
    return exponent * _LN2_HIGH + (2 * s + (2 * s * s2 * p + exponent * _LN2_LOW))


def exp(value: float) -> float:
    """Of a logarithm of doubles: neither 0 nor infinite."""
    k = float(round(value * _LOG2_E))
    r = (value - k * _LN2_HIGH) - k * _LN2_LOW
    p = 1.0 / 6227020800.0
    for order in range(12, -1, -1):
        p = p * r + 1.0 / math.factorial(order)
    return math.ldexp(p, int(k))
