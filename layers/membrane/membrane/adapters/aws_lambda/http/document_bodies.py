"""Make the JSON of requests about keyed documents from HTTP requests.

The path of a document has a segment for each label of the namespace, and the last segment for the
key. API Gateway decodes a path once before the function sees the path, `%2F` included. A client
therefore encodes each label and the key by itself, and the URL once more: `/` in a label travels
as `%252F`. Parameters missing in the query are left out of the JSON, so that the defaults of the
request hold.
"""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote

from membrane.adapters.aws_lambda.http.bodies import count, flag
from membrane.adapters.aws_lambda.http.gateway import IF_MATCH, IF_NONE_MATCH, HttpRequest
from membrane.domain.language.errors import InvalidArgument, Violation
from membrane.domain.language.json_text import JsonObject

ITEMS = "items"
"""The last segment of a path to the list beside a value."""

_PLACE = ("namespace", "key")
_ONLY_QUERY = {"erase": "true", "items": "1"}
"""By parameter of a deletion that no body may have, an example of the value."""

_EXPECTATIONS = ("expected_version", "must_exist")
_PATH = "the path must name the labels of the namespace and the key, each at least one character"
_CONDITIONS = (
    'a request may have If-Match: * or a version such as "3" in quotes, or If-None-Match: *'
)
_VERSION = re.compile(r'"(0|[1-9][0-9]{0,15})"', re.ASCII)


def place_and_body(request: HttpRequest) -> JsonObject:
    """The place in the path, a body, and the version that a header demands."""
    request.require_query_within(())
    return _write(request, request.json_body(), {})


def place_and_list_items(request: HttpRequest) -> JsonObject:
    """The place in the path to a list, and a body; no version applies to a list."""
    request.require_query_within(())
    if any(name in request.headers for name in (IF_MATCH, IF_NONE_MATCH)):
        raise InvalidArgument("an append takes neither If-Match nor If-None-Match")
    *place, last = _segments(request)
    if last != ITEMS:
        message = f"the path of an append must end in /{ITEMS}"
        raise InvalidArgument(message, [Violation(name, message) for name in _PLACE])
    return _at(place, request.json_body())


def place_and_query(request: HttpRequest) -> JsonObject:
    pages = ("items", "items_before", "history", "history_before")
    request.require_query_within(("scope", "refresh", *pages, "verify"))
    counts = {name: count(name, text) for name, text in _parameters_of(request, *pages)}
    flags = {name: flag(name, text) for name, text in _parameters_of(request, "refresh", "verify")}
    return {
        **_at(_segments(request), {}),
        **dict(_parameters_of(request, "scope")),
        **counts,
        **flags,
    }


def place_body_and_query(request: HttpRequest) -> JsonObject:
    """The place, an optional body, the version of a header; scope, items and erase by query."""
    request.require_query_within(("scope", "items", "erase"))
    body = request.json_body() if request.body else {}
    for name, example in _ONLY_QUERY.items():
        if isinstance(body, dict) and name in body:
            raise InvalidArgument(f"{name} goes into the query: ?{name}={example}")
    counts = {name: count(name, text) for name, text in _parameters_of(request, "items")}
    flags = {name: flag(name, text) for name, text in _parameters_of(request, "erase")}
    return _write(request, body, {**dict(_parameters_of(request, "scope")), **counts, **flags})


def labels_and_page(request: HttpRequest) -> JsonObject:
    """The query of a list of namespaces: `prefix` and `suffix` once for each label."""
    request.require_query_within(("scope", "prefix", "suffix", "max_depth", "limit", "cursor"))
    words = dict(_parameters_of(request, "scope", "cursor"))
    counts = {
        name: count(name, text) for name, text in _parameters_of(request, "max_depth", "limit")
    }
    labels = {name: request.values(name) for name in ("prefix", "suffix")}
    return {**words, **counts, **labels}


def operation_id(request: HttpRequest) -> JsonObject:
    request.require_query_within(("operation_id",))
    return dict(_parameters_of(request, "operation_id"))


def _parameters_of(request: HttpRequest, *names: str) -> list[tuple[str, str]]:
    """The parameters of the query that are there, each once, by name."""
    texts = ((name, request.once(name)) for name in names)
    return [(name, text) for name, text in texts if text is not None]


def _write(request: HttpRequest, body: Any, query: JsonObject) -> JsonObject:
    """The request for a write; raises InvalidArgument for what is said in two places."""
    asked = _at(_segments(request), body)
    if both := sorted(asked.keys() & query.keys()):
        raise InvalidArgument(f"{both[0]} stands in the query; the body must have none")
    expected = _expectation(request)
    if expected and any(asked.get(name) is not None for name in _EXPECTATIONS):
        raise InvalidArgument("the version stands in a header; the body must have none")
    return {**asked, **query, **expected}


def _at(segments: Sequence[str], body: Any) -> JsonObject:
    """The body with namespace and key; raises InvalidArgument for a body that has one of both."""
    if not isinstance(body, dict):
        raise InvalidArgument("the body must be a JSON object")
    if both := sorted(body.keys() & set(_PLACE)):
        raise InvalidArgument(f"{both[0]} stands in the path; the body must have none").at(both[0])
    if len(segments) < len(_PLACE):
        raise InvalidArgument(_PATH, [Violation(name, _PATH) for name in _PLACE])
    *namespace, key = segments
    return {**body, "namespace": namespace, "key": key}


def _segments(request: HttpRequest) -> list[str]:
    """The segments of the path, each decoded; raises InvalidArgument for an empty segment."""
    try:
        segments = [unquote(each, errors="strict") for each in request.path["path"].split("/")]
    except UnicodeDecodeError as error:
        message = "a segment of the path must be percent-encoded UTF-8"
        violations = [Violation(name, message) for name in _PLACE]
        raise InvalidArgument(message, violations) from error
    if not all(segments):
        raise InvalidArgument(_PATH, [Violation(name, _PATH) for name in _PLACE])
    return segments


def _expectation(request: HttpRequest) -> JsonObject:
    """The fields for `If-Match` or `If-None-Match`; raises InvalidArgument for any other form."""
    given = {
        name: request.headers[name].strip()
        for name in (IF_MATCH, IF_NONE_MATCH)
        if name in request.headers
    }
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
