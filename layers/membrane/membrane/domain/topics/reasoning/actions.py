"""The action log (spec 4): what the service did with topics, from their audit trails."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from membrane.domain.access.trust import REASON
from membrane.domain.topics.events import EventKind, TopicEvent
from membrane.domain.topics.reasoning.duplicates import Duplicate
from membrane.domain.topics.reasoning.forgetting import KINDS, Due
from membrane.domain.topics.topic import Topic

if TYPE_CHECKING:
    from membrane.domain.topics.replies.editing import ActionScores, PlannedAction, TopicAction

_ID_CHARACTERS = 16


@dataclass(frozen=True, slots=True)
class Action:
    id: str
    """The same however often it is told."""
    at: str
    """RFC 3339, in UTC."""
    told: "TopicAction"


def action_of(topic: Topic, event: TopicEvent) -> Action | None:
    """What the log has of an event of the topic, if it has it."""
    match event.kind, event.detail:
        case EventKind.MERGED_INTO, {"topic_id": str(keeper_id), **scores}:
            told = _merge(topic, keeper_id, event.why, cast("ActionScores", scores))
        case EventKind.UNMERGED, {"topic_id": str(keeper_id), **others} if not others:
            told = _told(f"unmerged:{topic.id}", event.why, topic, [keeper_id], {})
        case kind, {"salience": float() | int() as salience} if kind in KINDS.values():
            told = _told(f"{kind}:{topic.id}", event.why, topic, [], {"salience": salience})
        case _:
            return None
    name = f"{event.kind}:{topic.id}:{event.hash[:_ID_CHARACTERS]}"
    return Action(name, event.ts, {**told, "principal": event.principal, "at": event.ts})


def planned_merge(duplicate: Duplicate) -> "PlannedAction":
    other, keeper_id = duplicate.other, duplicate.keeper.id
    return _merge(other, keeper_id, duplicate.ground, duplicate.scores)


def planned_step(topic: Topic, due: Due) -> "PlannedAction":
    return _told(f"{KINDS[due.step]}:{topic.id}", due.why, topic, [], {"salience": due.salience})


def not_merged(duplicate: Duplicate, why: str, at: str) -> Action:
    """Two that are one, and have to stay two."""
    other, keeper = duplicate.other, duplicate.keeper
    words = f"not_merged:{other.id}->:{keeper.id}:{other.title}"
    told = _told(words, why, other, [keeper.id], duplicate.scores)
    name = f"not_merged:{other.id}:{keeper.id}"
    return Action(name, at, {**told, "principal": REASON, "at": at})


def _merge(other: Topic, keeper_id: str, why: str, scores: "ActionScores") -> "PlannedAction":
    words = f"merged:{other.id}->:{keeper_id}:{other.title}"
    return _told(words, why, other, [keeper_id], scores)


def _told(
    words: str, why: str, topic: Topic, others: list[str], numbers: "ActionScores"
) -> "PlannedAction":
    return {
        "action": words,
        "why": why,
        "topics": [topic.id, *others],
        "title": topic.title,
        **numbers,
    }
