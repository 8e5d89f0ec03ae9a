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
from membrane.domain.topics.ladder import as_at_first, has_risen, next_due
from membrane.domain.topics.policy import TopicPolicy
from membrane.domain.topics.salience import fading, salience_of
from membrane.domain.topics.titles import UNTITLED
from membrane.domain.topics.topic import Topic, TopicStatus

NEVER_READ = Access()

USUAL_SALIENCE = 1.0
"""Of a topic that is made without one (spec 1.1)."""

_ON_THE_WIRE = {"base": "salience", "kind": "topic_kind"}
"""Attributes that callers call otherwise."""


@dataclass(frozen=True, slots=True)
class Circumstances:
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
class Happening:
    """What a change of a topic is, for its audit trail; `why` is a caller's own text."""

    kind: EventKind
    detail: JsonObject
    why: str = ""


def unborn(
    topic_id: str,
    scope: str,
    sensitivity: Sensitivity,
    *,
    title: str = "",
    summary: str | None = None,
    kind: str | None = None,
    salience: float | None = None,
    during: Circumstances,
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
        base=Anchor(given, during.now_s, during.now_s),
        lifecycle=fading(during.policy.half_life_s),
        created_at=during.timestamp,
        updated_at=during.timestamp,
    )


def creation(topic: Topic) -> Happening:
    return Happening(EventKind.CREATED, {"title": topic.title})


def founded(topic: Topic, during: Circumstances) -> Topic:
    return next_version(topic, creation(topic), during=during)


def revived(
    topic: Topic, during: Circumstances, why: str = ""
) -> tuple[Topic, tuple[Happening, ...]]:
    """The topic out of the archive, and the event of that; any other topic without an event."""
    if topic.status is not TopicStatus.ARCHIVED:
        return topic, ()
    return awake(topic, during), (Happening(EventKind.REVIVED, {}, why),)


def awake(topic: Topic, during: Circumstances) -> Topic:
    """The topic active and whole; as salient as a new one where a step would soon be due."""
    active = replace(as_at_first(topic), status=TopicStatus.ACTIVE)
    if salience_of(active, NEVER_READ, during.now_s).total > during.policy.summarise_below:
        return active
    return replace(active, base=Anchor(USUAL_SALIENCE, during.now_s, topic.base.born_s))


def risen(topic: Topic) -> Happening:
    """The event of a topic that leaves its step of the ladder."""
    return Happening(EventKind.REVIVED, {"step": topic.step})


def renewed(attributes: Iterable[str]) -> Happening:
    """The event of attributes with new values, by the names that callers know."""
    changed = sorted(_ON_THE_WIRE.get(name, name) for name in attributes)
    return Happening(EventKind.META, {"changed": changed})


def next_version(
    topic: Topic, *happenings: Happening, during: Circumstances, **changes: Any
) -> Topic:
    """The topic with these attributes changed and these events in its trail.

    A topic that becomes salient enough by its change leaves the ladder.
    """
    changed = replace(topic, **changes)
    if has_risen(changed, NEVER_READ, during.policy, during.now_s):
        happenings = (*happenings, risen(changed))
        changed = as_at_first(changed)
    trail = list(topic.trail)
    for happening in happenings:
        trail.append(
            event_after(
                trail,
                topic_id=topic.id,
                kind=happening.kind,
                detail=happening.detail,
                principal=during.principal,
                why=happening.why,
                ts=during.timestamp,
                salt=during.salt,
            )
        )
    changed = replace(
        changed,
        trail=tuple(trail),
        events=topic.events + len(happenings),
        updated_at=during.timestamp,
        version=topic.version + 1,
    )
    return replace(changed, due_s=next_due(changed, NEVER_READ, during.policy, during.now_s))
