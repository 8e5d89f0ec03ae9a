"""Python values as JSON and as query parameters."""

import json
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Any

from membrane_client.errors import InvalidCall
from membrane_client.values.value import Value


def json_text(value: Any) -> bytes:
    """Compact JSON of `whole_text`.

    Raises InvalidCall for NaN, infinity and a datetime without an offset; TypeError for a value
    without a form in JSON.
    """
    try:
        text = json.dumps(
            value, default=_plain, allow_nan=False, ensure_ascii=False, separators=(",", ":")
        )
    except ValueError as error:
        raise InvalidCall(str(error)) from error
    return whole_text(text).encode()


def query_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _instant(value) if isinstance(value, datetime) else whole_text(str(value))


def whole_text(text: str) -> str:
    """The text with U+FFFD for half a surrogate pair, as of an emoji that was cut in two."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _plain(value: object) -> Any:
    match value:
        case Value():
            return value.raw
        case datetime():
            return _instant(value)
        case Mapping():
            return dict(value)
        case bytes() | bytearray() | memoryview():
            raise TypeError(f"{type(value).__name__} is no JSON value: decode it, or use base64")
        case Sequence() | AbstractSet():
            return list(value)
        case _:  # a Decimal, or a model or message of a framework, which may be iterable
            kind = type(value).__name__
            raise TypeError(
                f"{kind} is no JSON value: give an int, a float, a text, a list or a dict"
            )


def _instant(value: datetime) -> str:
    if value.utcoffset() is None:
        raise InvalidCall(f"{value!r} has no offset: a datetime must be aware")
    return value.isoformat()
