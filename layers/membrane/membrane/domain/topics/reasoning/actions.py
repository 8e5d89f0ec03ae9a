"""The action log: the work of the service on topics, derived from their audit trails."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from membrane.domain.access.principals import REASON
from membrane.domain.topics.events import EventKind, TopicEvent
from membrane.domain.topics.reasoning.duplicates import Duplicate
from membrane.domain.topics.reasoning.forgetting import KINDS, DueStep
from membrane.domain.topics.topic import Topic

if TYPE_CHECKING:
    from membrane.domain.topics.replies.editing import ActionScores, PlannedAction, TopicAction

_ID_CHARACTERS = 16


@dataclass(frozen=True, slots=True)
class Action:
    id: str
    """Stable: a repeated entry has the same id."""
    at: str
    """RFC 3339, in UTC."""
    body: "TopicAction"


def action_of(topic: Topic, event: TopicEvent) -> Action | None:
    """The entry of the action log for an event of the topic; None for events not logged."""
    match event.kind, event.detail:
        case EventKind.MERGED_INTO, {"topic_id": str(keeper_id), **scores}:
            body = _merge(topic, keeper_id, event.why, cast("ActionScores", scores))
        case EventKind.UNMERGED, {"topic_id": str(keeper_id), **others} if not others:
            body = _action_body(f"unmerged:{topic.id}", event.why, topic, [keeper_id], {})
        case kind, {"salience": float() | int() as salience} if kind in KINDS.values():
            body = _action_body(f"{kind}:{topic.id}", event.why, topic, [], {"salience": salience})
        case _:
            return None
    name = f"{event.kind}:{topic.id}:{event.hash[:_ID_CHARACTERS]}"
    return Action(name, event.ts, {**body, "principal": event.principal, "at": event.ts})


def planned_merge(duplicate: Duplicate) -> "PlannedAction":
    other, keeper_id = duplicate.other, duplicate.keeper.id
    return _merge(other, keeper_id, duplicate.ground, duplicate.scores)


def planned_step(topic: Topic, due: DueStep) -> "PlannedAction":
    return _action_body(
        f"{KINDS[due.step]}:{topic.id}", due.why, topic, [], {"salience": due.salience}
    )


def not_merged(duplicate: Duplicate, why: str, at: str) -> Action:
    """The entry for duplicates that must stay two topics."""
    other, keeper = duplicate.other, duplicate.keeper
    words = f"not_merged:{other.id}->:{keeper.id}:{other.title}"
    body = _action_body(words, why, other, [keeper.id], duplicate.scores)
    name = f"not_merged:{other.id}:{keeper.id}"
    return Action(name, at, {**body, "principal": REASON, "at": at})


def _merge(other: Topic, keeper_id: str, why: str, scores: "ActionScores") -> "PlannedAction":
    words = f"merged:{other.id}->:{keeper_id}:{other.title}"
    return _action_body(words, why, other, [keeper_id], scores)


def _action_body(
    words: str, why: str, topic: Topic, others: list[str], numbers: "ActionScores"
) -> "PlannedAction":
    return {
        "action": words,
        "why": why,
        "topics": [topic.id, *others],
        "title": topic.title,
        **numbers,
    }
