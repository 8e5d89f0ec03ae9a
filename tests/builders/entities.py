"""Entities, as full records that a caller sends."""

from typing import Any

from membrane.domain.access.principals import Principal
from membrane.domain.records.records import MemoryRecord
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.wiring.world import World
from tests.builders.requests import OWNER, call, full_record, written


def entity_payload(name: str, **fields: Any) -> dict[str, Any]:
    """The payload of an entity of that name."""
    return {"kind": "entity", "canonical_name": name, "primary_type": "Person", **fields}


def add_entity(
    name: str, services: World, principal: Principal = OWNER, **fields: Any
) -> MemoryRecord:
    """The entity of that name, ingested; `payload` is its difference from usual."""
    payload = entity_payload(name, **fields.pop("payload", {}))
    usual = {"type": "entity", "sensitivity": "low", "scope": "project:alpha", "payload": payload}
    request = full_record(**{**usual, **fields})
    return written(ingest_record(request, call(request, principal), services))
