"""Reasoning that breaks off at any call of the store, and is done again: the end is the same."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from membrane.domain.language.errors import Unavailable
from membrane.domain.topics.access import Access, Signal
from membrane.domain.topics.policy import DAY_S, TopicPolicy
from membrane.domain.topics.requests.editing import UnmergeTopic
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.histories import history_of
from membrane.usecases.topics.reasoning.forget_topics import forget_topics
from membrane.usecases.topics.reasoning.merging import unmerge_topic
from membrane.usecases.topics.reasoning.passes import SOME, WHOLE
from membrane.usecases.topics.reasoning.reason_in_background import reason_about
from membrane.usecases.topics.scope_walk import SERVICE
from tests.builders.requests import OWNER, call
from tests.builders.topic_editors import append, first_broken, made
from tests.fakes.bucket import FakeBlobs
from tests.fakes.clock import FakeClock
from tests.fakes.topic_world import topical
from tests.worlds.depth import steps
from tests.worlds.endings import amid
from tests.worlds.faults import (
    ADDRESS,
    Killed,
    Moment,
    SteppingBlobs,
    die,
    without_retries,
)
from tests.worlds.stores import Store, table_store

STEPS = 800
"""More than anything here takes; every test says that it reached the last."""

POLICY = TopicPolicy(summary_history=2)

World = tuple[TopicServices, list[str]]
"""With the ids of the topics that are there at first."""


def never(needed_s: float = 0.0) -> bool:
    """There is plenty of time."""
    return needed_s < 0


def over(table: Store) -> TopicServices:
    """The world of topics over that table."""
    return topical(
        topics=table.topics,
        records=table.records,
        blobs=table.blobs,
        now=table.clock,
        topic_policy=POLICY,
    )


def two_of_one_title(services: TopicServices) -> list[str]:
    """And a third one; the lesser ones were read, and all are marked."""
    rich, poor = made(services, "Ada", a=1, b=2), made(services, "ada", a=3)
    last = made(services, "Ada")
    for each in (poor, last):
        services.topics.keep_access(each, Access(), Access(Signal(0.5, 1_772_355_600.0)))
    services.topics.mark("", [last, poor])
    return [rich, poor, last]


def one_in_another(services: TopicServices) -> list[str]:
    """Two that were merged, and written to since."""
    ids = two_of_one_title(services)
    reason_about("", services, never)
    append(services, ids[1], "a", 4)
    return ids


def an_old_one(services: TopicServices) -> list[str]:
    """With more history than what is summarised keeps."""
    topic = made(services, "Ada")
    for number in range(6):
        append(services, topic, "a", number)
    return [topic]


def merging(services: TopicServices, ids: Sequence[str]) -> None:  # noqa: ARG001 # as all
    """Reason about the scope, and then about what is due."""
    reason_about("", services, never)
    forget_topics(SERVICE, services, never)


def unmerging(services: TopicServices, ids: Sequence[str]) -> None:
    """Take the second topic out again, and look at what is due."""
    request = UnmergeTopic(id=ids[1], idempotency_key="k")
    unmerge_topic(request, call(request, OWNER, key="k"), services)
    forget_topics(SERVICE, services, never)


def forgetting(services: TopicServices, ids: Sequence[str]) -> None:  # noqa: ARG001 # as all
    """Take the steps that are due."""
    forget_topics(SERVICE, services, never)


@dataclass(frozen=True, slots=True)
class Deed:
    """What is done, to what, and after how many days."""

    prepare: Callable[[TopicServices], list[str]]
    act: Callable[[TopicServices, Sequence[str]], None]
    days: int = 0


DEEDS = {
    "merge": Deed(two_of_one_title, merging),
    "unmerge": Deed(one_in_another, unmerging),
    "forget": Deed(an_old_one, forgetting, days=365),
}


@dataclass(frozen=True, slots=True)
class Beginning:
    """All that is stored, where a run begins over and over."""

    deed: Deed
    ids: list[str]
    items: Sequence[Any]
    blobs: FakeBlobs
    clock: FakeClock

    @classmethod
    def of(cls, deed: Deed) -> "Beginning":
        """What the deed is done to."""
        blobs = FakeBlobs()
        table = table_store(blobs)
        ids = deed.prepare(over(table))
        table.clock.advance(days=deed.days)
        return cls(deed, ids, table.everything(), blobs, table.clock)

    def begin(self) -> Store:
        """A store of its own in that state."""
        blobs = SteppingBlobs(self.clock, dict(self.blobs.blobs), dict(self.blobs.written_at))
        table = table_store(blobs)
        table.clock.now = self.clock.now
        table.put_all(self.items)
        return table

    def state(self, table: Store) -> Any:
        """All that anybody sees of it; nothing that tells how often it was tried."""
        services = over(table)
        log = sorted(action["action"] for _, action in table.topics.logged_actions("", 100))
        topics = [_seen(services, topic_id) for topic_id in self.ids]
        passes = [table.topics.find_document(name, "") for name in (WHOLE, SOME)]
        left = [each.progress for each in passes if each is not None and each.progress]
        return topics, log, table.topics.marks(""), left, _due(services, self.ids)


def _seen(services: TopicServices, topic_id: str) -> Any:
    topic = services.topics.load(topic_id)
    assert topic is not None
    trail = services.topics.events(topic)
    assert first_broken(topic.id, trail) is None
    histories = {
        name: [each.value for each in history_of(field, services.topics, archived=True)]
        for name, field in topic.fields.items()
    }
    in_table = {
        name: sum(line.count for line in field.lines) for name, field in topic.fields.items()
    }
    access = services.topics.accesses([topic_id]).get(topic_id)
    return (
        (topic.status, topic.step, topic.absorbed, topic.merged and topic.merged.into),
        (histories, in_table, [name for name, each in topic.fields.items() if each.is_detached]),
        [event.kind for event in trail],
        access and round(access.topic.salience, 1),
    )


def _due(services: TopicServices, ids: Sequence[str]) -> Any:
    """By topic the day on which it is due."""
    due = services.topics.due(1e11, 100)
    return sorted((each, round(due_s / DAY_S)) for each, due_s in due if each in ids)


def time_out() -> None:
    """The reply is lost on the way."""
    raise ReadTimeoutError(endpoint_url=ADDRESS)


EVERY_STEP, AFTER_EACH_CALL = (0, 1), (1, 2)
"""The first step, and the stride from it to the next."""


@pytest.mark.parametrize(
    ("breaking", "places"),
    [(die, EVERY_STEP), (time_out, AFTER_EACH_CALL)],
    ids=["killed", "reply lost"],
)
@pytest.mark.parametrize("deed", DEEDS.values(), ids=DEEDS)
def test_broken_off_at_any_call_and_done_again_it_ends_as_if_nothing_had_happened(
    deed: Deed, breaking: Callable[[], None], places: tuple[int, int]
) -> None:
    beginning = Beginning.of(deed)
    table = beginning.begin()
    old = beginning.state(table)
    deed.act(over(table), beginning.ids)
    new = beginning.state(table)
    assert new != old

    for step in steps(*places):
        table = beginning.begin()
        without_retries(table.client)
        services, moment = over(table), Moment(step, breaking)
        with suppress(Killed, Unavailable, ReadTimeoutError), amid(table, moment):
            deed.act(services, beginning.ids)
        table.clock.advance(hours=2)
        deed.act(services, beginning.ids)
        assert beginning.state(table) == new, f"broken off at step {step}"
        if not moment.has_come:
            break
    assert 20 < step < STEPS
