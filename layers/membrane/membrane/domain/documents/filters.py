"""What a search looks at in a JSON value: conditions on fields, and the searchable texts.

A filter has conditions on the fields of a value, all of which must hold:

    {"kind": "note"}                          the field equals the value
    {"score": {"$gte": 3, "$lt": 5}}          operators; all of a field must hold
    {"user": {"name": "Ann"}}                 a field within an object; further fields do not matter
    {"user.name": "Ann"}                      the same; a key with dots in the value goes first

`$ne` holds for an absent field, no other condition does. A list equals a whole list. Booleans are
no numbers, 1 equals 1.0; order is among numbers and among texts. The operand of `$eq` and `$ne` is
taken literally, so that a value with keys such as `$ref` can be compared.

The index of a document has the paths of its searchable texts:

    $                     the whole value as one text
    profile.name          a field within a field
    tags[0]  tags[-1]     an element of a list, counted from the beginning or the end
    tags[*]               each element of a list
    *                     each field of an object, or each element of a list

The text of an object has the names of its fields: `name: Ann; tags: red, blue`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice, repeat
from operator import ge, gt, le, lt
from typing import Any, Final

from pydantic_core import PydanticCustomError

MAX_FILTER_KEYS = 50
"""Keys of a filter at all levels together, operators included."""

MAX_FILTER_DEPTH = 8
"""Levels of objects and lists, the filter itself included."""

MAX_FILTER_VALUES = 1_000
"""Values of a filter at all levels together, elements of lists included."""

MAX_FILTER_KEY_CHARACTERS = 512

_SHOWN_CHARACTERS = 64
"""The part of a refused key that a message repeats."""

_OPERATOR = "$"
"""Begins each operator."""

_ABSENT: Final = object()
"""Stands for the value of a field that is not there."""

_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {"$gt": gt, "$gte": ge, "$lt": lt, "$lte": le}

WHOLE = "$"
"""The path of the whole value."""

MAX_TEXTS_OF_PATH = 8
"""Texts at a path; further texts are not searchable."""

MAX_TEXTS = 8
"""Texts of a document, so that a put embeds at most 8 texts."""

MAX_TEXT_CHARACTERS = 8_192
"""Characters of a text: about as many as the encoder reads, 8 windows of 254 word pieces."""

_EVERY = "*"
_STEP = re.compile(r"(?:^|(?<=[\s\S])\.)([^.\[\]]+)|\[(\*|-?[0-9]{1,9})\]")

Step = str | int
"""The name of a field, the position of an element, or `*`."""


def require_filter(value: Any) -> None:
    """Raises PydanticCustomError for a filter with an unknown operator, or beyond a limit."""
    if not isinstance(value, dict):
        raise PydanticCustomError("filter", "must be an object of conditions")
    _require_size(value)
    _require_operators(value)


def matches(conditions: Mapping[str, Any], value: Any) -> bool:
    """Whether a value meets all conditions of a filter that `require_filter` accepted."""
    return not conditions or _holds(conditions, value)


def _require_size(value: Any) -> None:
    """Walk level by level, so that no depth and no size of a filter is expensive."""
    keys, values, level = 0, 0, [value]
    for _ in range(MAX_FILTER_DEPTH):
        keys += sum(len(each) for each in level if isinstance(each, dict))
        values += sum(map(len, level))
        if keys > MAX_FILTER_KEYS:
            raise _too_much("a filter has at most {limit} keys", MAX_FILTER_KEYS)
        if values > MAX_FILTER_VALUES:
            raise _too_much("a filter has at most {limit} values", MAX_FILTER_VALUES)
        inner = [each for outer in level for each in _parts(outer)]
        level = [each for each in inner if isinstance(each, (dict, list)) and each]
        if not level:
            return
    raise _too_much("a filter has at most {limit} levels", MAX_FILTER_DEPTH)


def _require_operators(condition: Mapping[str, Any]) -> None:
    operators = [key for key in condition if key.startswith(_OPERATOR)]
    for operator in operators:
        if operator not in _ORDERS and operator not in {"$eq", "$ne"}:
            raise _refusal_of(
                "unknown operator {key}: $eq $ne $gt $gte $lt $lte are known", operator
            )
    if 0 < len(operators) < len(condition):
        raise _refusal_of("operators such as {key} do not go beside names of fields", operators[0])
    for key, inner in condition.items():
        if len(key) > MAX_FILTER_KEY_CHARACTERS:
            raise _refusal_of("the key {key} is too long", key)
        if not operators and isinstance(inner, dict):
            _require_operators(inner)


def _too_much(message: Any, limit: int) -> PydanticCustomError:
    return PydanticCustomError("filter", message, {"limit": limit})


def _refusal_of(message: Any, key: str) -> PydanticCustomError:
    return PydanticCustomError("filter", message, {"key": key[:_SHOWN_CHARACTERS]})


def _parts(container: Any) -> Any:
    return container.values() if isinstance(container, dict) else container


def _holds(condition: Any, value: Any) -> bool:
    """Whether the value of one field, or _ABSENT, meets its condition."""
    if not isinstance(condition, dict):
        return _equal(condition, value)
    if not condition:
        return isinstance(value, dict)
    if any(key.startswith(_OPERATOR) for key in condition):
        return all(_passes(operator, operand, value) for operator, operand in condition.items())
    return all(_holds(inner, _field(value, key)) for key, inner in condition.items())


def _field(value: Any, key: str) -> Any:
    while isinstance(value, dict):
        if key in value:
            return value[key]
        outer, dot, key = key.partition(".")
        if not dot or outer not in value:
            return _ABSENT
        value = value[outer]
    return _ABSENT


def _passes(operator: str, operand: Any, value: Any) -> bool:
    match operator:
        case "$eq":
            return _equal(operand, value)
        case "$ne":
            return not _equal(operand, value)
        case _:
            are_texts = isinstance(operand, str) and isinstance(value, str)
            is_ordered = are_texts or _are_numbers(operand, value)
            return is_ordered and _ORDERS[operator](value, operand)


def _equal(first: Any, second: Any) -> bool:
    """Equality of JSON values, which differs from Python's for booleans."""
    if isinstance(first, dict):
        return (
            isinstance(second, dict)
            and first.keys() == second.keys()
            and all(_equal(inner, second[key]) for key, inner in first.items())
        )
    if isinstance(first, list):
        return (
            isinstance(second, list)
            and len(first) == len(second)
            and all(map(_equal, first, second))
        )
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    return bool(first == second)


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in values)


def require_path(path: str) -> str:
    """The path; raises PydanticCustomError if it is malformed."""
    if path != WHOLE and (path.startswith(WHOLE) or not _steps(path)):
        raise PydanticCustomError(
            "path", "must be $ or a path such as profile.name, tags[0], tags[*].name or *"
        )
    return path


def texts_of(value: Any, paths: Iterable[str]) -> tuple[str, ...]:
    """The distinct texts at the paths, the first MAX_TEXTS, each cut to MAX_TEXT_CHARACTERS."""
    found = chain.from_iterable(_texts_at(value, path) for path in paths)
    distinct: dict[str, None] = {}
    for text in found:
        distinct[text] = None
        if len(distinct) == MAX_TEXTS:
            break
    return tuple(distinct)


def _texts_at(value: Any, path: str) -> Iterator[str]:
    reached: Iterator[Any] = iter((value,))
    for step in () if path == WHOLE else _steps(path):
        reached = chain.from_iterable(map(_next_of, reached, repeat(step)))
    return islice(filter(None, map(_text, reached)), MAX_TEXTS_OF_PATH)


def _steps(path: str) -> tuple[Step, ...]:
    """The steps of a path; none for a malformed path."""
    steps: list[Step] = []
    position = 0
    while position < len(path):
        found = _STEP.match(path, position)
        if found is None:
            return ()
        name, place = found.groups()
        steps.append(name or (_EVERY if place == _EVERY else int(place)))
        position = found.end()
    return tuple(steps)


def _next_of(value: Any, step: Step) -> Iterable[Any]:
    if isinstance(value, dict):
        if step == _EVERY:
            return value.values()
        return (value[step],) if step in value else ()
    if isinstance(value, list):
        if step == _EVERY:
            return value
        if isinstance(step, int) and -len(value) <= step < len(value):
            return (value[step],)
    return ()


def _text(value: Any) -> str:
    """The text of a value; the walk ends with the characters that are kept."""
    pieces: list[str] = []
    room = MAX_TEXT_CHARACTERS
    for piece in _pieces(value):
        pieces.append(piece[:room])
        room -= len(piece)
        if room <= 0:
            break
    return "".join(pieces).strip()


def _pieces(value: Any) -> Iterator[str]:
    match value:
        case None:
            return
        case str():
            yield value
        case bool():
            yield str(value).lower()
        case dict():
            for number, (name, each) in enumerate(value.items()):
                yield f"; {name}: " if number else f"{name}: "
                yield from _pieces(each)
        case list():
            for number, element in enumerate(value):
                yield from chain((", ",) if number else (), _pieces(element))
        case _:
            yield str(value)
