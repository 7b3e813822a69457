"""What events cost, and how much noise a guarantee takes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Callable, List, Optional, Sequence, Union

from . import _engine
from .errors import UsageError
from .events import Event

AnyEvent = Union[Event, str]


@dataclass(frozen=True)
class Account:
    """What is known about a guarantee: (epsilon, delta) is proved, ``lower`` shows how tightly.

    >>> from tacet.events import Gaussian
    >>> found = account(Gaussian(noise_multiplier=1), delta=1e-6)
    >>> found.lower <= found.epsilon, found.adjacency
    (True, 'add_remove')
    """

    epsilon: float
    delta: float
    adjacency: str
    lower: float
    route: str


def _words(event: AnyEvent) -> str:
    return event if isinstance(event, str) else event.to_json()


def account(
    event: AnyEvent,
    *,
    delta: Optional[float] = None,
    epsilon: Optional[float] = None,
    adjacency: str = "add_remove",
) -> Account:
    """The smallest proved epsilon of an event at ``delta``, or delta at ``epsilon``.

    The event is one of ``tacet.events`` or a JSON text; the PRG slack is not included.

    >>> from tacet.events import Gaussian
    >>> round(account(Gaussian(noise_multiplier=1), delta=1e-6).epsilon, 3)
    4.887
    """
    if (delta is None) == (epsilon is None):
        raise UsageError("give one of delta (to find epsilon) and epsilon (to find delta)")
    if delta is not None:
        found = _engine.epsilon_of(_words(event), adjacency, delta)
        return Account(found["upper"], delta, adjacency, found["lower"], found["route"])
    assert epsilon is not None
    found = _engine.delta_of(_words(event), adjacency, epsilon)
    return Account(epsilon, found["upper"], adjacency, found["lower"], found["route"])


_USUAL_DELTAS = (0.0, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)


def curve(
    event: AnyEvent,
    *,
    deltas: Sequence[float] = _USUAL_DELTAS,
    adjacency: str = "add_remove",
) -> List[Account]:
    """``account`` at each of ``deltas``.

    >>> from tacet.events import Laplace
    >>> [point.epsilon for point in curve(Laplace(noise_multiplier=2), deltas=[0])]
    [0.5]
    """
    return [account(event, delta=delta, adjacency=adjacency) for delta in deltas]


def calibrate(
    event: Callable[[float], AnyEvent],
    *,
    epsilon: float,
    delta: float,
    adjacency: str = "add_remove",
) -> float:
    """The least noise for which ``event(noise)`` keeps (epsilon, delta).

    >>> from tacet.events import Gaussian
    >>> round(calibrate(Gaussian, epsilon=1, delta=1e-6), 2)
    4.22
    """
    return _engine.min_noise(lambda noise: _words(event(noise)), adjacency, epsilon, delta)


def max_steps(
    event: Callable[[int], AnyEvent],
    *,
    epsilon: float,
    delta: float,
    adjacency: str = "add_remove",
) -> int:
    """The most steps for which ``event(steps)`` keeps (epsilon, delta); 0 where one is too many.

    >>> from tacet.events import Gaussian, Repeated
    >>> max_steps(lambda n: Repeated(n, Gaussian(10)), epsilon=1, delta=1e-6)
    5
    """
    return _engine.max_steps(lambda steps: _words(event(steps)), adjacency, epsilon, delta)


def compose(events: Sequence[AnyEvent]) -> str:
    """The JSON form of all events together.

    >>> from tacet.events import Gaussian
    >>> round(account(compose([Gaussian(2), Gaussian(2)]), delta=1e-6).epsilon, 2)
    3.31
    """
    parts = [json.loads(_words(event))["event"] for event in events]
    return _engine.event(
        json.dumps({"version": 1, "event": {"kind": "composed", "parts": parts}}))
