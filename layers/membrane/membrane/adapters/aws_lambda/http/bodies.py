"""Make request JSON from HTTP requests."""

from collections.abc import Callable
from typing import Any

from membrane.adapters.aws_lambda.http.gateway import HttpRequest
from membrane.adapters.aws_lambda.http.operations import KEY
from membrane.domain.access.users import USER
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import count_in
from membrane.domain.language.json_text import (
    MAX_DEPTH,
    MAX_RECORD_DEPTH,
    JsonObject,
    UnreadableItem,
    require_well_formed,
)

TRUST = ("max_sensitivity", "scope")
_PAGE = ("limit", "cursor")
_FLAGS = {"true": True, "false": False}


def _only_body(levels: int) -> Callable[[HttpRequest], Any]:
    """A reader of requests that are the body alone, JSON of at most `levels` levels."""

    def assemble(request: HttpRequest) -> Any:
        request.require_query_within(())
        return request.json_body(levels)

    return assemble


def _id_and_body(levels: int) -> Callable[[HttpRequest], JsonObject]:
    """A reader of the id in the path and an optional body."""

    def assemble(request: HttpRequest) -> JsonObject:
        request.require_query_within(())
        return with_id(request, levels)

    return assemble


body_alone, id_and_body = _only_body(MAX_DEPTH), _id_and_body(MAX_DEPTH)
deep_body_alone, id_and_deep_body = _only_body(MAX_RECORD_DEPTH), _id_and_body(MAX_RECORD_DEPTH)
"""For bodies with a whole record."""

_BATCH_LEVELS = MAX_RECORD_DEPTH + 2
"""The requests of a batch are two levels deeper; the depth of every request is checked later."""


def batch_body(request: HttpRequest) -> Any:
    """The body of a batch; in place of an item with a lone surrogate, the refusal of the item."""
    try:
        return _only_body(_BATCH_LEVELS)(request)
    except InvalidArgument as error:
        if not isinstance(error.__cause__, UnicodeEncodeError):
            raise
    body = request.json_body(_BATCH_LEVELS, refuses_surrogates=False)
    if isinstance(body, dict):
        body = {name: _well_formed_items(value) for name, value in body.items()}
    require_well_formed(body)
    return body


def _well_formed_items(value: Any) -> Any:
    return [_item_or_refusal(each) for each in value] if isinstance(value, list) else value


def _item_or_refusal(item: Any) -> Any:
    try:
        require_well_formed(item)
    except InvalidArgument as error:
        return UnreadableItem(error)
    return item


def record_body(request: HttpRequest) -> Any:
    """A record, bare or in the envelope `record` of a reply."""
    request.require_query_within(())
    body = request.json_body(MAX_RECORD_DEPTH)
    if not isinstance(body, dict) or "record" in body:
        return body
    around = {name: body[name] for name in (KEY, USER) if name in body}
    return {"record": {name: body[name] for name in body if name not in around}, **around}


def id_body_and_erase(request: HttpRequest) -> Any:
    """The id, the body, and the flag `erase`, which only the query may have."""
    request.require_query_within(("erase",))
    asked = with_id(request)
    if "erase" in asked:
        raise InvalidArgument("erase goes into the query: ?erase=true")
    return {**asked, "erase": True} if _flag(request, "erase") else asked


def id_trust_and_time(request: HttpRequest) -> JsonObject:
    request.require_query_within((*TRUST, "as_of", "resolve"))
    asked = {name: request.once(name) for name in ("as_of", "resolve")}
    return {**id_and_trust(request), **asked}


def id_trust_and_page(request: HttpRequest) -> JsonObject:
    request.require_query_within((*TRUST, *_PAGE))
    return {**id_and_trust(request), **_page(request)}


def id_and_cursor(request: HttpRequest) -> JsonObject:
    request.require_query_within(("cursor",))
    return {"id": request.path["id"], "cursor": request.once("cursor") or ""}


def id_trust_page_and_verify(request: HttpRequest) -> JsonObject:
    request.require_query_within((*TRUST, *_PAGE, "verify"))
    return {**id_and_trust(request), **_page(request), "verify": _flag(request, "verify")}


def trust_alone(request: HttpRequest) -> JsonObject:
    request.require_query_within(TRUST)
    return {"trust": trust_of(request)}


def nothing_asked(request: HttpRequest) -> JsonObject:
    request.require_query_within(())
    return {}


def id_alone(request: HttpRequest) -> JsonObject:
    request.require_query_within(())
    return {"id": request.path["id"]}


def scope_types_and_page(request: HttpRequest) -> JsonObject:
    request.require_query_within(("scope", "type", "state", "view", *_PAGE))
    asked = {"scope": request.once("scope"), "types": request.values("type")}
    usual = {"state": request.once("state") or "active", "view": request.once("view") or "full"}
    return {**asked, **usual, **_page(request)}


def scope_and_page(request: HttpRequest) -> JsonObject:
    request.require_query_within(("scope", *_PAGE))
    return {"scope": request.once("scope"), **_page(request)}


def id_trust_and_cursor(request: HttpRequest) -> JsonObject:
    request.require_query_within((*TRUST, "cursor"))
    return {**id_and_trust(request), "cursor": request.once("cursor")}


def entity_names_and_page(request: HttpRequest) -> JsonObject:
    names = ("q", "type", "scope", "similar_to")
    request.require_query_within((*names, *_PAGE))
    return {**{name: request.once(name) for name in names}, **_page(request)}


def thread_trust_and_page(request: HttpRequest) -> JsonObject:
    request.require_query_within((*TRUST, *_PAGE))
    return {"thread_id": request.path["thread_id"], "trust": trust_of(request), **_page(request)}


def with_id(request: HttpRequest, levels: int = MAX_DEPTH) -> JsonObject:
    body = request.json_body(levels) if request.body else {}
    if not isinstance(body, dict):
        raise InvalidArgument("the body must be a JSON object")
    if "id" in body:
        raise InvalidArgument("the id stands in the path; the body must have none")
    return {**body, "id": request.path["id"]}


def _flag(request: HttpRequest, name: str) -> bool:
    flags = request.values(name) or ["false"]
    return flag(name, flags[0] if len(flags) == 1 else "")


def id_and_trust(request: HttpRequest) -> JsonObject:
    return {"id": request.path["id"], "trust": trust_of(request)}


def trust_of(request: HttpRequest) -> JsonObject:
    return {
        "max_sensitivity": request.once("max_sensitivity"),
        "scopes": request.values("scope"),
    }


def _page(request: HttpRequest) -> JsonObject:
    limit = request.once("limit") or "0"
    count = count_in(limit)
    return {"limit": -1 if count is None else count, "cursor": request.once("cursor")}


def flag(name: str, text: str) -> bool:
    """The value of a boolean parameter; raises InvalidArgument with the parameter's name."""
    if text not in _FLAGS:
        raise InvalidArgument(f"{name} must be true or false")
    return _FLAGS[text]


def count(name: str, text: str) -> int:
    """The value of an integer parameter; raises InvalidArgument with the parameter's name."""
    found = count_in(text)
    if found is None:
        raise InvalidArgument(f"{name} must be a whole number")
    return found
