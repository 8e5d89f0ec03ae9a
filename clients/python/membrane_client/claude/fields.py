"""The fields of the commands: the package anthropic passes on what Claude sends, unchecked."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from anthropic.lib.tools import ToolError


class Kind(NamedTuple):
    """What a field holds."""

    name: str
    is_valid: Callable[[object], bool]


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_integer(value: object) -> bool:
    return isinstance(value, int)


def _is_optional_range(value: object) -> bool:
    match value:
        case None:
            return True
        case [first, last]:
            return _is_integer(first) and _is_integer(last)
        case _:
            return False


TEXT = Kind("a string", _is_text)
LINE = Kind("an integer", _is_integer)
RANGE = Kind("a list of two integers, the first and the last line", _is_optional_range)

FIELDS: Mapping[str, Mapping[str, Kind]] = {
    "view": {"path": TEXT, "view_range": RANGE},
    "create": {"path": TEXT, "file_text": TEXT},
    "str_replace": {"path": TEXT, "old_str": TEXT, "new_str": TEXT},
    "insert": {"path": TEXT, "insert_line": LINE, "insert_text": TEXT},
    "delete": {"path": TEXT},
    "rename": {"old_path": TEXT, "new_path": TEXT},
}
"""The fields of each command."""


def require_fields(command: object) -> None:
    """Raises ToolError for an unknown command, and for a field that is missing or of another type.

    The package anthropic gives a missing field the value None.
    """
    name = getattr(command, "command", None)
    if not isinstance(name, str) or name not in FIELDS:
        raise ToolError(f"Unknown `command`: {name!r}. It should be one of {', '.join(FIELDS)}.")
    for field, kind in FIELDS[name].items():
        value = getattr(command, field, None)
        if not kind.is_valid(value):
            fault = "Missing" if value is None else "Invalid"
            raise ToolError(f"{fault} `{field}` parameter of {name}. It should be {kind.name}.")
