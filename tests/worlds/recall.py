"""Records for retrievals over HTTP, and what is read of the answers."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from tests.worlds.api import Api, Reply

NOON = "2026-03-01T12:00:00Z"


@contextmanager
def frozen(api: Api) -> Iterator[Api]:
    """The stack with its clock frozen at noon, and the machine's time again afterwards."""
    assert api.post("/_dev/clock", {"frozen": True}).status == 200
    assert api.post("/_dev/clock", {"set": NOON}).status == 200
    yield api
    assert api.post("/_dev/clock", {"set": datetime.now(UTC).isoformat()}).status == 200


@contextmanager
def stalled(api: Api) -> Iterator[Api]:
    """The stack with its stream standing still: what is written meanwhile is not indexed."""
    assert api.post("/_dev/stream", {"paused": True}).status == 200
    yield api
    assert api.post("/_dev/stream", {"paused": False}).status == 200


def advance(api: Api, *, seconds: float = 0, hours: float = 0, days: float = 0) -> None:
    """Let so much time pass."""
    passed = seconds + 3_600 * hours + 86_400 * days
    assert api.post("/_dev/clock", {"advance_seconds": passed}).status == 200


def settle(api: Api) -> Api:
    """Wait until what was written is in the search index."""
    assert api.get("/_dev/queues?wait").status == 200
    return api


def fact(record_id: str, **fields: Any) -> dict[str, Any]:
    """A full record of a fact; `payload` completes it."""
    payload = {
        "kind": "semantic",
        "subject": "user",
        "predicate": "likes",
        "object": "tea",
        "validity": {"mode": "global"},
        **fields.pop("payload", {}),
    }
    told_by = {"sources": [{"kind": "event", "ref": "talk:1"}]}
    usual = {"id": record_id, "type": "semantic", "sensitivity": "low", "provenance": told_by}
    return {**usual, **fields, "payload": payload}


def about(record_id: str, text: str, **fields: Any) -> dict[str, Any]:
    """A fact that says so."""
    return fact(record_id, payload={"object": text}, **fields)


def skill(record_id: str, name: str = "deploy", **fields: Any) -> dict[str, Any]:
    """A full record of a skill; `payload` completes it."""
    payload = {"kind": "competence", "skill_name": name, "triggers": [], "recipe": []}
    payload |= fields.pop("payload", {})
    usual = {"id": record_id, "type": "competence", "sensitivity": "low"}
    return {**usual, **fields, "payload": payload}


def turn(record_id: str, text: str, ref: str = "note", **fields: Any) -> dict[str, Any]:
    """A full record of an event that says so."""
    said = {"t": "2026-01-01T00:00:00Z", "event_kind": "said", "ref": ref, "summary": text}
    payload = {"kind": "episodic", "timeline": [said]}
    return {"id": record_id, "type": "episodic", "sensitivity": "low", "payload": payload} | fields


def entity(record_id: str, *names: str, **fields: Any) -> dict[str, Any]:
    """A full record of an entity of these names, the first of which is canonical."""
    payload = {"kind": "entity", "canonical_name": names[0], "aliases": list(names[1:])}
    payload |= fields.pop("payload", {})
    return {"id": record_id, "type": "entity", "sensitivity": "low"} | fields | {"payload": payload}


def edge(target: str, predicate: str = "cites", **fields: Any) -> dict[str, Any]:
    """A relation to another record."""
    return {"predicate": predicate, "target_id": target, **fields}


def keep(api: Api, *records: dict[str, Any], **options: Any) -> list[str]:
    """The ids of full records that are kept, each by a request of its own."""
    return [api.post("/v1/records", each, **options).record["id"] for each in records]


def keep_together(api: Api, records: Sequence[dict[str, Any]]) -> list[str]:
    """The same, a hundred to a request."""
    for start in range(0, len(records), 100):
        part = records[start : start + 100]
        items = [{"rpc": "IngestRecord", "record": each} for each in part]
        reply = api.post("/v1/ingest/batch", {"items": items})
        assert {each["status"] for each in reply.body["results"]} == {201}, reply.body
    return [each["id"] for each in records]


def change(api: Api, record_id: str, deed: str, **body: Any) -> Reply:
    """The reply to a change of a record, which is made."""
    method, path = ("PATCH", "") if deed == "reclassify" else ("POST", f"/{deed}")
    reply = api.call(method, f"/v1/records/{record_id}{path}", body)
    assert reply.status < 300, reply.body
    return reply


def delete(api: Api, record_id: str, *, erase: bool = False) -> None:
    """Delete or erase the record."""
    query = "?erase=true" if erase else ""
    assert api.call("DELETE", f"/v1/records/{record_id}{query}").status == 204


def retrieved(api: Api, key: str | None = None, **asked: Any) -> Any:
    """The body of the answer to a retrieval."""
    reply = api.post("/v1/retrieve", asked, key=key)
    assert reply.status == 200, reply.body
    return reply.body


def pages(api: Api, key: str | None = None, route: str = "", **asked: Any) -> list[Any]:
    """The bodies of every page of a retrieval."""
    found, cursor = list[Any](), None
    while not found or cursor is not None:
        reply = api.post(f"/v1/retrieve{route}", {**asked, "cursor": cursor}, key=key)
        assert reply.status == 200, reply.body
        found.append(reply.body)
        cursor = reply.body.get("next_cursor")
        assert len(found) < 500, "no end"
    return found


def ids(*bodies: Any) -> list[str]:
    """Of the records of these pages, in order."""
    return [each["id"] for body in bodies for each in body["records"]]


def found(api: Api, key: str | None = None, **asked: Any) -> list[str]:
    """The ids of what a retrieval answers with, in order."""
    return ids(retrieved(api, key, **asked))


def receipt(api: Api, body: Any, key: str | None = None) -> Any:
    """Why an answer is so, as its asker or an admin reads it."""
    reply = api.get(f"/v1/receipts/{body['receipt_id']}", key=key)
    assert reply.status == 200, reply.body
    return reply.body


def parts(explained: Any) -> dict[str, dict[str, float]]:
    """The parts of the score of each candidate of a receipt."""
    return {each["id"]: each["parts"] for each in explained["candidates"]}


def payload_is_shown(records: Iterable[Any]) -> dict[str, bool]:
    """By id whether the record is shown in full."""
    return {each["id"]: each["payload"] is not None for each in records}
