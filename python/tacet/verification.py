"""Guarantees computed again from receipts alone."""

from __future__ import annotations

import json
import os
from typing import Any, Optional, Tuple

from . import _engine
from ._regression_results import RegressionResults
from .errors import GuaranteeError, UsageError
from .receipts import Receipt
from .results import Result


class Verdict(Result):
    """What was found: ``verdict`` is "follows", or "unprotected" where nothing is promised.

    >>> Verdict('{"verdict": "follows"}').verdict
    'follows'
    """

    __slots__ = ()


def verify(result: Any, *, protected: bool = False, patience: Optional[float] = None) -> Verdict:
    """Computes the guarantee of a result again, from its receipt alone.

    Of an estimator the receipt is that of the model which it predicts with: what is judged is what
    ``receipt_`` shows, together with the coefficients and the schema that it describes.

    Parameters
    ----------
    result : estimator, RegressionResults, Receipt, Result, or path of a file
        A fitted estimator, a regression table, what a function of this package returned, a receipt, or a file that
        holds a model, another result with a receipt, or a receipt by itself.
    protected : bool
        Refuses a result that promises no privacy.
    patience : float, optional
        Gives up on events that take more work than so many seconds of it, by default 60.

    Returns
    -------
    Verdict
        The stated and the recomputed numbers, what was checked and what no file can prove.

    Raises
    ------
    GuaranteeError
        What is stated does not follow; its ``verdict`` says what was found.

    Examples
    --------
    >>> import numpy as np, tacet
    >>> X, y = np.array([[0.1], [0.9]] * 500), np.array(["no", "yes"] * 500)
    >>> model = tacet.LogisticRegression(epsilon=1, bounds=(0, 1), classes=["no", "yes"],
    ...                                  public_row_count=1000).fit(X, y)
    >>> verify(model, protected=True).verdict
    'follows'
    """
    words, name = _words_of(result)
    text, fault = _engine.verify(words, name, patience)
    verdict = Verdict(text)
    if fault:
        raise _refusal(f"'{name}': {fault}", verdict)
    if protected and not verdict["protected"]:
        raise _refusal(f"'{name}' promises no privacy", verdict)
    return verdict


def _refusal(words: str, verdict: Verdict) -> GuaranteeError:
    error = GuaranteeError(words)
    error.verdict = verdict
    return error


def _check_shown(estimator: Any, model: _engine.Model) -> None:
    """A class of somebody else's may show another receipt than that of its model."""
    shown = estimator.receipt if isinstance(estimator, RegressionResults) else estimator.receipt_
    if shown.to_json() == model.receipt:
        return
    raise GuaranteeError(
        "the receipt that this estimator shows is not that of its model, so that nothing follows "
        "from it; verify a file that the estimator saves")


def _words_of(result: Any) -> Tuple[Optional[bytes], str]:
    if isinstance(result, (str, os.PathLike)):
        return None, str(os.fspath(result))
    if isinstance(result, Receipt):
        return result.to_json().encode(), "the receipt"
    if isinstance(result, Result):
        return result.to_json().encode(), "the result"
    model = getattr(result, "_model", None)
    if isinstance(model, _engine.Model):
        _check_shown(result, model)
        return model.to_bytes(), "the model"
    if model is not None:  # of another library's signature, around an estimator of this one
        return _words_of(model)
    models = getattr(result, "_models", None)
    if isinstance(models, list) and models:
        if len(models) == 1:
            return _words_of(models[0])
        raise UsageError("there is a model of its own for each class; verify each of receipts_")
    if isinstance(result, dict):
        return json.dumps(result).encode(), "the receipt"
    raise UsageError(
        "verify takes a fitted estimator, a result or a receipt of this package, or the path of a "
        "file")
