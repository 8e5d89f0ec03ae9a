"""The ladder by which topics are forgotten: summarised, detached, archived; never deleted."""

from dataclasses import replace

from membrane.domain.topics.policy import TopicPolicy
from membrane.domain.topics.salience import Access, falls_below, salience_of
from membrane.domain.topics.topic import LadderStep, Topic, TopicStatus

_NEXT = {
    LadderStep.NONE: LadderStep.SUMMARISED,
    LadderStep.SUMMARISED: LadderStep.DETACHED,
    LadderStep.DETACHED: LadderStep.ARCHIVED,
}


def next_step(topic: Topic) -> LadderStep | None:
    return _NEXT.get(topic.step) if topic.status is TopicStatus.ACTIVE else None


def next_due(topic: Topic, access: Access, policy: TopicPolicy, now_s: float) -> float | None:
    """When the next step of the topic is due, in seconds since 1970; None without a next step."""
    step = next_step(topic)
    if step is None:
        return None
    return falls_below(topic, access, threshold_of(step, policy), now_s)


def leaves_ladder(topic: Topic, access: Access, policy: TopicPolicy, now_s: float) -> bool:
    """Whether a topic that took a step of the ladder is above the first threshold again."""
    if topic.status is not TopicStatus.ACTIVE or topic.step is LadderStep.NONE:
        return False
    return salience_of(topic, access, now_s).total > policy.summarise_below


def without_ladder_step(topic: Topic) -> Topic:
    """The topic off the ladder, with all fields in the working set."""
    fields = {
        name: replace(field, is_detached=False) if field.is_detached else field
        for name, field in topic.fields.items()
    }
    return replace(topic, step=LadderStep.NONE, fields=fields)


def threshold_of(step: LadderStep, policy: TopicPolicy) -> float:
    match step:
        case LadderStep.NONE:
            raise ValueError("nothing leads to being as it was")
        case LadderStep.SUMMARISED:
            return policy.summarise_below
        case LadderStep.DETACHED:
            return policy.detach_below
        case LadderStep.ARCHIVED:
            return policy.archive_below
