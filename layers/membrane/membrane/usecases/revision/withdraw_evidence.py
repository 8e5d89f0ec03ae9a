"""Withdraw a record that goes as evidence of what was derived from the record.

Derived are the facts of a capture, the trace of a step or of the message that set its task, and the
skill and plan of a trace. Every derived record changes in a write of its own, before the record
does. A call that breaks off leaves the record in place, so a repeat of the call finds what is left.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import TypeGuard

from membrane.domain.access.principals import CONSOLIDATION
from membrane.domain.access.trust import ALL_SCOPES
from membrane.domain.ingest.builder import Making, Why, with_entry
from membrane.domain.language.errors import FailedPrecondition, NotFound, PermissionDenied
from membrane.domain.language.vocabulary import HIGHEST, AuditAction, MemoryType
from membrane.domain.lifecycle.changes import deleted_version, derived_from, erased_record
from membrane.domain.records import stored
from membrane.domain.records.evidence import evidence_of, grounds_of, is_learned, without_evidence
from membrane.domain.records.learning_mark import is_trace
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.records import CONTESTED_BY, SUPERSEDES, MemoryRecord
from membrane.domain.records.standing import is_retracted, successor_of
from membrane.domain.revision import changes
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World
from membrane.usecases.records import write
from membrane.usecases.revision.evidence import (
    captures_stating,
    is_counted_across,
    is_learned_across,
    with_captures,
    without_traces,
)
from membrane.usecases.revision.heads import claim_head

MAX_EXAMINED = 1_000
"""Records that refer to a fact, looked at for facts to give back, or for further evidence."""

MAX_DISPLACED = 100
"""Facts given back: a derived fact displaces 4 with each capture."""

GIVEN_BACK = "the newer fact was withdrawn"


def _displaced_by(fact: stored.StoredRecord, world: World) -> Sequence[str]:
    """The ids of the facts that the fact has superseded, or contests alone.

    One Query for each 100 records that refer to the fact; one request for the facts, if any.
    """
    incoming = islice(world.records.incoming(fact.id), MAX_EXAMINED)
    contested = (each.source_id for each in incoming if each.predicate == CONTESTED_BY)
    superseded = (each.target_id for each in fact.record.relations if each.predicate == SUPERSEDES)
    ids = [*dict.fromkeys((*superseded, *contested))][:MAX_DISPLACED]
    found: Mapping[str, stored.AnyRecord] = world.records.load_own(ids) if ids else {}
    return [each for each in ids if _is_displaced(found.get(each), fact.id)]


def _give_back(ids: Sequence[str], fact_id: str, why: Why, call: Call, world: World) -> None:
    """Let each displaced fact be active again, after the fact that displaced it was retracted.

    A fact stays displaced if the caller may not see or change it, or if an active fact is in its
    place. Repeatable. Raises Aborted.
    """
    why = why.after(GIVEN_BACK)

    def revive(held: stored.AnyRecord, making: Making) -> stored.StoredRecord | write.Step | None:
        if not _is_displaced(held, fact_id):
            return None
        if not is_retracted(held.record.payload):
            return changes.kept_version(held, why, making)
        after = changes.reactivated_version(held, held.record, why, making, by_default=True)
        return write.Step(after, heads=claim_head(after.record, call.principal, world))

    for each in ids:
        with suppress(NotFound, PermissionDenied, FailedPrecondition):
            write.change_any(each, revive, call, world)


def _is_displaced(held: stored.AnyRecord | None, fact_id: str) -> TypeGuard[stored.StoredRecord]:
    if not stored.is_alive(held):
        return False
    payload = held.record.payload
    is_superseded = is_retracted(payload) and successor_of(payload) == fact_id
    return is_superseded or changes.is_contested_by_alone(held.record, fact_id)


FEWER = "evidence withdrawn"
STEP_GONE = "a step of the trace was withdrawn"


def withdraw_evidence(
    evidence: stored.AnyRecord, why: Why, call: Call, world: World, *, erase: bool
) -> None:
    """Let each derived record lose the evidence; a derived record without evidence goes, too.

    A fact, skill or plan is erased if `erase`, else retracted. A trace goes with any of its steps:
    it is erased or deleted. A skill or plan is learned again from the traces that are left; if
    `erase`, every earlier content goes. What the caller may not see or change stays as it is,
    because the owner of the evidence has no say there; but an erased step or trace leaves no copy
    of its content, however sensitive the trace, skill or plan is, and an unscoped skill or plan
    loses a trace of any scope. Repeatable. Raises Aborted.
    """
    withdrawing = call._replace(key=None, fingerprint=b"")  # the key belongs to the evidence
    if erase and _is_copied(evidence):
        principal = call.principal._replace(ceiling=HIGHEST)
        withdrawing = withdrawing._replace(principal=principal)
    for derived_id in derived_from(evidence):
        with suppress(NotFound, PermissionDenied):
            try:
                _withdraw_from(derived_id, evidence, why, withdrawing, world, erase=erase)
            except PermissionDenied:
                widened = _call_for_every_scope(withdrawing, derived_id, evidence, world)
                _withdraw_from(derived_id, evidence, why, widened, world, erase=erase)


def withdraw_unlisted(trace: stored.AnyRecord, why: Why, call: Call, world: World) -> None:
    """Let unscoped skills and plans lose a trace that their full lists of sources have left out.

    For an erasure, which finds a skill by the listed sources. Repeatable. Raises Aborted.
    """
    ids = derived_from(trace)
    held = world.records.load_own(ids) if ids else {}
    for each in held.values():
        if not isinstance(each, stored.StoredRecord) or trace.id in evidence_of(each.record):
            continue
        if is_learned_across(each, trace, world.records):
            _withdraw_from(each.id, trace, why, call, world, erase=True)


def _call_for_every_scope(
    call: Call, derived_id: str, evidence: stored.AnyRecord, world: World
) -> Call:
    """The call for all scopes, for skills and plans across. Raises PermissionDenied."""
    records = world.records
    derived = records.load(derived_id) if is_counted_across(evidence, records) else None
    if derived is None or not is_learned_across(derived, evidence, records):
        raise PermissionDenied(f"{derived_id} was not learned across scopes")
    return call._replace(principal=call.principal._replace(scopes=(ALL_SCOPES,)))


def _is_copied(evidence: stored.AnyRecord) -> bool:
    """Whether the record is a step of a trace, or a trace: what is made of it copies content."""
    if isinstance(evidence, stored.RemovedRecord):
        return False
    return bool(evidence.learning.trace_id) or is_trace(evidence.record.payload)


def _withdraw_from(
    derived_id: str,
    evidence: stored.AnyRecord,
    why: Why,
    call: Call,
    world: World,
    *,
    erase: bool,
) -> None:
    """Let a derived record lose the evidence; a withdrawn fact gives back what it displaced.

    A fact that displaced others is retracted before they come back, and erased afterwards.
    """
    displaced = list[str]()

    def retract(held: stored.AnyRecord, making: Making) -> stored.AnyRecord | None:
        if isinstance(held, stored.RemovedRecord) or is_trace(held.record.payload):
            withdraw_evidence(held, why, call, world, erase=erase)
        after = withdraw(held, making)
        displaced.clear()
        if not isinstance(held, stored.StoredRecord) or not _is_withdrawal(held, after):
            return after
        displaced.extend(_displaced_by(held, world))
        if not displaced or not erase:
            return after
        return _next_version(held, evidence, why, making, world, erase=False)

    def withdraw(held: stored.AnyRecord, making: Making) -> stored.AnyRecord | None:
        if isinstance(held, stored.RemovedRecord):
            if erase:  # an earlier call may have broken off amid the erasure of the record
                write.finish_clearing(held, world)
            return None
        return _next_version(held, evidence, why, making, world, erase=erase)

    write.change_any(derived_id, retract, call, world)
    _give_back(displaced, derived_id, why, call, world)
    if displaced and erase:
        write.change_any(derived_id, withdraw, call, world)


def _is_withdrawal(derived: stored.StoredRecord, after: stored.AnyRecord | None) -> bool:
    """Whether the record ends with the version, or has ended so in a call that broke off."""
    if derived.tombstone is not None:
        return False
    if is_retracted(derived.record.payload):
        return changes.has_lost_evidence(derived)
    return isinstance(after, stored.RemovedRecord) or (
        after is not None and is_retracted(after.record.payload)
    )


def _next_version(
    derived: stored.StoredRecord,
    evidence: stored.AnyRecord,
    why: Why,
    making: Making,
    world: World,
    *,
    erase: bool,
) -> stored.AnyRecord | None:
    """The derived record without the evidence; None if nothing has to change."""
    record = derived.record
    if not isinstance(record.payload, SemanticPayload):
        return _without_episode(derived, evidence, why, making, world, erase=erase)
    if evidence.id not in evidence_of(record):
        return None
    gone = frozenset((evidence.id,))
    left = without_evidence(record, gone)
    is_last = grounds_of(record) <= gone
    is_over = derived.tombstone is not None or is_retracted(record.payload)
    if is_last and is_over and not erase:
        return None
    if is_last:
        stated = _with_unlisted(left, gone, world)
        if stated is None:
            return _ended_version(derived, making, why, world, erase=erase)
        left = stated
    if derived.tombstone is not None or left == record:
        return None
    return derived.next_version(with_entry(left, AuditAction.REVISE, why.after(FEWER), making))


def _without_episode(
    derived: stored.StoredRecord,
    evidence: stored.AnyRecord,
    why: Why,
    making: Making,
    world: World,
    *,
    erase: bool,
) -> stored.AnyRecord | None:
    """The trace, skill or plan without the evidence; None if nothing has to change.

    A skill also counts traces that its full list of sources has left out. An audit entry tells of a
    trace that an earlier call withdrew: then an erasure still has to erase the earlier content.
    """
    record = derived.record
    is_listed = evidence.id in evidence_of(record)
    if is_trace(record.payload):
        if not is_listed or (derived.tombstone is not None and not erase):
            return None
        return _ended_version(derived, making, why, world, erase=erase)
    withdrawn = f"{FEWER}: {evidence.id}"
    was_withdrawn = any(entry.rationale.startswith(withdrawn) for entry in derived.trail)
    if not is_learned(record) or evidence.type is not MemoryType.EPISODIC:
        return None
    if was_withdrawn and not is_listed and not (erase and derived.has_past):
        return None
    if is_learned_across(derived, evidence, world.records):  # all readers see the audit trail
        why, making = Why(CONSOLIDATION, ""), making._replace(principal=CONSOLIDATION)
    is_deleted = derived.tombstone is not None
    gone = frozenset((evidence.id,))
    left = None
    if not is_deleted:
        left = without_traces(record, gone, world, erase=erase, is_counted=not was_withdrawn)
    if left is None:
        if not erase and (is_deleted or is_retracted(record.payload)):
            return None
        return _ended_version(derived, making, why, world, erase=erase)
    left = with_entry(left, AuditAction.REVISE, why.after(withdrawn), making)
    return derived.version_without_past(left) if erase else derived.next_version(left)


def _ended_version(
    derived: stored.StoredRecord, making: Making, why: Why, world: World, *, erase: bool
) -> stored.AnyRecord:
    """The derived record erased, else a trace deleted, any other record retracted."""
    of_trace = is_trace(derived.record.payload)
    why = why.after(STEP_GONE if of_trace else changes.LAST_EVIDENCE_GONE)
    if erase:
        tombstone = write.erasure_tombstone(derived, making.now, world.retention)
        return erased_record(derived, tombstone, why, making)
    if of_trace:
        tombstone = write.new_tombstone(derived.type, making.now, stored.DELETED, world.retention)
        return deleted_version(derived, tombstone, why, making)
    return changes.retracted_version(derived, why, making)


def _with_unlisted(record: MemoryRecord, gone: frozenset[str], world: World) -> MemoryRecord | None:
    """The fact with captures as evidence that the full list of evidence had left out.

    None without such a capture. One Query and one BatchGetItem for each 100 records that refer to
    the fact, until a living capture is found.
    """
    incoming = islice(world.records.incoming(record.id), MAX_EXAMINED)
    batches = captures_stating(record.id, incoming, world.records.load_own, gone=gone)
    stating = next(filter(None, batches), None)
    return None if stating is None else with_captures(record, stating)
