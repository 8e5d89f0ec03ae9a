"""A typed, read-only view of a JSON object: fields are read when asked for, and all are kept.

Pages, retrievals, jobs that end, and prompts are values with a behaviour of their own.
"""

import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from itertools import islice
from reprlib import Repr
from types import NoneType, UnionType
from typing import Any, ClassVar, Generic, Self, TypeAlias, TypeVar, get_args, overload

from membrane_client.errors import UnexpectedReply, as_described

JsonObject: TypeAlias = dict[str, Any]
Read: TypeAlias = Callable[[Any, "Meta"], Any]
"""Makes the value of a field of its JSON."""

T = TypeVar("T")
I = TypeVar("I")  # noqa: E741 - of an item
Linked: TypeAlias = typing.Annotated[T, "linked"]
"""A field that the service may replace by a link, where the value is large."""


@dataclass(frozen=True, slots=True)
class Meta:
    """Facts beside a reply's body."""

    replayed: bool = False
    request_id: str | None = None


NO_META = Meta()
_SHOWN_FIELDS = 8
_SHORT = Repr()
_SHORT.maxlevel, _SHORT.maxstring = 2, 80
_REQUIRED = object()
"""The default of a field present in every reply."""


class Value:
    """A JSON object of a reply. `raw` has every field, known to the client or not.

    An annotation of a subclass is a field, under its name in JSON; a name that Python keeps for
    itself ends in `_`.
    """

    __slots__ = ("_meta", "raw")
    raw: JsonObject
    _meta: Meta
    FIELDS: ClassVar[Mapping[str, "Field"]] = {}
    """By their names in JSON."""
    BY_KIND: ClassVar[dict[str, type["Value"]]] = {}
    """The subclasses for the words of the field `kind`."""
    BY_FIELD: ClassVar[dict[str, type["Value"]]] = {}
    """The subclasses for fields that no further subclass has."""
    WITHIN: ClassVar[str] = ""
    """The field of a reply that has the value; empty for the whole reply."""

    def __init__(self, raw: JsonObject, meta: Meta = NO_META) -> None:
        if not isinstance(raw, dict):
            raise UnexpectedReply(f"{type(self).__name__} is no JSON object")
        object.__setattr__(self, "raw", raw)
        object.__setattr__(self, "_meta", meta)

    def __init_subclass__(cls, kind: str = "", has: str = "", within: str = "") -> None:
        super().__init_subclass__()
        cls.WITHIN = within
        fields: dict[str, Field] = {}
        for base in reversed(cls.__bases__):
            fields |= getattr(base, "FIELDS", {})
        for name, hint in vars(cls).get("__annotations__", {}).items():
            if typing.get_origin(hint) is not ClassVar:
                field = Field(cls, name, vars(cls).get(name, _REQUIRED))
                setattr(cls, name, field)
                fields[field.key] = field
        cls.FIELDS = fields
        if kind:
            cls.BY_KIND[kind] = cls
        elif has:
            cls.BY_FIELD[has] = cls
        else:
            cls.BY_KIND, cls.BY_FIELD = {}, {}

    @classmethod
    def of(cls, raw: JsonObject, meta: Meta = NO_META) -> Self:
        """The value, of the subclass for the object."""
        kind: type[Any] = cls.BY_KIND.get(raw["kind"], cls) if cls.BY_KIND else cls
        for field, each in cls.BY_FIELD.items():
            kind = each if field in raw else kind
        value: Self = kind(raw, meta)
        return value

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is read-only: {name}")

    @property
    def replayed(self) -> bool:
        """Whether the service had done the write before, under the same idempotency key."""
        return self._meta.replayed

    @property
    def request_id(self) -> str | None:
        """The gateway's id of the request, as in the logs."""
        return self._meta.request_id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.raw == other.raw

    def __reduce__(self) -> tuple[type[Self], tuple[JsonObject, Meta]]:
        """For copies and pickles, which set no attributes of a read-only value."""
        return type(self), (self.raw, self._meta)

    __hash__ = None  # type: ignore[assignment]  # JSON objects have no hash

    def __repr__(self) -> str:
        """The first fields, shortened; `raw` has all."""
        shown = [
            f"{key}={_SHORT.repr(each)}" for key, each in islice(self.raw.items(), _SHOWN_FIELDS)
        ]
        more = ["..."] if len(self.raw) > _SHOWN_FIELDS else []
        return f"{type(self).__name__}({', '.join([*shown, *more])})"


class Field:
    """A field of a Value, read as the annotation says.

    An absent or null field has its default: of an optional field None, of a list or an object an
    empty one.
    """

    def __init__(self, owner: type[Value], name: str, default: Any) -> None:
        self.key = name.rstrip("_")
        self._owner, self._name, self._default = owner, name, default

    def __get__(self, value: Value | None, owner: type[Value]) -> Any:
        if value is None:
            return self
        raw = value.raw.get(self.key)
        if raw is None and self.default is not _REQUIRED:
            return self.default
        if raw is None and self.key not in value.raw:
            raise UnexpectedReply(f"{owner.__name__} came without {self.key!r}")
        with as_described(f"{owner.__name__}.{self.key}"):
            return self._read(raw, value._meta)  # noqa: SLF001 - a field is a part of the value

    @cached_property
    def is_linked(self) -> bool:
        return typing.get_origin(self._hint) is typing.Annotated

    @cached_property
    def default(self) -> Any:
        options = _options(self._hint)
        if self._default is not _REQUIRED or not {NoneType, Any}.isdisjoint(options):
            return None if self._default is _REQUIRED else self._default
        return {Sequence: (), Mapping: {}}.get(typing.get_origin(options[0]), _REQUIRED)

    @cached_property
    def of(self) -> type[Value] | None:
        """The type of the values below, if any."""
        kinds = [each for option in _options(self._hint) for each in (option, *get_args(option))]
        return next((each for each in kinds if _is_a(each, Value)), None)

    @cached_property
    def _hint(self) -> Any:
        return typing.get_type_hints(self._owner, include_extras=True)[self._name]

    @cached_property
    def _read(self) -> Read:
        return _reader(self._hint)


def _options(hint: Any) -> tuple[Any, ...]:
    if typing.get_origin(hint) is typing.Annotated:
        hint = get_args(hint)[0]
    return get_args(hint) if typing.get_origin(hint) in (typing.Union, UnionType) else (hint,)


def _is_a(kind: Any, of: type) -> bool:
    return isinstance(kind, type) and issubclass(kind, of)


def _reader(hint: Any) -> Read:
    kind = _options(hint)[0]
    *_, item = get_args(kind) or (None,)
    if _is_a(kind, Value):
        return kind.of  # type: ignore[no-any-return]  # a Read
    if _is_a(kind, StrEnum):
        known = kind._value2member_map_
        return lambda raw, _: kind(raw) if raw in known else str(raw)
    if kind is datetime:
        return lambda raw, _: datetime.fromisoformat(raw)
    if item is None or (read := _reader(item)) is _as_is:
        return _as_is
    if typing.get_origin(kind) is Mapping:
        return lambda raw, meta: {name: read(each, meta) for name, each in raw.items()}
    return lambda raw, meta: tuple(read(each, meta) for each in raw)


def _as_is(raw: Any, _: Meta) -> Any:
    return raw


def linked_places(raw: Any, kind: type[Value]) -> Iterator[tuple[JsonObject, str]]:
    """The places below an object of the type where a link may be: container and key."""
    if not isinstance(raw, dict):
        return
    kind = getattr(kind, "BY_KIND", {}).get(raw.get("kind"), kind)
    for key, field in kind.FIELDS.items():
        below = raw.get(key)
        if field.is_linked and key in raw:
            yield raw, key
        if field.of is None or below is None:
            continue
        many = below if isinstance(below, list) else [below]
        is_by_name = isinstance(below, dict) and field.default == {}
        for each in below.values() if is_by_name else many:
            yield from linked_places(each, field.of)


class Page(Value, Generic[I]):
    """A page of a list."""

    next_cursor: str | None
    """The start of the next page; None on the last page."""
    LISTS: ClassVar[str]
    """The field with the items; a prompt comes in their place."""

    def __init_subclass__(cls, of: str = "", **variant: Any) -> None:
        super().__init_subclass__(**variant)
        cls.LISTS = of

    def __init__(self, raw: JsonObject, meta: Meta = NO_META) -> None:
        super().__init__(raw, meta)
        if not isinstance(raw.get(self.LISTS), list) and "prompt" not in raw:
            raise UnexpectedReply(f"{type(self).__name__} came without a list of {self.LISTS}")

    @property
    def items(self) -> Sequence[I]:
        items: Sequence[I] = getattr(self, self.LISTS)
        return items


class Found(Page[I], Sequence[I]):
    """The result of a retrieval: a sequence, the best first."""

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[I]:
        return iter(self.items)

    @overload
    def __getitem__(self, at: int) -> I: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[I]: ...

    def __getitem__(self, at: int | slice) -> I | Sequence[I]:
        return self.items[at]


class Job(Value):
    """The state of a job of the service."""

    state: str

    @property
    def has_ended(self) -> bool:
        return self.state in {"done", "listed", "cancelled", "failed"}


class Text(Value):
    """A text; `str()` gives the text."""

    text: str

    def __str__(self) -> str:
        return self.text


class Name(Value):
    """A name; an older record has the text alone."""

    def __init__(self, raw: JsonObject | str, meta: Meta = NO_META) -> None:
        super().__init__({"value": raw} if isinstance(raw, str) else raw, meta)
