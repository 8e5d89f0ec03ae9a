"""How a world makes its parts: each when first asked for, once, shared with copies of the world."""

from collections.abc import Callable, Mapping
from importlib import import_module
from operator import attrgetter
from threading import RLock
from typing import Any, Generic, Self, TypeVar

Part = TypeVar("Part")

RARE = ("blobs", "links", "fences", "keys", "token_verifier")
"""Parts of other parts that most requests never use, and whose adapters take long to import."""


class Parts:
    """An object whose attributes are parts; a given part takes the place of the made part."""

    _origin: "Parts | None" = None
    """The object whose parts a copy shares."""

    def __init__(self, **given: Any) -> None:
        self._lock = RLock()
        self.given: Mapping[str, Any] = {}
        self._put(given)

    def but(self, **given: Any) -> Self:
        """A copy with other parts, which shares all parts that are not given, also later ones."""
        copy = object.__new__(type(self))
        copy.__dict__ |= {**self.__dict__, "_origin": self}
        copy._put(given)
        return copy

    def _put(self, given: Mapping[str, Any]) -> None:
        unknown = [name for name in given if name not in vars(type(self))]
        if unknown:
            raise TypeError(f"there is no part {unknown[0]}")
        self.__dict__ |= {**given, "given": {**self.given, **given}}

    def _find_or_make(self, name: str, make: Callable[[Any], Any]) -> Any:
        with self._lock:
            if name not in self.__dict__:
                of = self._origin
                self.__dict__[name] = make(self) if of is None else getattr(of, name)
            return self.__dict__[name]

    def in_parts(self, name: str) -> Any:
        """A part for the use in another part: if it is rare, made at the first use."""
        is_late = name in RARE and name not in self.__dict__
        return _Late(self, name) if is_late else getattr(self, name)


class part(Generic[Part]):  # noqa: N801 - reads as `property` does
    """A part that the decorated method makes."""

    def __init__(self, make: Callable[[Any], Part]) -> None:
        self._make = make

    def __set_name__(self, _kind: type[Parts], name: str) -> None:
        self._name = name

    def __get__(self, parts: Parts, _kind: type[Parts]) -> Part:
        made: Part = parts._find_or_make(self._name, self._make)  # noqa: SLF001 - written for it
        return made


def _part_at(path: str) -> Any:
    module, name = path.rsplit(".", 1)
    return getattr(import_module(f"membrane.{module}"), name)


def made_by(path: str) -> Any:
    """A part that the function at the path makes of all parts; imported when the part is made."""

    def make(parts: Parts) -> Any:
        return _part_at(f"wiring.{path}")(parts)

    return part(make)


def adapter(path: str, *names: str) -> Any:
    """A part of the class at the path, imported when made; it takes the named parts."""
    return part(lambda parts: _part_at(f"adapters.{path}")(*map(parts.in_parts, names)))


def store(path: str, *names: str) -> Any:
    """An adapter over the table, which takes client and name of the table before the parts."""
    return adapter(f"dynamodb.{path}", "dynamodb", "table", *names)


def attribute(path: str) -> Any:
    """A part that is another part, or an attribute of another part, such as a setting."""
    return part(attrgetter(path))


class _Late:
    """Stands for a part in another part; the first use makes the part itself."""

    def __init__(self, parts: Parts, name: str) -> None:
        self._parts = parts
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(getattr(self._parts, self._name), name)
