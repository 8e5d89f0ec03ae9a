"""The actions of the reasoning: steps down the ladder, and the log of steps and merges.

Nothing is deleted. The log is derived from the audit trails of topics.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from membrane.domain.access.principals import REASON
from membrane.domain.topics.events import EventKind, TopicEvent
from membrane.domain.topics.salience import (
    Access,
    field_salience,
    next_due,
    next_step,
    salience_of,
    threshold_of,
)
from membrane.domain.topics.topic import Field, LadderStep, Topic, TopicStatus
from membrane.domain.topics.versions import ChangeContext, EventDraft, next_version

if TYPE_CHECKING:
    from membrane.domain.topics.reasoning.duplicates import Duplicate
    from membrane.domain.topics.replies.editing import ActionScores, PlannedAction, TopicAction


KINDS: Mapping[LadderStep, EventKind] = {
    step: EventKind(step) for step in LadderStep if step is not LadderStep.NONE
}


@dataclass(frozen=True, slots=True)
class DueStep:
    step: LadderStep
    salience: float
    threshold: float

    @property
    def why(self) -> str:
        return f"salience fell to {self.threshold:g}"


def due_step(topic: Topic, access: Access, context: ChangeContext) -> DueStep | None:
    step = next_step(topic)
    due_s = next_due(topic, access, context.policy, context.now_s)
    if step is None or due_s is None or due_s > context.now_s:
        return None
    salience = salience_of(topic, access, context.now_s).total
    return DueStep(step, salience, threshold_of(step, context.policy))


def step_down(topic: Topic, due: DueStep, access: Access, context: ChangeContext) -> Topic:
    """The topic one step further down.

    The topic is due at once again, because the step has follow-up work.
    """
    detached = _fields_to_detach(topic, access, context) if due.step is LadderStep.DETACHED else {}
    detail = {"salience": due.salience, "fields": sorted(detached)}
    changes: dict[str, Any] = {"step": due.step, "fields": {**topic.fields, **detached}}
    if due.step is LadderStep.ARCHIVED:
        changes["status"] = TopicStatus.ARCHIVED
    draft = EventDraft(KINDS[due.step], detail, due.why)
    return replace(next_version(topic, draft, context=context, **changes), due_s=context.now_s)


def _fields_to_detach(topic: Topic, access: Access, context: ChangeContext) -> Mapping[str, Field]:
    least = context.policy.detach_below
    return {
        name: replace(field, is_detached=True)
        for name, field in topic.living_fields.items()
        if not field.is_detached and field_salience(topic, name, access, context.now_s) <= least
    }


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
    name = f"{event.kind}:{topic.id}:{event.hash[:16]}"
    return Action(name, event.ts, {**body, "principal": event.principal, "at": event.ts})


def planned_merge(duplicate: "Duplicate") -> "PlannedAction":
    other, keeper_id = duplicate.other, duplicate.keeper.id
    return _merge(other, keeper_id, duplicate.ground, duplicate.scores)


def planned_step(topic: Topic, due: DueStep) -> "PlannedAction":
    return _action_body(
        f"{KINDS[due.step]}:{topic.id}", due.why, topic, [], {"salience": due.salience}
    )


def not_merged(duplicate: "Duplicate", why: str, at: str) -> Action:
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
