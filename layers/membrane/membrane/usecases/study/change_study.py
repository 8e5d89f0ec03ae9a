"""Cancel a job, and resume a stopped job."""

from collections.abc import Callable
from dataclasses import replace

from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.study.jobs import Job, Purpose, StudyStage
from membrane.domain.study.requests import CancelStudy, ResumeStudy
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.machinery.retries import until_won
from membrane.usecases.ports.world import World
from membrane.usecases.study.read_study import job_reply, load_own_job
from membrane.usecases.study.start_study import start_execution


def cancel_study(request: CancelStudy, call: Call, world: World) -> ReplyBody:
    """Let the job take back all its writes; a repeat changes nothing.

    Raises NotFound; FailedPrecondition for a job at its end, and for a removal; Aborted.
    """

    def change(job: Job) -> Job:
        if job.is_cancelling and not job.is_ended:
            return job
        if job.purpose is Purpose.REMOVAL:
            raise FailedPrecondition("a removal cannot be cancelled")
        stage = job.stage_at_work
        if stage in (StudyStage.DONE, StudyStage.CANCELLED):
            raise FailedPrecondition(f"the study is {stage}: it cannot be cancelled")
        if stage is StudyStage.TIDYING:
            raise FailedPrecondition(
                "the study is at its end: take the document back by POST /v1/studies/remove"
            )
        return replace(_next_attempt(job), is_cancelling=True)

    return _keep_change(request.id, change, call, world)


def resume_study(request: ResumeStudy, call: Call, world: World) -> ReplyBody:
    """Go on with the job in a new execution, which replaces a present execution.

    Raises NotFound; FailedPrecondition for a finished or cancelled job; Aborted.
    """

    def change(job: Job) -> Job:
        if job.stage in (StudyStage.DONE, StudyStage.CANCELLED):
            raise FailedPrecondition(f"the study is {job.stage}: there is nothing to resume")
        return _next_attempt(job)

    return _keep_change(request.id, change, call, world)


def _next_attempt(job: Job) -> Job:
    """The job of the next attempt, in the stage of the stop."""
    stage = job.stage_at_work
    return replace(
        job, stage=stage, stopped_at=None, failure="", waits_until=None, attempt=job.attempt + 1
    )


def _keep_change(job_id: str, change: Callable[[Job], Job], call: Call, world: World) -> ReplyBody:
    """Keep the changed job, then start an execution for it."""

    def keep() -> Job:
        job, kept = load_own_job(job_id, call, world)
        after = change(job)
        if after is not job:
            after = replace(after, updated_at=rfc3339(world.now()))
            world.studies.keep(after, kept)
        return after

    job = until_won(keep, world)
    start_execution(job, world)
    return ReplyBody(job_reply(job))
