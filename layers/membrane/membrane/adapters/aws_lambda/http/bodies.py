"""Make request JSON from HTTP requests, and reply JSON from results."""

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from membrane.adapters.aws_lambda.http.gateway import HttpRequest
from membrane.adapters.aws_lambda.http.operations import KEY
from membrane.domain.access.users import USER
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import count_in
from membrane.domain.language.json_text import (
    MAX_DEPTH,
    MAX_RECORD_DEPTH,
    Body,
    JsonObject,
    UnreadableItem,
    require_well_formed,
)
from membrane.domain.records.records import MemoryRecord, as_json
from membrane.domain.tokens.consistency import token_of
from membrane.usecases.machinery.calls import Gone, Written, cursor_part

if TYPE_CHECKING:
    from membrane.domain.graph import replies as graph
    from membrane.domain.lifecycle.replies import DecayPreview
    from membrane.domain.metrics.snapshot import Metrics, Snapshot
    from membrane.domain.records.replies import (
        AuditTrail,
        GoneReply,
        OpenedUpload,
        RecordReply,
        VersionList,
        WrittenReply,
    )
    from membrane.domain.search import replies as search
    from membrane.usecases.graph.retrieve_graph import Graph
    from membrane.usecases.lifecycle.preview_decay import Preview
    from membrane.usecases.machinery.calls import ReplyBody
    from membrane.usecases.records.open_upload import Opened
    from membrane.usecases.records.read_history import Trail, Versions
    from membrane.usecases.search.read_thread import ThreadState
    from membrane.usecases.search.retrieve import Answer

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


def written_reply(result: Written | Gone) -> "WrittenReply | GoneReply":
    """A written record with the consistency token, or the rest of a deleted record."""
    if isinstance(result, Gone):
        return {"record": result.as_json()}
    token = token_of(result.record.id, result.version)
    return {**record_reply(result.record), "consistency_token": token}


def record_reply(record: MemoryRecord) -> "RecordReply":
    return {"record": as_json(record)}


def upload_reply(result: "Opened") -> "OpenedUpload":
    return {
        "upload_id": result.upload.id,
        "url": result.link.url,
        "method": result.link.method,
        "headers": dict(result.link.headers),
        "expires_at": result.expires_at,
    }


def result_body(result: "ReplyBody") -> Body:
    """The body of a result that a use case has made as a body."""
    return result.body


def unchanged_body(result: Body) -> Body:
    """The result itself, which is a body."""
    return result


def audit_trail_reply(result: "Trail") -> "AuditTrail":
    """A page of an audit trail, with the verification of the hash chain if requested."""
    body: AuditTrail = {
        "audit_log": [as_json(entry) for entry in result.entries],
        "audit_count": result.count,
        "deleted_at": result.deleted_at,
    }
    if result.next_cursor is not None:
        body["next_cursor"] = result.next_cursor
    if (verification := result.verification) is not None:
        body["verified"] = verification.broken_at is None
        body["broken_at"] = verification.broken_at
        body["verified_entries"] = verification.entries
        body["anchor"] = result.anchor
    return body


def version_list_reply(result: "Versions") -> "VersionList":
    return {"versions": list(result.versions), **cursor_part(result.next_cursor)}


def preview_reply(result: "Preview") -> "DecayPreview":
    """The effect of a decay policy by scope and type."""
    return {
        "now": result.now,
        "instants": list(result.instants),
        "candidates": sum(forecast.candidates for forecast in result.forecasts),
        "exact": not any(forecast.error_bound for forecast in result.forecasts),
        "forecasts": [asdict(forecast) for forecast in result.forecasts],
        "used": [asdict(record) for record in result.used],
    }


def metrics_reply(result: "Snapshot") -> "Metrics":
    return {"snapshot": asdict(result)}


def answer_reply(result: "Answer") -> "search.Answer":
    body: search.Answer = {}
    if result.prompt is None:
        body["records"] = list(result.records)
    if result.next_cursor is not None:
        body["next_cursor"] = result.next_cursor
    if result.prompt is not None:
        body["prompt"] = result.prompt
    if result.scores is not None:
        body["scores"] = dict(result.scores)
    if result.selection is not None:
        body["selection"] = asdict(result.selection)
    if result.receipt_id is not None:
        body["receipt_id"] = result.receipt_id
    return body


def graph_reply(result: "Graph") -> "graph.Graph":
    body: graph.Graph = {
        "nodes": list(result.nodes),
        "edges": list(result.edges),
        "root_ids": list(result.root_ids),
    }
    if result.next_cursor is not None:
        body["next_cursor"] = result.next_cursor
    if result.selection is not None:
        body["selection"] = asdict(result.selection)
    return body


def record_list_reply(result: "Answer") -> "search.RecordList":
    return {"records": list(result.records), **cursor_part(result.next_cursor)}


def thread_reply(result: "ThreadState") -> "search.ThreadState":
    return {
        "record": result.record,
        "earlier": list(result.earlier),
        **cursor_part(result.next_cursor),
    }


def receipt_reply(result: "search.AnswerReceipt") -> "search.AnswerReceipt":
    return result


def nothing(_result: object) -> JsonObject:
    return {}


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
