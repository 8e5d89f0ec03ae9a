"""Python values as JSON and as query parameters."""

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from sys import float_info
from typing import TYPE_CHECKING, Any

from membrane_client.errors import InvalidCall
from membrane_client.value import Value

if TYPE_CHECKING:
    from decimal import Decimal

_HEX = "[0-9a-fA-F]"
_ESCAPE = re.compile(
    rf"\\u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}"
    rf"|(?P<half>\\u[dD][89a-fA-F]{_HEX}{{2}})|\\.",
    re.DOTALL,
)


def json_text(value: Any) -> bytes:
    """Compact JSON of `whole_text`.

    Raises InvalidCall for NaN, infinity and a datetime without an offset; TypeError for a value
    without a form in JSON. The error begins with the path of the value, as in `tags.0`.
    """

    def text_of(part: Any) -> str:
        return json.dumps(
            part, default=_plain, allow_nan=False, ensure_ascii=False, separators=(",", ":")
        )

    return whole_text(_with_path(text_of, value)).encode()


def messages_json(messages: Any) -> Any:
    """The messages of a conversation as JSON, with what the clients of model providers dump.

    NaN and infinities become texts, bytes become base64, and a Decimal becomes the same number or
    a text: the service keeps arguments as text, and of a file the size. Raises as `json_text`.
    """

    def text_of(part: Any) -> str:
        return json.dumps(part, default=_of_provider)

    return json.loads(_with_path(text_of, {"messages": messages}), parse_constant=str)["messages"]


def size_in_json(value: Any) -> int:
    """Bytes of `json_text`."""
    return len(json_text(value))


def query_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _instant(value) if isinstance(value, datetime) else whole_text(str(value))


def whole_text(text: str) -> str:
    """The text with U+FFFD for half a surrogate pair, as of an emoji that was cut in two."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _with_path(text_of: Callable[[Any], str], value: Any) -> str:
    """The JSON text of the value; errors begin with the path of the value that is refused."""
    try:
        return text_of(value)
    except (TypeError, ValueError) as error:
        path = ".".join(map(str, _path_of_refused(text_of, value)))
        kind = InvalidCall if isinstance(error, ValueError) else TypeError
        raise kind(f"{path}: {error}" if path else str(error)) from error


def _path_of_refused(text_of: Callable[[Any], str], value: Any) -> list[object]:
    """Names and positions on the way to the first value in the value that has no JSON text.

    One walk that writes leaves alone, without recursion: a value may be deep, or hold itself.
    """
    path: list[object] = []
    around, walks = [value], [iter(_parts(value))]
    while walks:
        for name, part in walks[-1]:
            if not isinstance(name, str | int) and _is_refused(text_of, {name: None}):
                return path
            path.append(name)
            if isinstance(part, _WITH_PARTS) and not any(part is each for each in around):
                around.append(part)
                walks.append(iter(_parts(part)))
                break
            if not isinstance(part, str) and _is_refused(text_of, part):
                return path
            path.pop()
        else:
            around.pop()
            walks.pop()
            del path[-1:]
    return path


def _is_refused(text_of: Callable[[Any], str], value: Any) -> bool:
    try:
        text_of(value)
    except (TypeError, ValueError):
        return True
    return False


_WITH_PARTS = (Value, Mapping, list, tuple)


def _parts(value: object) -> Iterable[tuple[object, Any]]:
    match value:
        case Value():
            return value.raw.items()
        case Mapping():
            return value.items()
        case list() | tuple():
            return enumerate(value)
        case _:
            return ()


def _of_provider(value: object) -> Any:
    from decimal import Decimal  # noqa: PLC0415 - few messages have a Decimal

    match value:
        case bytes() | bytearray() | memoryview():
            return b64encode(value).decode()
        case Decimal():
            return _number(value)
        case _:
            return _plain(value)


def _number(value: "Decimal") -> int | float | str:
    """The int or the float with the same value, else the text."""
    if value.is_finite() and value.adjusted() <= float_info.max_10_exp:
        for number in (int(value), float(value)):
            if type(value)(repr(number)) == value:
                return number
    return str(value)


def whole_arguments(arguments: Any) -> Any:
    """The arguments of a tool with U+FFFD for half a surrogate pair in their JSON texts.

    A text that is no JSON stays, and of a list with one text all but the JSON of a list of texts:
    the service takes such a text as written. Arguments that are no object stay, too.
    """
    raw = arguments.raw if isinstance(arguments, Value) else arguments
    if not isinstance(raw, Mapping):
        return raw
    return {name: _whole_argument(each) for name, each in raw.items()}


def _whole_argument(value: Any) -> Any:
    match value:
        case str() if isinstance(_json_value(value), (list, dict, str)):
            return _ESCAPE.sub(lambda found: r"\ufffd" if found["half"] else found[0], value)
        case [str() as only] if _is_list_of_texts(_json_value(only)):
            return [_whole_argument(only)]
        case _:
            return value


def _json_value(text: str) -> Any:
    """The value of a JSON text; None for any other text."""
    try:
        return json.loads(text.strip().removeprefix("\ufeff").lstrip())
    except (RecursionError, ValueError):
        return None


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


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
