"""Mappings that nobody changes: each look at them reads their text anew."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterator, Mapping, NoReturn, Self


def _refuse(self: object, *args: Any, **more: Any) -> NoReturn:
    raise TypeError(
        "this belongs to a receipt or a result, which nobody changes: dict(...) or list(...) makes "
        "a copy that you can change")


class FrozenDict(Dict[str, Any]):
    """A dictionary, for ``json.dumps`` too, that refuses changes."""

    __slots__ = ()

    def __new__(cls, *entries: Any) -> Self:
        made = super().__new__(cls)
        dict.update(made, *entries)
        return made

    def __init__(self, *entries: Any) -> None:  # a second call would be a change
        pass

    __setitem__ = __delitem__ = clear = pop = popitem = _refuse
    setdefault = update = __ior__ = _refuse

    def __reduce__(self) -> Any:
        return FrozenDict, (dict(self),)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self


class FrozenList(list):  # type: ignore[type-arg]
    """A list of the same kind."""

    __slots__ = ()

    def __new__(cls, *entries: Any) -> Self:
        made = super().__new__(cls)
        for some in entries:
            list.extend(made, some)
        return made

    def __init__(self, *entries: Any) -> None:
        pass

    __setitem__ = __delitem__ = append = clear = extend = insert = _refuse
    pop = remove = reverse = sort = __iadd__ = __imul__ = _refuse

    def __reduce__(self) -> Any:
        return FrozenList, (list(self),)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self


def frozen(value: Any) -> Any:
    """A value of JSON, which nobody changes, whatever is inside of it."""
    if isinstance(value, dict):
        return FrozenDict({key: frozen(entry) for key, entry in value.items()})
    if isinstance(value, (list, tuple)):
        return FrozenList(frozen(entry) for entry in value)
    return value + 0.0 if isinstance(value, float) else value  # -0.0 is 0.0


class FrozenText(Mapping[str, Any]):
    """The entries of a JSON text, by key or as attributes. It has nothing but the text."""

    __slots__ = ("__weakref__", "_words")
    _words: str

    def __new__(cls, words: str) -> Self:
        made = super().__new__(cls)
        object.__setattr__(made, "_words", str(words))
        return made

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be set: nobody changes it")

    def __delattr__(self, name: str) -> NoReturn:
        self.__setattr__(name, None)

    def _read(self) -> Dict[str, Any]:
        read: Dict[str, Any] = json.loads(self._words)
        return read

    def __getitem__(self, key: str) -> Any:
        return frozen(self._read()[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            pass
        raise AttributeError(f"a {type(self).__name__.lower()} has no {name}")

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __reduce__(self) -> Any:
        return type(self), (self._words,)

    def to_json(self) -> str:
        """The text that the program writes."""
        return self._words
