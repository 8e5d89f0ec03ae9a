"""Take the steps of the ladder that are due (spec 4.3): summarise, detach, archive.

Nothing is deleted: old history goes into the bucket, fields out of the working set, the topic out
of default retrieval; and use brings it back. A run may be ended anywhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.topics.reasoning.forgetting import due_step, step_down
from membrane.domain.topics.topic import LadderStep, Topic
from membrane.domain.topics.versions import ChangeContext
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.load_batch import load_undamaged
from membrane.usecases.machinery.long_jobs import IsOutOfTime
from membrane.usecases.machinery.retries import TRANSIENT
from membrane.usecases.ports.operators import FAULT
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.topics.archive_history import archive_history
from membrane.usecases.topics.reasoning.following_up import follow_up
from membrane.usecases.topics.saliences import access_of
from membrane.usecases.topics.writing import NOTHING, Decided, circumstances, write

FORGOTTEN = "TopicsForgotten"
"""The metric: steps of the ladder that were taken."""

FORGET = "ForgetTopics"
"""How a topic that fails by itself is reported."""

PAGE = 50

PUT_OFF_S = timedelta(hours=1).total_seconds()
"""For how long a topic that fails is left alone, so that it blocks nothing (design 7)."""


@dataclass(slots=True)
class Forgotten:
    steps: int = 0
    failed: int = 0
    is_left: bool = False
    """Whether time was up before all was looked at."""


def forget_topics(call: Call, services: TopicServices, is_out_of_time: IsOutOfTime) -> Forgotten:
    """Go through what is due, the longest waiting first, until nothing is or time is up.

    A topic that fails by itself is reported and put off; one that cannot be read is passed over.
    Raises ResourceExhausted, Unavailable.
    """
    seen: set[str] = set()
    told = Forgotten()
    by_s = epoch_seconds(services.now())
    while True:
        # what could not be put off is due still, and stands before all others
        found = [topic_id for topic_id, _ in services.topics.due(by_s, PAGE + told.failed)]
        fresh = [topic_id for topic_id in found if topic_id not in seen]
        if not fresh:
            return told
        topics, damaged = load_undamaged(fresh, services.topics.load_all, services.topics.load)
        for fault in damaged.values():
            services.report(FORGET, FAULT, fault)
        told.failed += len(damaged)
        for topic in topics.values():
            if is_out_of_time():
                told.is_left = True
                return told
            _try(topic, told, call, services)
        seen.update(fresh)


def take_steps(topic_id: str, call: Call, services: TopicServices) -> Sequence[LadderStep]:
    """The steps that the topic has come to, one after the other, each with its audit and log."""
    keyless = call._replace(key=None)
    taken: list[LadderStep] = []
    while (step := _take_step(topic_id, keyless, services)) is not None:
        taken.append(step)
    topic = services.topics.load(topic_id)
    if topic is not None:
        follow_up(topic, call, services)
    services.measure(FORGOTTEN, len(taken), "Count")
    return taken


def _try(topic: Topic, told: Forgotten, call: Call, services: TopicServices) -> None:
    try:
        if _step_due(topic, call, services) is not None:
            told.steps += len(take_steps(topic.id, call, services))
        else:
            follow_up(topic, call, services)
    except TRANSIENT:
        raise
    except Exception as fault:  # noqa: BLE001 - raised, it would end every run at this topic
        services.report(FORGET, FAULT, fault)
        until_s = epoch_seconds(services.now()) + PUT_OFF_S
        services.topics.put_off(topic.id, topic.version, until_s)
        told.failed += 1


def _step_due(topic: Topic, call: Call, services: TopicServices) -> LadderStep | None:
    due = due_step(topic, access_of(topic.id, services), circumstances(call, services))
    return None if due is None else due.step


def _take_step(topic_id: str, call: Call, services: TopicServices) -> LadderStep | None:
    """The step that was taken, if one was due; that is looked at again in the write."""
    topic = services.topics.load(topic_id)
    step = None if topic is None else _step_due(topic, call, services)
    if step is LadderStep.SUMMARISED:
        archive_history(topic_id, services.topic_policy.summary_history, call, services)

    def decide(context: ChangeContext) -> Decided:
        topic = services.topics.load(topic_id)
        access = access_of(topic_id, services)
        due = None if topic is None else due_step(topic, access, context)
        if topic is None or due is None or due.step is not step:
            return NOTHING
        change = TopicChange(topics=[(topic, step_down(topic, due, access, context))])
        return Decided(change, {"step": due.step})

    if step is None or not write(decide, call, services).answer.body:
        return None
    return step
