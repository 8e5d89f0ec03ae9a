"""Event patterns of EventBridge and of the filters of Lambda's event sources."""

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from membrane_local.refusals import TemplateError

Pattern = Mapping[str, Any]
_ABSENT = object()
_ANY_OF = "$or"

_RELATIONS: Mapping[str, Callable[[float, float], bool]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def supported_pattern(pattern: Any) -> Pattern:
    """The pattern; raises TemplateError for a pattern that `matches` treats otherwise than AWS."""
    if not isinstance(pattern, dict) or not pattern:
        raise TemplateError(f"an event pattern must be an object with fields: {pattern}")
    for name, part in pattern.items():
        if name == _ANY_OF and isinstance(part, list) and len(part) > 1:
            for alternative in part:
                supported_pattern(alternative)
        elif name.startswith("$"):
            raise TemplateError(f"the local bus does not know the pattern operator {name}")
        elif not isinstance(part, list):
            supported_pattern(part)
        elif not part or not all(map(_is_known, part)):
            raise TemplateError(f"the local bus does not know the pattern of {name}: {part}")
    return pattern


def matches(pattern: Pattern, event: Any) -> bool:
    """Whether each field is in the event with a value that passes a test; no object passes."""
    if isinstance(event, list):
        return any(matches(pattern, each) for each in event)
    fields = event if isinstance(event, Mapping) else {}
    return all(
        any(matches(alternative, fields) for alternative in part)
        if name == _ANY_OF
        else _field_matches(part, fields.get(name, _ABSENT))
        for name, part in pattern.items()
    )


def _is_known(test: Any) -> bool:
    match test:
        case {"prefix": str(), **rest} | {"suffix": str(), **rest}:
            return not rest
        case {"equals-ignore-case": str(), **rest} | {"exists": bool(), **rest}:
            return not rest
        case {"anything-but": excepted, **rest}:
            return not rest and _is_known_exception(excepted)
        case {"numeric": [*relations], **rest}:
            return not rest and _is_range(relations)
        case str() | bool() | int() | float() | None:
            return True
        case _:
            return False


def _is_known_exception(excepted: Any) -> bool:
    match excepted:
        case {"prefix": str(), **rest} | {"suffix": str(), **rest}:
            return not rest
        case [*values]:
            return bool(values) and all(isinstance(each, str | int | float) for each in values)
        case _:
            return isinstance(excepted, str | int | float)


def _is_range(relations: list[Any]) -> bool:
    """Whether the list has one relation or two."""
    return len(relations) in (2, 4) and all(
        relation in _RELATIONS and isinstance(limit, int | float)
        for relation, limit in _pairs(relations)
    )


def _pairs(relations: list[Any]) -> Iterator[tuple[Any, Any]]:
    return zip(relations[::2], relations[1::2], strict=True)


def _field_matches(part: Any, value: Any) -> bool:
    if not isinstance(part, list):
        return matches(part, value)
    values = value if isinstance(value, list) else [value]
    leaves = [_ABSENT if isinstance(each, Mapping) else each for each in values] or [_ABSENT]
    return any(_value_matches(test, each) for test in part for each in leaves)


def _value_matches(test: Any, value: Any) -> bool:
    match test:
        case {"exists": wanted}:
            return (value is not _ABSENT) is wanted
        case _ if value is _ABSENT:
            return False
        case {"prefix": start}:
            return isinstance(value, str) and value.startswith(start)
        case {"suffix": end}:
            return isinstance(value, str) and value.endswith(end)
        case {"equals-ignore-case": text}:
            return isinstance(value, str) and value.casefold() == text.casefold()
        case {"numeric": relations}:
            return _is_number(value) and all(
                _RELATIONS[relation](value, limit) for relation, limit in _pairs(relations)
            )
        case {"anything-but": excepted}:
            tests = excepted if isinstance(excepted, list) else [excepted]
            return not any(_value_matches(each, value) for each in tests)
        case _:
            return isinstance(value, bool) == isinstance(test, bool) and bool(value == test)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
