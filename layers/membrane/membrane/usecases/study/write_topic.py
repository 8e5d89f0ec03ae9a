"""Write values and links of a document into a topic, and make the topic with the first write."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from membrane.domain.language.timestamps import is_before
from membrane.domain.study.jobs import Job
from membrane.domain.topics import versions
from membrane.domain.topics.appending import FieldWrite, mark_deleted
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.placing import apply_observation
from membrane.domain.topics.placing.observations import EdgeWrite, Observation
from membrane.domain.topics.requests.editing import RestoreTopic
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.study.work import Work
from membrane.usecases.topics.editing.topics import restore_topic
from membrane.usecases.topics.loading import LIVING, load_topic, load_topics
from membrane.usecases.topics.writing import NOTHING, Decision, write_and_trim

_LINKS = "links"
"""The number of links that the job wrote, in the reply of a write."""

WHY_GONE = "the document no longer has this"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTopic:
    """The attributes of a topic that the first write makes."""

    id: str
    title: str
    kind: str
    summary: str = ""


def write_topic(
    new: NewTopic,
    writes: Sequence[FieldWrite],
    edges: Sequence[EdgeWrite],
    job: Job,
    work: Work,
    *,
    kind: str | None = None,
) -> int:
    """Make the topic, or add values, links and a kind; the number of links that the job wrote.

    Known values and existing links are not written. A link that a killed run of the job has written
    counts too. Raises the errors of
    `write`; AlreadyExists for an erased topic; PermissionDenied, InvalidArgument and TooLarge.
    """
    trust = work.call.principal.trust

    def decide(context: versions.ChangeContext) -> Decision:
        work.require_claim()
        found = load_topics([new.id], trust, work.world.topics).get(new.id)
        written = 0
        if found is None:
            work.call.principal.require_write(job.scope, job.sensitivity)
            fresh = versions.unwritten_topic(
                new.id,
                job.scope,
                job.sensitivity,
                title=new.title,
                summary=new.summary,
                kind=new.kind,
                context=context,
            )
            observation = Observation(writes=tuple(writes), edges=tuple(edges))
            placed = apply_observation.place_in_new_topic(fresh, observation, context)
        else:
            work.call.principal.require_write(found.scope, found.sensitivity)
            observation = Observation(
                writes=tuple(writes), edges=tuple(edges), kind=kind, retypes=True
            )
            known = {each: work.world.topics.find_edge(found.id, *each) for each in edges}
            existing = {each: edge for each, edge in known.items() if edge is not None}
            placed = apply_observation.place_in_topic(
                found, observation, existing, context, skip_repeats=True, past={}
            )
            present = (each for each in existing.values() if each.removed_at is None)
            written = sum(not is_before(each.created_at, job.started_at) for each in present)
        body = {_LINKS: written + len(placed.edges)}
        if not placed.changes:
            return Decision(None, body)
        change = TopicChange(
            topics=[(placed.before, placed.after)],
            revisions=placed.revisions,
            edges=placed.edges,
            values=placed.values,
        )
        grown = () if found is None else placed.written_fields
        return Decision(change, body, grown_fields=grown)

    return int(write_and_trim(decide, work.call, work.world).body[_LINKS])


def restore(topic: Topic, work: Work) -> None:
    """Bring back a deleted topic of the document."""
    work.require_claim()
    restore_topic(RestoreTopic(id=topic.id), work.call, work.world)


def was_left(topic: Topic) -> bool:
    """Whether a study or a removal deleted the topic, and no caller."""
    ends = [each for each in topic.trail if each.kind is EventKind.DELETED]
    return topic.status is TopicStatus.DELETED and bool(ends) and ends[-1].why == WHY_GONE


def leave_topic(topic_id: str, names: Collection[str], work: Work, *, is_whole: bool) -> None:
    """Delete fields without a place in the edition; `is_whole` deletes the topic instead.

    Both can be restored. A topic that is gone meanwhile stays gone, and the keeper of a topic that
    was merged meanwhile stays as it is.
    """

    def decide(context: versions.ChangeContext) -> Decision:
        work.require_claim()
        topic = load_topic(topic_id, work.call.principal.trust, work.world.topics)
        work.call.principal.require_write(topic.scope, topic.sensitivity)
        if topic.id != topic_id or topic.status not in LIVING:
            return NOTHING
        if is_whole:
            after = versions.deleted_topic(topic, context, WHY_GONE)
        else:
            gone = [name for name in sorted(names) if name in topic.living_fields]
            if not gone:
                return NOTHING
            fields = mark_deleted(topic.fields, gone, context.timestamp)
            draft = versions.EventDraft(EventKind.FIELD_DELETED, {"fields": gone}, WHY_GONE)
            after = versions.next_version(topic, draft, context=context, fields=fields)
        return Decision(TopicChange(topics=[(topic, after)]), {})

    write_and_trim(decide, work.call, work.world)
