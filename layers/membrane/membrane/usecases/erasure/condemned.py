"""What an erasure erases for scope, id or content, and the evidence that it leaves to a fact."""

from collections.abc import Sequence

from membrane.domain.access.principals import Principal
from membrane.domain.archive.lines import Selection
from membrane.domain.documents.model import Document
from membrane.domain.erasure.jobs import Job
from membrane.domain.erasure.targets import Ground, Target, TargetKind
from membrane.domain.ingest.builder import Why
from membrane.domain.language.errors import PermissionDenied
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.machinery.side_by_side import load_undamaged
from membrane.usecases.ports.world import World
from membrane.usecases.revision.evidence import captures_stating

GROUNDS = {
    TargetKind.SCOPE: Ground.IS_OF,
    TargetKind.SUBJECT: Ground.IS_ABOUT,
    TargetKind.IDS: Ground.NAMED,
}


def selection_of(scopes: Sequence[str]) -> Selection:
    """The selection of scopes in the spelling of a key; empty for every scope."""
    shown = {"max_sensitivity": Sensitivity.HYPER}
    return Selection.of_json(shown | {"scopes": scopes} if scopes else shown)


def may_be_exported(target: Target, principal: Principal, selection: Selection | None) -> bool:
    """Whether an export with the selection may hold the target; None for an unknown selection.

    An export counts for a subject or ids if the caller administers every scope: an export may hold
    records of all scopes.
    """
    if target.kind is not TargetKind.SCOPE:
        return principal.is_admin_of_all
    return selection is None or selection.covers(target.scope)


ERASED_SCOPE = "erased:"
"""The beginning of the scope of a tombstone whose scope was erased; the erasure's id follows."""


def why_of(job: Job) -> Why:
    return Why(job.actor_id, f"erasure {job.id}")


def scope_after(job: Job) -> str:
    """The scope of tombstones where the job erases a whole scope; empty to keep their scope."""
    is_of_scope = job.target is not None and job.target.kind is TargetKind.SCOPE
    return f"{ERASED_SCOPE}{job.id}" if is_of_scope else ""


def was_erased_by(topic: Topic, job: Job) -> bool:
    """Whether the job erased the topic; the reason of the last event names the job."""
    if topic.status is not TopicStatus.ERASED:
        return False
    return topic.trail[-1].why == why_of(job).rationale or topic.scope == scope_after(job)


def is_record_condemned(held: AnyRecord, job: Job) -> bool:
    """Whether the job has erased the record, or erases it whatever its evidence is."""
    if held.tombstone is not None and held.tombstone.erasure == job.id:
        return True
    if job.target is None or job.principal is None:
        return False
    return may_write(held, job.principal) and ground_of(held, job.target) is not None


def is_evidence_erased(held: AnyRecord, job: Job) -> bool:
    """Whether the job, or an earlier erasure of a record of the job's target, erased the record."""
    tombstone = held.tombstone
    return tombstone is not None and tombstone.is_erased and is_record_condemned(held, job)


def ground_of(held: AnyRecord, target: Target) -> Ground | None:
    """The ground in scope, id or content, without a look at the evidence."""
    ground = target.ground_of_record(held.id, held.scope)
    if ground is not None or not isinstance(held, StoredRecord):
        return ground
    is_about = target.ground_in_record(held.record) is Ground.IS_ABOUT
    return Ground.IS_ABOUT if is_about else None


def may_write(held: AnyRecord | Topic | Document, principal: Principal) -> bool:
    try:
        principal.require_write(held.scope, held.sensitivity)
    except PermissionDenied:
        return False
    return True


def surviving_captures(
    record: MemoryRecord, gone: frozenset[str], job: Job, world: World
) -> list[StoredRecord]:
    """At most 100 captures that state the fact and survive the job; none for any other record.

    For a fact whose listed evidence is all `gone`: a fact lists the newest captures alone. There is
    no limit of captures to examine: the listing still meets the captures that the removal will have
    erased, and both must find the same. A damaged capture does not count.
    """
    if not isinstance(record.payload, SemanticPayload):
        return []
    store = world.records
    batches = captures_stating(
        record.id,
        store.incoming(record.id),
        lambda ids: load_undamaged(ids, store.load_own, store.load)[0],
        gone=gone,
    )
    surviving = ([held for held in each if not is_record_condemned(held, job)] for each in batches)
    return next(filter(None, surviving), [])
