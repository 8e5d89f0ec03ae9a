"""What an erasure erases for scope, id or content, and the evidence that it leaves to a fact.

A keyed document is found by its head; what lies beside goes with the head. No id of a document
leads to the document by itself, so an erasure notes where each found document is.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from membrane.domain.access.principals import Principal
from membrane.domain.archive.lines import Selection
from membrane.domain.documents.model import Content, Document, Making, erase, put
from membrane.domain.documents.places import Place
from membrane.domain.entities.merging import absorbed_ids
from membrane.domain.erasure import targets
from membrane.domain.erasure.jobs import Finding, Job, Stage
from membrane.domain.ingest.builder import Why
from membrane.domain.language.errors import PermissionDenied
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records import payloads
from membrane.domain.records.evidence import evidence_of
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.machinery.calls import load_undamaged
from membrane.usecases.ports.world import World
from membrane.usecases.revision.evidence import captures_stating

GROUNDS = {
    targets.TargetKind.SCOPE: targets.Ground.IS_OF,
    targets.TargetKind.SUBJECT: targets.Ground.IS_ABOUT,
    targets.TargetKind.IDS: targets.Ground.NAMED,
}


def selection_of(scopes: Sequence[str]) -> Selection:
    """The selection of scopes in the spelling of a key; empty for every scope."""
    shown = {"max_sensitivity": Sensitivity.HYPER}
    return Selection.of_json(shown | {"scopes": scopes} if scopes else shown)


def may_be_exported(
    target: targets.Target, principal: Principal, selection: Selection | None
) -> bool:
    """Whether an export with the selection may hold the target; None for an unknown selection.

    An export counts for a subject or ids if the caller administers every scope: an export may hold
    records of all scopes.
    """
    if target.kind is not targets.TargetKind.SCOPE:
        return principal.is_admin_of_all
    return selection is None or selection.covers(target.scope)


ERASED_SCOPE = "erased:"
"""The beginning of the scope of a tombstone whose scope was erased; the erasure's id follows."""


def why_of(job: Job) -> Why:
    return Why(job.actor_id, f"erasure {job.id}")


def scope_after(job: Job) -> str:
    """The scope of tombstones where the job erases a whole scope; empty to keep their scope."""
    is_of_scope = job.target is not None and job.target.kind is targets.TargetKind.SCOPE
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


def ground_of(held: AnyRecord, target: targets.Target) -> targets.Ground | None:
    """The ground in scope, id or content, without a look at the evidence."""
    ground = target.ground_of_record(held.id, held.scope)
    if ground is not None or not isinstance(held, StoredRecord):
        return ground
    is_about = target.ground_in_record(held.record) is targets.Ground.IS_ABOUT
    return targets.Ground.IS_ABOUT if is_about else None


def may_write(held: AnyRecord | Topic | Document, principal: Principal) -> bool:
    try:
        principal.require_write(held.scope, held.sensitivity)
    except PermissionDenied:
        return False
    return True


def may_write_all(scopes: Sequence[str], principal: Principal) -> bool:
    """Whether the caller reaches every scope of a question; no scopes stand for all scopes."""
    if principal.is_admin_of_all:
        return True
    return bool(scopes) and all(scope and principal.trust.covers(scope) for scope in scopes)


def is_finished(held: AnyRecord, job_id: str, target: targets.Target) -> bool:
    """Whether nothing of the record is left to erase."""
    tombstone = held.tombstone
    if tombstone is None or not tombstone.is_erased or tombstone.due_s is not None:
        return False
    return tombstone.erasure == job_id or target.kind is not targets.TargetKind.SCOPE


def evidence_beside(record: MemoryRecord) -> frozenset[str]:
    return evidence_of(record) - {record.id}


def absorbed_in(held: AnyRecord | None) -> tuple[str, ...]:
    if not isinstance(held, StoredRecord) or not isinstance(
        held.record.payload, payloads.EntityPayload
    ):
        return ()
    return absorbed_ids(held.record.payload)


def thread_in(record: MemoryRecord) -> str:
    """The thread of a message; empty for any other record."""
    match record.payload:
        case payloads.EpisodicPayload(timeline=(first, *_)) if first.event_kind.startswith(
            payloads.MESSAGE_PREFIX
        ):
            return first.ref.rpartition(":")[0]
        case _:
            return ""


def surviving_captures(
    record: MemoryRecord, gone: frozenset[str], job: Job, world: World
) -> list[StoredRecord]:
    """At most 100 captures that state the fact and survive the job; none for any other record.

    For a fact whose listed evidence is all `gone`: a fact lists the newest captures alone. There is
    no limit of captures to examine: the listing still meets the captures that the removal will have
    erased, and both must find the same. A damaged capture does not count.
    """
    if not isinstance(record.payload, payloads.SemanticPayload):
        return []
    store = world.records
    batches = captures_stating(
        record.id,
        store.incoming(record.id),
        lambda ids: load_undamaged(ids, store.load_own)[0],
        gone=gone,
    )
    surviving = ([held for held in each if not is_record_condemned(held, job)] for each in batches)
    return next(filter(None, surviving), [])


def finding_of(
    document: Document, job: Job, target: targets.Target, principal: Principal, world: World
) -> Finding | None:
    """What the erasure does with a document that it finds; then also notes where the document is.

    Only the listing looks into values, and keeps a document that mentions the subject alone.
    """
    if not may_write(document, principal):
        return None
    ground, action = target.ground_of_place(document.place), targets.Action.ERASE
    if ground is None and job.stage is Stage.LISTING and target.searches(document.scope):
        ground, action = _ground_to_keep(document, target, world), targets.Action.KEEP
    if ground is None:
        return None
    until_s = epoch_seconds(world.now() + world.retention.tombstone)
    world.erasures.note_place(document, until_s)
    return Finding(targets.Kind.DOCUMENT, targets.document_id(document.place), ground, action)


def names_of_document(document: Document) -> tuple[str, ...]:
    """The names by which a document may be about a subject."""
    return (*document.place.namespace, document.place.key)


def _ground_to_keep(
    document: Document, target: targets.Target, world: World
) -> targets.Ground | None:
    """The subject in an unconfirmed spelling, or in any text of the document's past and present."""
    names = names_of_document(document)
    if target.spellings_among(names):
        return targets.Ground.IS_ABOUT
    contents = chain([names], world.erasures.contents_of(document))
    return targets.Ground.MENTIONS if any(map(target.is_mentioned_in, contents)) else None


def place_named(found_id: str, world: World) -> Place | None:
    """Where a document is that a listing has found; None for any other id."""
    if not found_id.startswith(targets.DOCUMENT_ID):
        return None
    noted = world.erasures.place_noted(found_id.removeprefix(targets.DOCUMENT_ID))
    return None if noted is None else noted[0]


def document_named(found_id: str, world: World) -> Document | None:
    place = place_named(found_id, world)
    return None if place is None else world.documents.load(place)


def erase_document(found_id: str, job: Job, world: World) -> Document | None:
    """The erased document without a name; None for a document that is gone. Raises LostRace.

    The head leaves the place last. A put that comes before goes on from the erased version, so the
    next try erases the put, too. A place without a head gets an erased head for the same reason.
    """
    place_id, documents = found_id.removeprefix(targets.DOCUMENT_ID), world.documents
    nameless = Place(f"{ERASED_SCOPE}{job.id}", (), "", erased_id=place_id)
    noted, left_behind = world.erasures.place_noted(place_id), documents.load(nameless)
    if noted is None:
        return left_behind
    place, noted_s = noted
    before = documents.load(place)
    if before is None:
        if left_behind is not None and world.erasures.forget_place(left_behind):
            return left_behind  # of a try that ended behind the move
        world.erasures.erase_values(place_id)
    if before is not None and _is_erased_by(job, before):
        erased = before
    else:
        erased = _erase_head(place, before, noted_s, job, world)
    left_behind = replace(erased, place=nameless)
    if job.target is not None and job.target.kind is not targets.TargetKind.SCOPE:
        documents.remove_list(nameless, erased.created_at)  # a scope's items go one by one
    documents.erase_history(left_behind)
    documents.move(erased, nameless)
    world.erasures.forget_place(left_behind)
    return left_behind


def _is_erased_by(job: Job, document: Document) -> bool:
    return document.is_erased and document.current.entry.rationale == why_of(job).rationale


def _erase_head(
    place: Place, before: Document | None, noted_s: float, job: Job, world: World
) -> Document:
    """The erased head; of a place without a head, version 2 behind a version without a value.

    No earlier than the note of the place, whatever the clocks of both writers were.
    """
    now, why = world.now(), why_of(job)
    making = Making(epoch_seconds(now), rfc3339(now), why.actor, world.new_salt(), why.rationale)
    known = before or put(None, place, Content(None, Sensitivity.HYPER), making)
    erased = erase(known, making, world.retention.tombstone.total_seconds())
    touched_s = max(erased.refreshed_at_s, known.refreshed_at_s, noted_s)
    return world.documents.replace(before, replace(erased, refreshed_at_s=touched_s))
