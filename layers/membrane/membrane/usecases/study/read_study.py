"""Read a job."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from membrane.domain.language.errors import NotFound
from membrane.domain.language.fields import RECORD_ID
from membrane.domain.language.timestamps import from_epoch_seconds, rfc3339
from membrane.domain.study.jobs import Job, StudyStage
from membrane.domain.study.requests import ReadStudy
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.catalogue import Checkpoint
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.domain.study.replies import DoneOfTotal, State, StudyReply

NOT_FOUND = "study not found"


def read_study(request: ReadStudy, call: Call, world: World) -> ReplyBody:
    """The job; raises NotFound for an absent job, and for the job of another principal."""
    job, _ = load_own_job(request.id, call, world)
    return ReplyBody(job_reply(job))


def load_own_job(job_id: str, call: Call, world: World) -> tuple[Job, Checkpoint]:
    """The job that the caller began; raises NotFound."""
    kept = world.studies.find(job_id) if RECORD_ID.fullmatch(job_id) else None
    job = None if kept is None else Job.of_json(kept.progress)
    if kept is None or job is None or job.principal.identity != call.principal.identity:
        raise NotFound(NOT_FOUND)
    return job, kept


def job_reply(job: Job) -> "StudyReply":
    """The state of a job."""
    reply: StudyReply = {
        "id": job.id,
        "purpose": job.purpose,
        "state": _state_of(job),
        "stage": job.stage_at_work,
        "document_id": job.document,
        "title": job.title,
        "source": job.source,
        "scope": job.scope,
        "sensitivity": job.sensitivity,
        "characters": job.characters,
        "sha256": job.sha256,
        "dry_run": job.is_dry_run,
        "with_model": job.with_model,
        "progress": {
            "sections": _progress_of(job, "sections"),
            "paragraphs": {
                "done": _count(job.units_done, "paragraphs") + _in_section(job),
                "total": _count(job.units, "paragraphs"),
            },
            "sentences": _progress_of(job, "sentences"),
        },
        "made": {
            "topics": _count(job.made, "topics"),
            "fields": _count(job.made, "fields"),
            "revisions": _count(job.made, "revisions"),
            "unchanged": _count(job.made, "unchanged"),
            "withdrawn": _count(job.made, "withdrawn"),
            "links": _count(job.made, "links"),
            "partial": len(job.partial),
        },
        "removed": {
            "topics": _count(job.removed, "topics"),
            "revisions": _count(job.removed, "revisions"),
            "kept": _count(job.removed, "kept"),
        },
        "cost": {"questions": job.questions, "tokens": job.tokens},
        "started_at": job.started_at,
        "updated_at": job.updated_at,
        "expires_at": rfc3339(from_epoch_seconds(job.expires_at_s)),
    }
    if job.failure:
        reply["reason"] = job.failure
    if job.waits_until is not None:
        reply["waits_until"] = job.waits_until
    return reply


def _state_of(job: Job) -> "State":
    match job.stage:
        case StudyStage.DONE:
            return "done"
        case StudyStage.CANCELLED:
            return "cancelled"
        case StudyStage.FAILED:
            return "failed"
        case _:
            busy: State = "waiting" if job.waits_until is not None else "running"
            return "cancelling" if job.is_cancelling else busy


def _progress_of(job: Job, level: str) -> "DoneOfTotal":
    return {"done": _count(job.units_done, level), "total": _count(job.units, level)}


def _in_section(job: Job) -> int:
    """The finished paragraphs of a section under way."""
    return job.in_section if job.stage is StudyStage.STUDYING else 0


def _count(counts: Mapping[str, int], name: str) -> int:
    return counts.get(name, 0)
