"""The next version of a topic: what every change of one has in common."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.topics.access import Access
from membrane.domain.topics.events import EventKind, event_after
from membrane.domain.topics.ladder import as_at_first, has_risen, next_due
from membrane.domain.topics.policy import TopicPolicy
from membrane.domain.topics.topic import Topic

NEVER_READ = Access()


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
        """Now, as RFC 3339."""
        return rfc3339(self.now)

    @property
    def now_s(self) -> float:
        """Now, in seconds since 1970."""
        return epoch_seconds(self.now)


@dataclass(frozen=True, slots=True)
class Happening:
    """What a change of a topic is, for its audit trail; `why` is a caller's own text."""

    kind: EventKind
    detail: JsonObject
    why: str = ""


def risen(topic: Topic) -> Happening:
    """What it is for the trail that the topic leaves the step that it stands at."""
    return Happening(EventKind.REVIVED, {"step": topic.step})


_ON_THE_WIRE = {"base": "salience", "kind": "topic_kind"}
"""Attributes that callers call otherwise."""


def renewed(attributes: Iterable[str]) -> Happening:
    """That these attributes of a topic have other values now, by the names that callers know."""
    changed = sorted(_ON_THE_WIRE.get(name, name) for name in attributes)
    return Happening(EventKind.META, {"changed": changed})


def next_version(
    topic: Topic, *happenings: Happening, during: Circumstances, **changes: Any
) -> Topic:
    """The topic with these attributes changed, what happened in its trail, one version on.

    What is salient enough by it leaves the ladder.
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
