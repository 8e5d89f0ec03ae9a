"""From HTTP requests to request JSON, and from results to reply JSON."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from membrane.adapters.aws_lambda.http import HttpRequest
from membrane.domain.errors import InvalidArgument
from membrane.domain.json_text import MAX_RECORD_DEPTH, JsonObject
from membrane.domain.records import MemoryRecord, as_json
from membrane.usecases.calls import Gone, Written

if TYPE_CHECKING:
    from membrane.usecases.open_upload import Opened
    from membrane.usecases.preview_decay import Preview
    from membrane.usecases.read_record import Trail

_TRUST = ("max_sensitivity", "scope")
_FLAGS = {"true": True, "false": False}


def body_alone(request: HttpRequest) -> Any:
    """The body is the request."""
    request.require_query_within(())
    return request.json_body()


def batch_body(request: HttpRequest) -> Any:
    """The same for requests that lie two levels deeper, each held to its own depth later."""
    request.require_query_within(())
    return request.json_body(MAX_RECORD_DEPTH + 2)


def record_body(request: HttpRequest) -> Any:
    """A record, bare or in the envelope in which this service answers it."""
    request.require_query_within(())
    body = request.json_body(MAX_RECORD_DEPTH)
    if not isinstance(body, dict) or "record" in body:
        return body
    record = {name: value for name, value in body.items() if name != "idempotency_key"}
    return {"record": record, "idempotency_key": body.get("idempotency_key")}


def id_and_body(request: HttpRequest) -> Any:
    """The id of the path and a body, which may be absent."""
    request.require_query_within(())
    return _with_id(request)


def id_body_and_erase(request: HttpRequest) -> Any:
    """The same with the flag `erase`, which stands in the query alone."""
    request.require_query_within(("erase",))
    asked = _with_id(request)
    if "erase" in asked:
        raise InvalidArgument("erase goes into the query: ?erase=true")
    return {**asked, "erase": True} if _flag(request, "erase") else asked


def id_and_trust(request: HttpRequest) -> JsonObject:
    """The id of the path and the trust of the query."""
    request.require_query_within(_TRUST)
    return _trusted(request)


def id_trust_and_verify(request: HttpRequest) -> JsonObject:
    """The same with the flag `verify`."""
    request.require_query_within((*_TRUST, "verify"))
    return {**_trusted(request), "verify": _flag(request, "verify")}


def written(result: Written | Gone) -> JsonObject:
    """A record that was written, or what is left of it."""
    if isinstance(result, Gone):
        return {"record": {"id": result.record_id, "deleted_at": result.deleted_at}}
    return found(result.record)


def found(record: MemoryRecord) -> JsonObject:
    """A record."""
    return {"record": as_json(record)}


def opened(result: "Opened") -> JsonObject:
    """An upload, and how to put its value there."""
    return {
        "upload_id": result.upload.id,
        "url": result.link.url,
        "method": result.link.method,
        "headers": dict(result.link.headers),
        "expires_at": result.expires_at,
    }


def as_it_is(result: JsonObject) -> JsonObject:
    """A result that is a body already."""
    return result


def trail(result: "Trail") -> JsonObject:
    """An audit trail."""
    body: JsonObject = {
        "audit_log": [as_json(entry) for entry in result.entries],
        "deleted_at": result.deleted_at,
    }
    if result.verified is not None:
        body["verified"] = result.verified
        body["broken_at"] = result.broken_at
    return body


def previewed(result: "Preview") -> JsonObject:
    """What a decay policy would do, scope by scope and type by type."""
    return {
        "now": result.now,
        "instants": list(result.instants),
        "candidates": sum(forecast.candidates for forecast in result.forecasts),
        "exact": not any(forecast.error_bound for forecast in result.forecasts),
        "forecasts": [asdict(forecast) for forecast in result.forecasts],
    }


def nothing(_result: object) -> JsonObject:
    """No body."""
    return {}


def _with_id(request: HttpRequest) -> JsonObject:
    body = request.json_body() if request.body else {}
    if not isinstance(body, dict):
        raise InvalidArgument("the body must be a JSON object")
    if "id" in body:
        raise InvalidArgument("the id stands in the path; the body must have none")
    return {**body, "id": request.path["id"]}


def _flag(request: HttpRequest, name: str) -> bool:
    flags = request.values(name) or ["false"]
    if len(flags) > 1 or flags[0] not in _FLAGS:
        raise InvalidArgument(f"{name} must be true or false")
    return _FLAGS[flags[0]]


def _trusted(request: HttpRequest) -> JsonObject:
    levels = request.values("max_sensitivity")
    if len(levels) > 1:
        raise InvalidArgument("max_sensitivity may be given once")
    return {
        "id": request.path["id"],
        "trust": {
            "max_sensitivity": levels[0] if levels else None,
            "scopes": request.values("scope"),
        },
    }
