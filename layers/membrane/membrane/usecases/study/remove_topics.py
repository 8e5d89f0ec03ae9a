"""The removal of a document, and of all that a cancelled job has made, topic by topic."""

from dataclasses import replace

from membrane.domain.study.jobs import Job, Purpose, StudyStage
from membrane.usecases.study.document_topics import document_topics, sandbox_topics
from membrane.usecases.study.take_back import is_made_of_document, take_back
from membrane.usecases.study.work import Work

_LAST = "~"
"""Behind all ids: the place of the document's own topic."""

_TOPICS_OF_STEP = 10


def remove_next(job: Job, work: Work) -> Job:
    """The job after the next topics; after the last topic, the document's own, it is at its end."""
    every = _topics(job, work)
    left = [each for each in every if each > job.after][:_TOPICS_OF_STEP]
    if not left:
        return _end(job, work)
    ids = [job.document if each == _LAST else each for each in left]
    found = work.services.topics.load_all(ids, work.call.principal.trust)
    for topic_id in ids:
        topic = found.get(topic_id)
        if topic is not None:
            job = job.counting(
                removed=take_back(
                    topic,
                    job,
                    work,
                    job.has_written if job.purpose is Purpose.STUDY else lambda _: True,
                    is_made=is_made_of_document(topic, job),
                )
            )
    return replace(job, after=left[-1])


def _topics(job: Job, work: Work) -> list[str]:
    """The ids of the document's topics in order, the document's own place last."""
    if "removal" not in work.lists:
        linked = set(document_topics(job, work))
        if job.purpose is Purpose.STUDY and job.with_model:
            linked |= {*work.made_ids, *work.fed_ids}
            if job.must_scan:
                linked |= {each.id for each in sandbox_topics(job, work)}
        work.lists["removal"] = [*sorted(linked), _LAST]
    return [*work.lists["removal"]]


def _end(job: Job, work: Work) -> Job:
    if job.purpose is Purpose.REMOVAL:
        if not job.is_dry_run:
            work.keep_known((), job)
        return replace(job, stage=StudyStage.DONE)
    return replace(job, stage=StudyStage.CANCELLED)
