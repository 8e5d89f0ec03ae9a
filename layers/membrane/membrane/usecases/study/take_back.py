"""Take back the values of a document, or of one job, from a topic."""

from collections import Counter
from collections.abc import Callable, Iterator

from membrane.domain.study.jobs import Job
from membrane.domain.study.origins import Origin
from membrane.domain.topics.revisions import Revision
from membrane.domain.topics.topic import Field, LineKey, Topic, key_of
from membrane.usecases.machinery.retries import until_won
from membrane.usecases.study.pieces import origin_of
from membrane.usecases.study.work import Work
from membrane.usecases.study.write_topic import leave_topic
from membrane.usecases.topics.loading import LIVING
from membrane.usecases.topics.placing.withdraw_statement import withdraw_revision

IsOwn = Callable[[Origin], bool]
"""Whether a value with the origin is to be taken back."""


def take_back(
    topic: Topic, job: Job, work: Work, is_own: IsOwn, *, is_made: bool, only_count: bool
) -> Counter[str]:
    """Take the own values out of the topic, for good, and count them; or count them alone.

    `is_made` says that the document made the topic: with no other value, the topic is deleted
    whole, and can be restored. Raises Aborted after too many concurrent writes.
    """
    if topic.status not in LIVING:
        return Counter()
    revisions = list(_revisions(topic, work))
    own = [each for each in revisions if _is_own(each[1], job, is_own)]
    is_whole = is_made and len(own) == len(revisions) and not _has_references(topic)
    counts = Counter(revisions=len(own), topics=int(is_whole), kept=int(bool(own) and not is_whole))
    if only_count:
        return counts
    if is_whole:
        leave_topic(topic.id, (), work, is_whole=True)
        return counts
    for line, revision in own:
        work.require_claim()
        until_won(lambda: withdraw_revision(line, revision, work.world), work.world)  # noqa: B023 - called at once
    return counts


def _is_own(revision: Revision, job: Job, is_own: IsOwn) -> bool:
    origin = origin_of(revision, job)
    return origin is not None and is_own(origin)


def _revisions(topic: Topic, work: Work) -> Iterator[tuple[LineKey, Revision]]:
    """Every revision of the fields, deleted fields included, with the line."""
    for field in topic.fields.values():
        if field.history_length == 1 and field.current is not None and len(field.lines) == 1:
            yield key_of(field.lines[0]), field.current
        else:
            yield from _history(field, work)


def _history(field: Field, work: Work) -> Iterator[tuple[LineKey, Revision]]:
    store = work.world.topics
    for line in field.lines:
        yield from ((key_of(line), each) for each in store.history(line))
        for archive in line.archives:
            yield from ((key_of(line), each) for each in store.load_archive(line, archive))


def _has_references(topic: Topic) -> bool:
    return bool(topic.absorbed) or any(
        each.ref_topic_id is not None for each in topic.living_fields.values()
    )
