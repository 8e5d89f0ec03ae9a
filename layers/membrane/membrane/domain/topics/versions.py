"""Versions of a topic: the first version, the next version, and a version out of the archive."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.salience.function import Anchor
from membrane.domain.topics.events import EventKind, event_after
from membrane.domain.topics.ladder import leaves_ladder, next_due, without_ladder_step
from membrane.domain.topics.policy import TopicPolicy
from membrane.domain.topics.salience import Access, fading_lifecycle, salience_of
from membrane.domain.topics.titles import UNTITLED
from membrane.domain.topics.topic import Topic, TopicStatus

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
    """The topic out of the archive, with its audit event.

    A topic that is not archived is returned as is, without an event.
    """
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
        trail.append(
            event_after(
                trail,
                topic_id=topic.id,
                kind=draft.kind,
                detail=draft.detail,
                principal=context.principal,
                why=draft.why,
                ts=context.timestamp,
                salt=context.salt,
            )
        )
    changed = replace(
        changed,
        trail=tuple(trail),
        events=topic.events + len(drafts),
        updated_at=context.timestamp,
        version=topic.version + 1,
    )
    return replace(changed, due_s=next_due(changed, NEVER_READ, context.policy, context.now_s))
