"""One step down the ladder: what becomes of a topic by it. Nothing is deleted."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from membrane.domain.topics.access import Access
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.ladder import next_due, next_step, threshold_of
from membrane.domain.topics.making import Circumstances, Happening, next_version
from membrane.domain.topics.salience import field_salience, salience_of
from membrane.domain.topics.topic import Field, LadderStep, Topic, TopicStatus

KINDS: Mapping[LadderStep, EventKind] = {
    step: EventKind(step) for step in LadderStep if step is not LadderStep.NONE
}


@dataclass(frozen=True, slots=True)
class Due:
    step: LadderStep
    salience: float
    threshold: float

    @property
    def why(self) -> str:
        return f"salience fell to {self.threshold:g}"


def due_step(topic: Topic, access: Access, during: Circumstances) -> Due | None:
    step = next_step(topic)
    due_s = next_due(topic, access, during.policy, during.now_s)
    if step is None or due_s is None or due_s > during.now_s:
        return None
    salience = salience_of(topic, access, during.now_s).total
    return Due(step, salience, threshold_of(step, during.policy))


def stepped(topic: Topic, due: Due, access: Access, during: Circumstances) -> Topic:
    """The topic one step further down; due at once, for what is still to be done about it."""
    detached = _detached(topic, access, during) if due.step is LadderStep.DETACHED else {}
    detail = {"salience": due.salience, "fields": sorted(detached)}
    changes: dict[str, Any] = {"step": due.step, "fields": {**topic.fields, **detached}}
    if due.step is LadderStep.ARCHIVED:
        changes["status"] = TopicStatus.ARCHIVED
    happening = Happening(KINDS[due.step], detail, due.why)
    return replace(next_version(topic, happening, during=during, **changes), due_s=during.now_s)


def _detached(topic: Topic, access: Access, during: Circumstances) -> Mapping[str, Field]:
    least = during.policy.detach_below
    return {
        name: replace(field, is_detached=True)
        for name, field in topic.living_fields.items()
        if not field.is_detached and field_salience(topic, name, access, during.now_s) <= least
    }
