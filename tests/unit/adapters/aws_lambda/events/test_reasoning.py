"""The reason function does what its queue and its schedule ask for; a bad message fails alone."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from membrane.adapters.aws_lambda.events.queues import MAX_HOPS, RUN, reason
from membrane.adapters.aws_lambda.events.runs import RESERVE_MS
from membrane.domain.language.errors import Unavailable
from membrane.domain.language.json_text import compact_json
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.ports.topics import MAX_MARKED
from membrane.wiring.world import World
from tests.builders.stored_topics import made
from tests.fakes.chat_models import Later, Reports, ToldReason
from tests.fakes.clock import FakeClock
from tests.worlds.importing import Context as AnyContext
from tests.worlds.memory import make_world
from tests.worlds.memory_table import Over

REASON = "arn:aws:lambda:us-east-1:123456789012:function:reason:live"
PLENTY_MS = 900_000
Context = partial(AnyContext, invoked_function_arn=REASON)


@dataclass(slots=True)
class Scene:
    """A store of topics and the function that reasons about them."""

    clock: FakeClock = field(default_factory=FakeClock)
    later: Later = field(default_factory=Later)
    reports: Reports = field(default_factory=Reports)
    told: ToldReason = field(default_factory=ToldReason)
    services: World = field(init=False)

    def __post_init__(self) -> None:
        self.services = make_world(
            now=self.clock,
            invoke_later=self.later,
            report=self.reports,
            send_to_reasoning=self.told,
        )

    def run(self, event: Any, context: AnyContext | None = None) -> dict[str, Any]:
        return reason(event, context or Context(), self.services)

    def queued(self, *bodies: dict[str, Any] | str, context: AnyContext | None = None) -> list[str]:
        """The ids of the messages that failed."""
        records = [
            {
                "eventSource": "aws:sqs",
                "messageId": f"m-{number}",
                "body": body if isinstance(body, str) else compact_json(body),
            }
            for number, body in enumerate(bodies)
        ]
        failed = self.run({"Records": records}, context)["batchItemFailures"]
        return [each["itemIdentifier"] for each in failed]

    def topic(self, topic_id: str) -> Topic:
        found = self.services.topics.load(topic_id)
        assert found is not None
        return found


@dataclass
class Failing(Over):
    """A store of which no marks can be read."""

    fault: Exception = field(default_factory=lambda: Unavailable("no answer"))

    def marks(self, scope: str) -> Any:  # noqa: ARG002  # as the port has it
        """See DynamoTopics."""
        raise self.fault


@pytest.fixture
def world() -> Scene:
    """An empty store."""
    return Scene()


def test_a_message_that_fails_by_a_fault_comes_back_too(world: Scene) -> None:
    fault = ValueError("damaged")
    world.services = world.services.but(topics=Failing(world.services.topics, fault=fault))

    assert world.queued({"scope": ""}) == ["m-0"]
    assert world.reports.faults == [fault]


def test_what_is_not_begun_for_want_of_time_comes_back(world: Scene) -> None:
    made(world.services, "Ada")
    other = made(world.services, "Ada")
    world.services.topics.mark("", [other])

    failed = world.queued({"scope": ""}, context=Context([RESERVE_MS - 1]))

    assert failed == ["m-0"]
    assert world.reports.told == []
    assert world.topic(other).merged is None


def test_a_large_scope_goes_on_by_a_message_of_its_own(world: Scene) -> None:
    topics = [made(world.services, f"Ada {number % 2}") for number in range(6)]
    world.services.topics.mark("", [f"t{number}" for number in range(MAX_MARKED + 1)])

    failed = world.queued({"scope": ""}, context=Context([PLENTY_MS] * 3 + [0]))

    assert failed == []
    ((message, delay_s),) = world.told.told
    assert (sorted(message), delay_s) == (["pass", "scope"], 0)
    assert world.queued(message) == []
    assert len([each for each in topics if world.topic(each).merged is None]) == 2
    assert world.services.topics.marks("") is None


def test_a_run_without_time_starts_its_own_function_again_until_enough_is_enough(
    world: Scene,
) -> None:
    topics = [made(world.services, f"Ada {number}") for number in range(2)]
    world.clock.advance(days=365)

    reply = world.run({RUN: {}}, Context([PLENTY_MS, PLENTY_MS, 0]))
    last = world.run({RUN: {"hop": MAX_HOPS}}, Context([PLENTY_MS, 0]))

    assert (reply["steps"], reply["left"], last["left"]) == (3, True, True)
    assert world.later.asked == [(REASON, {RUN: {"hop": 1}})]
    assert world.run({RUN: {"hop": 1}})["left"] is False
    assert {world.topic(each).status for each in topics} == {TopicStatus.ARCHIVED}
