"""Reports, records and their circumstances, complete, to be varied by one field."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import strategies as st
from pydantic import BaseModel

from membrane.domain.ingest import policy
from membrane.domain.ingest.builder import Making, build_full_record, build_record
from membrane.domain.ingest.full_records import IngestRecord, RecordInput
from membrane.domain.ingest.policy import MemoryCandidate, candidate_from
from membrane.domain.ingest.reports import (
    IngestEvent,
    IngestObservation,
    IngestOutcome,
    IngestToolOutput,
    IngestWorkingState,
    Report,
)
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import Part
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.requests import validate
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.interpretation import (
    Interpretation,
    InterpretationFailure,
    InterpretationStatus,
    Mention,
    ReferenceCandidate,
    RelationCandidate,
)
from membrane.domain.records.payloads import RevisionState
from membrane.domain.records.records import MemoryRecord, as_json
from membrane.domain.records.standing import with_state
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.decay_defaults import PolicyDefaults, lifecycle_for
from membrane.domain.salience.function import Anchor
from membrane.domain.salience.lifecycle import DecayProfile, Lifecycle
from membrane.usecases.ingest.ingest_observation import ingest_observation
from membrane.usecases.ingest.ingest_outcome import ingest_outcome
from membrane.usecases.ingest.ingest_report import ingest_report
from membrane.usecases.machinery.calls import Call, Result
from membrane.wiring.world import World

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
NOW_TEXT = "2026-01-31T12:00:00Z"

RECORD_ID = "rec-1"
NODE_ID = "node-1"
PRINCIPAL = "key-of-alice"

REPORTS: dict[type[Report | IngestOutcome], JsonObject] = {
    IngestEvent: {"source": "agent", "event_kind": "user_input", "ref": "msg-1"},
    IngestToolOutput: {"source": "agent", "tool_name": "file_read"},
    IngestObservation: {"source": "agent", "subject": "user", "predicate": "likes"},
    IngestWorkingState: {"source": "agent", "thread_id": "session-42", "state": "executing"},
    IngestOutcome: {"source": "agent", "target_record_id": "rec-1", "outcome_status": "success"},
}
"""Every kind of report with what it needs and nothing else."""


def an_event(**fields: Any) -> IngestEvent:
    return validate(IngestEvent, REPORTS[IngestEvent] | fields)


def a_tool_output(**fields: Any) -> IngestToolOutput:
    return validate(IngestToolOutput, REPORTS[IngestToolOutput] | fields)


def an_observation(**fields: Any) -> IngestObservation:
    return validate(IngestObservation, REPORTS[IngestObservation] | fields)


def a_working_state(**fields: Any) -> IngestWorkingState:
    return validate(IngestWorkingState, REPORTS[IngestWorkingState] | fields)


def an_outcome(**fields: Any) -> IngestOutcome:
    return validate(IngestOutcome, REPORTS[IngestOutcome] | fields)


def a_candidate(report: Report | IngestOutcome) -> MemoryCandidate:
    return candidate_from(report, NOW_TEXT)


def a_making(
    *, record_id: str = RECORD_ID, now: datetime = NOW, principal: str = PRINCIPAL, salt: str = "5a"
) -> Making:
    return Making(record_id, NODE_ID, now, principal, salt, PolicyDefaults())


def a_record_of(
    report: Report, *, scope: str = "team", defaults: PolicyDefaults | None = None
) -> MemoryRecord:
    """What ingest makes of a report."""
    candidate = a_candidate(report)
    policy.check(candidate)
    given = policy.apply(candidate, report.sensitivity, defaults or PolicyDefaults(), NOW_TEXT)
    return build_record(candidate, report, given, scope, a_making())


def a_fact(**fields: Any) -> JsonObject:
    """A semantic payload as it is sent."""
    return {
        "kind": "semantic",
        "subject": "user",
        "predicate": "likes",
        "object": "tea",
        "validity": {"mode": "global"},
        **fields,
    }


def a_plan(**fields: Any) -> JsonObject:
    """A plan graph payload as it is sent."""
    return {
        "kind": "plan_graph",
        "plan_id": "setup",
        "version": "1",
        "nodes": [],
        "edges": [],
        **fields,
    }


def a_sent_record(**fields: Any) -> JsonObject:
    """A full record as a caller sends it."""
    return {"type": "semantic", "sensitivity": "low", "payload": a_fact(), **fields}


def a_given_record(**fields: Any) -> RecordInput:
    return validate(IngestRecord, {"record": a_sent_record(**fields)}).record


def a_record_given(given: RecordInput, *, scope: str = "team") -> MemoryRecord:
    """What ingest makes of a full record."""
    lifecycle = lifecycle_for(given.type, given.lifecycle, PolicyDefaults(), NOW_TEXT)
    return build_full_record(given, as_json(given), lifecycle, scope, a_making())


def a_lifecycle(
    *, pinned: bool = False, deletion_policy: str = "auto_prune", **decay: Any
) -> Lifecycle:
    """A lifecycle of an hour's half-life."""
    profile = {
        "curve": "exponential",
        "half_life_seconds": 3_600,
        "reinforcement_gain": 0.2,
        **decay,
    }
    return Lifecycle.model_validate(
        {
            "decay": DecayProfile.model_validate(profile),
            "last_reinforced_at": NOW_TEXT,
            "pinned": pinned,
            "deletion_policy": deletion_policy,
        }
    )


def a_stored_record(
    lifecycle: Lifecycle | None = None, anchor: Anchor | None = None
) -> StoredRecord:
    """An event's record in the store; by default fully salient since NOW."""
    standing = anchor or Anchor(1.0, epoch_seconds(NOW), epoch_seconds(NOW))
    fading = lifecycle or a_lifecycle()
    record = a_record_of(an_event()).model_copy(
        update={"lifecycle": fading, "salience": standing.salience}
    )
    return StoredRecord(record=record, anchor=standing, version=1, fingerprint=b"")


def printed(part: Part) -> Any:
    """The part as a client reads it."""
    return json.loads(compact_json(as_json(part)))


def refusal(model: type[BaseModel], value: Any) -> InvalidArgument:
    """The error with which `value` is refused."""
    with pytest.raises(InvalidArgument) as caught:
        validate(model, value)
    return caught.value


def complaints(error: InvalidArgument) -> dict[str, str]:
    """The violations of a refusal: field to message."""
    return {violation.field: violation.message for violation in error.violations}


def an_interpretation(*surfaces: str, **fields: Any) -> Interpretation:
    """An interpretation with mentions of the names."""
    mentions = tuple(Mention(surface=each, entity_kind="project") for each in surfaces)
    return Interpretation(
        **{"status": InterpretationStatus.TENTATIVE, "mentions": mentions, **fields}
    )


def interpretations(texts: st.SearchStrategy[str]) -> st.SearchStrategy[Interpretation]:
    """Interpretations with any fields, made of the texts."""
    fractions = st.floats(0, 1)
    target = {
        "target_record_id": texts,
        "target_entity_id": texts,
        "confidence": fractions,
        "resolved": st.booleans(),
        "words": texts,
    }
    mentions = st.builds(
        Mention,
        surface=texts,
        entity_kind=texts,
        canonical_entity_id=texts,
        confidence=fractions,
        aliases=_tuples(texts),
        words=texts,
    )
    return st.builds(
        Interpretation,
        status=st.none() | st.sampled_from(InterpretationStatus),
        failure=st.none() | st.sampled_from(InterpretationFailure),
        summary=texts,
        proposed_type=st.none() | st.sampled_from(MemoryType),
        topical_labels=_tuples(texts),
        mentions=_tuples(mentions),
        relation_candidates=_tuples(st.builds(RelationCandidate, predicate=texts, **target)),
        reference_candidates=_tuples(st.builds(ReferenceCandidate, ref=texts, **target)),
        extraction_confidence=fractions,
    )


def _tuples(element: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(element, max_size=2).map(tuple)


def ingest(report: Report | IngestOutcome, call: Call, services: World) -> Result:
    """Ingest one report of any type."""
    match report:
        case IngestObservation():
            return ingest_observation(report, call, services)
        case IngestOutcome():
            return ingest_outcome(report, call, services)
        case _:
            return ingest_report(report, call, services)


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
