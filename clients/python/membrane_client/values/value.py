"""A typed, read-only view of a JSON object: fields are read when asked for, and all are kept."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from reprlib import Repr
from typing import Any, ClassVar, Generic, Self, TypeAlias, TypeVar, overload

from membrane_client.errors import UnexpectedReply, as_described

JsonObject: TypeAlias = dict[str, Any]

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Meta:
    """Facts beside a reply's body."""

    replayed: bool = False
    request_id: str | None = None


NO_META = Meta()
_SHORT = Repr()
_SHORT.maxlevel, _SHORT.maxstring = 2, 80
REQUIRED: Any = object()
"""The default of a field present in every reply."""


class Value:
    """A JSON object of a reply. `raw` has every field, known to the client or not."""

    __slots__ = ("_meta", "raw")
    FIELDS: ClassVar[Mapping[str, "Field[Any]"]] = {}
    """By their names in JSON."""

    def __init__(self, raw: JsonObject, meta: Meta = NO_META) -> None:
        self.raw: JsonObject
        if not isinstance(raw, dict):
            raise UnexpectedReply(f"{type(self).__name__} is no JSON object")
        object.__setattr__(self, "raw", raw)
        object.__setattr__(self, "_meta", meta)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = {each.key: each for each in vars(cls).values() if isinstance(each, Field)}
        inherited = {name: each for base in cls.__bases__[::-1] for name, each in _fields(base)}
        cls.FIELDS = {**inherited, **own}

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is read-only: {name}")

    @property
    def replayed(self) -> bool:
        """Whether the service had done the write before, under the same idempotency key."""
        meta: Meta = self._meta  # type: ignore[attr-defined]  # set past __setattr__
        return meta.replayed

    @property
    def request_id(self) -> str | None:
        """The gateway's id of the request, as in the logs."""
        meta: Meta = self._meta  # type: ignore[attr-defined]  # set past __setattr__
        return meta.request_id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.raw == other.raw

    def __reduce__(self) -> tuple[type[Self], tuple[JsonObject, Meta]]:
        """For copies and pickles, which set no attributes of a read-only value."""
        return type(self), (self.raw, self._meta)  # type: ignore[attr-defined]  # the same

    __hash__ = None  # type: ignore[assignment]  # JSON objects have no hash

    def __repr__(self) -> str:
        shown = (f"{key}={_SHORT.repr(value)}" for key, value in self.raw.items())
        return f"{type(self).__name__}({', '.join(shown)})"


def _fields(kind: type) -> "Iterable[tuple[str, Field[Any]]]":
    return kind.FIELDS.items() if issubclass(kind, Value) else ()


class Field(Generic[T]):
    """A field of a Value: a reader for JSON, and a default for an absent or null field."""

    def __init__(
        self,
        read: Callable[[Any, Meta], T],
        default: Any = REQUIRED,
        key: str = "",
        of: Callable[[], type[Value]] | None = None,
        *,
        is_json: bool = False,
    ) -> None:
        self.read = read
        self.default = default
        self.key = key
        self.of = of
        """The type of the values below, if any."""
        self.is_json = is_json
        """Whether the field holds free JSON, or a link to a large value."""

    def __set_name__(self, owner: type[Value], name: str) -> None:
        self.key = self.key or name

    @overload
    def __get__(self, value: None, owner: type[Value]) -> Self: ...

    @overload
    def __get__(self, value: Value, owner: type[Value]) -> T: ...

    def __get__(self, value: Value | None, owner: type[Value]) -> Self | T:
        if value is None:
            return self
        raw = value.raw.get(self.key)
        if raw is None and self.default is not REQUIRED:
            return self.default  # type: ignore[no-any-return]  # of type T
        if raw is None and self.key not in value.raw:
            raise UnexpectedReply(f"{owner.__name__} came without {self.key!r}")
        with as_described(f"{owner.__name__}.{self.key}"):
            return self.read(raw, value._meta)  # type: ignore[attr-defined]  # noqa: SLF001


def _as_is(raw: Any, _: Meta) -> Any:
    return raw


def text(key: str = "", default: str = REQUIRED) -> Field[str]:
    return Field(_as_is, default, key)


def optional_text() -> Field[str | None]:
    return Field(_as_is, None)


def number(default: float = REQUIRED) -> Field[float]:
    return Field(_as_is, default)


def optional_number() -> Field[float | None]:
    return Field(_as_is, None)


def count(default: int = REQUIRED) -> Field[int]:
    return Field(_as_is, default)


def optional_count() -> Field[int | None]:
    return Field(_as_is, None)


def flag(*, default: bool = REQUIRED) -> Field[bool]:
    return Field(_as_is, default)


def json_value() -> Field[Any]:
    """Any JSON value; None where absent."""
    return Field(_as_is, None, is_json=True)


def mapping() -> Field[Mapping[str, Any]]:
    """A JSON object of any content, never a link."""
    return Field(_as_is, {})


def mappings() -> Field[Sequence[Mapping[str, Any]]]:
    return Field(_as_is, ())


def texts() -> Field[Sequence[str]]:
    return Field(_as_is, ())


def counts() -> Field[Sequence[int]]:
    return Field(_as_is, ())


def numbers() -> Field[Mapping[str, float]]:
    return Field(_as_is, {})


def word(kind: type[E]) -> Field[E | str]:
    """A member of the enumeration; an unknown word stays a text."""
    return Field(lambda raw, _: kind(raw) if raw in kind._value2member_map_ else str(raw))


def optional_word(kind: type[E]) -> Field[E | str | None]:
    known = kind._value2member_map_
    return Field(lambda raw, _: kind(raw) if raw in known else str(raw), None)


def instant(key: str = "") -> Field[datetime]:
    """An aware datetime."""
    return Field(lambda raw, _: datetime.fromisoformat(raw), key=key)


def optional_instant() -> Field[datetime | None]:
    return Field(lambda raw, _: datetime.fromisoformat(raw), None)


def instants() -> Field[Sequence[datetime]]:
    return Field(lambda raw, _: tuple(map(datetime.fromisoformat, raw)))


V = TypeVar("V", bound=Value)


def part(of: type[V]) -> Field[V]:
    return Field(of, of=lambda: of)


def optional_part(of: type[V]) -> Field[V | None]:
    return Field(of, None, of=lambda: of)


def parts(of: type[V], *, is_json: bool = False) -> Field[Sequence[V]]:
    return Field(
        lambda raw, meta: tuple(of(each, meta) for each in raw),
        (),
        of=lambda: of,
        is_json=is_json,
    )


def parts_of(of: Callable[[], type[V]]) -> Field[Sequence[V]]:
    """The same of a type defined later."""
    return Field(lambda raw, meta: tuple(of()(each, meta) for each in raw), (), of=of)


def parts_by_name(of: type[V]) -> Field[Mapping[str, V]]:
    return Field(
        lambda raw, meta: {name: of(each, meta) for name, each in raw.items()}, {}, of=lambda: of
    )


def json_places(raw: Any, kind: type[Value]) -> Iterator[tuple[JsonObject, str]]:
    """The places of free JSON values below an object of the type: container and key."""
    if not isinstance(raw, dict):
        return
    for key, field in _kind_of(raw, kind).FIELDS.items():
        below = raw.get(key)
        if field.is_json and key in raw:
            yield raw, key
        if field.of is None or below is None:
            continue
        many = below if isinstance(below, list) else [below]
        is_by_name = isinstance(below, dict) and field.default == {}
        for each in below.values() if is_by_name else many:
            yield from json_places(each, field.of())


def _kind_of(raw: JsonObject, kind: type[Value]) -> type[Value]:
    found: type[Value] = getattr(kind, "BY_KIND", {}).get(raw.get("kind"), kind)
    return found
