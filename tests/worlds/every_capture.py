"""Captures by whatever takes captures, and entities by whatever takes full records."""

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from tests.worlds.cloud import CONTESTED, LARGE, REPLACED, Cloud
from tests.worlds.every_arrival import import_lines
from tests.worlds.every_record import index_waiting
from tests.worlds.every_revision import overtaken, say

MANY_WORDS = "red green blue black white brown grey gold silver"
"""More than are looked up one by one; see `known_entities.FEW_WORDS`."""
LATER = timedelta(days=2)
"""After so long a mention reinforces the entity."""


def capture_everywhere(cloud: Cloud, event_id: str) -> None:
    """By HTTP, in a batch and from a file: new and known entities, references, and facts."""
    name_entities(cloud)
    captured = capture_alone(cloud, event_id)
    item = {"rpc": "CaptureMemory", **seen("third", CONTESTED, event_id)}
    (result,) = cloud.http("POST /v1/ingest/batch", {"items": [item]})["results"]
    assert result["status"] == 201
    captured.append(result["primary_record"]["id"])
    line = {"rpc": "CaptureMemory", **seen("fourth", CONTESTED, event_id)}
    assert import_lines(cloud, "capturing", [line])["created"] == 1
    interpret_everything(cloud, captured)


def seen(subject: str, predicate: str, event_id: str, said: str = LARGE) -> dict[str, Any]:
    """A capture of many words that states a fact, names a service and refers to an event."""
    fact = {"subject": subject, "predicate": predicate, "object": said}
    content = {**fact, "service": "checkout-service", "record_id": event_id, "text": MANY_WORDS}
    return {"source": "agent", "source_kind": "observation", "content": content}


def capture_alone(cloud: Cloud, event_id: str) -> list[str]:
    """Make the function of captures do all that it can do; the ids of the captures."""
    for said in ("also", "or so"):
        say(cloud, "first", said=said)  # facts that no head knows
    with overtaken(cloud, "CaptureFunction"):
        captured = [capture_id(cloud, seen("first", CONTESTED, event_id))]
    captured += [
        capture_id(cloud, seen("second", REPLACED, event_id, said)) for said in ("much", "little")
    ]
    cloud.functions.clock.advance(LATER)
    cloud.crowd()
    asked = {
        **seen("first", CONTESTED, event_id),
        "context": cloud.upload({"text": LARGE}),
        "lifecycle": {"decay": {"half_life_seconds": 73}},
    }
    once, again = (capture_id(cloud, asked) for _ in range(2))
    assert once == again
    return [*captured, once]


def capture_id(cloud: Cloud, asked: dict[str, Any]) -> str:
    """The id of the record of a capture by HTTP."""
    return str(cloud.http("POST /v1/capture", asked)["primary_record"]["id"])


def interpret_everything(cloud: Cloud, captured: Sequence[str]) -> None:
    """Let the script read captures on: new and known entities, facts new, contested and known."""
    said = {"source": "agent", "source_kind": "event", "content": {}}
    texts = ("Ana owns billing", "Ana owns ledger, Ana uses Lumo", "Ana runs billing " + LARGE)
    contents = [{"ref": "note:1", "text": text} for text in texts]
    ids = [*captured, *(capture_id(cloud, {**said, "content": each}) for each in contents)]
    index_waiting(cloud, [{"created_record_id": each, "scopes": [""]} for each in ids])
    waiting = [body for queue, body, _ in cloud.sent if queue == "InterpretQueue"]
    assert len(waiting) == len(ids)
    for body in waiting[:-1]:
        cloud.invoke("InterpretFunction", json.loads(body))
    with overtaken(cloud, "InterpretFunction"):
        cloud.invoke("InterpretFunction", json.loads(waiting[-1]))


def name_entities(cloud: Cloud) -> None:
    """As a full record, and by a revision of the record."""
    ledger = cloud.http("POST /v1/records", {"record": an_entity("ledger")})["record"]["id"]
    renamed = {"new_record": an_entity("general ledger")}
    cloud.http("POST /v1/records/{id}/supersede", renamed, ledger)


def an_entity(name: str) -> dict[str, Any]:
    payload = {
        "kind": "entity",
        "canonical_name": name,
        "primary_type": "Service",
        "types": ["Service"],
    }
    return {"type": "entity", "sensitivity": "low", "payload": payload}
