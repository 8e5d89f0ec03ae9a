"""The actions of the reasoning: steps down the ladder, and the log of steps and merges.

Nothing is deleted. The log is derived from the audit trails of topics.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from membrane.domain.access.principals import REASON
from membrane.domain.topics.events import EventKind, TopicEvent
from membrane.domain.topics.salience import (
    MAX_ACCESS_TRAIL,
    Access,
    AliasReads,
    Signal,
    field_salience,
    next_due,
    next_step,
    raise_signal,
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
    """The topic one step further down, and due at once for the follow-up work."""
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


def access_with(
    keeper: Topic, access: Access, other: Topic, others: Access, context: ChangeContext
) -> Access:
    """The keeper's access with the reads of the alias, and of aliases of the alias.

    The share of an alias is noted by its id; an alias already noted adds nothing.
    """
    own = access_without(other, others, others.given.keys(), context)
    every = {other.id: AliasReads(own.topic, own.fields), **others.given}
    parts = {
        topic_id: _as_of_now(other, given, context)
        for topic_id, given in every.items()
        if topic_id not in access.given
    }
    if other.id not in parts:
        return access
    after = access
    for topic_id, part in parts.items():
        after = _with_part(keeper, after, topic_id, part, context)
    trail = sorted((*access.trail, *others.trail), key=lambda read: read.at_s)
    return replace(after, trail=tuple(trail[-MAX_ACCESS_TRAIL:]))


def access_without(
    keeper: Topic, access: Access, gone: Collection[str], context: ChangeContext
) -> Access:
    """The keeper's access without the remaining shares of the aliases; the trail stays."""
    taken = [access.given[each] for each in gone if each in access.given]
    if not taken:
        return access
    fields = dict(access.fields)
    for name in {name for given in taken for name in given.fields} & fields.keys():
        parts = [given.fields[name] for given in taken if name in given.fields]
        fields[name] = _subtract_parts(keeper, fields[name], parts, context)
    return replace(
        access,
        topic=_subtract_parts(keeper, access.topic, [given.topic for given in taken], context),
        fields=fields,
        given={alias: each for alias, each in access.given.items() if alias not in gone},
    )


def _with_part(
    keeper: Topic, access: Access, topic_id: str, part: AliasReads, context: ChangeContext
) -> Access:
    topic, given = _add_part(keeper, access.topic, part.topic, context)
    fields, given_fields = dict(access.fields), {}
    for name, signal in part.fields.items():
        before = fields.get(name, Signal())
        fields[name], given_fields[name] = _add_part(keeper, before, signal, context)
    noted = {**access.given, topic_id: AliasReads(given, given_fields)}
    return replace(access, topic=topic, fields=fields, given=noted)


def _add_part(
    keeper: Topic, signal: Signal, part: Signal, context: ChangeContext
) -> tuple[Signal, Signal]:
    """The signal raised by the part, and the actual rise: signals have an upper limit."""
    after = raise_signal(signal, part.salience, context.policy.max_access, keeper, context.now_s)
    before = _fade_to(keeper, signal, after.at_s)
    return after, Signal(max(0.0, after.salience - before.salience), after.at_s)


def _subtract_parts(
    keeper: Topic, signal: Signal, parts: Collection[Signal], context: ChangeContext
) -> Signal:
    now = _fade_to(keeper, signal, context.now_s)
    lost = sum(_fade_to(keeper, part, now.at_s).salience for part in parts)
    return Signal(max(0.0, now.salience - lost), now.at_s)


def _as_of_now(topic: Topic, given: AliasReads, context: ChangeContext) -> AliasReads:
    fields = {name: _fade_to(topic, each, context.now_s) for name, each in given.fields.items()}
    return AliasReads(_fade_to(topic, given.topic, context.now_s), fields)


def _fade_to(topic: Topic, signal: Signal, now_s: float) -> Signal:
    return raise_signal(signal, 0.0, math.inf, topic, now_s)
