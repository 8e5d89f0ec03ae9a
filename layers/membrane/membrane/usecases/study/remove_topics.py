"""The removal of a document, and of all that a cancelled job has made, topic by topic.

The topics of a step are counted in a step before: a killed step loses no count.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from membrane.domain.study.jobs import Job, Purpose, StudyStage
from membrane.domain.topics.topic import Topic
from membrane.usecases.study.document_topics import FED_FROM, topics_of_job
from membrane.usecases.study.take_back import take_back
from membrane.usecases.study.work import Work

_LAST = "~"
"""Behind all ids: the place of the document's own topic."""

_TOPICS_OF_STEP = 10


def remove_next(job: Job, work: Work) -> Job:
    """The job after the next topics; after the last topic, the document's own, it is at its end."""
    links = _links(job, work)
    left = [each for each in sorted(links) if each > job.after][:_TOPICS_OF_STEP]
    if not left:
        return _end(job, work)
    is_counted = left[-1] <= job.counted
    counts: Counter[str] = Counter()
    for place, topic in _topics_at(left, job, work):
        is_own = job.has_written if job.purpose is Purpose.STUDY else lambda _: True
        is_made = links[place] != FED_FROM
        counts += take_back(topic, job, work, is_own, is_made=is_made, only_count=not is_counted)
    if is_counted:
        return replace(job, after=left[-1])
    after = left[-1] if job.is_dry_run else job.after
    return replace(job.counting(removed=counts), counted=left[-1], after=after)


def _topics_at(places: Sequence[str], job: Job, work: Work) -> Sequence[tuple[str, Topic]]:
    ids = {each: job.document if each == _LAST else each for each in places}
    found = work.services.topics.load_all([*ids.values()], work.call.principal.trust)
    return [(place, found[topic_id]) for place, topic_id in ids.items() if topic_id in found]


def _links(job: Job, work: Work) -> Mapping[str, str]:
    """The kinds of the links to the document, by id, with the document's own place."""
    if work.removal is None:
        work.removal = {**topics_of_job(job, work), _LAST: ""}
    return work.removal


def _end(job: Job, work: Work) -> Job:
    if job.purpose is Purpose.STUDY:
        return replace(job, stage=StudyStage.CANCELLED)
    if not job.is_dry_run:
        work.keep_known((), {})
    return replace(job, stage=StudyStage.DONE)
