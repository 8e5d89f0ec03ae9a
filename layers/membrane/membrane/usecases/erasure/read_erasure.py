"""Read an erasure: the job with its findings, and the certificate with its entries."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Literal

from membrane.domain.erasure.certificate import LISTED, counts_of, entry_of
from membrane.domain.erasure.jobs import Finding, Job, Stage
from membrane.domain.erasure.requests import ReadCertificate, ReadErasure
from membrane.domain.language.errors import FailedPrecondition, InvalidArgument, NotFound
from membrane.domain.language.fields import RECORD_ID
from membrane.usecases.machinery.calls import Call, ReplyBody, cursor_part
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.domain.erasure.replies import CertificateReply, ErasureReply, ErasureState

NOT_FOUND = "erasure not found"
PAGE = 100
"""Findings after which a page ends; a page ends at the end of a kept list."""


def read_erasure(request: ReadErasure, call: Call, world: World) -> ReplyBody:
    """The job with a page of the listing; raises NotFound and InvalidArgument."""
    job = _load_job(request.id, call, world)
    findings, after = _page(job, request.cursor, job.listing_parts, world)
    reply: ErasureReply = {
        **job_reply(job),
        "findings": [entry_of(each) for each in findings],
        **cursor_part(after),
    }
    return ReplyBody(reply)


def read_certificate(request: ReadCertificate, call: Call, world: World) -> ReplyBody:
    """The signed certificate with a page of entries.

    Raises NotFound, InvalidArgument, and FailedPrecondition before the end of the erasure.
    """
    job = _load_job(request.id, call, world)
    signed = world.erasures.certificate(job.id) if job.is_done else None
    if signed is None:
        words = "a dry run removes nothing" if job.is_dry_run else "the erasure is under way"
        raise FailedPrecondition(f"there is no certificate: {words}")
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
        raise NotFound(NOT_FOUND)
    return job


def _page(job: Job, cursor: str, parts: range, world: World) -> tuple[list[Finding], str | None]:
    """Findings of the lists from the cursor on, and the next cursor."""
    found: list[Finding] = []
    for part in parts[_passed_parts(cursor, parts) :]:
        found += _records_and_topics_of(job, part, world)
        if len(found) >= PAGE and part + 1 < parts.stop:
            return found, str(part + 1)
    return found, None


def _records_and_topics_of(job: Job, part: int, world: World) -> Iterator[Finding]:
    found = world.erasures.findings(job.id, part)
    return (each for each in found if each.kind in LISTED)


def _passed_parts(cursor: str, parts: range) -> int:
    """The number of lists before the cursor."""
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdigit()):
        raise InvalidArgument("cursor is not of a page of this erasure").at("cursor")
    return max(0, int(cursor[:10]) - parts.start)
