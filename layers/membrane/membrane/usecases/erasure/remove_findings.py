"""Remove what an erasure found, in the table and outside; every removal may be repeated."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial

from membrane.domain.access.principals import CONSOLIDATION, Principal, Source
from membrane.domain.access.trust import ALL_SCOPES
from membrane.domain.archive.lines import MAX_FRAME_BYTES, Selection
from membrane.domain.archive.lines import selection_of as selection_of_line
from membrane.domain.documents.model import Entry
from membrane.domain.erasure.jobs import Finding, Job
from membrane.domain.erasure.targets import Action, Kind, Recognition, Target, TargetKind
from membrane.domain.imports import lines_of
from membrane.domain.ingest.builder import Making, Why, with_entry
from membrane.domain.language.errors import Aborted, FailedPrecondition
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import AuditAction, Permission, Sensitivity
from membrane.domain.lifecycle.changes import erased_record
from membrane.domain.records.evidence import evidence_of, grounds_of, is_learned, without_evidence
from membrane.domain.records.records import AuditEntry
from membrane.domain.records.stored import ERASED, AnyRecord, StoredRecord
from membrane.domain.topics.events import TopicEvent
from membrane.domain.topics.topic import Topic
from membrane.table.blobs import Blob
from membrane.usecases.erasure import condemned
from membrane.usecases.imports.progress import RESTORES, Status, progress_of, result_name
from membrane.usecases.imports.work import MAX_LINE_BYTES, PIECE_BYTES
from membrane.usecases.machinery.calls import TRANSIENT, Call, making_by, side_by_side, until_won
from membrane.usecases.ports.bucket import ImportObject, ObjectReplaced
from membrane.usecases.ports.erasure import Trace
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.ports.world import World
from membrane.usecases.records.write import finish_clearing, new_tombstone
from membrane.usecases.revision import evidence
from membrane.usecases.topics.erase_topic import erase_topic

ERASE = "Erase"
"""The operation in fault reports."""


def remove_findings(findings: Sequence[Finding], job: Job, world: World) -> list[Finding]:
    """The findings after their removal, those of records and topics with the audit's end."""
    return side_by_side(partial(_remove, job=job, world=world), findings)


def _remove(finding: Finding, *, job: Job, world: World) -> Finding:
    """The finding after the removal; with the action KEEP if the item is damaged.

    Raises TRANSIENT errors and Aborted: the job goes on with the finding later.
    """
    try:
        return _after_removal(finding, job, world)
    except (*TRANSIENT, Aborted):
        raise
    except Exception as error:  # noqa: BLE001 - one damaged item must not keep back the others
        world.report(ERASE, FAULT, error)
        return finding._replace(action=Action.KEEP)


def _after_removal(finding: Finding, job: Job, world: World) -> Finding:
    match finding:
        case Finding(Kind.RECORD, record_id, _, Action.ERASE):
            held = until_won(lambda: _erase_record(record_id, job, world), world)
            if held is not None:
                return _with_chain(finding, held.written_entries, held.trail[-1])
        case Finding(Kind.TOPIC, topic_id, _, Action.ERASE):
            topic = until_won(lambda: _erase_topic(topic_id, job, world), world)
            if topic is None:
                return finding._replace(action=Action.KEEP)
            return _with_chain(finding, topic.events, topic.trail[-1])
        case Finding(Kind.DOCUMENT, _, _, Action.ERASE):
            return _with_document_erased(finding, job, world)
        case Finding(Kind.EVIDENCE, record_id, _, Action.REWRITE):
            until_won(lambda: _drop_evidence(record_id, job, world), world)
        case Finding(Kind.ENTITY_NAMES, place, _, Action.REWRITE):
            until_won(lambda: _drop_names(place, job, world), world)
        case Finding(kind, place, _, Action.REMOVE):
            world.erasures.remove(Trace(kind, place), world.documents.until_s())
        case _:
            pass  # kept for a person to decide
    return finding


def _with_document_erased(finding: Finding, job: Job, world: World) -> Finding:
    document = until_won(lambda: condemned.erase_document(finding.id, job, world), world)
    if document is None:
        return finding
    return _with_chain(finding, document.version, document.current.entry)


def _erase_record(record_id: str, job: Job, world: World) -> AnyRecord | None:
    """The erased record; None for a record that is gone. Raises LostRace."""
    held = world.records.load(record_id)
    if held is None:
        return None
    if held.tombstone is not None and held.tombstone.erasure == job.id:
        return finish_clearing(held, world)
    if evidence.is_counted_across(
        held, world.records
    ):  # skills across scopes may not list the trace
        from membrane.usecases.revision.withdraw_evidence import withdraw_unlisted  # noqa: PLC0415

        withdraw_unlisted(held, condemned.why_of(job), _call(job), world)
    making = _making(held, job, world)
    standing = held.tombstone or new_tombstone(held.type, making.now, ERASED, world.retention)
    tombstone = standing._replace(
        reason=ERASED, due_s=math.ceil(epoch_seconds(making.now)), erasure=job.id
    )
    after = erased_record(held, tombstone, _why(job, making), making)
    after = replace(after, scope=condemned.scope_after(job) or held.scope)
    world.records.forget(held, after)
    return after


def _erase_topic(topic_id: str, job: Job, world: World) -> Topic | None:
    """The erased topic; None for a topic that cannot be erased alone. Raises LostRace."""
    try:
        erase_topic(topic_id, condemned.why_of(job).rationale, _call(job), world)
    except FailedPrecondition:
        return None
    topic = world.topics.load(topic_id)
    scope = condemned.scope_after(job)
    if topic is None or not scope or topic.scope == scope:
        return topic
    after = replace(topic, scope=scope, version=topic.version + 1)
    world.topics.apply(TopicChange(topics=[(topic, after)], token=world.new_id()))
    return after


def _with_chain(finding: Finding, entries: int, last: AuditEntry | TopicEvent | Entry) -> Finding:
    return finding._replace(chain=(entries, last.previous_hash, last.hash))


def _drop_evidence(record_id: str, job: Job, world: World) -> None:
    """Write the record without references to what the job erased. Raises LostRace.

    A fact gains the surviving captures that its list had left out. A skill or plan is learned again
    and loses its past. A record that rests on nothing any more stays as it is: the next walk erases
    the record. A skill lists its newest traces alone: the erasure of an older trace by id or
    subject leaves the skill as it is; DeleteRecord with `erase` reaches the skill.
    """
    stored = world.records.load(record_id)
    if not isinstance(stored, StoredRecord) or stored.tombstone is not None:
        return
    gone = _erased_among([*evidence_of(stored.record)], job, world)
    record = without_evidence(stored.record, gone)
    if record == stored.record:
        return
    if is_learned(record):
        learned = evidence.without_traces(stored.record, gone, world, erase=True)
        if learned is None:
            return
        record = learned
    elif grounds_of(stored.record) <= gone:
        captures = condemned.surviving_captures(stored.record, gone, job, world)
        if not captures:
            return
        record = evidence.with_captures(record, captures)
    making = _making(stored, job, world)
    has_past = not is_learned(record)
    record = with_entry(record, AuditAction.REVISE, _why(job, making), making)
    after = stored.next_version(record) if has_past else stored.version_without_past(record)
    world.records.replace(stored, after)


def _drop_names(place: str, job: Job, world: World) -> None:
    """Remove the names of entities that the job erased. Raises LostRace."""
    gone = _erased_among(world.erasures.named_at(place), job, world)
    world.erasures.drop_names(place, gone)


def _erased_among(record_ids: Sequence[str], job: Job, world: World) -> frozenset[str]:
    return frozenset(
        each
        for each, held in world.records.load_own(record_ids).items()
        if condemned.is_evidence_erased(held, job)
    )


def _call(job: Job) -> Call:
    """A call by the service for the caller of the job, whose rights the verdict has checked."""
    every = frozenset(Permission)
    principal = Principal(job.actor_id, every, (ALL_SCOPES,), Sensitivity.HYPER, Source.SERVICE)
    return Call(principal, ERASE, key=None, fingerprint=b"")


def _making(held: AnyRecord, job: Job, world: World) -> Making:
    """By the caller of the job; by the service for a record that the caller may not write.

    Readers of all scopes see the audit trail of a skill that was learned across scopes.
    """
    is_own = job.principal is None or condemned.may_write(held, job.principal)
    return making_by(job.actor_id if is_own else CONSOLIDATION, held.id, world)


def _why(job: Job, making: Making) -> Why:
    return condemned.why_of(job)._replace(actor=making.principal)


LONGEST_IMPORT = timedelta(days=1)
"""An import may take a day; afterwards nobody reads the file again."""


def remove_elsewhere(job: Job, world: World) -> tuple[list[Finding], bool]:
    """What was removed, and whether the erasure has to look again later.

    Nothing for a subject or ids, unless the caller administers every scope: a file and a queue hold
    requests of all scopes.
    """
    if job.target is None or job.principal is None:
        return [], False
    if job.target.kind is not TargetKind.SCOPE and not job.principal.is_admin_of_all:
        return [], False
    recognition = Recognition(job.target, world.senders)
    is_waiting = not world.dead_letters.are_all_visible()
    removed = world.dead_letters.remove_where(recognition.is_named_in)
    found = [_finding(Kind.DEAD_LETTER, each, job.target) for each in removed]
    for blob in _files_with(recognition, job.target, job.principal, world):
        if _is_under_way(blob, world):
            is_waiting = True
        else:
            world.imports.remove(blob.name)
            kind = Kind.RESTORE_FILE if blob.name.startswith(RESTORES) else Kind.IMPORT_FILE
            found.append(_finding(kind, blob.name, job.target))
    return found, is_waiting


def _finding(kind: Kind, found_id: str, target: Target) -> Finding:
    return Finding(kind, found_id, condemned.GROUNDS[target.kind], Action.REMOVE)


def _files_with(
    recognition: Recognition, target: Target, principal: Principal, world: World
) -> Iterator[Blob]:
    """Imported files with a line of the target, and exports under restore that may hold it."""
    for blob in world.imports.list_files():
        found = world.imports.find(blob.name)
        if found is None:
            continue
        if blob.name.startswith(RESTORES):
            if condemned.may_be_exported(target, principal, _selection_in(found, world)):
                yield blob
        elif _has_line(found, recognition, world):
            yield blob


def _selection_in(found: ImportObject, world: World) -> Selection | None:
    """The scopes of an export by the first line; None for a file of another form."""
    try:
        beginning = world.imports.read_range(found, 0, MAX_FRAME_BYTES)
    except ObjectReplaced:
        return None
    return selection_of_line(beginning.partition(b"\n")[0])


def _has_line(found: ImportObject, recognition: Recognition, world: World) -> bool:
    """Whether a line names the target; False for a replaced object, and for overlong lines."""
    try:
        return any(
            recognition.is_named_in(line.content.decode(errors="replace"))
            for line in lines_of(_pieces(found, world), MAX_LINE_BYTES)
            if line.content
        )
    except ObjectReplaced:
        return False


def _pieces(found: ImportObject, world: World) -> Iterator[bytes]:
    for start in range(0, found.size, PIECE_BYTES):
        yield world.imports.read_range(found, start, PIECE_BYTES)


def _is_under_way(blob: Blob, world: World) -> bool:
    """Whether the import may still read the file: within a day of the put, unless it is done."""
    progress = progress_of(world.imports.result(result_name(blob.name)))
    if progress is not None and progress.status is Status.DONE:
        return False
    return world.now() - blob.written_at <= LONGEST_IMPORT
