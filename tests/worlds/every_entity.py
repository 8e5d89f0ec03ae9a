"""Entities that arrive by every way, are read by every route, merged and split."""

from typing import Any

from tests.worlds.cloud import Cloud
from tests.worlds.every_arrival import import_lines


def an_entity(record_id: str, name: str, scope: str = "") -> dict[str, Any]:
    """A full record of an entity with a name and an alias of the same name."""
    payload = {"kind": "entity", "canonical_name": name, "aliases": [f"{name} again"]}
    entity = {"id": record_id, "type": "entity", "sensitivity": "low", "payload": payload}
    return {**entity, "scope": scope}


def entities_everywhere(cloud: Cloud) -> None:
    """By whatever takes full records, bring entities; some names are taken already."""
    for record_id in ("bob", "robert"):
        cloud.http("POST /v1/records", {"record": an_entity(record_id, "Bob")})
    item = {"rpc": "IngestRecord", "record": an_entity("bobby", "Bobby")}
    (result,) = cloud.http("POST /v1/ingest/batch", {"items": [item]})["results"]
    assert result["status"] == 201
    for n in range(2):
        line = {"rpc": "IngestRecord", "record": an_entity(f"imported-{n}", "Bob", "events")}
        assert import_lines(cloud, f"entities-{n}", [line])["created"] == 1
    new = an_entity("bobs", "Bobs")
    cloud.http("POST /v1/records/{id}/supersede", {"new_record": new}, "bobby")


def read_entities(cloud: Cloud) -> None:
    """Merge, read, split and move entities, and suggest a merge."""
    cloud.http("POST /v1/entities/{id}/merge", {"entity_ids": ["bob"]}, "robert")
    assert cloud.http("GET /v1/entities", query="q=bob")["entities"]
    assert cloud.http("GET /v1/entities", query="q=bob+ag&limit=1")["entities"]
    assert cloud.http("GET /v1/entities", query="similar_to=robert")["entities"]
    assert cloud.http("GET /v1/entities/{id}", record_id="bob")["entity"]["id"] == "robert"
    cloud.http("GET /v1/entities/{id}/mentions", record_id="robert")
    cloud.http("POST /v1/entities/{id}/split", {"entity_id": "bob"}, "robert")
    cloud.http("PATCH /v1/records/{id}", {"scope": "elsewhere"}, "bobs")
