"""List the traces, skills and plans of scopes, with evidence and reasons, the newest first."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from membrane.domain.access.trust import Trust
from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.domain.learning import requests
from membrane.domain.records import payloads
from membrane.domain.records.learning_mark import is_made
from membrane.domain.records.standing import is_retracted
from membrane.domain.records.stored import AnyRecord, StoredRecord, is_alive
from membrane.domain.search.requests import ListRecords
from membrane.usecases.machinery.calls import Call, ReplyBody, cursor_part, places_newest_first
from membrane.usecases.ports.world import World
from membrane.usecases.search.inquiry import (
    Inquiry,
    binding_of,
    cursor_at,
    inquiry_of_list,
    place_in,
)
from membrane.usecases.search.list_by_state import records_at

if TYPE_CHECKING:
    from membrane.domain.learning.replies import Consolidation, ConsolidationList, EvidenceReply

AT_ONCE = 100
"""The entries of a read of the index."""

MOST_READ = 500
"""The most records that a call reads, visible or not."""

SHOWN_EVIDENCE = 20
"""The newest pieces of evidence that are shown with a record."""

SHOWN_REASONS = 5


def list_consolidations(
    request: requests.ListConsolidations, call: Call, world: World
) -> ReplyBody:
    """A page of the traces, skills and plans that the key shows in full.

    One Query for each scope, and one BatchGetItem for 100 records and pieces of evidence. Raises
    InvalidArgument for a cursor of a different request, and if the scopes must be named.
    """
    inquiry = inquiry_of_list(ListRecords(scope=request.scope), call, world)
    binding, trust = binding_of(request, call), inquiry.gate.asked
    limit = min(request.limit or requests.USUAL_CONSOLIDATIONS, requests.MAX_CONSOLIDATIONS)
    after = place_in(request.cursor, binding, world)
    places = places_newest_first(inquiry.scopes, world.learning.made_records, after, AT_ONCE)
    listed = partial(_is_listed, inquiry=inquiry)
    made, last = records_at(places, after, limit, listed, world, most=MOST_READ)
    rows = _rows([each for each in made if isinstance(each, StoredRecord)], trust, world)
    cursor = cursor_at(last, binding, world)
    body: ConsolidationList = {"consolidations": rows, **cursor_part(cursor)}
    return ReplyBody(body)


def _is_listed(held: AnyRecord, inquiry: Inquiry) -> bool:
    return (
        is_alive(held)
        and is_made(held.record)
        and not is_retracted(held.record.payload)
        and held.scope in inquiry.scopes
        and inquiry.gate.asked.allows(held.scope, held.sensitivity)
    )


def _rows(made: Sequence[StoredRecord], trust: Trust, world: World) -> "list[Consolidation]":
    evidence = dict.fromkeys(each for one in made for each in _evidence_of(one)[-SHOWN_EVIDENCE:])
    held = world.records.load_own([*evidence]) if evidence else {}
    outcomes = {
        each: _outcome_of(one)
        for each, one in held.items()
        if is_alive(one) and trust.allows(one.scope, one.sensitivity)
    }
    return [_row(each, outcomes) for each in made]


def _row(made: StoredRecord, outcomes: Mapping[str, OutcomeStatus | None]) -> "Consolidation":
    evidence = _evidence_of(made)
    shown: list[EvidenceReply] = [
        {"id": each, "outcome": outcomes.get(each)} for each in evidence[-SHOWN_EVIDENCE:]
    ]
    return {
        "id": made.id,
        "type": made.type,
        "name": _name_of(made),
        "scope": made.scope,
        "outcome": _outcome_of(made),
        "created_at": made.record.created_at,
        "updated_at": made.record.updated_at,
        "evidence": shown,
        "evidence_count": len(evidence),
        "reasons": [entry.rationale for entry in made.trail[-SHOWN_REASONS:]],
    }


def _evidence_of(made: StoredRecord) -> list[str]:
    payload = made.record.payload
    if isinstance(payload, payloads.SemanticPayload):
        return [each.source_id for each in payload.evidence]
    return [source.ref for source in made.record.provenance.sources]


def _name_of(made: StoredRecord) -> str:
    match made.record.payload:
        case payloads.EpisodicPayload(thread_id=name) | payloads.CompetencePayload(skill_name=name):
            return name
        case payloads.PlanGraphPayload(intent=intent, plan_id=plan_id):
            return intent or plan_id
        case payloads.SemanticPayload(subject=subject, predicate=predicate):
            return f"{subject} {predicate}"
        case _:
            return ""


def _outcome_of(held: StoredRecord) -> OutcomeStatus | None:
    payload = held.record.payload
    return payload.outcome if isinstance(payload, payloads.EpisodicPayload) else None
