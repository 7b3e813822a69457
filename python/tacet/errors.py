"""What goes wrong, in the terms that a caller acts on. No message holds a value of a record."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Tuple

_Pair = Tuple[float, float]


class Error(Exception):
    """Base of every error of tacet; ``kind`` is that of the program's exit codes."""

    kind = "internal"


class InternalError(Error):
    """A broken invariant of tacet itself."""


class UsageError(Error, ValueError):
    """An argument that is missing or makes no sense.

    It is also a ``ValueError``.
    """

    kind = "usage"


class DataError(Error, ValueError):
    """Records, or a file, whose structure cannot be read.

    A column is missing or has a wrong type, or a model file or ledger was damaged or edited. It is
    also a ``ValueError``. No value of a record causes it.
    """

    kind = "data"


class BudgetError(Error, RuntimeError):
    """The privacy budget does not allow it.

    ``asked``, ``left`` and ``cap`` are pairs of epsilon and delta where the budget can say so.
    It is also a ``RuntimeError``.
    """

    kind = "budget"
    asked: Optional[_Pair] = None
    left: Optional[_Pair] = None
    cap: Optional[_Pair] = None

    @property
    def spent(self) -> Optional[_Pair]:
        """What was spent before."""
        if self.cap is None or self.left is None:
            return None
        return (self.cap[0] - self.left[0], self.cap[1] - self.left[1])


class GuaranteeError(Error, ValueError):
    """No guarantee can be proved for what was asked, or a stated one does not follow.

    ``verdict`` is what ``tacet.verify`` found. It is also a ``ValueError``.
    """

    kind = "guarantee"
    verdict: Optional[Mapping[str, Any]] = None


class NumericError(Error, ArithmeticError):
    """A computation that cannot be certified.

    It is also an ``ArithmeticError``.
    """

    kind = "numeric"


class IoError(Error, OSError):
    """The operating system refused a read or a write.

    It is also an ``OSError``.
    """

    kind = "io"


class Interrupted(Error, KeyboardInterrupt):
    """Stopped before the result was complete."""

    kind = "interrupted"


class PrivacyWarning(UserWarning):
    """Something that protects less than it may seem to."""
