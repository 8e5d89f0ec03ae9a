"""Make the JSON of requests about topics from HTTP requests.

Parameters missing in the query are left out of the JSON, so that the defaults of the request hold.
"""

from collections.abc import Callable, Iterable
from typing import Any

from membrane.adapters.aws_lambda.http.bodies import TRUST, count, flag, id_and_trust, with_id
from membrane.adapters.aws_lambda.http.gateway import HttpRequest
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject


def name_and_body(request: HttpRequest) -> Any:
    """The topic and the field in the path, and an optional body."""
    request.require_query_within(())
    body = with_id(request)
    if "name" in body:
        raise InvalidArgument("the name stands in the path; the body must have none")
    return {**body, "name": request.path["name"]}


def edge_and_body(request: HttpRequest) -> Any:
    """The topic in the path, the second topic and the kind in the query, and an optional body."""
    body = with_id(request)
    asked = _query_values(request, ("to_topic_id", _word), ("kind", _word))
    if both := sorted(body.keys() & {"to_topic_id", "kind"}):
        raise InvalidArgument(f"{both[0]} stands in the query; the body must have none")
    return {**body, **asked}


def id_trust_and_instant(request: HttpRequest) -> JsonObject:
    return {**id_and_trust(request), **_query_values(request, ("as_of", _word), others=TRUST)}


def field_trust_and_history(request: HttpRequest) -> JsonObject:
    flags = (("with_history", flag), ("archived", flag))
    asked = _query_values(request, *flags, ("as_of", _word), others=TRUST)
    return {**id_and_trust(request), "name": request.path["name"], **asked}


def scope_and_page(request: HttpRequest) -> JsonObject:
    return _query_values(request, ("scope", _word), *_PAGE)


def scope_archived_and_page(request: HttpRequest) -> JsonObject:
    return _query_values(request, ("scope", _word), ("include_archived", flag), *_PAGE)


def scope_topic_depth_and_page(request: HttpRequest) -> JsonObject:
    around = (("topic_id", _word), ("depth", count))
    return _query_values(request, ("scope", _word), *around, *_PAGE)


Read = Callable[[str, str], Any]
"""Parses a query parameter from name and text; raises InvalidArgument."""


def _query_values(
    request: HttpRequest, *parameters: tuple[str, Read], others: Iterable[str] = ()
) -> JsonObject:
    request.require_query_within((*(name for name, _ in parameters), *others))
    texts = {name: request.once(name) for name, _ in parameters}
    return {
        name: read(name, text) for name, read in parameters if (text := texts[name]) is not None
    }


def _word(_name: str, text: str) -> str:
    return text


_PAGE: tuple[tuple[str, Read], ...] = (("limit", count), ("cursor", _word))
