"""Learn a skill or a plan again, without the traces that are gone."""

from membrane.domain.access.principals import CONSOLIDATION
from membrane.domain.learning.made_records import evidence_in
from membrane.domain.learning.plans import new_plan
from membrane.domain.learning.skills import new_skill
from membrane.domain.records.evidence import without_evidence
from membrane.domain.records.payloads import CompetencePayload, PlanGraphPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ports.services import Services


def is_learned(record: MemoryRecord) -> bool:
    """Whether consolidation made the skill or the plan."""
    is_kind = isinstance(record.payload, (CompetencePayload, PlanGraphPayload))
    return is_kind and record.provenance.created_by == CONSOLIDATION


def without_traces(
    record: MemoryRecord, gone: frozenset[str], services: Services
) -> MemoryRecord | None:
    """The skill or plan as learned from the living traces that are left; None for too few.

    The content may hold arguments and errors of the traces that are gone, so all of it is learned
    again: the figures are then those of the traces that are left. Name and revision state stay. One
    BatchGetItem.
    """
    left = without_evidence(record, gone)
    held = services.records.load_own([each.ref for each in left.provenance.sources])
    living = [
        each for each in held.values() if isinstance(each, StoredRecord) and each.tombstone is None
    ]
    evidence = [*filter(None, map(evidence_in, living))]
    payload = record.payload
    learned: CompetencePayload | PlanGraphPayload | None
    match payload:
        case CompetencePayload():
            learned = new_skill(evidence)
            kept = {"skill_name": payload.skill_name, "revision": payload.revision}
        case PlanGraphPayload():
            learned = new_plan(evidence)
            kept = {"plan_id": payload.plan_id, "revision": payload.revision}
        case _:
            return None
    if learned is None:
        return None
    return left.model_copy(update={"payload": learned.model_copy(update=kept)})
