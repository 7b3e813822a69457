"""What releases cost, one frozen class a kind of event, with the JSON form of the program.

>>> step = PoissonSampled(rate=0.01, base=Gaussian(noise_multiplier=1.1))
>>> Repeated(count=1000, base=step).to_json()
'{"version":1,"event":{"kind":"repeated","count":1000,"base":{"kind":"poisson_sampled","rate":0.01,\
"base":{"kind":"gaussian","noise_multiplier":1.1}}}}'
"""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any, ClassVar, Dict, Sequence, Tuple, Type

from . import _engine


def _plain(value: Any) -> Any:
    if isinstance(value, Event):
        return value._tree()
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and math.isinf(value):
        return "inf"
    return value


@dataclasses.dataclass(frozen=True)
class Event:
    """Base of all kinds."""

    kind: ClassVar[str] = ""

    def _tree(self) -> Dict[str, Any]:
        entries = {field.name: _plain(getattr(self, field.name))
                   for field in dataclasses.fields(self)}
        return {"kind": self.kind, **self._own(entries)}

    def _own(self, entries: Dict[str, Any]) -> Dict[str, Any]:
        return entries

    def to_json(self) -> str:
        """The form that ``tacet account`` reads, checked by the engine."""
        return _engine.event(json.dumps({"version": 1, "event": self._tree()}))


@dataclasses.dataclass(frozen=True)
class Gaussian(Event):
    """Gaussian noise of ``noise_multiplier`` times the bound of a record."""

    noise_multiplier: float
    kind: ClassVar[str] = "gaussian"


@dataclasses.dataclass(frozen=True)
class Laplace(Event):
    """Laplace noise of scale ``noise_multiplier`` times the bound of a record."""

    noise_multiplier: float
    kind: ClassVar[str] = "laplace"


@dataclasses.dataclass(frozen=True)
class DiscreteGaussian(Event):
    """Discrete Gaussian noise on integers."""

    sigma: float
    sensitivity: int
    dimension: int
    kind: ClassVar[str] = "discrete_gaussian"


@dataclasses.dataclass(frozen=True)
class DiscreteLaplace(Event):
    """Discrete Laplace noise on integers."""

    scale: float
    sensitivity: int
    kind: ClassVar[str] = "discrete_laplace"


@dataclasses.dataclass(frozen=True)
class PureDp(Event):
    """Anything proved epsilon-DP for neighbours of ``adjacency``."""

    epsilon: float
    adjacency: str
    kind: ClassVar[str] = "pure_dp"


@dataclasses.dataclass(frozen=True)
class ApproximateDp(Event):
    """Anything proved (epsilon, delta)-DP for neighbours of ``adjacency``."""

    epsilon: float
    delta: float
    adjacency: str
    kind: ClassVar[str] = "approximate_dp"


@dataclasses.dataclass(frozen=True)
class BoundedRange(Event):
    """Anything whose privacy loss varies by at most ``epsilon`` between outputs."""

    epsilon: float
    adjacency: str
    kind: ClassVar[str] = "bounded_range"


@dataclasses.dataclass(frozen=True)
class ScoreSelection(Event):
    """One draw of the exponential mechanism over bounded scores."""

    eta: float
    score_bound: float
    l2_sensitivity: float
    range_sensitivity: float
    candidates: int
    support: int
    adjacency: str
    kind: ClassVar[str] = "score_selection"


@dataclasses.dataclass(frozen=True)
class Zcdp(Event):
    """Anything proved rho-zCDP for neighbours of ``adjacency``."""

    rho: float
    adjacency: str
    kind: ClassVar[str] = "zcdp"


@dataclasses.dataclass(frozen=True)
class Profile(Event):
    """Anything proved (epsilon, delta)-DP for each of ``points``, pairs of both."""

    points: Sequence[Tuple[float, float]]
    adjacency: str
    kind: ClassVar[str] = "profile"


@dataclasses.dataclass(frozen=True)
class ObjectivePerturbation(Event):
    """Objective perturbation in its approximate-minimum form."""

    sigma: float
    lipschitz: float
    smoothness: float
    regularization: float
    tolerance: float
    output_sigma: float
    kind: ClassVar[str] = "objective_perturbation"


@dataclasses.dataclass(frozen=True)
class ShuffledLocal(Event):
    """Reports of a local randomiser, permuted by a trusted shuffler."""

    local_epsilon: float
    reports: int
    kind: ClassVar[str] = "shuffled_local"


@dataclasses.dataclass(frozen=True)
class PoissonSampled(Event):
    """``base`` on a secret sample that every record joins with probability ``rate``."""

    rate: float
    base: Event
    max_records_per_unit: int = 1
    kind: ClassVar[str] = "poisson_sampled"

    def _own(self, entries: Dict[str, Any]) -> Dict[str, Any]:
        if self.max_records_per_unit == 1:  # as the program writes it
            del entries["max_records_per_unit"]
        return entries


@dataclasses.dataclass(frozen=True)
class FixedSizeSampled(Event):
    """``base`` on a secret subset of ``sample_size`` out of ``population`` records."""

    sample_size: int
    population: int
    base: Event
    kind: ClassVar[str] = "fixed_size_sampled"


@dataclasses.dataclass(frozen=True)
class Partitioned(Event):
    """Disjoint blocks of records, each read by one of ``parts``."""

    assignment: str
    parts: Sequence[Event]
    kind: ClassVar[str] = "partitioned"


@dataclasses.dataclass(frozen=True)
class Composed(Event):
    """All of ``parts``, one after the other."""

    parts: Sequence[Event]
    kind: ClassVar[str] = "composed"


@dataclasses.dataclass(frozen=True)
class Repeated(Event):
    """``base``, ``count`` times."""

    count: int
    base: Event
    kind: ClassVar[str] = "repeated"


_LAWS = {"truncated_negative_binomial": ("eta", "gamma"), "poisson": ("mean",),
         "binomial": ("trials", "probability")}


@dataclasses.dataclass(frozen=True)
class RandomlyRepeated(Event):
    """``base`` a secret number of times drawn from a public law; only the best run leaves."""

    law: str
    base: Event
    eta: float = 0
    gamma: float = 0
    mean: float = 0
    trials: int = 0
    probability: float = 0
    cap: int = 0
    kind: ClassVar[str] = "randomly_repeated"

    def _own(self, entries: Dict[str, Any]) -> Dict[str, Any]:
        named = _LAWS.get(self.law, ())
        return {key: value for key, value in entries.items()
                if key in ("law", "cap", "base") or key in named}


KINDS: Tuple[Type[Event], ...] = (
    Gaussian, Laplace, DiscreteGaussian, DiscreteLaplace, PureDp, ApproximateDp, BoundedRange,
    ScoreSelection, Zcdp, Profile, ObjectivePerturbation, ShuffledLocal, PoissonSampled,
    FixedSizeSampled, Partitioned, Composed, Repeated, RandomlyRepeated)
