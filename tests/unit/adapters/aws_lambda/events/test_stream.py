"""What the index function makes of its events."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from membrane.adapters.aws_lambda.events.runs import RESERVE_MS
from membrane.adapters.aws_lambda.events.stream import LAG, STEP_S, index
from membrane.adapters.dynamodb.stream_images import (
    changes_in,
)
from membrane.domain.language.errors import ResourceExhausted
from membrane.domain.language.timestamps import epoch_seconds
from membrane.wiring.world import World
from tests.builders.records import ingest
from tests.builders.requests import call, event, written
from tests.fakes.chat_models import Metrics, Reports
from tests.fakes.clock import MORNING, FakeEmbedder, SetAsides
from tests.worlds.memory import DIMENSIONS, make_world, table_of

BORN_S = 1_772_355_600.25
DOCUMENT = {"S": '{"payload": {}}'}
IMAGE = {
    "pk": {"S": "record#record-1"},
    "sk": {"S": "record"},
    "type": {"S": "episodic"},
    "scope": {"S": "team"},
    "sensitivity": {"S": "low"},
    "created_at": {"N": repr(BORN_S)},
    "version": {"N": "1"},
    "salience": {"N": "1.0"},
    "document": DOCUMENT,
}
FLAG = {"stale": {"S": "written"}}


@dataclass(slots=True)
class Context:
    """Of a function with some time."""

    left_ms: int = 60_000
    aws_request_id: str = "request"
    invoked_function_arn: str = "arn"

    def get_remaining_time_in_millis(self) -> int:
        return self.left_ms


@dataclass(slots=True)
class Ebbing(Context):
    """Of a function that has less time each time that it asks."""

    step_ms: int = 0

    def get_remaining_time_in_millis(self) -> int:
        self.left_ms -= self.step_ms
        return self.left_ms


def told(
    old: Mapping[str, Any] | None, new: Mapping[str, Any] | None, **others: Any
) -> dict[str, Any]:
    """A record of the stream, as Lambda hands it on."""
    keys = {name: (new or old or IMAGE)[name] for name in ("pk", "sk")}
    images = {"OldImage": old, "NewImage": new}
    return {
        "eventSource": "aws:dynamodb",
        "eventName": "INSERT" if old is None else "REMOVE" if new is None else "MODIFY",
        "dynamodb": {
            "ApproximateCreationDateTime": epoch_seconds(MORNING) - 5,
            "Keys": keys,
            **{name: image for name, image in images.items() if image is not None},
        },
        **others,
    }


@dataclass(slots=True)
class Scene:
    """World over a table in memory, and what operators are told."""

    embedder: FakeEmbedder = field(default_factory=lambda: FakeEmbedder(dimensions=DIMENSIONS))
    metrics: Metrics = field(default_factory=Metrics)
    reports: Reports = field(default_factory=Reports)
    set_aside: SetAsides = field(default_factory=SetAsides)
    services: World = field(init=False)

    def __post_init__(self) -> None:
        self.services = make_world(
            now=lambda: MORNING,
            embedder=self.embedder,
            measure=self.metrics,
            report=self.reports,
            set_aside=self.set_aside,
        )

    def event(self, summary: str) -> str:
        """The id of a new record."""
        asked = event(summary=summary, scope="team")
        return written(ingest(asked, call(asked), self.services)).id

    def found(self) -> list[str]:
        """The ids of the records that can be found."""
        found = self.services.search.at(table_of(self.services).ids, DIMENSIONS)
        return [entry.record_id for entry in found]

    def index(self, event: dict[str, Any], context: Context | None = None) -> dict[str, Any]:
        """What the function answers."""
        return index(event, context or Context(), self.services, changes_in)

    def stream(self, *record_ids: str) -> dict[str, Any]:
        """A batch that tells of these."""
        return {
            "Records": [
                told(None, {**IMAGE, **FLAG, "pk": {"S": f"record#{record_id}"}})
                for record_id in record_ids
            ]
        }

    def messages(self, *bodies: Any) -> dict[str, Any]:
        """A batch of messages, numbered."""
        return {
            "Records": [
                {
                    "eventSource": "aws:sqs",
                    "messageId": str(number),
                    "body": body if isinstance(body, str) else json.dumps(body),
                }
                for number, body in enumerate(bodies)
            ]
        }

    def refuse(self, word: str, error: Exception) -> None:
        """Let the embedder fail at texts with that word."""

        def failing(texts: object) -> None:
            if word in str(texts):
                raise error

        self.embedder.failing = failing


@pytest.fixture
def world() -> Scene:
    return Scene()


def test_a_batch_of_the_stream_is_indexed_and_its_lag_is_measured(world: Scene) -> None:
    record_id = world.event("the crane failed")

    reply = world.index(world.stream(record_id))

    assert reply == {
        "batchItemFailures": [],
        "indexed": 1,
        "passed_over": 0,
        "failed": 0,
    }
    assert world.found() == [record_id]
    assert world.metrics.told == [(LAG, 5.0, {})]


def time_for(records: int) -> Context:
    """The time of a function that may begin so many records."""
    return Ebbing(left_ms=RESERVE_MS + records * 1_000 + 500, step_ms=1_000)


def test_records_without_a_turn_before_the_timeout_are_set_aside_and_the_batch_ends(
    world: Scene,
) -> None:
    ids = [world.event(f"crane {number} failed") for number in range(3)]

    reply = world.index(world.stream(*ids), time_for(2))

    assert sorted(world.found()) == sorted(ids[:2])
    assert world.set_aside.records == [(ids[2], ("team",))]
    assert reply["batchItemFailures"] == []
    assert (reply["indexed"], reply["failed"]) == (2, 1)


def test_messages_without_a_turn_before_the_timeout_come_again(world: Scene) -> None:
    ids = [world.event(f"crane {number} failed") for number in range(3)]
    bodies = [{"record_id": each, "scopes": ["team"]} for each in ids]

    reply = world.index(world.messages(*bodies), time_for(2))

    assert sorted(world.found()) == sorted(ids[:2])
    assert reply == {"batchItemFailures": [{"itemIdentifier": "2"}]}


def test_a_busy_store_fails_the_batch_and_the_lag_is_measured_all_the_same(world: Scene) -> None:
    record_id = world.event("the crane failed")
    world.refuse("crane", ResourceExhausted("busy"))

    with pytest.raises(ResourceExhausted):
        world.index(world.stream(record_id))

    assert world.set_aside.records == []
    assert [metric for metric, *_ in world.metrics.told] == [LAG]


def test_the_records_of_all_messages_are_indexed_together(world: Scene) -> None:
    named = [
        {"record_id": world.event(f"crane {number}"), "scopes": ["team"]} for number in range(10)
    ]

    reply = world.index(world.messages(*named, named[0]))

    assert reply == {"batchItemFailures": []}
    assert [len(texts) for texts in world.embedder.asked] == [10]
    assert len(world.found()) == 10


def test_a_message_that_comes_when_the_store_is_busy_comes_again(world: Scene) -> None:
    record_id = world.event("the crane failed")
    world.refuse("crane", ResourceExhausted("busy"))

    reply = world.index(world.messages({"record_id": record_id, "scopes": ["team"]}))

    assert reply["batchItemFailures"] == [{"itemIdentifier": "0"}]
    assert world.reports.faults == []


def test_a_step_ends_before_its_time_runs_out(world: Scene) -> None:
    world.event("the crane failed")

    reply = world.index({"membrane-reindex": {}}, Context(RESERVE_MS - 1))

    assert (reply["done"], reply["marked"]) == (False, 0)


def test_a_step_ends_before_whoever_invoked_it_loses_patience() -> None:
    ticks = iter([0.0, STEP_S + 1])
    services = make_world(elapsed_s=lambda: next(ticks))

    reply = index({"membrane-reindex": {}}, Context(), services, changes_in)

    assert not reply["done"]
