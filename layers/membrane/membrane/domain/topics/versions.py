"""How versions of a topic are made: the first one, the next one, and one out of the archive."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.salience.function import Anchor
from membrane.domain.topics.access import Access
from membrane.domain.topics.events import EventKind, event_after
from membrane.domain.topics.ladder import leaves_ladder, next_due, without_ladder_step
from membrane.domain.topics.policy import TopicPolicy
from membrane.domain.topics.salience import fading_lifecycle, salience_of
from membrane.domain.topics.titles import UNTITLED
from membrane.domain.topics.topic import Topic, TopicStatus

NEVER_READ = Access()

USUAL_SALIENCE = 1.0
"""Of a topic that is made without one (spec 1.1)."""

_ON_THE_WIRE = {"base": "salience", "kind": "topic_kind"}
"""Attributes that callers call otherwise."""


@dataclass(frozen=True, slots=True)
class ChangeContext:
    """When, by whom and under which name a change of topics is made."""

    now: datetime
    principal: str
    salt: str
    """Fresh random hex."""
    token: str
    """Of this very attempt, and random: ids are made from it."""
    policy: TopicPolicy

    @property
    def timestamp(self) -> str:
        return rfc3339(self.now)

    @property
    def now_s(self) -> float:
        return epoch_seconds(self.now)


@dataclass(frozen=True, slots=True)
class EventDraft:
    """What a change of a topic is, for its audit trail; `why` is a caller's own text."""

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
    """A topic without fields that is not written yet, of version 0; `untitled` without a title."""
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
    """The topic out of the archive, and the event of that; any other topic without an event."""
    if topic.status is not TopicStatus.ARCHIVED:
        return topic, ()
    return reactivated_topic(topic, context), (EventDraft(EventKind.REVIVED, {}, why),)


def reactivated_topic(topic: Topic, context: ChangeContext) -> Topic:
    """The topic active and whole; as salient as a new one where a step would soon be due."""
    active = replace(without_ladder_step(topic), status=TopicStatus.ACTIVE)
    if salience_of(active, NEVER_READ, context.now_s).total > context.policy.summarise_below:
        return active
    return replace(active, base=Anchor(USUAL_SALIENCE, context.now_s, topic.base.born_s))


def revived_event(topic: Topic) -> EventDraft:
    """The event of a topic that leaves its step of the ladder."""
    return EventDraft(EventKind.REVIVED, {"step": topic.step})


def meta_event(attributes: Iterable[str]) -> EventDraft:
    """The event of attributes with new values, by the names that callers know."""
    changed = sorted(_ON_THE_WIRE.get(name, name) for name in attributes)
    return EventDraft(EventKind.META, {"changed": changed})


def next_version(
    topic: Topic, *drafts: EventDraft, context: ChangeContext, **changes: Any
) -> Topic:
    """The topic with these attributes changed and these events in its trail.

    A topic that becomes salient enough by its change leaves the ladder.
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
