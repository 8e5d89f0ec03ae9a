"""The claim of a job on its document: of all jobs and attempts, the one started last may write.

The claim is checked before every write. A write that was under way when another job took the claim
has WRITE_S to end.
"""

from dataclasses import replace

from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import is_before
from membrane.domain.study.jobs import Job
from membrane.usecases.ports.world import World

WRITE_S = 2.0
"""Seconds after which no write is under way that checked the claim before."""

_NOBODY: JsonObject = {"job": "", "attempt": 0, "started_at": ""}


class Superseded(Exception):
    """A later job or attempt has the claim."""


def take_claim(job: Job, world: World) -> Job:
    """The job with the claim on its document; a dry run needs none.

    Raises FailedPrecondition if a job that was started later has had the document, or any job since
    this job claimed it; LostRace.
    """
    if job.is_dry_run:
        return job
    store, name = world.topics, _name(job)
    found = store.find_document(name, job.scope)
    holder = _NOBODY if found is None else found.progress
    if holder == _claim(job):
        return job
    is_later = is_before(job.started_at, holder["started_at"] or job.started_at)
    if holder["job"] != job.id and (job.has_claimed or is_later):
        raise FailedPrecondition(
            "another study or removal of the document came in between: study the document again"
        )
    store.keep_document(name, job.scope, _claim(job), found)
    if holder["job"]:
        world.pause(WRITE_S)
    return replace(job, has_claimed=True)


def require_claim(job: Job, world: World) -> None:
    """Raises Superseded unless the job's present attempt has the claim."""
    found = world.topics.find_document(_name(job), job.scope)
    if found is None or found.progress != _claim(job):
        raise Superseded


def release_claim(job: Job, world: World) -> None:
    """Let the next job begin without a wait. Raises LostRace."""
    store, name = world.topics, _name(job)
    found = store.find_document(name, job.scope)
    if found is not None and found.progress == _claim(job):
        free = {**_NOBODY, "started_at": job.started_at}
        store.keep_document(name, job.scope, free, found)


def _claim(job: Job) -> JsonObject:
    return {"job": job.id, "attempt": job.attempt, "started_at": job.started_at}


def _name(job: Job) -> str:
    """The name under which the scope keeps the claim."""
    return f"study-of-{job.document}"
