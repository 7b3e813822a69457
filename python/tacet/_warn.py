"""Warnings that point to the line of the caller."""

from __future__ import annotations

import os
import sys
import warnings
from types import FrameType
from typing import Optional, Type

from .errors import PrivacyWarning

_HERE = os.path.dirname(__file__) + os.sep


def warn(words: str, category: Type[Warning] = PrivacyWarning) -> None:
    """Warns at the first line outside of this package."""
    level = 1
    frame: Optional[FrameType] = sys._getframe()
    while frame is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
        level += 1
    warnings.warn(words, category, stacklevel=level)


def warn_only(words: str, category: Type[Warning]) -> None:
    """The same of a result that is paid for: whoever makes errors of warnings keeps it."""
    try:
        warn(words, category)
    except category:
        sys.stderr.write(f"{category.__name__}: {words}\n")
