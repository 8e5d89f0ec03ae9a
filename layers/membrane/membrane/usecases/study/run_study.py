"""Go on with a job: one bounded step after the other, each saved before the next begins.

A step may be killed at any point. The next run repeats the step, which then finds what is written
already.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal, NamedTuple

from membrane.domain.language.errors import DomainError, ResourceExhausted
from membrane.domain.language.timestamps import epoch_seconds, from_epoch_seconds, rfc3339
from membrane.domain.models.failures import BusyModel, OutOfTokens
from membrane.domain.study.hierarchy import hierarchy_of
from membrane.domain.study.jobs import Job, StudyStage
from membrane.domain.study.plan import plan_of
from membrane.usecases.machinery.long_jobs import IsOutOfTime
from membrane.usecases.machinery.retries import TRANSIENT
from membrane.usecases.ports.catalogue import Checkpoint
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services_study import StudyServices
from membrane.usecases.study.document_topics import make_document_topic
from membrane.usecases.study.link_section import link_section
from membrane.usecases.study.place_section import place_section, write_section
from membrane.usecases.study.remove_topics import remove_next
from membrane.usecases.study.study_passage import integrate_next, study_next_passage
from membrane.usecases.study.tidy import tidy_next
from membrane.usecases.study.work import Work

BUSY_WAIT_S = 60
"""The wait for a busy model, unless the model names a longer wait."""


class Rest(NamedTuple):
    """What is left of a job after a run."""

    state: Literal["running", "waiting", "done"]
    wait_s: int = 0
    """Seconds after which a waiting job may go on."""


_DONE, _RUNNING = Rest("done"), Rest("running")


def run_study(
    job_id: str, attempt: int, services: StudyServices, is_out_of_time: IsOutOfTime
) -> Rest:
    """Go on with the job until it ends, waits, or the time is out.

    Nothing is left for a run of an earlier attempt. A refusal ends the job as failed. Raises
    ResourceExhausted and Unavailable of the store, and Unavailable of the model: a later run may
    succeed.
    """
    kept = services.studies.find(job_id)
    if kept is None:
        return _DONE
    job = Job.of_json(kept.progress)
    work = Work.of(job, services)
    try:
        while not job.is_ended and job.attempt == attempt:
            if is_out_of_time():
                return _RUNNING
            job, kept = _save(_after_step(job, work), kept, services)
    except LostRace:
        return _RUNNING  # the next run reads what another call has changed
    except (OutOfTokens, BusyModel) as error:
        return _wait(job, kept, error, services)
    except TRANSIENT:
        raise
    except DomainError as error:
        _fail(job, kept, str(error), services)
    return _DONE


def fail_study(job_id: str, attempt: int, error: str, services: StudyServices) -> None:
    """End the job as failed after an error that repetition did not mend; see `resume_study`."""
    kept = services.studies.find(job_id)
    if kept is None:
        return
    job = Job.of_json(kept.progress)
    if not job.is_ended and job.attempt == attempt:
        _fail(job, kept, f"the job stopped after an error: {error}", services)


def _after_step(job: Job, work: Work) -> Job:
    """The job after its next step."""
    if job.is_cancelling and job.stage is not StudyStage.REMOVING:
        return replace(job, stage=StudyStage.REMOVING, place=0, after="")
    return _STEPS[job.stage](replace(job, waits_until=None), work)


def _prepare(job: Job, work: Work) -> Job:
    plan = plan_of(hierarchy_of(work.text), job.title)
    work.keep_plan(plan)
    is_first = make_document_topic(job, work) or job.is_first
    return replace(job, stage=StudyStage.STUDYING, units=plan.units, is_first=is_first, place=0)


def _study_next(job: Job, work: Work) -> Job:
    if job.with_model:
        return study_next_passage(job, work)
    section = work.plan.sections[job.place]
    made = write_section(place_section(section, job, work), job, work)
    done = {"sections": 1, "paragraphs": len(section.paragraphs), "sentences": section.sentences}
    return _after_section(job.counting(units=done, made=made), work, StudyStage.LINKING)


def _link_next(job: Job, work: Work) -> Job:
    if job.with_model:
        return integrate_next(job, work)
    links = link_section(work.plan.sections[job.place], job, work)
    return _after_section(job.counting(made={"links": links}), work, StudyStage.TIDYING)


def _after_section(job: Job, work: Work, following: StudyStage) -> Job:
    """The job behind the present section; after the last section, in the following stage."""
    place = job.place + 1
    if place < len(work.plan.sections):
        return replace(job, place=place)
    return replace(job, place=0, stage=following)


_STEPS: Mapping[StudyStage, Callable[[Job, Work], Job]] = {
    StudyStage.PREPARING: _prepare,
    StudyStage.STUDYING: _study_next,
    StudyStage.LINKING: _link_next,
    StudyStage.TIDYING: tidy_next,
    StudyStage.REMOVING: remove_next,
}


def _save(job: Job, kept: Checkpoint, services: StudyServices) -> tuple[Job, Checkpoint]:
    """The saved job, without its objects at the end; the time to live begins again.

    Raises LostRace.
    """
    now = services.now()
    expires_at_s = int(epoch_seconds(now + services.retention.export))
    saved = replace(job, updated_at=rfc3339(now), expires_at_s=expires_at_s)
    checkpoint = services.studies.keep(saved, kept)
    if saved.is_ended and saved.stage is not StudyStage.FAILED:
        for name in saved.objects:
            services.blobs.erase(name)
    return saved, checkpoint


def _wait(job: Job, kept: Checkpoint, error: ResourceExhausted, services: StudyServices) -> Rest:
    wait_s = max(int(error.retry_after_s or 0) + 1, BUSY_WAIT_S)
    until = rfc3339(from_epoch_seconds(epoch_seconds(services.now()) + wait_s))
    try:
        _save(replace(job, waits_until=until), kept, services)
    except LostRace:
        return _RUNNING
    _keep_objects(job, services)
    return Rest("waiting", wait_s)


def _keep_objects(job: Job, services: StudyServices) -> None:
    """Write the objects of the job again: the bucket removes them by their age."""
    for name in job.objects:
        content = services.blobs.get(name)
        if content is not None:
            services.blobs.write(name, content)


def _fail(job: Job, kept: Checkpoint, failure: str, services: StudyServices) -> None:
    failed = replace(job, stage=StudyStage.FAILED, stopped_at=job.stage, failure=failure)
    try:
        _save(failed, kept, services)
    except LostRace:
        return
