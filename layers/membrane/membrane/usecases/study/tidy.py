"""The end of a study: delete the parts of earlier editions, and count the writes of the job.

Without a model, paragraphs and sections absent from the new edition are deleted. With a model,
values resting on passages of an earlier edition are deleted, and no topic stays in the sandbox.
Deleted fields and topics can be restored.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace

from membrane.domain.language.timestamps import is_before
from membrane.domain.study.jobs import BATCHES, Job, StudyStage
from membrane.domain.study.origins import Origin, name_of, number_of
from membrane.domain.topics.titles import NAMES_FIELD
from membrane.domain.topics.topic import Field, LineKey, Revision, Topic, key_of
from membrane.usecases.machinery.calls import until_won
from membrane.usecases.study.document_topics import FED_FROM, settle_topic, topics_of_job
from membrane.usecases.study.pieces import SECTION_OF, origin_of, piece_id
from membrane.usecases.study.place_section import PlacedSection, place_section, write_section
from membrane.usecases.study.work import Work
from membrane.usecases.study.write_topic import leave_topic
from membrane.usecases.topics.erase_topic import withdraw_revision
from membrane.usecases.topics.loading import LIVING, load_topics

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


_TOPICS_OF_STEP = 20

_MOST_GAPS = 8
"""Erased pieces of a section in a row that do not end the search for its pieces."""


def tidy_next(job: Job, work: Work) -> Job:
    """The job after the next section or the next topics; done after the last topics."""
    if job.place == 0 and not job.after:
        job = replace(job, made={"links": job.made.get("links", 0)})
    if not job.with_model and job.place < len(work.sections):
        section = work.sections[job.place]
        counts = _tidy_section(place_section(section, job, work), job, work)
        return replace(job.counting(made=counts), place=job.place + 1)
    if job.is_first and not job.with_model:
        return replace(job, stage=StudyStage.DONE)
    return _tidy_next_topics(job, work)


def _tidy_section(placed: PlacedSection, job: Job, work: Work) -> Counter[str]:
    if any(each.is_new or each.is_changed for each in placed.paragraphs):
        write_section(placed, job, work)  # a caller has changed or deleted the paragraph meanwhile
        placed = place_section(placed.section, job, work)
    counts: Counter[str] = Counter()
    for piece, topic in placed.pieces.topics.items():
        gone = {name_of(each.number) for each in placed.left_out if each.piece == piece}
        counts += _count_written(topic, gone, job)
        is_empty = bool(gone) and piece not in {each.piece for each in placed.paragraphs}
        if gone:
            is_whole = is_empty and _rests_on(topic, {*gone, NAMES_FIELD}) and piece > 1
            leave_topic(topic.id, gone, work, is_whole=is_whole)
    return counts


def _tidy_next_topics(job: Job, work: Work) -> Job:
    """The job after the next topics that are no sections of this edition."""
    links = _strays(job, work)
    left = [each for each in sorted(links) if each > job.after][:_TOPICS_OF_STEP]
    if not left:
        if job.with_model:
            finished = set(work.digests) - set(job.partial)
            work.keep_known(sorted(finished), _living_batches(work))
        else:
            work.keep_known((), {})
        return replace(job, stage=StudyStage.DONE)
    trust = work.call.principal.trust
    found = load_topics(left, trust, work.world.topics, deleted=True)
    is_stale = _stale_in(job, work)
    counts: Counter[str] = Counter()
    for topic_id, topic in found.items():
        stale = {name for name, origin in _origins(topic, job) if is_stale(origin)}
        if topic.status not in LIVING:
            counts["withdrawn"] += len(stale) * int(_is_since(topic.updated_at, job))
            continue
        is_made = links[topic_id] != FED_FROM
        is_whole = bool(stale) and is_made and _rests_on(topic, stale)
        if job.with_model and not is_whole and links[topic_id] != SECTION_OF:
            settle_topic(topic.id, links[topic_id], job, work)
        if stale:
            leave_topic(topic.id, stale, work, is_whole=is_whole)
        counts += _count_written(topic, stale, job, is_made=is_made)
    return replace(job.counting(made=counts), after=left[-1])


def _strays(job: Job, work: Work) -> Mapping[str, str]:
    """The topics of the document, without the sections of this edition: links by id."""
    if work.strays is None:
        linked = topics_of_job(job, work)
        present = set() if job.with_model else set(_present_pieces(linked, job, work))
        work.strays = {each: linked[each] for each in linked if each not in present}
    return work.strays


def _present_pieces(linked: Collection[str], job: Job, work: Work) -> Iterator[str]:
    """The ids of the linked topics with a section of this edition."""
    for section in work.sections:
        piece, gaps = 1, 0
        while gaps < _MOST_GAPS:
            topic_id = piece_id(section, piece, job)
            if topic_id in linked:
                yield topic_id
                gaps = 0
            else:
                gaps += 1
            piece += 1


def _stale_in(job: Job, work: Work) -> Callable[[Origin], bool]:
    """Whether a value with the origin is no longer in the document, as this job reads it."""
    if not job.with_model:
        return lambda _: True
    sources = {*work.digests, *_living_batches(work)}

    def is_stale(origin: Origin) -> bool:
        return not origin.by_model or origin.passage not in sources

    return is_stale


def _living_batches(work: Work) -> Mapping[str, str]:
    """The batches of phase B with a passage of this edition."""
    passages = frozenset(work.digests)
    every = {**work.earlier_study["batches"], **work.answers_in(BATCHES)}
    return {each: of for each, of in every.items() if not passages.isdisjoint(of.split())}


def _origins(topic: Topic, job: Job) -> Iterator[tuple[str, Origin]]:
    for name, field in topic.living_fields.items():
        origin = origin_of(field.current, job)
        if origin is not None:
            yield name, origin


def _rests_on(topic: Topic, names: set[str]) -> bool:
    return topic.living_fields.keys() <= names and not topic.absorbed and not topic.groups


def _count_written(topic: Topic, gone: set[str], job: Job, *, is_made: bool = True) -> Counter[str]:
    """The writes of the job to the topic, without the fields `gone`."""
    is_new = is_made and _is_since(topic.created_at, job)
    counts = Counter(topics=int(is_new), withdrawn=len(gone) + _withdrawn_before(topic, job))
    for name, field in topic.living_fields.items():
        is_counted = number_of(name) is not None or job.with_model
        if name in gone or not is_counted:
            continue
        origin = origin_of(field.current, job)
        if job.has_written(origin):
            counts["fields" if field.history_length == 1 else "revisions"] += 1
        elif origin is not None or not job.with_model:
            counts["unchanged"] += 1
    return counts


def _withdrawn_before(topic: Topic, job: Job) -> int:
    """The fields of the document that a killed run of the job has deleted."""
    deleted = (each for each in topic.fields.values() if each.deleted_at is not None)
    return sum(
        _is_since(each.deleted_at or "", job) and origin_of(each.current, job) is not None
        for each in deleted
    )


def _is_since(instant: str, job: Job) -> bool:
    return not is_before(instant, job.started_at)
