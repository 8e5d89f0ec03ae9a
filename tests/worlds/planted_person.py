"""A person whose name stands in every field that a caller can write, and the search for the name.

The name stands in no id: ids stay in tombstones and in the certificate.
"""

import contextlib
import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from membrane_local.storage.objects import Folder
from membrane_local.storage.stores import BUCKET
from tests.worlds.api import Api

NAME = "Xyzzy"
SCOPE = f"user:{NAME}"
LARGE = [f"{NAME} {number:08d}" for number in range(20_000)]
"""A value that goes to the bucket."""

WHY = {"actor": NAME, "rationale": NAME}
_TIME = "2026-01-01T00:00:00Z"
_FACT = {"sources": [{"kind": "observation", "ref": NAME, "created_by": NAME, "timestamp": _TIME}]}


def live(api: Api, scope: str = SCOPE) -> None:
    """Write by every route that takes texts, as a person's agent does."""
    _upload(api, scope)
    _report(api, scope)
    _revise(api, scope)
    _capture(api, scope)
    _talk_of_topics(api, scope)
    keep_documents(api, scope, NAME)
    ask(api, scope)


def ask(api: Api, scope: str = SCOPE) -> None:
    """Leave receipts of questions."""
    trust = {"scopes": [scope]}
    _post(api, "/v1/retrieve", {"task_descriptor": f"what does {NAME} like", "trust": trust})
    _post(api, "/v1/retrieve", {"trust": trust, "tags": [NAME]})
    _post(api, "/v1/query", {"q": NAME, "scope": scope})


def report_event(api: Api, scope: str = SCOPE, summary: str = NAME) -> dict[str, Any]:
    """The record of an event."""
    event = {"source": NAME, "event_kind": NAME, "ref": NAME, "summary": summary, "tags": [NAME]}
    return dict(_post(api, "/v1/ingest/event", event | {"scope": scope})["record"])


def _upload(api: Api, scope: str) -> None:
    """Upload a value that no record claims, and one that a record claims."""
    _put_upload(api, scope, json.dumps(f"{NAME} unclaimed").encode())
    claim = {"$upload": _put_upload(api, scope, json.dumps(LARGE).encode())}
    tool = {"source": NAME, "tool_name": NAME, "result": claim, "scope": scope}
    _post(api, "/v1/ingest/tool-output", tool)


def _put_upload(api: Api, scope: str, content: bytes) -> str:
    declared = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    opened = _post(api, "/v1/uploads", {**declared, "scope": scope})
    name = urlsplit(opened["url"]).path.partition(f"/{BUCKET}/")[2]
    api.functions.store.blobs.write(name, content)
    return str(opened["upload_id"])


def _report(api: Api, scope: str) -> None:
    event = report_event(api, scope)
    _post(
        api,
        "/v1/ingest/outcome",
        {
            "source": NAME,
            "target_record_id": event["id"],
            "outcome_status": "success",
        },
    )
    tool = {"source": NAME, "tool_name": NAME, "args": {NAME: NAME}, "result": LARGE}
    _post(api, "/v1/ingest/tool-output", tool | {"scope": scope, "tags": [NAME]}, scope)
    state = {"source": NAME, "thread_id": NAME, "state": "planning", "context_summary": NAME}
    lists = {"next_actions": [NAME], "open_questions": [NAME]}
    _post(api, "/v1/ingest/working-state", {**state, **lists, "scope": scope})
    messages = [
        {"role": "user", "name": NAME, "content": NAME},
        {"role": "assistant", "content": f"hello {NAME}"},
    ]
    _post(api, "/v1/messages", {"thread_id": NAME, "messages": messages, "scope": scope})
    items = [{"rpc": "IngestEvent", "source": NAME, "event_kind": NAME, "ref": NAME}]
    _post(
        api,
        "/v1/ingest/batch",
        {"items": [item | {"scope": scope} for item in items]},
        f"{NAME} {scope}",
    )


def _revise(api: Api, scope: str) -> None:
    observed = [_observe(api, scope, f"likes {number}") for number in range(6)]
    old, forked, contested, retracted, deleted, kept = (each["id"] for each in observed)
    new = _record(scope, f"{NAME} is")
    _post(api, f"/v1/records/{old}/supersede", {"new_record": new, **WHY})
    _post(api, f"/v1/records/{forked}/fork", {"forked_record": new, **WHY})
    _post(api, f"/v1/records/{contested}/contest", {"contesting_ref": NAME, **WHY})
    _post(api, f"/v1/records/{retracted}/retract", WHY)
    for number in range(20):
        _post(api, f"/v1/records/{kept}/reinforce", WHY | {"rationale": f"{NAME} {number}"})
    _call(api, "DELETE", f"/v1/records/{deleted}", WHY)
    erased = report_event(api, scope)["id"]
    _call(api, "DELETE", f"/v1/records/{erased}?erase=true", WHY)
    _post(
        api,
        "/v1/records",
        {"record": _record(scope, NAME) | {"id": f"chosen-{len(scope)}"}},
        f"{NAME} {scope}",
    )
    entity = {"kind": "entity", "canonical_name": NAME, "aliases": [NAME], "summary": NAME}
    whole = {"type": "entity", "payload": entity, "tags": [NAME]}
    _post(api, "/v1/records", {"record": _record(scope, NAME) | whole})


def _capture(api: Api, scope: str) -> None:
    """Capture statements about the person, who is known by several names; merge two of these."""
    usual = {"source": NAME, "source_kind": "event", "scope": scope}
    stated = {"subject": NAME, "predicate": "works for", "object": f"{NAME} Works"}
    said = {"content": stated, "context": {NAME: NAME}, "reason_to_remember": NAME}
    _post(api, "/v1/capture", {**usual, **said, "tags": [NAME]}, scope)
    text = f'Ask @{NAME} about "{NAME} Road" and {NAME}Service; see {NAME}-77'
    for content in (text, [text], {NAME: text}):
        _post(api, "/v1/capture", {**usual, "content": content, "context": text})
    names = {"aliases": [f"{NAME} Junior"], "identifiers": [{"namespace": NAME, "value": NAME}]}
    ids = []
    for name in (f"{NAME} Senior", f"Old {NAME}"):
        payload = {"kind": "entity", "canonical_name": name, **names}
        entity = {**_record(scope, NAME), "type": "entity", "payload": payload}
        ids.append(_post(api, "/v1/records", {"record": entity})["record"]["id"])
    _post(api, f"/v1/entities/{ids[0]}/merge", {"entity_ids": [ids[1]], **WHY})


def _observe(api: Api, scope: str, predicate: str) -> dict[str, Any]:
    fact = {"source": NAME, "subject": NAME, "predicate": predicate, "object": {NAME: NAME}}
    return dict(_post(api, "/v1/ingest/observation", fact | {"scope": scope})["record"])


def _record(scope: str, predicate: str) -> dict[str, Any]:
    validity = {"mode": "conditional", "conditions": {NAME: NAME}}
    fact = {"kind": "semantic", "subject": NAME, "predicate": predicate, "object": NAME}
    return {
        "type": "semantic",
        "sensitivity": "low",
        "scope": scope,
        "tags": [NAME],
        "provenance": _FACT,
        "payload": fact | {"validity": validity},
    }


def _talk_of_topics(api: Api, scope: str) -> None:
    fields = [{"name": NAME, "value": NAME}, {"name": "manual", "value": LARGE}]
    said = {"why_changed": NAME, "provenance": NAME}
    topic = {"title": NAME, "summary": NAME, "topic_kind": NAME, "scope": scope}
    first = _post(api, "/v1/topics", topic)["topic_id"]
    second = _post(api, "/v1/topics", topic | {"title": f"{NAME} too"})["topic_id"]
    told = {"title": f"{NAME} told", "fields": fields, "scope": scope}
    _post(api, "/v1/ingest", told, scope)
    for number in range(3):
        value = {"field_name": NAME, "value": f"{NAME} {number}", **said}
        _post(api, f"/v1/topics/{first}/fields", value)
    edge = {"to_topic_id": second, "kind": NAME}
    _post(api, f"/v1/topics/{first}/relationships", edge)
    _call(api, "DELETE", f"/v1/topics/{second}", {"why": NAME})


def keep_documents(api: Api, scope: str, key: str) -> None:
    """Documents under the key with the name in every text of their past and present."""
    path, plain = f"/v1/documents/{key}/{key}", {"scope": scope}
    why = {"rationale": NAME, "operation_id": f"{NAME} {path} {scope}"}
    _call(api, "PUT", path, {"value": {NAME: [NAME]}, **why, **plain})
    for number in range(10):  # more versions than an item holds
        _call(api, "PUT", path, {"value": f"{number} {NAME}", "rationale": NAME, **plain})
    _call(api, "PUT", path, {"value": LARGE, **plain})
    _post(api, f"{path}/items", {"items": [f"{NAME} stays", f"{NAME} goes"], **plain})
    taken = f"{path}?items=1&scope={quote(scope)}"
    headers = {"idempotency-key": f"{NAME} takes {path} {scope}"}
    assert api.call("DELETE", taken, headers=headers).body["items"][0]["value"] == f"{NAME} goes"
    _call(api, "PUT", path, {"value": [{"text": f"of {NAME}."}], "index": True, **plain})
    deleted = f"/v1/documents/{key}/deleted"
    _call(api, "PUT", deleted, {"value": NAME, **plain})
    _call(api, "DELETE", f"{deleted}?scope={quote(scope)}", {"rationale": NAME})


def _post(api: Api, path: str, body: Any, key: str = "") -> dict[str, Any]:
    return _call(api, "POST", path, body, key)


def _call(api: Api, method: str, path: str, body: Any, key: str = "") -> dict[str, Any]:
    headers = {"idempotency-key": f"{NAME} {key} {path}"} if key else {}
    reply = api.call(method, path, body, headers=headers)
    assert reply.status < 300, (path, reply.body)
    return dict(reply.body or {})


def places_with(name: str, api: Api, folder: Path) -> list[str]:
    """Where the name still is: items of the table, files of the bucket, messages of queues."""
    return [place for place, text in _texts(api, folder) if name in text]


def _texts(api: Api, folder: Path) -> Iterator[tuple[str, str]]:
    for place, item in api.stored().items():
        yield place, place + " ".join(map(_spelled, item.values()))
    for path in folder.rglob("*"):
        if path.is_file():
            yield str(path), path.name + _unzipped(path.read_bytes())
    for name, queue in api.application.deliveries.queues.items():
        for message in queue.waiting():
            yield name, message.body


def bucket_of(api: Api) -> Path:
    """The folder of the stack's bucket."""
    blobs = api.functions.store.blobs
    assert isinstance(blobs, Folder)
    return blobs.root


def _spelled(value: Mapping[str, Any]) -> str:
    return _unzipped(value["B"]) if "B" in value else repr(value)


def _unzipped(content: bytes) -> str:
    with contextlib.suppress(zlib.error):
        content = zlib.decompress(content)
    return content.decode("utf-8", "replace")
