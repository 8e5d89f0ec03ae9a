"""Python values as JSON and as query parameters, and values too large for a request or a reply."""

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from hashlib import sha256
from sys import float_info
from typing import TYPE_CHECKING, Any

from membrane_client.core.protocol import Steps
from membrane_client.errors import InvalidCall, UnexpectedReply
from membrane_client.value import JsonObject, Value, linked_places
from membrane_client.values.records import MemoryRecord

if TYPE_CHECKING:
    from decimal import Decimal

_HEX = "[0-9a-fA-F]"
_ESCAPE = re.compile(
    rf"\\u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}"
    rf"|(?P<half>\\u[dD][89a-fA-F]{_HEX}{{2}})|\\.",
    re.DOTALL,
)

UPLOAD_FROM_BYTES = 3 * 1024 * 1024
"""A request carries 6 MB; escaping may take half."""

MAX_UPLOADS = 4
"""As many as a request takes."""

_IN_REPORTS = (
    *("args", "result", "object", "conditions", "active_constraints"),
    *("content", "context"),
    "document",
)
_RECORDS = ("record", "new_record", "forked_record", "merged_record")


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


def upload_large_values(
    content: bytes, upload: Callable[[bytes, int, str | None], Steps[str]], *, of_documents: bool
) -> Steps[bytes]:
    """The request's body with the largest values uploaded, until the body fits.

    `upload` gets a value, the place of the value among the largest, and the scope of the new record
    if the body names the scope; equal bodies have equal places.
    """
    body = json.loads(content)
    values = [
        (json_text(holder[key]), holder, key, _scope_of(part))
        for holder, key, part in _places(body, of_documents=of_documents)
    ]
    values.sort(key=lambda each: len(each[0]), reverse=True)
    for at, (data, holder, key, scope) in enumerate(values[:MAX_UPLOADS]):
        upload_id = yield from upload(data, at, scope)
        holder[key] = {"$upload": upload_id}
        content = json_text(body)
        if len(content) <= UPLOAD_FROM_BYTES:
            break
    return content


def follow_links(raw: Any, kind: type[Value], fetch: Callable[[str], Steps[bytes]]) -> Steps[None]:
    """Replace the links of a reply by the linked values.

    Raises UnexpectedReply for content without the link's digest.
    """
    for holder, key in [*linked_places(raw, kind)]:
        match holder[key]:
            case {"$blob": {"sha256": digest, "url": url}}:
                data = yield from fetch(url)
                if sha256(data).hexdigest() != digest:
                    raise UnexpectedReply(f"the content of {key!r} is not what its link names")
                holder[key] = json.loads(data)
            case _:
                pass


def _places(
    body: JsonObject, *, of_documents: bool
) -> Iterator[tuple[JsonObject, str, JsonObject]]:
    """The free values: container, key, and part with the scope; no items of a document's list."""
    parts, keys = ("operations", ("value",)) if of_documents else ("items", _IN_REPORTS)
    for part in (body, *body.get(parts, ())):
        yield from ((part, key, part) for key in keys if key in part)
        for name in () if of_documents else _RECORDS:
            for holder, key in linked_places(part.get(name), MemoryRecord):
                yield holder, key, part


def _scope_of(part: JsonObject) -> str | None:
    """The scope of the new record of a report or full record; None without one."""
    named = part.get("record") if isinstance(part.get("record"), dict) else part
    scope = named.get("scope") if named else None
    return scope if isinstance(scope, str) and scope else None
