"""Documents in an HTTP request: the place in the path, the version in a header.

The path of a document has a segment for each label of the namespace, and the last segment for the
key. API Gateway decodes a path once before the function sees the path, `%2F` included. A client
therefore encodes each label and the key by itself, and the URL once more: `/` in a label travels
as `%252F`.
"""

import re
from collections.abc import Mapping
from urllib.parse import unquote

from membrane.adapters.aws_lambda.http.http_request import IF_MATCH, IF_NONE_MATCH
from membrane.domain.language.errors import InvalidArgument, Violation
from membrane.domain.language.json_text import JsonObject

ITEMS = "items"
"""The last segment of a path to the list beside a value."""

_PATH = "the path must name the labels of the namespace and the key, each at least one character"
_CONDITIONS = (
    'a request may have If-Match: * or a version such as "3" in quotes, or If-None-Match: *'
)
_VERSION = re.compile(r'"(0|[1-9][0-9]{0,15})"', re.ASCII)


def namespace_and_key(path: str) -> JsonObject:
    """The place of a document, each segment decoded; raises InvalidArgument."""
    return _place(_segments(path))


def list_place(path: str) -> JsonObject:
    """The place of the document of a list; raises InvalidArgument."""
    *place, last = _segments(path)
    if last != ITEMS:
        raise _refusal(f"the path of an append must end in /{ITEMS}")
    return _place(place)


def _place(segments: list[str]) -> JsonObject:
    if len(segments) < 2:  # noqa: PLR2004 - a label and the key
        raise _refusal(_PATH)
    *namespace, key = segments
    return {"namespace": namespace, "key": key}


def _segments(path: str) -> list[str]:
    """The segments, each decoded; raises InvalidArgument for an empty segment."""
    try:
        segments = [unquote(each, errors="strict") for each in path.split("/")]
    except UnicodeDecodeError as error:
        raise _refusal("a segment of the path must be percent-encoded UTF-8") from error
    if not all(segments):
        raise _refusal(_PATH)
    return segments


def _refusal(message: str) -> InvalidArgument:
    return InvalidArgument(message, [Violation(name, message) for name in ("namespace", "key")])


def refuse_conditions(headers: Mapping[str, str]) -> None:
    """Raises InvalidArgument for a header that demands a version."""
    if IF_MATCH in headers or IF_NONE_MATCH in headers:
        raise InvalidArgument("an append takes neither If-Match nor If-None-Match")


def demanded_version(headers: Mapping[str, str]) -> JsonObject:
    """The fields for `If-Match` or `If-None-Match`; raises InvalidArgument for any other form."""
    given = {name: headers[name].strip() for name in (IF_MATCH, IF_NONE_MATCH) if name in headers}
    if not given:
        return {}
    match given:
        case {"if-none-match": "*"} if len(given) == 1:
            return {"expected_version": 0}
        case {"if-match": "*"} if len(given) == 1:
            return {"must_exist": True}
    found = _VERSION.fullmatch(given.get(IF_MATCH, ""))
    if found is None or IF_NONE_MATCH in given:
        raise InvalidArgument(_CONDITIONS)
    return {"expected_version": int(found[1])}
