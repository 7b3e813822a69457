"""Whose budget work belongs to: what is made, used or submitted while a block is open.

Python copies context variables where it can (tasks of asyncio, ``asyncio.to_thread``), and with
them the open block. Where it does not (threads of a pool, timers, other processes), an estimator
carries a mark of the block that it was made or used in; and a thread or a process that may work for
a block without knowing which trains nothing unpaid.
"""

from __future__ import annotations

import contextvars
import functools
import os
import sys
import threading
import weakref
from dataclasses import dataclass
from types import MethodType
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple, TypeVar, cast

from ._boundary import boundary
from .errors import UsageError

if TYPE_CHECKING:
    from .budgets import Budget

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Stack = Tuple["Budget", ...]
_MARK = "_block"
_STARTED = "TACET_STARTED_IN_BLOCK"  # for processes that are started while a block is open

_own: "contextvars.ContextVar[_Stack]" = contextvars.ContextVar("tacet_budgets", default=())
_lock = threading.Lock()
_open: List[_Open] = []
# Threads that were there when a block of another thread ended, and may have work from it.
_beside: "weakref.WeakSet[threading.Thread]" = weakref.WeakSet()
_budgets: "weakref.WeakValueDictionary[str, Budget]" = weakref.WeakValueDictionary()
_inherited = os.environ.get(_STARTED)
_from_a_block = _inherited not in (None, str(os.getpid()))  # of another process


@dataclass(frozen=True)
class _Open:
    """One open block: who opened it, and what was open around it."""

    thread: int
    budget: Budget
    stack: _Stack


@dataclass(frozen=True)
class Mark:
    """The block that an estimator belongs to; ``budget`` is None where it cannot be spent."""

    token: str
    budget: Optional[Budget]


def known(budget: Budget) -> None:
    """A new budget of this process."""
    _budgets[budget._token] = budget


def enter(budget: Budget) -> None:
    """Opens a block."""
    stack = (*_own.get(), budget)
    _own.set(stack)
    with _lock:
        _open.append(_Open(threading.get_ident(), budget, stack))
        os.environ[_STARTED] = str(os.getpid())


def leave(budget: Budget) -> None:
    """Ends the last block of a budget, of this thread's if it has one."""
    stack = _own.get()
    places = [k for k, entry in enumerate(stack) if entry is budget]
    if places:
        _own.set(stack[: places[-1]] + stack[places[-1] + 1:])
    _note_threads()
    with _lock:
        found = [k for k, entry in enumerate(_open) if entry.budget is budget]
        here = [k for k in found if _open[k].thread == threading.get_ident()]
        if found:
            del _open[(here or found)[-1]]
        if not _open and _inherited is None:
            os.environ.pop(_STARTED, None)
        elif not _open:
            os.environ[_STARTED] = str(_inherited)
    _note_threads()  # and those that the others have started meanwhile


def _note_threads() -> None:
    """Before a block ends: work that was submitted in it is done by threads that are there now."""
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and thread is not threading.current_thread():
            _beside.add(thread)


def paying(mark: Optional[Mark]) -> Optional[Budget]:
    """The budget that work belongs to: of the innermost block that is open here, else of the mark,
    else of the only blocks that are open anywhere. None where nobody adds up; UsageError where
    somebody should, and who it is or how cannot be said."""
    own = _own.get()
    if own:
        return own[-1]
    if mark is not None:
        if mark.budget is None:
            raise UsageError(
                "this estimator was made or used in a block with a budget, which cannot be spent "
                "here, in another process or after the budget is gone, or was made by a thread or "
                "process that may work for such a block: give budget=, use a tacet.Ledger, which "
                "processes share, or make a new estimator for unpaid work")
        return mark.budget
    elsewhere = _elsewhere()
    if elsewhere:
        return _only(elsewhere)
    if threading.current_thread() in _beside:
        raise UsageError(
            "this thread was there when a block with a budget ended in another thread, and what it "
            "does now may have been submitted in that block: give budget= or ledger=, open a block "
            "here, or use a new thread for unpaid work")
    if _from_a_block:
        raise UsageError(
            "this process was started in a block with a budget, or was sent work from one, and "
            "cannot spend that budget: use a tacet.Ledger, which processes share, or another "
            "process for unpaid work")
    return None


def _elsewhere() -> List[_Open]:
    """The open blocks that code without one may work for. Tasks of an event loop have a copy of
    the context that they were made in, so that a block of another task is none of theirs."""
    in_loop = _runs_loop()
    with _lock:
        return [entry for entry in _open
                if not (in_loop and entry.thread == threading.get_ident())]


def _runs_loop() -> bool:
    asyncio = sys.modules.get("asyncio")  # slow to load, and not needed where nobody has
    if asyncio is None:
        return False
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _only(blocks: List[_Open]) -> Budget:
    """The innermost of blocks that lie in one another, or the budget that all of them share."""
    last = blocks[-1]
    if all(entry.budget is last.budget for entry in blocks):
        return last.budget
    if all(entry.thread == last.thread and any(outer is entry.budget for outer in last.stack)
           for entry in blocks):
        return last.budget
    raise UsageError(
        "several threads or tasks have opened budgets, and this thread, which has none, may work "
        "for each of them: open the block in the thread that trains, or give budget=")


def mark_of(thing: Any) -> Optional[Mark]:
    """The mark that an estimator carries."""
    found: Optional[Mark] = vars(thing).get(_MARK)
    return found


def carry(source: Any, target: Any) -> Any:
    """The target, which belongs to the block of its source, where neither is in one now."""
    mark = mark_of(source)
    if mark is not None and not (_own.get() and _MARK in vars(target)):
        vars(target)[_MARK] = mark
    return target


def _note(thing: Any) -> Optional[Budget]:
    """Marks what is made or used in a block that is open here; its budget."""
    own = _own.get()
    if not own:
        return None
    vars(thing)[_MARK] = Mark(own[-1]._token, own[-1])
    return own[-1]


def _note_made(thing: Any) -> None:
    """The same of what is made, also where nobody knows of which block: a thread that may still
    work for one starts others, or hands over what it has made, and so does a process."""
    if _note(thing) is None and (_from_a_block or threading.current_thread() in _beside):
        vars(thing)[_MARK] = Mark("unknown", None)


class Travels:
    """What remembers the block that it was made or used in, through copies, clones and pickles."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        made = super().__new__(cls)
        _note_made(made)
        return made

    def __sklearn_clone__(self) -> Any:
        return carry(self, super().__sklearn_clone__())  # type: ignore[misc]

    def __getstate__(self) -> Dict[str, Any]:
        kept: Any = super().__getstate__()
        state: Dict[str, Any] = {} if kept is None else dict(kept)
        mark = state.pop(_MARK, None)
        own = _own.get()
        with _lock:
            is_open = bool(_open)
        is_open = is_open or bool(own) or threading.current_thread() in _beside
        if own:
            state[_MARK] = (os.getpid(), own[-1]._token, is_open)
        elif mark is not None or is_open:
            state[_MARK] = (os.getpid(), "" if mark is None else mark.token, is_open)
        return state

    def __setstate__(self, state: Dict[str, Any]) -> None:
        global _from_a_block
        state = dict(state)
        sent = state.pop(_MARK, None)
        super().__setstate__(state)  # type: ignore[misc]
        if sent is None:
            return
        process, token, was_open = sent
        budget = _budgets.get(token)
        here = process == os.getpid()
        if budget is None and was_open and not here:
            _from_a_block = True  # also for what is made of it without a mark
        if token or not here:
            vars(self)[_MARK] = Mark(token, budget)


class _Belonging:
    """A method that belongs to the block in which it is taken from its estimator."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(cast(Any, self), function)
        self._inner = function
        self.__wrapped__ = boundary(function)

    def __get__(self, thing: Any, kind: Any = None) -> Any:
        if thing is None:
            return self.__wrapped__
        budget = _note(thing)
        if budget is None:
            return MethodType(self.__wrapped__, thing)
        inner = self._inner

        @boundary
        @functools.wraps(inner)
        def belonging(*args: Any, **kwargs: Any) -> Any:
            token = _own.set((budget,))
            try:
                return inner(*args, **kwargs)
            finally:
                _own.reset(token)

        return MethodType(belonging, thing)


def belonging(function: _Function) -> _Function:
    """The public boundary of a method that spends: submitted in a block, it belongs to that block."""
    return cast(_Function, _Belonging(function))


def _renewed() -> None:
    """In a copy of the process: another thread may have held the lock, and a block that was open
    ends without its budget, which only the first process spends."""
    global _lock, _from_a_block
    _lock = threading.Lock()
    _from_a_block = _from_a_block or bool(_open) or bool(_own.get())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renewed)
