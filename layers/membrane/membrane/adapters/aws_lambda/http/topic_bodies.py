"""From HTTP requests to the JSON of requests about topics, and from their answers to reply JSON.

What does not stand in the query is left out of the JSON, so that the request's default holds.
"""

from collections.abc import Callable, Iterable
from typing import Any

from membrane.adapters.aws_lambda.http.bodies import TRUST, count, flag, trusted, with_id
from membrane.adapters.aws_lambda.http.gateway import HttpRequest
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject


def nothing_asked(request: HttpRequest) -> JsonObject:
    request.require_query_within(())
    return {}


def name_and_body(request: HttpRequest) -> Any:
    """Topic and field of the path, and a body, which may be absent."""
    request.require_query_within(())
    body = with_id(request)
    if "name" in body:
        raise InvalidArgument("the name stands in the path; the body must have none")
    return {**body, "name": request.path["name"]}


def edge_and_body(request: HttpRequest) -> Any:
    """Topic of the path, other end and kind of the query, and a body, which may be absent."""
    body = with_id(request)
    asked = _asked(request, ("to_topic_id", _word), ("kind", _word))
    if both := sorted(body.keys() & {"to_topic_id", "kind"}):
        raise InvalidArgument(f"{both[0]} stands in the query; the body must have none")
    return {**body, **asked}


def id_trust_and_instant(request: HttpRequest) -> JsonObject:
    return {**trusted(request), **_asked(request, ("as_of", _word), others=TRUST)}


def field_trust_and_history(request: HttpRequest) -> JsonObject:
    flags = (("with_history", flag), ("archived", flag))
    asked = _asked(request, *flags, ("as_of", _word), others=TRUST)
    return {**trusted(request), "name": request.path["name"], **asked}


def scope_and_page(request: HttpRequest) -> JsonObject:
    return _asked(request, ("scope", _word), *_PAGE)


def scope_archived_and_page(request: HttpRequest) -> JsonObject:
    return _asked(request, ("scope", _word), ("include_archived", flag), *_PAGE)


def scope_topic_depth_and_page(request: HttpRequest) -> JsonObject:
    around = (("topic_id", _word), ("depth", count))
    return _asked(request, ("scope", _word), *around, *_PAGE)


Read = Callable[[str, str], Any]
"""The value of a query parameter, of its name and text; raises InvalidArgument."""


def _asked(
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
