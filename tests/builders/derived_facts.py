"""Captures, each with the fact that was derived from it through the conflict policy."""

from typing import Any, NamedTuple

from membrane.domain.access.principals import Principal
from membrane.domain.ingest.builder import Why, with_entry
from membrane.domain.language.vocabulary import AuditAction, ConflictPolicy
from membrane.domain.records.evidence import DERIVED_SEMANTIC
from membrane.domain.records.payloads import ProvenanceRef, SemanticPayload
from membrane.domain.records.records import MemoryRecord, Provenance
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.changes import with_relation
from membrane.domain.revision.conflicts import Observation
from membrane.usecases.ingest.ingest_report import Built, accept, build
from membrane.usecases.records.write import first_version
from membrane.usecases.revision.facts import Plan, plan_whole
from membrane.wiring.world import World
from tests.builders.records import ingest
from tests.builders.requests import OWNER, call, event, observation, written

SOURCE = "harness"
KEEP = ConflictPolicy.KEEP


class Captured(NamedTuple):
    """The ids of a capture and of its fact."""

    capture_id: str
    fact_id: str


def derived_record(value: Any, ref: ProvenanceRef, services: World, **fields: Any) -> Built:
    """The fact that the user likes something, with the evidence alone: nobody reported it."""
    asked = observation(object=value, **fields)
    by_owner = call(asked)
    built = build(asked, accept(asked, by_owner, services), by_owner, services)
    assert isinstance(built, Built)
    payload = built.record.payload
    assert isinstance(payload, SemanticPayload)
    changes = {
        "payload": payload.model_copy(update={"evidence": (ref,)}),
        "provenance": Provenance(sources=(), created_by=SOURCE),
    }
    return built._replace(record=built.record.model_copy(update=changes))


def derivation(
    value: Any,
    capture: MemoryRecord,
    services: World,
    on_conflict: ConflictPolicy = KEEP,
    **fields: Any,
) -> Observation:
    """The fact as derived from the capture, in the capture's scope and as sensitive."""
    ref = ProvenanceRef(
        source_type=capture.type, source_id=capture.id, timestamp=capture.created_at
    )
    place = {"scope": capture.scope, "sensitivity": capture.sensitivity}
    built = derived_record(value, ref, services, **place, **fields)
    return Observation(
        built.record, SOURCE, on_conflict, built.making, reinforces_same=True, evidence=ref
    )


def write(plan: Plan, seen: Observation, services: World) -> str:
    """Write the plan in a transaction of its own; the id of the fact."""
    decided, heads = plan
    if decided.created is None:
        services.records.replace_all(decided.changed, heads=heads)
        return decided.changed[0][0].id
    new, values = first_version(decided.created, seen.making.now, call(observation()))
    services.records.create(new, changed=decided.changed, heads=heads, values=values)
    return new.id


def capture(
    value: Any,
    services: World,
    *,
    principal: Principal = OWNER,
    on_conflict: ConflictPolicy = KEEP,
    **fields: Any,
) -> Captured:
    """A capture with a fact derived from it."""
    asked = event(**fields)
    primary = written(ingest(asked, call(asked, principal), services))
    seen = derivation(value, primary, services, on_conflict)
    plan = plan_whole(seen, call(asked, principal), services)
    fact_id = write(plan, seen, services)
    link(primary.id, fact_id, services)
    return Captured(primary.id, fact_id)


def derive(value: Any, primary: MemoryRecord, services: World) -> str:
    """The id of a further fact of the capture."""
    seen = derivation(value, primary, services)
    fact_id = write(plan_whole(seen, call(observation()), services), seen, services)
    link(primary.id, fact_id, services)
    return fact_id


def link(capture_id: str, fact_id: str, services: World) -> None:
    """Relate the capture to the fact."""
    found = services.records.load_each([capture_id, fact_id])
    before, target = found[capture_id], found[fact_id]
    assert isinstance(before, StoredRecord)
    assert isinstance(target, StoredRecord)
    making = call(event()).making(capture_id, services.now(), services)
    record = with_relation(before.record, DERIVED_SEMANTIC, fact_id, making)
    after = before.next_version(
        with_entry(record, AuditAction.REVISE, Why(SOURCE, "interpreted"), making)
    )
    services.records.replace_all([(before, after)], targets=[target])


def evidence_in(record: MemoryRecord) -> list[str]:
    """The ids that the fact names as evidence."""
    assert isinstance(record.payload, SemanticPayload)
    return [each.source_id for each in record.payload.evidence]
