"""Stored records of every type, to be revised."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.records.payloads import RevisionState
from membrane.domain.records.standing import with_state
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.function import Anchor
from tests.builders.records import (
    NOW,
    a_fact,
    a_given_record,
    a_plan,
    a_record_given,
    a_stored_record,
)

PAYLOADS: Mapping[str, JsonObject] = {
    "working": {"thread_id": "t", "state": "planning"},
    "semantic": a_fact(),
    "competence": {"skill_name": "deploy", "triggers": [], "recipe": []},
    "plan_graph": a_plan(),
    "entity": {"canonical_name": "Ada"},
}


def in_store(kind: str, **fields: Any) -> StoredRecord:
    """A record of that type, since NOW."""
    payload = {"kind": kind, **PAYLOADS[kind]}
    record = a_record_given(a_given_record(type=kind, payload=payload, **fields))
    now_s = epoch_seconds(NOW)
    return StoredRecord(
        record=record, anchor=Anchor(record.salience, now_s, now_s), version=1, fingerprint=b""
    )


def a_fact_in_store(revision: RevisionState | None = None, **fields: Any) -> StoredRecord:
    """A fact that stands there."""
    stored = in_store("semantic", **fields)
    if revision is None:
        return stored
    payload = with_state(stored.record.payload, revision)
    return replace(stored, record=stored.record.model_copy(update={"payload": payload}))


def an_episode_in_store() -> StoredRecord:
    return a_stored_record()
