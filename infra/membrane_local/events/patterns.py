"""EventBridge's event patterns, as far as the template uses them: values, prefixes, nesting."""

from collections.abc import Mapping
from typing import Any

from membrane_local.refusals import TemplateError

Pattern = Mapping[str, Any]

_ABSENT = object()


def checked(pattern: Any) -> Pattern:
    """The pattern; raises TemplateError for what this module would match otherwise than AWS."""
    if not isinstance(pattern, dict) or not pattern:
        raise TemplateError(f"an event pattern must be an object with fields: {pattern}")
    for name, part in pattern.items():
        if name.startswith("$"):
            raise TemplateError(f"the local bus does not know the pattern operator {name}")
        if not isinstance(part, list):
            checked(part)
        elif not part or not all(map(_is_known, part)):
            raise TemplateError(f"the local bus does not know the pattern of {name}: {part}")
    return pattern


def matches(pattern: Pattern, event: Any) -> bool:
    """Whether every field of the pattern is in the event with one of the values named there."""
    return isinstance(event, Mapping) and all(
        _field_matches(part, event.get(name, _ABSENT)) for name, part in pattern.items()
    )


def _is_known(test: Any) -> bool:
    match test:
        case {"prefix": str(), **rest}:
            return not rest
        case str() | bool() | int() | float() | None:
            return True
        case _:
            return False


def _field_matches(part: Any, value: Any) -> bool:
    if not isinstance(part, list):
        return matches(part, value)
    values = value if isinstance(value, list) else [value]
    return any(_value_matches(test, each) for test in part for each in values)


def _value_matches(test: Any, value: Any) -> bool:
    if isinstance(test, dict):
        return isinstance(value, str) and value.startswith(test["prefix"])
    return isinstance(value, bool) == isinstance(test, bool) and bool(value == test)
