"""Go on with a job: one bounded step after the other, each saved before the next begins.

A step may be killed at any point. The next run repeats the step, which then finds what is written
already.
"""

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import Literal, NamedTuple

from membrane.domain.language.errors import DomainError, ResourceExhausted
from membrane.domain.language.timestamps import epoch_seconds, from_epoch_seconds, rfc3339
from membrane.domain.model_failures import BusyModel, OutOfTokens
from membrane.domain.study.hierarchy import hierarchy_of
from membrane.domain.study.jobs import MADE, Job, Purpose, StudyStage
from membrane.domain.study.plan import plan_of, units_of
from membrane.table.items import Checkpoint, LostRace
from membrane.table.keys import study_key
from membrane.usecases.machinery.calls import TRANSIENT, IsOutOfTime
from membrane.usecases.ports.world import World
from membrane.usecases.study import document_topics
from membrane.usecases.study.place_section import place_section, write_section
from membrane.usecases.study.study_passage import integrate_next, study_next_passage, with_cost
from membrane.usecases.study.tidy import take_back, tidy_next
from membrane.usecases.study.work import Superseded, Work, keep_study, release_claim, take_claim

BUSY_WAIT_S = 60
"""The first wait for a busy model, unless the model names a longer wait; doubles each time."""

LONGEST_BUSY_WAIT_S = 3_600

MAX_DAYS = 3
"""Waits for the tokens of the next day without a finished passage between."""

SECTION_S = 20.0
"""The seconds after which a section that takes longer is kept before it goes on."""


_LAST = "~"
"""Behind all ids: the place of the document's own topic."""

_TOPICS_OF_STEP = 10


class Rest(NamedTuple):
    """What is left of a job after a run."""

    state: Literal["running", "waiting", "done"]
    wait_s: int = 0
    """Seconds after which a waiting job may go on."""


_DONE, _RUNNING = Rest("done"), Rest("running")


def run_study(job_id: str, attempt: int, world: World, is_out_of_time: IsOutOfTime) -> Rest:
    """Go on with the job until it ends, waits, or the time is out.

    Nothing is left for a run of an earlier attempt. A refusal ends the job as failed. Raises
    ResourceExhausted and Unavailable of the store, and Unavailable of the model: a later run may
    succeed.
    """
    kept = world.jobs.find(study_key(job_id))
    if kept is None:
        return _DONE
    job = Job.of_json(kept.progress)
    if job.is_ended or job.attempt != attempt:
        return _DONE
    work, is_claimed = Work.of(job, world), False
    try:
        while not job.is_ended:
            if is_out_of_time():
                return _RUNNING
            if not is_claimed:  # kept before the first step writes
                claimed = take_claim(job, world)
                job, kept = (job, kept) if claimed is job else _save(claimed, kept, world)
                is_claimed = True
            job, kept = _save(_after_step(job, work, is_out_of_time), kept, world)
        release_claim(job, world)
    except (LostRace, Superseded):
        return _RUNNING  # the next run reads what another call has changed
    except (OutOfTokens, BusyModel) as error:
        return _wait(with_cost(job, work), kept, error, work)
    except TRANSIENT:
        raise
    except DomainError as error:
        _fail(with_cost(job, work), kept, str(error), work)
    return _DONE


def fail_study(job_id: str, attempt: int, error: str, world: World) -> None:
    """End the job as failed after an error that repetition did not mend; see `resume_study`."""
    kept = world.jobs.find(study_key(job_id))
    if kept is None:
        return
    job = Job.of_json(kept.progress)
    if not job.is_ended and job.attempt == attempt:
        failure = f"the job stopped after an error: {error}"
        _fail(job, kept, failure, Work.of(job, world))


def _after_step(job: Job, work: Work, is_out_of_time: IsOutOfTime) -> Job:
    if job.is_cancelling and job.stage is not StudyStage.REMOVING:
        # A passage that is begun may have made topics whose ids a killed run has not kept.
        must_scan = job.must_scan or (job.with_model and job.begun == job.place)
        stage = StudyStage.REMOVING
        return replace(job, stage=stage, place=0, after="", must_scan=must_scan)
    job = replace(job, waits_until=None)
    match job.stage:
        case StudyStage.PREPARING:
            return _prepare(job, work)
        case StudyStage.STUDYING if job.with_model:
            return study_next_passage(job, work)
        case StudyStage.STUDYING:
            return _study_next(job, work, is_out_of_time)
        case StudyStage.LINKING if job.with_model:
            return integrate_next(job, work)
        case StudyStage.LINKING:
            return _link_next(job, work)
        case StudyStage.TIDYING:
            return tidy_next(job, work)
        case _:
            return remove_next(job, work)


def _prepare(job: Job, work: Work) -> Job:
    sections = plan_of(hierarchy_of(work.text), job.title)
    work.keep_plan(sections)
    is_first = document_topics.make_document_topic(job, work) or job.is_first
    return replace(
        job, stage=StudyStage.STUDYING, units=units_of(sections), is_first=is_first, place=0
    )


def _study_next(job: Job, work: Work, is_out_of_time: IsOutOfTime) -> Job:
    """The job after the next section, or after a part of a section that takes long."""
    section = work.sections[job.place]
    began_s = work.world.elapsed_s()

    def is_late() -> bool:
        return is_out_of_time() or work.world.elapsed_s() - began_s > SECTION_S

    placed = place_section(section, job, work)
    written = write_section(placed, job, work, is_late)
    if not written.is_whole:
        return replace(job, in_section=max(job.in_section, written.paragraphs))
    done = {"sections": 1, "paragraphs": len(section.paragraphs), "sentences": section.sentences}
    after = job.counting(units=done, made=written.made)
    return _after_section(after, work, StudyStage.LINKING)


def _link_next(job: Job, work: Work) -> Job:
    """The job after the next pieces of the present section."""
    links, last = document_topics.link_pieces(work.sections[job.place], job.in_section, job, work)
    linked = job.counting(made={"links": links})
    if last is not None:
        return replace(linked, in_section=last)
    return _after_section(linked, work, StudyStage.TIDYING)


def _after_section(job: Job, work: Work, following: StudyStage) -> Job:
    job, place = replace(job, in_section=0), job.place + 1
    if place < len(work.sections):
        return replace(job, place=place)
    return replace(job, place=0, stage=following)


def _save(job: Job, kept: Checkpoint, world: World) -> tuple[Job, Checkpoint]:
    """The saved job, without objects at the end, and its new life. Raises LostRace."""
    now = world.now()
    expires_at_s = int(epoch_seconds(now + world.retention.export))
    saved = replace(job, updated_at=rfc3339(now), expires_at_s=expires_at_s)
    checkpoint = keep_study(saved, kept, world.jobs)
    if saved.is_ended and saved.stage is not StudyStage.FAILED:
        for name in saved.objects:
            world.blobs.erase(name)
    return saved, checkpoint


def _wait(job: Job, kept: Checkpoint, error: ResourceExhausted, work: Work) -> Rest:
    """Let the job wait; a passage that no allowance suffices for fails the job at last."""
    if isinstance(error, OutOfTokens) and job.waits >= MAX_DAYS:
        _fail(job, kept, f"a passage takes more tokens than a day has: {error}", work)
        return _DONE
    world = work.world
    busy_s = min(BUSY_WAIT_S << min(job.waits, 10), LONGEST_BUSY_WAIT_S)
    usual_s = busy_s if isinstance(error, BusyModel) else BUSY_WAIT_S
    wait_s = max(int(error.retry_after_s or 0) + 1, usual_s)
    until = rfc3339(from_epoch_seconds(epoch_seconds(world.now()) + wait_s))
    try:
        _save(replace(job, waits_until=until, waits=job.waits + 1), kept, world)
    except LostRace:
        return _RUNNING
    _keep_objects(job, world)
    return Rest("waiting", wait_s)


def _keep_objects(job: Job, world: World) -> None:
    """Write the objects of the job again: the bucket removes them by their age."""
    for name in job.objects:
        content = world.blobs.get(name)
        if content is not None:
            world.blobs.write(name, content)


def _fail(job: Job, kept: Checkpoint, failure: str, work: Work) -> None:
    failed = replace(job, stage=StudyStage.FAILED, stopped_at=job.stage, failure=failure)
    with suppress(LostRace):
        _save(failed, kept, work.world)
        if job.with_model:
            for each in work.answers_in(MADE):
                with suppress(DomainError, Superseded):
                    document_topics.settle_topic(each, document_topics.MADE_FROM, job, work)


def remove_next(job: Job, work: Work) -> Job:
    """The job after the next topics; after the last topic, the document's own, it is at its end."""
    if work.removal is None:
        work.removal = {**document_topics.topics_of_job(job, work), _LAST: ""}
    links = work.removal
    left = [each for each in sorted(links) if each > job.after][:_TOPICS_OF_STEP]
    if not left:
        return _end(job, work)
    is_counted = left[-1] <= job.counted
    counts: Counter[str] = Counter()
    ids = {each: job.document if each == _LAST else each for each in left}
    found = work.world.topics.load_all([*ids.values()], work.call.principal.trust)
    there = [(place, found[topic_id]) for place, topic_id in ids.items() if topic_id in found]
    for place, topic in there:
        is_own = job.has_written if job.purpose is Purpose.STUDY else lambda _: True
        is_made = links[place] != document_topics.FED_FROM
        counts += take_back(topic, job, work, is_own, is_made=is_made, only_count=not is_counted)
    if is_counted:
        return replace(job, after=left[-1])
    after = left[-1] if job.is_dry_run else job.after
    return replace(job.counting(removed=counts), counted=left[-1], after=after)


def _end(job: Job, work: Work) -> Job:
    if job.purpose is Purpose.STUDY:
        return replace(job, stage=StudyStage.CANCELLED)
    if not job.is_dry_run:
        work.keep_known((), {})
    return replace(job, stage=StudyStage.DONE)
