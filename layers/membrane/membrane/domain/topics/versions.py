"""Versions of a topic and of its edges, and the changes that affect the search index."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.json_text import JsonObject, hash_of, last_hash, text_hash_of
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.salience.function import Anchor
from membrane.domain.topics.events import EventKind, TopicEvent
from membrane.domain.topics.salience import (
    Access,
    TopicPolicy,
    fading_lifecycle,
    leaves_ladder,
    next_due,
    salience_of,
    without_ladder_step,
)
from membrane.domain.topics.titles import UNTITLED
from membrane.domain.topics.topic import Edge, LadderStep, Revision, Topic, TopicStatus

NEVER_READ = Access()

USUAL_SALIENCE = 1.0
"""The salience of a topic created without an explicit salience."""

_ON_THE_WIRE = {"base": "salience", "kind": "topic_kind"}
"""Attributes with a different name in the API."""


@dataclass(frozen=True, slots=True)
class ChangeContext:
    """When, by whom and under which token a change of topics is made."""

    now: datetime
    principal: str
    salt: str
    """Fresh random hex, for the hashes of the audit texts."""
    token: str
    """Random, and new for each attempt: ids of lines and revisions derive from it."""
    policy: TopicPolicy

    @property
    def timestamp(self) -> str:
        return rfc3339(self.now)

    @property
    def now_s(self) -> float:
        return epoch_seconds(self.now)


@dataclass(frozen=True, slots=True)
class EventDraft:
    """The content of an audit event before its chaining; `why` is the caller's own text."""

    kind: EventKind
    detail: JsonObject
    why: str = ""


def unwritten_topic(
    topic_id: str,
    scope: str,
    sensitivity: Sensitivity,
    *,
    title: str = "",
    summary: str | None = None,
    kind: str | None = None,
    salience: float | None = None,
    context: ChangeContext,
) -> Topic:
    """A topic of version 0 without fields, not written yet; `untitled` without a title."""
    given = USUAL_SALIENCE if salience is None else salience
    return Topic(
        id=topic_id,
        scope=scope,
        sensitivity=sensitivity,
        title=title if title.strip() else UNTITLED,
        summary=summary or "",
        kind=kind or "",
        base=Anchor(given, context.now_s, context.now_s),
        lifecycle=fading_lifecycle(context.policy.half_life_s),
        created_at=context.timestamp,
        updated_at=context.timestamp,
    )


def created_event(topic: Topic) -> EventDraft:
    return EventDraft(EventKind.CREATED, {"title": topic.title})


def first_version(topic: Topic, context: ChangeContext) -> Topic:
    return next_version(topic, created_event(topic), context=context)


def revive(
    topic: Topic, context: ChangeContext, why: str = ""
) -> tuple[Topic, tuple[EventDraft, ...]]:
    """The topic out of the archive, with its event; unchanged unless archived."""
    if topic.status is not TopicStatus.ARCHIVED:
        return topic, ()
    return reactivated_topic(topic, context), (EventDraft(EventKind.REVIVED, {}, why),)


def reactivated_topic(topic: Topic, context: ChangeContext) -> Topic:
    """The topic active, off the ladder, with all fields in the working set.

    The salience is reset to the usual one if a step of the ladder would be due at once.
    """
    active = replace(without_ladder_step(topic), status=TopicStatus.ACTIVE)
    if salience_of(active, NEVER_READ, context.now_s).total > context.policy.summarise_below:
        return active
    return replace(active, base=Anchor(USUAL_SALIENCE, context.now_s, topic.base.born_s))


def revived_event(topic: Topic) -> EventDraft:
    """The audit event for a topic that leaves its step of the ladder."""
    return EventDraft(EventKind.REVIVED, {"step": topic.step})


def meta_event(attributes: Iterable[str]) -> EventDraft:
    """The audit event for attributes with new values, by their names in the API."""
    changed = sorted(_ON_THE_WIRE.get(name, name) for name in attributes)
    return EventDraft(EventKind.META, {"changed": changed})


def event_after(
    previous: Sequence[TopicEvent], topic_id: str, draft: EventDraft, context: ChangeContext
) -> TopicEvent:
    """The next event of a topic's trail."""
    previous_hash, ts, principal = last_hash(previous), context.timestamp, context.principal
    text_hash = text_hash_of(context.salt, draft.detail, draft.why)
    return TopicEvent(
        kind=draft.kind,
        ts=ts,
        detail=draft.detail,
        principal=principal,
        why=draft.why,
        previous_hash=previous_hash,
        hash=hash_of(topic_id, previous_hash, draft.kind, ts, principal, text_hash),
        salt=context.salt,
    )


def next_version(
    topic: Topic, *drafts: EventDraft, context: ChangeContext, **changes: Any
) -> Topic:
    """The next version, with the attributes changed and the events added to the trail.

    A topic whose salience rises above the first threshold of the ladder leaves the ladder.
    """
    changed = replace(topic, **changes)
    if leaves_ladder(changed, NEVER_READ, context.policy, context.now_s):
        drafts = (*drafts, revived_event(changed))
        changed = without_ladder_step(changed)
    trail = list(topic.trail)
    for draft in drafts:
        trail.append(event_after(trail, topic.id, draft, context))
    changed = replace(
        changed,
        trail=tuple(trail),
        events=topic.events + len(drafts),
        updated_at=context.timestamp,
        version=topic.version + 1,
    )
    return replace(changed, due_s=next_due(changed, NEVER_READ, context.policy, context.now_s))


def is_found(topic: Topic) -> bool:
    return topic.status is TopicStatus.ACTIVE


def changes_search(before: Topic | None, after: Topic) -> bool:
    """Whether the search index or the reasoning must be updated after the change."""
    return before is None or _search_state(before) != _search_state(after)


def loses_vector(before: Topic, after: Topic) -> bool:
    """Whether a change ends the vector: search no longer finds the topic, or it was erased.

    A late writer may have read an erased topic before an earlier end of the vector.
    """
    if is_found(after):
        return False
    return is_found(before) or (
        after.status is TopicStatus.ERASED and before.status is not TopicStatus.ERASED
    )


def working_set(topic: Topic) -> Iterator[tuple[str, Revision]]:
    """The current revisions of fields neither deleted nor detached, by name."""
    for name, field in topic.living_fields.items():
        if field.current is not None and not field.is_detached:
            yield name, field.current


def _search_state(topic: Topic) -> tuple[Any, ...]:
    """All inputs of the topic's vector and index entry."""
    own = (topic.status, topic.scope, topic.sensitivity, topic.title, topic.kind, topic.summary)
    return *own, dict(working_set(topic))


MAX_PERIODS = 50
"""Earlier periods that an edge remembers."""


def new_edge(
    before: Edge | None, from_id: str, to_id: str, kind: str, context: ChangeContext
) -> Edge | None:
    """The edge created now; None if `before`, the stored edge, is not removed."""
    earlier: tuple[tuple[str, str], ...] = ()
    if before is not None:
        if before.removed_at is None:
            return None
        earlier = (*before.earlier, (before.created_at, before.removed_at))[-MAX_PERIODS:]
    return Edge(
        from_id=from_id,
        to_id=to_id,
        kind=kind,
        created_at=context.timestamp,
        principal=context.principal,
        earlier=earlier,
    )


def removed_edges(edges: Iterable[Edge], context: ChangeContext) -> tuple[Edge, ...]:
    """The edges not removed before, with the removal at the instant of the change."""
    return tuple(
        replace(each, removed_at=context.timestamp) for each in edges if each.removed_at is None
    )


def reference_detail(topic: Topic, name: str, ref_topic_id: str | None) -> JsonObject:
    """The audit detail of a field's reference; names the former end, too, which may be hidden."""
    before = topic.living_fields.get(name)
    former = None if before is None else before.ref_topic_id
    detail = {"field": name, "ref_topic_id": ref_topic_id}
    return detail if former is None else detail | {"former_topic_id": former}


def deleted_topic(topic: Topic, context: ChangeContext, why: str = "") -> Topic:
    deletion = EventDraft(EventKind.DELETED, {}, why)
    return next_version(topic, deletion, context=context, status=TopicStatus.DELETED)


def restored_topic(topic: Topic, context: ChangeContext) -> Topic:
    """The topic before its deletion; raises FailedPrecondition if not deleted, or erased."""
    if topic.status is TopicStatus.ERASED:
        raise FailedPrecondition("the topic was erased; nothing is left to restore")
    if topic.status is not TopicStatus.DELETED:
        raise FailedPrecondition("the topic is not deleted")
    draft = EventDraft(EventKind.RESTORED, {})
    if topic.step is LadderStep.ARCHIVED:
        return next_version(topic, draft, context=context, status=TopicStatus.ARCHIVED)
    return next_version(reactivated_topic(topic, context), draft, context=context)
