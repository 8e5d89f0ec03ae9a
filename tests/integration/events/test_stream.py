"""The table's stream in the local stack: what is written is indexed, and nothing is lost."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from membrane_cli.redrive.dead_letters import redrive
from membrane_cli.redrive.places import LocalQueues, StreamBatch, changes_at
from membrane_local.dev_options import TEMPLATE, DevOptions
from membrane_local.events.sources import EventSources
from membrane_local.functions import Functions
from membrane_local.refusals import TemplateError
from membrane_local.storage.stores import TABLE
from membrane_local.template import read_template
from tests.fakes.clock import FakeEmbedder
from tests.worlds.api import Api, api_over
from tests.worlds.api_client import ApiClient
from tests.worlds.refusals import an_error
from tests.worlds.threads import at_once

INDEX = "IndexFunction"


@pytest.fixture
def api(stack: Api) -> Iterator[Api]:
    services = stack.functions.worlds
    stack.application.reset()
    stack.application.deliveries.pause(paused=False)
    yield stack
    stack.functions.worlds = services


def remembered(api: Api, summary: str, **fields: Any) -> str:
    """The id of a new record."""
    body = {"source": "ana", "event_kind": "turn", "ref": "talk:1", "summary": summary, **fields}
    return str(api.call("POST", "/v1/ingest/event", body).record["id"])


def indexed(api: Api) -> set[str]:
    """The ids of the records that have a vector, once all that is due has been done."""
    assert api.application.deliveries.agenda.wait_until_idle(25)
    return set(vectors(api))


def vectors(api: Api, prefix: str = "vector#") -> list[str]:
    """The ids of what has a vector now, each as often as it has one."""
    return [item["pk"]["S"].removeprefix(prefix) for item in vector_items(api, prefix)]


def vector_items(api: Api, prefix: str = "vector#") -> list[Any]:
    """The vectors, as the table has them."""
    pages = api.functions.store.dynamodb.get_paginator("scan").paginate(TableName=TABLE)
    items: list[Any] = [item for page in pages for item in page["Items"]]
    return sorted(
        (item for item in items if item["pk"]["S"].startswith(prefix) and "removed" not in item),
        key=lambda item: str(item["pk"]),
    )


def waiting(api: Api, queue: str) -> list[Any]:
    messages = api.application.deliveries.queues[queue].waiting()
    return [json.loads(message.body) for message in messages]


def refusing(api: Api, failing: Callable[[Any], None]) -> FakeEmbedder:
    """Let the index function have an embedder that may refuse texts."""
    services: Any = api.functions.worlds[INDEX]
    own = services.embedder
    embedder = FakeEmbedder(own.name, own.dimensions, failing=failing)
    api.serve(INDEX, embedder=embedder, embedders=(embedder,))
    return embedder


def test_what_is_written_is_indexed_by_itself(api: Api) -> None:
    ids = {remembered(api, f"the crane {number}") for number in range(5)}

    assert indexed(api) == ids


def test_lanes_of_one_shard_side_by_side_and_late_repeats_index_as_one_reader_does(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a ParallelizationFactor, Lambda keeps the order of an item's changes, and no other."""
    changes = list[Any]()
    run = api.functions.invoke
    invoke = Functions.invoke

    def note(functions: Functions, function: str, event: Any, **more: Any) -> Any:
        if function != INDEX:
            return invoke(functions, function, event, **more)
        return changes.extend(event["Records"])

    with monkeypatch.context() as patch:
        patch.setattr(Functions, "invoke", note)
        made = [remembered(api, f"the crane {number}") for number in range(24)]
        for each in made[::3]:
            api.call("DELETE", f"/v1/records/{each}", {"actor": "me", "rationale": "wrong"})
        for each in made[1::3]:
            failure = {"target_record_id": each, "outcome_status": "failure", "reason": "a gale"}
            api.call("POST", "/v1/ingest/outcome", {"source": "ana", **failure})
        assert api.application.deliveries.agenda.wait_until_idle(25)
    lanes = defaultdict[str, list[Any]](list)
    for each in changes:
        lanes[each["dynamodb"]["Keys"]["pk"]["S"]].append(each)

    at_once([partial(run, INDEX, {"Records": lane}) for lane in lanes.values()])
    for lane in lanes.values():  # a failed batch comes again, after newer ones
        run(INDEX, {"Records": lane[:1]})

    side_by_side = vector_items(api)
    for item in side_by_side:
        key = {name: item[name] for name in ("pk", "sk")}
        api.functions.store.dynamodb.delete_item(TableName=TABLE, Key=key)
    for each in changes:
        run(INDEX, {"Records": [each]})
    assert len(side_by_side) == 16
    assert len(changes) > len(lanes)
    assert side_by_side == vector_items(api)


def test_the_index_function_gives_way_to_an_ingest_request_under_way(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("membrane_local.events.stream.LONGEST_WAIT_S", 3_600)
    assert indexed(api) == set()  # no reading is under way that waited before
    with api.functions.ingests.under_way():
        record_id = remembered(api, "the crane")
        assert not api.application.deliveries.agenda.wait_until_idle(0.5)
        assert vectors(api) == []

    assert indexed(api) == {record_id}


def test_a_paused_stream_keeps_what_comes(api: Api) -> None:
    reply = api.call("POST", "/_dev/stream", {"paused": True})
    record_id = remembered(api, "the crane")
    before = indexed(api)

    again = api.call("POST", "/_dev/stream?wait", {"paused": False})

    assert (reply.body, again.body) == ({"paused": True}, {"paused": False})
    assert before == set()
    assert indexed(api) == {record_id}


@pytest.mark.parametrize("body", [None, {}, {"paused": "yes"}, {"paused": True, "for": 1}])
def test_what_is_no_wish_about_the_stream_is_refused(api: Api, body: Any) -> None:
    assert api.call("POST", "/_dev/stream", body).status == 400


def test_a_reset_forgets_what_was_in_the_stream(api: Api) -> None:
    api.call("POST", "/_dev/stream", {"paused": True})
    remembered(api, "the crane")

    assert api.call("POST", "/_dev/reset").status == 200
    api.call("POST", "/_dev/stream", {"paused": False})

    assert indexed(api) == set()
    assert vectors(api) == []


def test_a_poisoned_record_goes_to_the_queue_alone_and_at_last_to_the_dead_letters(
    api: Api,
) -> None:
    def refuse(texts: object) -> None:
        if "poisoned" in str(texts):
            raise ValueError("no")

    refusing(api, refuse)
    good, bad = remembered(api, "the crane"), remembered(api, "the poisoned well", scope="wells")

    found = indexed(api)
    for _ in range(4):
        api.call("POST", "/_dev/clock", {"advance_seconds": 361})
        assert api.application.deliveries.agenda.wait_until_idle(25)

    assert found == {good}
    assert waiting(api, "IndexQueue") == []
    assert waiting(api, "IndexDeadLetters") == [{"record_id": bad, "scopes": ["wells"]}]


def test_a_record_that_was_set_aside_is_indexed_once_it_can_be(api: Api) -> None:
    def refuse(_texts: object) -> None:
        raise ValueError("no")

    embedder = refusing(api, refuse)
    record_id = remembered(api, "the crane")
    before = indexed(api)

    embedder.failing = lambda _: None
    api.call("POST", "/_dev/clock", {"advance_seconds": 361})

    assert before == set()
    assert indexed(api) == {record_id}


def test_a_batch_that_fails_is_cut_in_two_until_the_rest_is_done(
    api: Api, capfd: pytest.CaptureFixture[str]
) -> None:
    def busy(texts: Any) -> None:
        if len(texts) > 1:
            raise an_error("UNAVAILABLE", "one at a time")

    refusing(api, busy)
    api.call("POST", "/_dev/stream", {"paused": True})
    ids = {remembered(api, f"the crane {number}") for number in range(5)}
    api.call("POST", "/_dev/stream", {"paused": False})

    assert indexed(api) == ids
    assert waiting(api, "UnindexedChanges") == []
    assert "one at a time" in capfd.readouterr().err


def test_what_fails_too_often_is_left_behind_with_its_place(
    api: Api, capfd: pytest.CaptureFixture[str]
) -> None:
    def busy(texts: object) -> None:
        if "stuck" in str(texts):
            raise an_error("UNAVAILABLE", "the model does not answer")

    refusing(api, busy)
    remembered(api, "the stuck crane")
    good = remembered(api, "the harbour")

    assert indexed(api) == {good}
    (left,) = waiting(api, "UnindexedChanges")
    assert left["requestContext"]["condition"] == "RetryAttemptsExhausted"
    assert left["DDBStreamBatchInfo"]["batchSize"] == 1
    assert capfd.readouterr().err.count("Traceback") >= 20


def test_a_redrive_sends_the_captures_of_a_batch_that_was_given_up_to_the_model(
    api: Api, capfd: pytest.CaptureFixture[str]
) -> None:
    sent: list[tuple[str, int, int]] = []

    def fail(*_: object) -> None:
        raise ValueError("no")

    api.serve(INDEX, send_to_interpreter=fail)
    asked = {"source": "ana", "content": {"person": "Ana", "text": "Ana owns billing"}}
    captured = api.post("/v1/capture", asked).body["primary_record"]["id"]
    assert api.application.deliveries.agenda.wait_until_idle(25)
    (left,) = waiting(api, "UnindexedChanges")
    api.serve(INDEX, send_to_interpreter=lambda *message: sent.append(message))

    place = InProcess(ApiClient("", api=api), api)
    (done,) = redrive(place, "UnindexedChanges", None, dry_run=False)

    assert (done.redriven, done.remaining) == (1, 0), done.reasons
    assert api.application.deliveries.agenda.wait_until_idle(25)
    assert sent == [(captured, 1, 0)]
    assert left["DDBStreamBatchInfo"]["batchSize"] == 1
    assert "ValueError" in capfd.readouterr().err


FIRST = '{"DDBStreamBatchInfo": {"startSequenceNumber": %s}}'


@pytest.mark.parametrize("body", ["text", "5", "[" * 100_000, FIRST % '"a"', FIRST % "{}"], ids=len)
def test_a_message_of_another_sender_among_the_dead_letters_holds_nothing_up(
    api: Api, body: str
) -> None:
    assert api.post("/_dev/queues/UnindexedChanges", {"body": body}).status == 200

    first, second = remembered(api, "the crane"), remembered(api, "the harbour")

    assert indexed(api) == {first, second}
    assert api.functions.store.stream.read_next() is None


@dataclass(frozen=True, slots=True)
class InProcess(LocalQueues):
    """The queues of the local stack, with the stream, which the stack shows nobody outside."""

    api: Api

    def changes(self, batch: StreamBatch) -> Sequence[Mapping[str, Any]]:
        """See Place."""
        (pump,) = self.api.application.deliveries.pumps
        return changes_at(pump.stream.client, batch)


def test_a_stack_that_is_started_anew_goes_on_where_it_was(tmp_path: Path) -> None:
    options = DevOptions(store=str(tmp_path / "memory.db"))
    with api_over(options) as api:
        first = remembered(api, "the crane")
        assert indexed(api) == {first}
        api.call("POST", "/_dev/stream", {"paused": True})
        second = remembered(api, "the harbour")

    with api_over(options) as api:
        (pump,) = api.application.deliveries.pumps
        begun = dict(pump.stream.places)

        assert indexed(api) == {first, second}

    assert begun != {}


def test_a_place_that_the_stream_has_lost_lets_it_be_read_from_its_beginning(
    tmp_path: Path,
) -> None:
    options = DevOptions(store=str(tmp_path / "memory.db"))
    with api_over(options) as api:
        api.call("POST", "/_dev/stream", {"paused": True})
        record_id = remembered(api, "the crane")
        place = tmp_path / "memory.db.blobs" / "stream-place"
        place.write_text(json.dumps({"arn": "another", "places": {"shard": "7"}}))

    with api_over(options) as api:
        assert indexed(api) == {record_id}


# --- what the template says -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (
            "BatchSize: 100\n",
            "BatchSize: 100\n            TumblingWindowInSeconds: 5\n",
            "Tumbling",
        ),
        (
            "Stream: !If [OwnTable, !GetAtt Table.StreamArn",
            "Stream: !If [OwnTable, !GetAtt Other.StreamArn",
            "the table's stream",
        ),
    ],
)
def test_what_would_not_run_as_in_aws_is_refused(
    tmp_path: Path, before: str, after: str, words: str
) -> None:
    text = TEMPLATE.read_text("utf-8")
    assert before in text
    other = tmp_path / "template.yaml"
    other.write_text(text.replace(before, after, 1), "utf-8")

    with pytest.raises(TemplateError, match=words):
        EventSources.of(read_template(other))


# --- topics ---------------------------------------------------------------------------------------


def topics_indexed(api: Api) -> set[str]:
    """The ids of the topics that have a vector, once all that is due has been done."""
    assert api.application.deliveries.agenda.wait_until_idle(25)
    return set(vectors(api, "topic-vector#"))


def observed(api: Api, **fields: Any) -> str:
    """The id of a new fact."""
    usual = {"source": "ana", "subject": "Sines", "predicate": "cranes", "object": 3}
    reply = api.call("POST", "/v1/ingest/observation", {**usual, **fields})
    assert reply.status == 201
    return str(reply.record["id"])


def test_a_topic_is_indexed_by_itself_apart_from_records(api: Api) -> None:
    record_id = remembered(api, "the crane")
    topic_id = api.call("POST", "/v1/topics", {"title": "The crane"}).body["topic_id"]

    assert topics_indexed(api) == {topic_id}
    assert indexed(api) == {record_id}
