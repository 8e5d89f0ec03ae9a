"""The records that a model may link to a capture, and the part of a record shown to the model."""

from collections.abc import Iterable, Mapping
from typing import TypeGuard

from membrane.domain.capture.interpreter_prompt import MAX_CANDIDATE_CHARACTERS, Candidate
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.search.rendering import readable


def linkable_to(capture: StoredRecord, found: Iterable[AnyRecord]) -> Mapping[str, StoredRecord]:
    """The records by id: in the scope of the capture or unscoped, up to the capture's sensitivity.

    Without the capture itself, deleted records and retracted records.
    """
    return {
        each.id: each
        for each in found
        if is_alive(each)
        and each.id != capture.id
        and each.scope in (capture.scope, "")
        and each.sensitivity.level <= capture.sensitivity.level
        and not is_retracted(each.record.payload)
    }


def candidate_of(held: StoredRecord) -> Candidate:
    """The candidate for a model: id, name and aliases, nothing else of the record."""
    payload = held.record.payload
    if isinstance(payload, EntityPayload):
        aliases = tuple(each.value for each in payload.aliases)
        return Candidate(held.id, payload.canonical_name, aliases, is_entity=True)
    return Candidate(held.id, readable(held.record, MAX_CANDIDATE_CHARACTERS))


def is_alive(held: AnyRecord | None) -> TypeGuard[StoredRecord]:
    return isinstance(held, StoredRecord) and held.tombstone is None
