"""A device that takes part in a task of local learning, and trusts nobody."""

from __future__ import annotations

import json
import numbers as numbers_of
import os
import tomllib
from dataclasses import dataclass, fields
from typing import (
    Any, Dict, Iterable, List, Optional, Protocol, Sequence, Tuple, Union, runtime_checkable)

from . import _engine, _spending
from .errors import IoError, UsageError

Paths = Union[str, "os.PathLike[str]"]

_MAX_PATIENCE = 31_536_000  # seconds of a year


@dataclass(frozen=True)
class Reply:
    """What a server answered: the status of HTTP, the body, and the seconds of a Retry-After.

    Parameters
    ----------
    status : int
        Of HTTP, 100 to 999.
    body : bytes
        As it came; at most as long as the request allowed.
    retry_seconds : int
        Of the header ``Retry-After``; 0 where there is none.

    Examples
    --------
    >>> Reply(200, b"{}").retry_seconds
    0
    """

    status: int
    body: bytes
    retry_seconds: int = 0


@runtime_checkable
class Transport(Protocol):
    """How a device reaches its server, where that is not by a connection of its own.

    ``confidential`` says whether what is sent can be read on the way by nobody: a token is sent
    through such a transport alone. ``exchange`` raises OSError where no answer came, which is tried
    again, and ``ssl.SSLCertVerificationError`` for another server, which is not.

    >>> class Nowhere:
    ...     confidential = True
    ...     def exchange(self, method, path, *, token, body, max_bytes):
    ...         raise OSError("nobody answers")
    >>> isinstance(Nowhere(), Transport)
    True
    """

    confidential: bool

    def exchange(self, method: str, path: str, *, token: str, body: bytes,
                 max_bytes: int) -> Reply:
        """One request, "GET" or "POST", and its answer; UsageError for anything but a Reply.

        ``token`` goes into the header ``Authorization: Bearer``, where there is one; an answer of
        more than ``max_bytes`` is none. Redirects are answers like others.
        """
        ...


@dataclass(frozen=True)
class Policy:
    """What a device's owner allows, whatever a task asks for.

    Parameters
    ----------
    largest_epsilon, all_tasks_epsilon : float
        Of one task, and of all of them together, ever.
    mechanisms : sequence of str
        Those allowed: "privunit", "privunitg", "djw", "l2_laplace", "coordinate_laplace",
        "gaussian".
    largest_delta, all_tasks_delta : float
        The same of delta; 0 is for pure mechanisms alone.
    largest_clipping_norm, largest_norm : float, optional
        Of the gradient that a report is about, and of the models that the record is held against.
    smallest_delay : float
        Seconds up to which the task has devices wait before they send.
    books : path, optional
        Absolute path of the folder where the device's ledger is, whatever ``state`` a client names;
        outside of that and of the record's folder. Without it, whoever deletes the client's folder
        and the mark beside the record, or renames the record, begins with a new budget.

    Examples
    --------
    >>> Policy(largest_epsilon=4, all_tasks_epsilon=8, mechanisms=["privunit"]).largest_delta
    0.0
    """

    largest_epsilon: float
    all_tasks_epsilon: float
    mechanisms: Sequence[str]
    largest_delta: float = 0.0
    all_tasks_delta: float = 0.0
    largest_clipping_norm: Optional[float] = None
    largest_norm: Optional[float] = None
    smallest_delay: float = 0.0
    books: Optional[Paths] = None

    def __post_init__(self) -> None:
        _engine.check_policy(self.to_toml(), "the policy")

    @classmethod
    def load(cls, path: Paths) -> Policy:
        """The policy in a TOML file, as ``tacet join`` reads it."""
        with open(path, "rb") as file:
            words = file.read().decode("utf-8")
        _engine.check_policy(words, os.fspath(path))
        return cls(**tomllib.loads(words))

    def to_toml(self) -> str:
        """The text of the file."""
        if isinstance(self.mechanisms, str) or not isinstance(self.mechanisms, Iterable):
            raise UsageError("mechanisms is a list of names")
        lines = [f"mechanisms = {json.dumps([str(name) for name in self.mechanisms])}"]
        if self.books is not None:
            name = json.dumps(os.fspath(self.books), ensure_ascii=False)
            lines.append(f"books = {name}")
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name not in ("mechanisms", "books") and value is not None:
                lines.append(f"{field.name} = {_spending.number(field.name, value)!r}")
        return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Participation:
    """How a device took part: the task's digest, what its report cost, and whether that report had
    been drawn before.

    >>> Participation("digest", "counted", False, 4.0, 0.0).epsilon
    4.0
    """

    task: str
    answer: str
    resumed: bool
    epsilon: float
    delta: float
    remarks: Tuple[str, ...] = ()


class Client:
    """A device with its folder, its policy and a way to one server.

    Its part is that of ``tacet join``: the task is held against the policy, its cost is booked in
    the ledger of the folder, then the record is read, the report drawn, stored, and sent until it
    is answered. It is private before it leaves, against everybody, and drawn once: whoever calls
    again sends the same bytes. The policy holds for all joins of a record: of several that start
    together, with folders of their own, one takes part.

    Parameters
    ----------
    server : str or Transport
        Its address, "https://host" or "http://..." on this machine, or a transport of one's own.
    task : str or path
        The task's file, or its SHA-256: from somebody else than the server.
    policy : Policy
        What the owner allows.
    state : path
        The folder that the device keeps; made when missing.
    token : str
        Admits one report; left out where a ``certificate`` does.
    ca, certificate, key : path, optional
        PEM files: whose certificates are believed, the device's own one and its key.
    patience : int
        Seconds for which a server that does not answer is waited for; each attempt has at least 5.

    Examples
    --------
    >>> client = Client("https://learn.example.org", task="task.json", state="device",
    ...                 policy=Policy(4, 8, ["privunit"]), token="0" * 64)
    >>> client.state
    'device'
    """

    def __init__(
        self,
        server: Union[str, Transport],
        *,
        task: Paths,
        policy: Policy,
        state: Paths,
        token: str = "",
        ca: Paths = "",
        certificate: Paths = "",
        key: Paths = "",
        patience: int = 3600,
    ) -> None:
        if not isinstance(policy, Policy):
            raise UsageError("policy must be a tacet.local.Policy; Policy.load(path) reads a file")
        if not isinstance(server, (str, Transport)):
            raise UsageError("server is an address, or a transport: exchange and confidential")
        self._files = [os.fspath(path) for path in (ca, certificate, key)]
        if not isinstance(server, str) and any(self._files):
            raise UsageError("a transport of one's own has its own certificates")
        if bool(certificate) != bool(key):
            raise UsageError("certificate and key go together; give both or none")
        if not isinstance(token, str):
            raise UsageError("token must be a text of 64 hexadecimal digits")
        self.server = server
        self.task = os.fspath(task)
        self.policy = policy
        self.state = os.fspath(state)
        self.patience = _spending.count("patience", patience)
        if not 0 <= self.patience <= _MAX_PATIENCE:
            raise UsageError(f"patience must be 0 to {_MAX_PATIENCE} seconds, got {patience}")
        self._token = token

    def join(self, record: Paths, *, resume: bool = False) -> Participation:
        """Takes part, once.

        Parameters
        ----------
        record : path
            A file with the device's one record, by the task's schema; a mark beside it names the
            ledger of the folder.
        resume : bool
            Sends the report that was drawn before, and draws none.

        Returns
        -------
        Participation
            Of a report that counted; IoError where the server took none at last, which leaves its
            epsilon spent, since it was sent.
        """
        asked = _engine.Joining()
        asked.task, asked.folder, asked.token = self.task, self.state, self._token
        asked.policy, asked.policy_name = self.policy.to_toml(), "the policy"
        asked.record, asked.only_resume = os.fspath(record), bool(resume)
        asked.patience = self.patience
        if isinstance(self.server, str):
            found: Dict[str, Any] = _engine.join_server(asked, self.server, *self._files)
        else:
            confidential = self.server.confidential
            if not isinstance(confidential, bool):  # the text "no" would be true
                raise UsageError(f"a transport's confidential is a bool, got {confidential!r}")
            found = _engine.join_through(asked, _exchange_of(self.server), confidential)
        joined = Participation(**{**found, "remarks": tuple(found["remarks"])})
        if joined.answer != "counted":
            raise IoError(
                f"the server took no report of this device at last: {joined.answer}; its epsilon "
                f"{joined.epsilon:g} stays spent, since the report was sent")
        return joined

    def __repr__(self) -> str:
        return f"<tacet.local.Client: task {self.task}, folder {self.state}>"


def _exchange_of(transport: Transport) -> Any:
    def exchange(method: str, path: str, token: str, body: bytes, max_bytes: int) -> Any:
        reply = transport.exchange(method, path, token=token, body=body, max_bytes=max_bytes)
        return _checked(reply)

    return exchange


def _checked(reply: Any) -> Tuple[int, bytes, int]:
    """The parts of a reply; UsageError where a transport gave back something else."""
    parts: List[Any] = [getattr(reply, name, None) for name in ("status", "body", "retry_seconds")]
    status, body, retry_seconds = parts
    numbers = all(isinstance(part, numbers_of.Integral) and not isinstance(part, bool)
                  for part in (status, retry_seconds))
    if not numbers or not isinstance(body, (bytes, bytearray, memoryview)):
        kinds = ", ".join(type(part).__name__ for part in parts)
        raise UsageError(
            f"a transport's exchange gives back a tacet.local.Reply of an int, bytes and an int; "
            f"this one gave a {type(reply).__name__} of {kinds}")
    if not 100 <= status <= 999:
        raise UsageError(f"the status of a Reply is one of HTTP, 100 to 999, got {status}")
    return int(status), bytes(body), min(max(int(retry_seconds), 0), 86400)
