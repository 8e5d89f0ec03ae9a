"""Strict JSON: a parsed value can be stored, hashed and sent back unchanged.

A hash chain is made of links; a link carries the hash of the link before.

    text_hash = SHA-256(salt || canonical JSON of the free text)
    hash      = SHA-256(canonical JSON of the parts of the link, including text_hash)

The hash of a link covers the salted hash of the free text, not the text. Text and salt can
therefore be erased without breaking the chain. The first link follows the empty hash.
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol, TypeVar

from pydantic_core import to_json

from membrane.domain.language.errors import InvalidArgument

MAX_DEPTH = 64
"""Levels of nesting allowed in a JSON text."""

MAX_RECORD_DEPTH = MAX_DEPTH + 8
"""Levels of nesting allowed in a record, where an accepted value lies some levels deeper."""

LONE_SURROGATE = "a lone surrogate: half of a character, such as an emoji that was cut in two"

JsonObject = dict[str, Any]

Body = Mapping[str, Any]
"""A JSON object of a reply: a TypedDict, or the dump of a model."""


def parse_json(
    text: str | bytes, levels: int = MAX_DEPTH, *, refuses_surrogates: bool = True
) -> Any:
    """Parse `text`, refusing JSON that two parsers could read differently.

    Refused with InvalidArgument: malformed JSON, nesting over `levels`, a key given twice,
    NaN and infinities (also 1e999), lone surrogates, bytes that are not UTF-8.
    """
    try:
        decoded = text if isinstance(text, str) else text.decode("utf-8")
        value = _DECODER.decode(decoded)
    except InvalidArgument:
        raise
    except UnicodeDecodeError as error:
        raise InvalidArgument("malformed JSON: the text is not UTF-8") from error
    except json.JSONDecodeError as error:
        raise InvalidArgument(f"malformed JSON: {error.msg} at character {error.pos}") from error
    except RecursionError as error:
        raise _too_deep(levels) from error
    except ValueError as error:  # an integer of more digits than Python converts
        raise InvalidArgument("malformed JSON: a number has too many digits") from error
    require_depth(value, levels)
    if refuses_surrogates and (not decoded.isascii() or "\\u" in decoded):
        require_well_formed(value)
    return value


def require_well_formed(value: Any) -> None:
    """Raises InvalidArgument with the place of a lone surrogate, which UTF-8 cannot encode."""
    try:
        canonical_json(value)
    except UnicodeEncodeError as error:
        place = ".".join(_steps_to_surrogate(value) or ()) or "the request"
        raise InvalidArgument(f"{place} has {LONE_SURROGATE}").at(place) from error


def is_well_formed(value: Any) -> bool:
    """Whether UTF-8 can encode every text in the value."""
    try:
        canonical_json(value)
    except UnicodeEncodeError:
        return False
    return True


def require_depth(value: Any, levels: int) -> None:
    if _deeper_than(value, levels):
        raise _too_deep(levels)


def canonical_json(value: Any) -> bytes:
    """The canonical form of a JSON value: sorted keys, no spaces, UTF-8."""
    return _CANONICAL.encode(value).encode("utf-8")


@dataclass(frozen=True, slots=True)
class UnreadableItem:
    """An item of a batch that is refused alone, without the content."""

    refusal: InvalidArgument

    def as_json(self) -> JsonObject:
        """An empty object: every unreadable item has the same fingerprint."""
        return {}


class Printable(Protocol):
    """An object that is no JSON value and has a JSON form."""

    def as_json(self) -> JsonObject:
        """The JSON form of the object."""


def json_fallback(found: list[Printable]) -> Callable[[Printable], JsonObject]:
    """A serializer's fallback: write a Printable as JSON and append the Printable to `found`."""

    def write(value: Printable) -> JsonObject:
        found.append(value)
        return value.as_json()

    return write


def compact_json(value: Any, found: list[Printable] | None = None) -> str:
    """JSON with keys in the given order and no spaces; appends each Printable to `found`."""
    text = to_json(value, fallback=_as_json if found is None else json_fallback(found)).decode()
    if "NaN" in text or "Infinity" in text:
        _FINITE.encode(value)
    return text


def _as_json(value: Printable) -> JsonObject:
    return value.as_json()


def _too_deep(levels: int) -> InvalidArgument:
    return InvalidArgument(f"malformed JSON: nested deeper than {levels} levels")


def _object_of_distinct_keys(pairs: list[tuple[str, Any]]) -> JsonObject:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidArgument("malformed JSON: an object has the same key twice")
    return found


def _finite(literal: str) -> float:
    number = float(literal)
    if not math.isfinite(number):
        raise InvalidArgument("malformed JSON: a number is out of range")
    return number


def _refuse_constant(_literal: str) -> NoReturn:
    raise InvalidArgument("malformed JSON: NaN and Infinity are not JSON")


def _deeper_than(value: Any, levels: int) -> bool:
    """Walk level by level without recursion: a body may hold a million containers.

    The checks name the concrete types of the parser: abstract types take ten times as long.
    """
    containers = [value] if isinstance(value, (dict, list)) else []
    while containers:
        if levels == 0:
            return True
        levels -= 1
        containers = [
            inner
            for outer in containers
            if outer
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (dict, list))
        ]
    return False


def _steps_to_surrogate(value: Any) -> tuple[str, ...] | None:
    """The names that lead to the first text with a lone surrogate; of a bad name, to the object."""
    match value:
        case str():
            return None if is_well_formed(value) else ()
        case dict():
            inner = [*value.items()]
        case list():
            inner = [(str(index), each) for index, each in enumerate(value)]
        case _:
            return None
    if not all(is_well_formed(name) for name, _ in inner):
        return ()
    found = ((name, _steps_to_surrogate(each)) for name, each in inner)
    return next(((name, *steps) for name, steps in found if steps is not None), None)


_CANONICAL = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False, default=_as_json
)
_FINITE = json.JSONEncoder(allow_nan=False, default=_as_json)
"""Refuses NaN and infinities, which `to_json` writes as words; a string may hold the same words."""

_DECODER = json.JSONDecoder(
    object_pairs_hook=_object_of_distinct_keys,
    parse_float=_finite,
    parse_constant=_refuse_constant,
)


def reparse(value: Any) -> Any:
    """A value from a different parser; raises InvalidArgument as `parse_json` does."""
    try:
        return parse_json(json.dumps(value))
    except RecursionError as error:
        raise _too_deep(MAX_DEPTH) from error


def digest(*parts: str) -> bytes:
    """The 32 bytes of SHA-256 over the UTF-8 of each part, prefixed with the part's length."""
    hasher = hashlib.sha256()
    for part in parts:
        encoded = part.encode()
        hasher.update(len(encoded).to_bytes(4, "big") + encoded)
    return hasher.digest()


FIRST = ""
"""The previous hash of the first link."""


class Link(Protocol):
    """An entry of an audit trail."""

    @property
    def previous_hash(self) -> str:
        """The hash of the previous link."""

    @property
    def hash(self) -> str:
        """The hash of the link."""


AnyLink = TypeVar("AnyLink", bound=Link)


def text_hash_of(salt: str, *text: Any) -> str:
    """The hash of a link's free text; `salt` is random hex."""
    return hashlib.sha256(salt.encode() + canonical_json(list(text))).hexdigest()


def hash_of(*parts: str | float) -> str:
    return hashlib.sha256(canonical_json(parts)).hexdigest()


def last_hash(links: Sequence[Link]) -> str:
    return links[-1].hash if links else FIRST


def first_broken_link(
    links: Iterable[AnyLink],
    expected_hash_of: Callable[[AnyLink], str | None],
    *,
    written: int | None = None,
    follows: str = FIRST,
) -> int | None:
    """The position of the first link that breaks the chain, or None if the chain holds.

    `expected_hash_of` computes the hash of a link from its parts; None if the parts contradict
    each other. `written` is the expected number of links: the chain alone does not show a
    missing end. `follows` is the hash of the link before the first link given.
    """
    expected, count = follows, 0
    for link in links:
        if link.previous_hash != expected or link.hash != expected_hash_of(link):
            return count
        expected = link.hash
        count += 1
    return None if written is None or written == count else min(written, count)
