"""Settings chosen by training with them, privately."""

from __future__ import annotations

import itertools
import json
import math
import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Union

import numpy as np
from sklearn.base import clone

from . import _arguments, _engine, _records, _spending, _streams
from ._boundary import boundary
from .cluster import Parts
from .errors import UsageError

Candidate = Mapping[str, Any]
_MAX_CANDIDATES = 100_000  # as the engine has it: tacet/choose/grid.h
AnyGrid = Union[Mapping[str, Sequence[Any]], Sequence[Candidate], str, "os.PathLike[str]"]


@boundary
def tune(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    grid: AnyGrid,
    weights: Optional[Mapping[str, Sequence[float]]] = None,
    trials: float = 10,
    max_trials: Optional[int] = None,
    law: str = "logarithmic",
    holdout: float = 0.3,
    score: str = "",
    units: Any = None,
) -> Any:
    """Chooses settings by training with them a secret number of times, and pays for all of it.

    A search such as scikit-learn's pays for one fit per setting and fold, and its scores are
    exact. Here the estimator's epsilon and delta cover everything, and nothing is released about
    the settings that were not chosen. The running time tells how often was trained: hide it from
    those who see the model.

    Parameters
    ----------
    estimator : estimator
        Not fitted; says the budget, who pays, the schema or bounds, and what all settings share.
    X, y, units
        Records as the estimator's ``fit`` takes them.
    grid : mapping, sequence of mappings, or path
        Lists of values by the names of arguments: every combination is a candidate. Or the
        candidates one by one, each with a ``weight`` if you like. Or the program's grid file.
        ``None`` leaves the choice to tacet, as it does in the estimator's arguments.
        All are linear models, with the same delta, adjacency, ``knots``, ``curves``,
        ``standardise`` and ``projection``.
    weights : mapping, optional
        How often each value of a list is drawn; 1 if you do not say.
    trials : float
        The mean number of trainings, above 1; ``max_trials`` caps it.
    law : str
        How the number varies: "logarithmic", "geometric" or "poisson".
    holdout : float
        Share of the records that scores and does not train.
    score : str
        "accuracy" or "loss"; by default accuracy for classes, loss for numbers.

    Returns
    -------
    estimator
        A fitted copy. ``plan_`` says what was planned, ``receipt_`` what it cost, and
        ``receipt_.parameters["candidate"]`` which settings won.

    Examples
    --------
    >>> import numpy as np, tacet
    >>> X, y = np.array([[0.1], [0.9]] * 5000), np.array(["no", "yes"] * 5000)
    >>> model = tacet.LogisticRegression(epsilon=3, bounds=(0, 1), classes=["no", "yes"],
    ...                                  public_row_count=10000)
    >>> tuned = tune(model, X, y, grid={"steps": [10, 20], "clipping_norm": [0.5, 1]})
    >>> tuned.receipt_.algorithm, tuned.receipt_.guarantee["epsilon"] <= 3
    ('tune', True)
    """
    _records.expect_records(X)
    _streams.refuse_second_pass(X, "tune")
    if isinstance(X, Parts):
        raise UsageError("tune trains on some records and scores on others, and records in parts answer with "
                         "sums of all of them alone: choose settings on a table, or fit with settings of your own")
    tuned = clone(estimator)
    params = tuned._resolved()
    schema, rows, values = tuned._prepared(X, y, units, params)
    words, name, axes = _grid_of(grid, weights)
    # What the estimator says only because nobody said anything may vary.
    for own, unsaid in (("method", params.get("method", "auto") == "auto"),
                        ("loss", params["loss"] is None),
                        ("adjacency", tuned.get_params(deep=False)["adjacency"] is None)):
        if unsaid and (own == "method" or own in axes):
            values.pop(own, None)
    for name in sorted(map(str, axes)):
        if _option(name) in values and not isinstance(grid, (str, os.PathLike)):
            raise UsageError(f"{name} is an argument of the estimator and in the grid; leave one of them out")
    tuning = _engine.Tuning()
    tuning.grid, tuning.name = words, name
    tuning.trials = _spending.number("trials", trials)
    tuning.max_trials = _spending.optional_count("max_trials", max_trials)
    tuning.law, tuning.score = str(law), str(score)
    tuning.holdout = _spending.number("holdout", holdout)
    context = tuned._context(schema, params)
    plan = _engine.plan(schema._engine, values, tuning)
    # How far it has come would tell how often is trained: nobody watches.
    tuned._model = _engine.fit(plan, rows, context, None)
    tuned.plan_ = json.loads(plan.tuning_text())
    return tuned


def _grid_of(grid: Any, weights: Optional[Mapping[str, Sequence[float]]]) -> Any:
    """The grid as TOML, its name for errors, and the names that vary where they are known."""
    if isinstance(grid, (str, os.PathLike)):
        if weights is not None:
            raise UsageError("a grid file has weights of its own")
        return _engine.text_file(os.fspath(grid)), os.fspath(grid), {"loss"}
    name = "the grid"
    if isinstance(grid, Mapping):
        lists, shares = _lists_of(grid), _lists_of(weights or {})
        if any(value is None for values in lists.values() for value in values):
            return _grid_of(_product(lists, shares), None)
        lines = ["[values]", *_lines_of(lists)]
        if weights is not None:
            lines += ["[weights]", *_lines_of(shares)]
        return "\n".join(lines) + "\n", name, set(grid)
    lines = []
    axes: Set[Any] = set()
    for candidate in grid:
        if not isinstance(candidate, Mapping):
            raise UsageError("grid is lists of values by name, or a list of candidates")
        axes.update(candidate)
        lines.append("[[candidate]]")
        lines += [f"{_key(key)} = {_toml(value)}" for key, value in candidate.items()
                  if value is not None]
    if weights is not None:
        raise UsageError("candidates have a weight of their own")
    return "\n".join(lines) + "\n", name, axes


def _product(lists: Mapping[str, List[Any]], weights: Mapping[str, List[Any]]) -> List[Candidate]:
    """Every combination as a candidate of its own: a list of the grid file cannot hold None."""
    axes = []
    for key, values in lists.items():
        shares = weights.get(key, [1] * len(values))
        if len(shares) != len(values):
            raise UsageError(f"grid: {key} has {len(values)} values and {len(shares)} weights")
        axes.append([(key, value, share) for value, share in zip(values, shares)])
    for key in set(weights) - set(lists):
        raise UsageError(f"grid: {key} has weights but no values")
    if math.prod(map(len, axes)) > _MAX_CANDIDATES:
        raise UsageError(f"the grid has more than {_MAX_CANDIDATES} candidates")
    return [{**{key: value for key, value, _ in chosen},
             "weight": math.prod(share for *_, share in chosen)}
            for chosen in itertools.product(*axes)]


def _lists_of(table: Mapping[str, Any]) -> Dict[str, List[Any]]:
    for key, values in table.items():
        if isinstance(values, str) or not hasattr(values, "__iter__"):
            raise UsageError(f"grid: {key} must be a list of values")
    return {key: list(values) for key, values in table.items()}


def _lines_of(lists: Mapping[str, List[Any]]) -> List[str]:
    return [f"{_key(key)} = [{', '.join(_toml(value) for value in values)}]"
            for key, values in lists.items()]


def _option(name: Any) -> str:
    return str(name).replace("_", "-")


def _key(name: Any) -> str:
    return json.dumps(_option(name))


def _toml(value: Any) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float, str, dict)):
        raise UsageError("grid: values are numbers, texts, class weights, or None for what tacet chooses by itself")
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, dict):
        return json.dumps(_arguments.option(value))
    return repr(value)
