"""Start an erasure, and read the job with its findings, or the certificate with its entries."""

from functools import partial
from typing import TYPE_CHECKING, Literal

from membrane.domain.erasure.jobs import Finding, Job, Stage, counts_of, entry_of
from membrane.domain.erasure.requests import ReadCertificate, ReadErasure, StartErasure
from membrane.domain.erasure.targets import Target, TargetKind
from membrane.domain.language import errors
from membrane.domain.language.fields import RECORD_ID
from membrane.domain.language.names import folded_name
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.table.items import LostRace
from membrane.usecases.erasure.condemned import document_named, place_named
from membrane.usecases.machinery.calls import Call, ReplyBody, cursor_part, side_by_side
from membrane.usecases.machinery.walks import admit_walk
from membrane.usecases.ports.world import World
from membrane.usecases.records.write import REUSED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from membrane.domain.erasure.replies import (
        CertificateReply,
        ErasureReply,
        ErasureState,
        FindingReply,
    )


def start_erasure(request: StartErasure, call: Call, world: World) -> ReplyBody:
    """Keep the job and start it; a repeat under an idempotency key returns the job as it is.

    Raises PermissionDenied for a key without the rights over what the request names, NotFound for
    an id of nothing that the key sees, InvalidArgument unless the request has one target, and
    AlreadyExists for a key reused with a different request.
    """
    target = _target_of(request, call)
    _require_rights(target, call, world)
    erasure_id = call.new_id(world)
    job = Job(
        id=erasure_id,
        target=target,
        target_sha256=target.sha256(erasure_id),
        reason=request.reason,
        principal=call.principal,
        actor_id=call.principal.actor_id,
        owner=call.principal.identity,
        is_dry_run=request.dry_run,
        started_at=rfc3339(world.now()),
    )
    replayed = False
    matter = target.as_json()
    if not target.scope:  # the same subject in other scopes is another matter
        matter["scopes"] = sorted(call.principal.scopes)
    admit_walk(
        "dry run" if job.is_dry_run else "erasure",
        matter,
        job.id,
        is_running=lambda earlier: _is_running(earlier.id, world),
        call=call,
        world=world,
    )
    try:
        world.erasures.keep(job.as_json(), None, is_open=True)
    except LostRace:
        job, replayed = _earlier_job(job, world), True
    if not job.is_done:
        world.start_erasing(job.id)
    return ReplyBody(job_reply(job), replayed=replayed)


def _is_running(erasure_id: str, world: World) -> bool | None:
    kept = world.erasures.find(erasure_id)
    return None if kept is None else not Job.of_json(kept.progress).is_done


def _target_of(request: StartErasure, call: Call) -> Target:
    """The target; a user has narrowed the principal to the user's scope before.

    Raises InvalidArgument unless the request has one target. A blank subject is no target: a caller
    that lost a name must not erase a whole scope.
    """
    if request.subject is not None and not request.subject.strip():
        raise errors.InvalidArgument("subject must not be blank: leave subject out").at("subject")
    scope, subject = request.scope or call.principal.user_scope, (request.subject or "").strip()
    spellings = frozenset((request.subject or "", *request.spellings)) - {"", subject}
    if any(folded_name(each) != folded_name(subject) for each in spellings):
        raise errors.InvalidArgument("spellings must be spellings of the subject").at("spellings")
    if request.ids:
        if request.scope or subject:
            raise errors.InvalidArgument("ids stand alone: leave scope and subject out").at("ids")
        return Target(TargetKind.IDS, ids=frozenset(request.ids))
    if subject:
        return Target(TargetKind.SUBJECT, scope=scope, subject=subject, spellings=spellings)
    if not scope:
        raise errors.InvalidArgument("scope, user, subject or ids is required").at("scope")
    return Target(TargetKind.SCOPE, scope=scope)


def _require_rights(target: Target, call: Call, world: World) -> None:
    principal = call.principal
    principal.require(Permission.ADMIN)
    if target.kind is TargetKind.IDS:
        _require_ids(target, call, world)
        return
    if principal.ceiling is not Sensitivity.HYPER:
        raise errors.PermissionDenied(
            f"an erasure by scope or subject needs a key up to {Sensitivity.HYPER}"
        )
    if target.scope:
        principal.require_write(target.scope, principal.ceiling)


def _require_ids(target: Target, call: Call, world: World) -> None:
    ids = sorted(target.ids)
    records = world.records.load_own(ids)
    topics = world.topics.load_all([each for each in ids if each not in records])
    others = [each for each in ids if each not in records and each not in topics]
    documents = side_by_side(partial(document_named, world=world), others)
    known = {**dict(zip(others, documents, strict=True)), **topics, **records}
    for each in ids:
        held = known[each]
        if held is None or not call.principal.trust.allows(held.scope, held.sensitivity):
            raise errors.NotFound(f"no record, topic or listed document {each}")
        call.principal.require_write(held.scope, held.sensitivity)


def _earlier_job(repeat: Job, world: World) -> Job:
    """The job under the key of the repeat; after its end it has the digest of the target alone."""
    kept = world.erasures.find(repeat.id)
    job = None if kept is None else Job.of_json(kept.progress)
    if job is None or _request_of(job) != _request_of(repeat):
        raise errors.AlreadyExists(REUSED)
    return job


def _request_of(job: Job) -> tuple[str, str, bool]:
    return job.target_sha256, job.reason, job.is_dry_run


NOT_FOUND = "erasure not found"
PAGE = 100
"""Findings after which a page ends; a page ends at the end of a kept list."""


def read_erasure(request: ReadErasure, call: Call, world: World) -> ReplyBody:
    """The job with a page of the listing; raises NotFound and InvalidArgument."""
    job = _load_job(request.id, call, world)
    findings, after = _page(job, request.cursor, job.listing_parts, world)
    reply: ErasureReply = {
        **job_reply(job),
        "spellings": [
            {"text": each, "found": number, "erases": bool(is_confirmed)}
            for each, (number, is_confirmed) in sorted(job.spellings.items())
        ],
        "findings": side_by_side(partial(_listed_entry, world=world), findings),
        **cursor_part(after),
    }
    return ReplyBody(reply)


def _listed_entry(finding: Finding, world: World) -> "FindingReply":
    """The finding, with the place of a document that is still there."""
    entry, place = entry_of(finding), place_named(finding.id, world)
    if place is not None:
        entry["place"] = {"scope": place.scope, "namespace": [*place.namespace], "key": place.key}
    return entry


def read_certificate(request: ReadCertificate, call: Call, world: World) -> ReplyBody:
    """The signed certificate with a page of entries.

    Raises NotFound, InvalidArgument, and FailedPrecondition before the end of the erasure.
    """
    job = _load_job(request.id, call, world)
    signed = world.erasures.certificate(job.id) if job.is_done else None
    if signed is None:
        words = "a dry run removes nothing" if job.is_dry_run else "the erasure is under way"
        raise errors.FailedPrecondition(f"there is no certificate: {words}")
    findings, after = _page(job, request.cursor, job.removal_parts, world)
    reply: CertificateReply = {
        "certificate": signed["certificate"],
        "signature": signed["signature"],
        "entries": [entry_of(each) for each in findings],
        **cursor_part(after),
    }
    return ReplyBody(reply)


def job_reply(job: Job) -> "ErasureState":
    """The state of a job."""
    return {
        "id": job.id,
        "state": "listed" if job.is_done and job.is_dry_run else _STATES[job.stage],
        "dry_run": job.is_dry_run,
        "reason": job.reason,
        "requested_by": job.actor_id,
        "started_at": job.started_at,
        "done_at": job.done_at,
        "found": counts_of(job.found),
        "removed": counts_of(job.removed),
        "unreadable": job.unreadable,
    }


_STATES: "Mapping[Stage, Literal['listing', 'removing', 'done']]" = {
    Stage.LISTING: "listing",
    Stage.REMOVING: "removing",
    Stage.EMPTIED: "removing",
    Stage.CERTIFIED: "removing",
    Stage.DONE: "done",
}


def _load_job(erasure_id: str, call: Call, world: World) -> Job:
    kept = world.erasures.find(erasure_id) if RECORD_ID.fullmatch(erasure_id) else None
    job = None if kept is None else Job.of_json(kept.progress)
    is_own = job is not None and job.owner == call.principal.identity
    if job is None or not (is_own or call.principal.is_admin_of_all):
        raise errors.NotFound(NOT_FOUND)
    return job


def _page(job: Job, cursor: str, parts: range, world: World) -> tuple[list[Finding], str | None]:
    """Findings of the lists from the cursor on, and the next cursor."""
    found: list[Finding] = []
    for part in parts[_passed_parts(cursor, parts) :]:
        found += (each for each in world.erasures.findings(job.id, part) if each.is_listed)
        if len(found) >= PAGE and part + 1 < parts.stop:
            return found, str(part + 1)
    return found, None


def _passed_parts(cursor: str, parts: range) -> int:
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdigit()):
        raise errors.InvalidArgument("cursor is not of a page of this erasure").at("cursor")
    return max(0, int(cursor[:10]) - parts.start)
