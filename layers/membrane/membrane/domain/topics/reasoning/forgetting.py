"""One step down the ladder, and the change of the topic by the step. Nothing is deleted."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from membrane.domain.topics.events import EventKind
from membrane.domain.topics.ladder import next_due, next_step, threshold_of
from membrane.domain.topics.salience import Access, field_salience, salience_of
from membrane.domain.topics.topic import Field, LadderStep, Topic, TopicStatus
from membrane.domain.topics.versions import ChangeContext, EventDraft, next_version

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
