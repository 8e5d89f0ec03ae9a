"""What the index function makes of its events."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from membrane.adapters.aws_lambda.events.runs import RESERVE_MS
from membrane.adapters.aws_lambda.events.stream import LAG, STEP_S, index
from membrane.adapters.dynamodb.stream_images import (
    changes_in,
    created_in,
    ended_in,
    facts_in,
    stale_sources_in,
)
from membrane.adapters.dynamodb.table.keys import RECORDS, TOPICS
from membrane.domain.language.errors import InvalidArgument, ResourceExhausted
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import epoch_seconds
from membrane.usecases.ports.search import Waiting
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.search.indexing.changes import ChangedSource
from tests.builders.captured_records import stored_capture
from tests.builders.episodes import add_release
from tests.builders.indexed_topics import held
from tests.builders.ingesting import ingest
from tests.builders.requests import call, event, written
from tests.fakes.clock import MORNING
from tests.fakes.operators import Later, Metrics, Reports
from tests.fakes.records import FakeRecords
from tests.fakes.search import FakeEmbedder
from tests.fakes.told_reason import ToldReason
from tests.fakes.topic_world import topical
from tests.fakes.topics import FakeTopics
from tests.fakes.vectors import FakeVectors, SetAsides

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


def later(**changes: Any) -> dict[str, Any]:
    """The image of the next version; None takes an attribute away."""
    image = {**IMAGE, "version": {"N": "2"}, **changes}
    return {name: value for name, value in image.items() if value is not None}


def stale_in(*records: Mapping[str, Any]) -> list[ChangedSource]:
    return list(stale_sources_in(records, RECORDS))


# --- the stream -----------------------------------------------------------------------------------

FLAG = {"stale": {"S": "written"}}


def test_a_record_that_a_write_flags_has_changed() -> None:
    found = stale_in(told(None, {**IMAGE, **FLAG}), told(later(), later(**FLAG)))

    assert found == [ChangedSource("record-1", ("team",))] * 2


def test_a_write_that_sets_no_flag_tells_nothing_of_vectors() -> None:
    touched = later(salience={"N": "0.7"}, document={"S": "{}"})

    assert stale_in(told(None, IMAGE), told({**IMAGE, **FLAG}, touched)) == []
    assert stale_in(told({**IMAGE, **FLAG}, None)) == []


def test_a_record_that_moves_tells_of_both_scopes() -> None:
    moved, unscoped = later(scope={"S": "other"}, **FLAG), later(scope=None, **FLAG)

    (there,) = stale_in(told(IMAGE, moved))
    (out,) = stale_in(told(IMAGE, unscoped))

    assert there.scopes == ("team", "other")
    assert out.scopes == ("team", "")


@pytest.mark.parametrize(
    "keys",
    [
        {"pk": {"S": "vector#record-1"}, "sk": {"S": "vector"}},
        {"pk": {"S": "record#record-1"}, "sk": {"S": "audit#0000000000"}},
        {"pk": {"S": "topic#record-1"}, "sk": {"S": "record"}},
        {"pk": {"S": "topic#topic-1"}, "sk": {"S": "topic"}},
    ],
)
def test_what_is_no_record_tells_of_none(keys: dict[str, Any]) -> None:
    assert stale_in(told(None, {**IMAGE, **FLAG, **keys})) == []


VECTOR = {
    "pk": {"S": "vector#record-1"},
    "sk": {"S": "vector"},
    "search_pk": {"S": "record#0#=team"},
    "source_version": {"N": "7"},
    "expires_at": {"N": "8"},
}
BY_TTL = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}


def removal(old: Mapping[str, Any], **others: Any) -> dict[str, Any]:
    """The record of a removal, by default by TTL."""
    return told(old, None, **{"userIdentity": BY_TTL, **others})


@pytest.mark.parametrize(
    "identity", [BY_TTL, {"Type": "Service", "PrincipalId": "dynamodb.amazonaws.com"}]
)
def test_a_vector_that_ttl_removed_tells_of_its_record(identity: dict[str, str]) -> None:
    found = stale_in(removal(VECTOR, userIdentity=identity))

    assert found == [ChangedSource("record-1", ("team",))]


@pytest.mark.parametrize(
    "others",
    [
        {"userIdentity": None},
        {"userIdentity": {"type": "Service", "principalId": "replication"}},
        {"userIdentity": {"type": "Root", "principalId": "dynamodb.amazonaws.com"}},
        {"eventName": "MODIFY"},
    ],
)
def test_a_vector_that_anybody_else_removed_tells_nothing(others: dict[str, Any]) -> None:
    assert stale_in(removal(VECTOR, **others)) == []


def test_a_marker_that_ttl_removed_tells_nothing() -> None:
    marker = {name: VECTOR[name] for name in ("pk", "sk", "source_version", "expires_at")}

    assert stale_in(removal({**marker, "removed": {"S": "removed"}})) == []


# --- topics ---------------------------------------------------------------------------------------

TOPIC = {
    "pk": {"S": "topic#topic-1"},
    "sk": {"S": "topic"},
    "scope": {"S": "team"},
    "sensitivity": {"S": "low"},
    "status": {"S": "active"},
    "created_at": {"N": repr(BORN_S)},
    "version": {"N": "1"},
    "document": {"S": "{}"},
    "fields": {"S": "{}"},
    **FLAG,
}
TOPIC_VECTOR = {
    **VECTOR,
    "pk": {"S": "topic-vector#topic-1"},
    "search_pk": {"S": "topic#0#=team"},
}


def topics_in(*records: Mapping[str, Any]) -> list[ChangedSource]:
    return list(stale_sources_in(records, TOPICS))


@pytest.mark.parametrize("record", [told(None, TOPIC), removal(TOPIC_VECTOR)])
def test_a_topic_that_has_a_flag_or_lost_its_vector_has_changed_and_is_no_record(
    record: dict[str, Any],
) -> None:
    assert topics_in(record) == [ChangedSource("topic-1", ("team",))]
    assert stale_in(record) == []


@pytest.mark.parametrize(
    "keys",
    [
        {"pk": {"S": "topic#topic-1"}, "sk": {"S": "access"}},
        {"pk": {"S": "topic-vector#topic-1"}, "sk": {"S": "topic"}},
        {"pk": {"S": "record#topic"}, "sk": {"S": "record"}},
    ],
)
def test_what_is_no_topic_tells_of_none(keys: dict[str, Any]) -> None:
    assert topics_in(told(None, {**TOPIC, **keys})) == []


# --- facts ----------------------------------------------------------------------------------------

FACT = {**IMAGE, "type": {"S": "semantic"}}


@pytest.mark.parametrize(
    "changes",
    [
        {"document": {"S": "{}"}},
        {"document": {"B": base64.b64encode(b"compressed").decode()}},
        {"document": None},
        {"sensitivity": {"S": "high"}},
        {"scope": {"S": "other"}},
        {"deleted_at": {"N": "1.5"}},
    ],
)
def test_what_a_topic_is_fed_from_tells(changes: dict[str, Any]) -> None:
    (found,) = facts_in([told(FACT, {**later(**changes), "type": {"S": "semantic"}})])

    assert found.record_id == "record-1"


def test_what_changes_nothing_that_a_topic_states_tells_of_no_fact() -> None:
    touched = {**FACT, "version": {"N": "2"}, "salience": {"N": "0.7"}, **FLAG}

    assert list(facts_in([told(FACT, touched), told(None, IMAGE)])) == []


def test_a_fact_removed_by_hand_tells_and_a_tombstone_that_expired_does_not() -> None:
    buried = {**FACT, "deleted_at": {"N": "1.5"}}

    assert list(facts_in([told(FACT, None)])) == [ChangedSource("record-1", ("team",))]
    assert list(facts_in([told(buried, None)])) == []


def test_a_receipt_is_no_fact() -> None:
    receipt = {
        "pk": {"S": "record#made-by-key"},
        "sk": {"S": "record"},
        "receipt_for": {"S": "record-1"},
        "fingerprint": {"B": "AAAA"},
    }

    assert list(facts_in([told(None, receipt)])) == []


def test_facts_are_told_of_in_their_order_beside_records_and_topics() -> None:
    other = {**FACT, "pk": {"S": "record#record-2"}}
    records = [told(None, other), told(None, {**FACT, **FLAG}), told(None, TOPIC)]

    found = changes_in(records)

    assert [each.record_id for each in found.facts] == ["record-2", "record-1"]
    assert [each.record_id for each in found.records] == ["record-1"]
    assert [each.record_id for each in found.topics] == ["topic-1"]


NEW = {**IMAGE, **FLAG}


def test_a_first_version_that_a_write_flags_is_new() -> None:
    over_an_expired_one = told({**later(), "deleted_at": {"N": "1.5"}}, NEW)

    found = [*created_in([told(None, NEW), over_an_expired_one])]

    assert found == [ChangedSource("record-1", ("team",))] * 2


@pytest.mark.parametrize(
    "change",
    [
        told(NEW, later(**FLAG)),
        told(NEW, IMAGE),
        told(IMAGE, {**IMAGE, "stale": {"S": "2026-03-01T09:00:00Z"}}),
        told(None, {**IMAGE, "stale": {"S": "restored"}}),
        told(NEW, None),
        told(None, {**NEW, "pk": {"S": "topic#topic-1"}}),
        told(None, {**NEW, "sk": {"S": "vector"}}),
    ],
)
def test_no_other_change_tells_of_a_new_record(change: dict[str, Any]) -> None:
    assert [*created_in([change])] == []


STEP = {"awaits": {"S": "step"}}


def test_a_waiting_step_that_a_write_changes_may_have_ended_its_thread() -> None:
    change, unflagged = (told({**NEW, **STEP}, later(**STEP, **flag)) for flag in (FLAG, {}))

    assert [*ended_in([change, unflagged])] == [ChangedSource("record-1", ("team",))] * 2
    assert changes_in([change]).ended == [ChangedSource("record-1", ("team",))]


@pytest.mark.parametrize(
    "change",
    [
        told(None, {**NEW, **STEP}),
        told({**later(), "deleted_at": {"N": "1.5"}}, {**NEW, **STEP}),
        told({**NEW, **STEP}, later(**FLAG, trace_id={"S": "trace-1"})),
        told({**NEW, **STEP}, later(**FLAG, awaits={"S": "trace"})),
        told(later(**STEP), later(**STEP, stale={"S": "2026-03-01T09:00:00Z"})),
        told(None, later(**STEP, stale={"S": "restored"})),
        told({**NEW, **STEP}, None),
        told(NEW, later(**FLAG, **STEP, pk={"S": "topic#topic-1"})),
    ],
)
def test_no_other_change_ends_a_thread(change: dict[str, Any]) -> None:
    assert [*ended_in([change])] == []


# --- the function ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class World:
    """Services over fakes, and what operators are told."""

    services: TopicServices
    vectors: FakeVectors
    records: FakeRecords
    embedder: FakeEmbedder
    metrics: Metrics
    reports: Reports
    set_aside: SetAsides
    topics: FakeTopics
    topic_vectors: FakeVectors
    reason: ToldReason

    def event(self, summary: str) -> str:
        """The id of a new record."""
        asked = event(summary=summary, scope="team")
        return written(ingest(asked, call(asked), self.services)).id

    def found(self) -> list[str]:
        """The ids of the records that can be found."""
        return [entry.record_id for entry in self.vectors.entries]

    @property
    def topics_found(self) -> list[str]:
        """The ids of the topics that can be found."""
        return [entry.record_id for entry in self.topic_vectors.entries]

    def index(self, event: JsonObject, context: Context | None = None) -> JsonObject:
        """What the function answers."""
        return index(event, context or Context(), self.services, changes_in)

    def stream(self, *record_ids: str) -> JsonObject:
        """A batch that tells of these."""
        return {
            "Records": [
                told(None, {**IMAGE, **FLAG, "pk": {"S": f"record#{record_id}"}})
                for record_id in record_ids
            ]
        }

    def messages(self, *bodies: Any) -> JsonObject:
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
def world() -> World:
    records, embedder = FakeRecords(lambda: MORNING), FakeEmbedder()
    vectors = FakeVectors(now=records.now, ended=records.ended)
    metrics, reports, set_aside = Metrics(), Reports(), SetAsides()
    topics, reason = FakeTopics(records), ToldReason()
    topic_vectors = FakeVectors(now=records.now, ended=topics.ended)
    services = topical(
        topics=topics,
        topic_vectors=topic_vectors,
        send_to_reasoning=reason,
        records=records,
        vectors=vectors,
        embedder=embedder,
        measure=metrics,
        report=reports,
        set_aside=set_aside,
    )
    return World(
        services,
        vectors,
        records,
        embedder,
        metrics,
        reports,
        set_aside,
        topics,
        topic_vectors,
        reason,
    )


def test_a_batch_of_the_stream_is_indexed_and_its_lag_is_measured(world: World) -> None:
    record_id = world.event("the crane failed")

    reply = world.index(world.stream(record_id))

    assert reply == {
        "batchItemFailures": [],
        "indexed": 1,
        "passed_over": 0,
        "fed": 0,
        "failed": 0,
    }
    assert world.found() == [record_id]
    assert world.metrics.told == [(LAG, 5.0, {})]


def test_a_poisoned_record_is_set_aside_and_the_batch_goes_on(world: World) -> None:
    good, bad = world.event("the crane failed"), world.event("the poisoned well")
    world.refuse("poisoned", ValueError("no"))

    reply = world.index(world.stream(bad, good))

    assert (reply["indexed"], reply["failed"]) == (1, 1)
    assert [record_id for record_id, _ in world.set_aside.records] == [bad]


def test_records_and_topics_of_one_batch_are_indexed_each_in_their_own_space(world: World) -> None:
    batch = world.stream(world.event("the crane failed"))
    batch["Records"].append(told(None, TOPIC))
    held(world.topics)

    reply = world.index(batch)

    assert (reply["indexed"], reply["failed"]) == (2, 0)
    assert len(world.found()) == 1
    assert world.topics_found == ["topic-1"]
    assert world.reason.told == [({"scope": "team"}, 30)]


def time_for(records: int) -> Context:
    """The time of a function that may begin so many records."""
    return Ebbing(left_ms=RESERVE_MS + records * 1_000 + 500, step_ms=1_000)


def test_records_without_a_turn_before_the_timeout_are_set_aside_and_the_batch_ends(
    world: World,
) -> None:
    ids = [world.event(f"crane {number} failed") for number in range(3)]

    reply = world.index(world.stream(*ids), time_for(2))

    assert sorted(world.found()) == sorted(ids[:2])
    assert world.set_aside.records == [(ids[2], ("team",))]
    assert reply["batchItemFailures"] == []
    assert (reply["indexed"], reply["failed"]) == (2, 1)


def test_messages_without_a_turn_before_the_timeout_come_again(world: World) -> None:
    ids = [world.event(f"crane {number} failed") for number in range(3)]
    bodies = [{"record_id": each, "scopes": ["team"]} for each in ids]

    reply = world.index(world.messages(*bodies), time_for(2))

    assert sorted(world.found()) == sorted(ids[:2])
    assert reply == {"batchItemFailures": [{"itemIdentifier": "2"}]}


def test_a_topic_that_was_set_aside_is_indexed_by_its_key_and_fails_alone(world: World) -> None:
    held(world.topics)
    held(world.topics, "topic-2", title="a bad one")
    record_id = world.event("the crane failed")
    world.refuse("bad", ValueError("no"))
    bodies = [
        {"topic_id": "topic-2", "scopes": ["team"]},
        {"topic_id": "topic-1", "scopes": ["team"]},
        {"record_id": record_id, "scopes": ["team"]},
        {"fed_record_id": record_id, "scopes": ["team"]},
        {"record_id": "topic-2", "scopes": ["team"]},
    ]

    reply = world.index(world.messages(*bodies))

    assert reply == {"batchItemFailures": [{"itemIdentifier": "0"}]}
    assert world.topics_found == ["topic-1"]
    assert world.found() == [record_id]


def test_a_new_capture_that_was_set_aside_is_sent_to_the_model(world: World) -> None:
    sent: list[tuple[str, int, int]] = []
    sending = replace(world.services, send_to_interpreter=lambda *message: sent.append(message))
    record_id = stored_capture("Ana owns billing", world.services).id
    message = {"created_record_id": record_id, "scopes": ["team"]}

    reply = replace(world, services=sending).index(world.messages(message))

    assert reply == {"batchItemFailures": []}
    assert sent == [(record_id, 1, 0)]


def test_an_ended_thread_that_was_set_aside_is_consolidated(world: World) -> None:
    started = Later()
    starting = replace(world.services, consolidate_function="learn", invoke_later=started)
    (*_, last) = add_release("t-1", "1.2", starting)
    message = {"ended_record_id": last.id, "scopes": ["team"]}

    reply = replace(world, services=starting).index(world.messages(message))

    assert reply == {"batchItemFailures": []}
    assert started.asked == [
        ("learn", {"membrane-consolidate": {"scope": "team", "thread_id": "t-1"}})
    ]


def test_a_poisoned_topic_of_a_batch_is_set_aside_as_a_topic(world: World) -> None:
    held(world.topics, title="poisoned")
    world.refuse("poisoned", ValueError("no"))

    reply = world.index({"Records": [told(None, TOPIC)]})

    assert (reply["batchItemFailures"], reply["failed"]) == ([], 1)
    assert world.set_aside.others == [(Waiting.TOPIC, "topic-1")]


def test_a_busy_store_fails_the_batch_and_the_lag_is_measured_all_the_same(world: World) -> None:
    record_id = world.event("the crane failed")
    world.refuse("crane", ResourceExhausted("busy"))

    with pytest.raises(ResourceExhausted):
        world.index(world.stream(record_id))

    assert world.set_aside.records == []
    assert [metric for metric, *_ in world.metrics.told] == [LAG]


def test_what_was_set_aside_is_indexed_by_its_key_and_fails_alone(world: World) -> None:
    good, bad, busy = (world.event(f"the {word} crane") for word in ("good", "bad", "busy"))
    world.refuse("bad", ValueError("no"))
    named = [{"record_id": each, "scopes": ["team"]} for each in (bad, good, busy)]

    reply = world.index(world.messages(*named[:2], {**named[2], "idempotency_key": "again"}, "{}"))

    failed = [each["itemIdentifier"] for each in reply["batchItemFailures"]]
    assert failed == ["0", "3"]
    assert world.set_aside.records == []
    found = set(world.found())
    assert found == {good, busy}


def test_the_records_of_all_messages_are_indexed_together(world: World) -> None:
    named = [
        {"record_id": world.event(f"crane {number}"), "scopes": ["team"]} for number in range(10)
    ]

    reply = world.index(world.messages(*named, named[0]))

    assert reply == {"batchItemFailures": []}
    assert [len(texts) for texts in world.embedder.asked] == [10]
    assert len(world.found()) == 10


def test_each_message_about_a_record_that_fails_comes_again(world: World) -> None:
    bad, good = world.event("the bad crane"), world.event("the good crane")
    world.refuse("bad", ValueError("no"))
    named = [{"record_id": each, "scopes": ["team"]} for each in (bad, good, bad)]

    reply = world.index(world.messages(*named))

    assert [each["itemIdentifier"] for each in reply["batchItemFailures"]] == ["0", "2"]


def test_a_message_that_comes_when_the_store_is_busy_comes_again(world: World) -> None:
    record_id = world.event("the crane failed")
    world.refuse("crane", ResourceExhausted("busy"))

    reply = world.index(world.messages({"record_id": record_id, "scopes": ["team"]}))

    assert reply["batchItemFailures"] == [{"itemIdentifier": "0"}]
    assert world.reports.faults == []


def test_a_step_of_a_re_index_tells_how_far_it_is(world: World) -> None:
    record_id = world.event("the crane failed")

    reply = world.index({"membrane-reindex": {"again": False}})

    assert (reply["done"], reply["marked"], reply["stage"]) == (True, 1, "done")
    assert world.records.stale == {record_id: reply["started_at"]}


def test_a_step_ends_before_its_time_runs_out(world: World) -> None:
    world.event("the crane failed")

    reply = world.index({"membrane-reindex": {}}, Context(RESERVE_MS - 1))

    assert (reply["done"], reply["marked"]) == (False, 0)


def test_a_step_ends_before_whoever_invoked_it_loses_patience() -> None:
    ticks = iter([0.0, STEP_S + 1])
    services = topical(elapsed_s=lambda: next(ticks))

    reply = index({"membrane-reindex": {}}, Context(), services, changes_in)

    assert not reply["done"]


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"Records": []},
        {"Records": [{"eventSource": "aws:s3"}]},
        {"membrane-reindex": {"all": True}},
    ],
)
def test_any_other_event_is_refused(world: World, event: JsonObject) -> None:
    with pytest.raises(InvalidArgument):
        world.index(event)
