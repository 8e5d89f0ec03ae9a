"""The table's stream in the local stack: what is written is indexed, and nothing is lost."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from membrane.adapters.dynamodb.table.keys import ENTRIES, TOPICS
from membrane.domain.language.errors import Unavailable
from membrane.domain.topics.policy import TopicPolicy
from membrane.usecases.ports.services_search import ReadingServices
from membrane.wiring import services as wiring
from membrane_local.dev_options import TEMPLATE, DevOptions
from membrane_local.events.sources import EventSources
from membrane_local.refusals import TemplateError
from membrane_local.storage.dynoxide import running
from membrane_local.storage.stores import TABLE
from membrane_local.storage.table import ensure_table, stream_of
from membrane_local.storage.table_stream import TableStream, stream_client
from membrane_local.template import read_template
from tests.fakes.search import FakeEmbedder
from tests.worlds.api import Api, api_over

INDEX = "IndexFunction"


@pytest.fixture(scope="module", params=["moto", "dynoxide"])
def stack(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Api]:
    """A stack on each emulator that has streams."""
    store = None
    if request.param == "dynoxide":
        store = str(tmp_path_factory.mktemp("store") / "memory.db")
    with api_over(DevOptions(store=store)) as found:
        yield found


@pytest.fixture
def api(stack: Api) -> Iterator[Api]:
    services = stack.functions.services
    stack.application.reset()
    stack.application.deliveries.pause(paused=False)
    yield stack
    stack.functions.services = services


def remembered(api: Api, summary: str, **fields: Any) -> str:
    """The id of a new record."""
    body = {"source": "ana", "event_kind": "turn", "ref": "talk:1", "summary": summary, **fields}
    return str(api.call("POST", "/v1/ingest/event", body).record["id"])


def indexed(api: Api) -> set[str]:
    """The ids of what can be found, once all that is due has been done."""
    assert api.application.deliveries.settled(25)
    return {item["sk"]["S"] for item in entries(api) if "removed" not in item}


def entries(api: Api) -> list[Any]:
    """The items of the index."""
    pages = api.functions.store.dynamodb.get_paginator("scan").paginate(TableName=TABLE)
    items = [item for page in pages for item in page["Items"]]
    return [item for item in items if item["pk"]["S"].startswith(ENTRIES)]


def waiting(api: Api, queue: str) -> list[Any]:
    messages = api.application.deliveries.queues[queue].waiting()
    return [json.loads(message.body) for message in messages]


def serve(api: Api, **parts: Any) -> None:
    """Let the index function work with something else."""
    services = api.functions.services[INDEX]
    assert isinstance(services, ReadingServices)
    api.functions.services = {**api.functions.services, INDEX: replace(services, **parts)}


def test_what_is_written_is_indexed_by_itself(api: Api) -> None:
    ids = {remembered(api, f"the crane {number}") for number in range(5)}

    assert indexed(api) == ids


def test_what_is_deleted_is_found_no_more(api: Api) -> None:
    kept, deleted = remembered(api, "the crane"), remembered(api, "the harbour")

    api.call("DELETE", f"/v1/records/{deleted}", {"actor": "me", "rationale": "wrong"})

    assert indexed(api) == {kept}


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


def test_waiting_for_what_is_due_covers_the_stream(api: Api) -> None:
    record_id = remembered(api, "the crane")

    assert api.call("GET", "/_dev/queues?wait").status == 200

    assert {item["sk"]["S"] for item in entries(api)} == {record_id}


def test_a_reset_forgets_what_was_in_the_stream(api: Api) -> None:
    api.call("POST", "/_dev/stream", {"paused": True})
    remembered(api, "the crane")

    assert api.call("POST", "/_dev/reset").status == 200
    api.call("POST", "/_dev/stream", {"paused": False})

    assert indexed(api) == set()
    assert entries(api) == []


def test_a_poisoned_record_goes_to_the_queue_alone_and_at_last_to_the_dead_letters(
    api: Api,
) -> None:
    def refuse(texts: object) -> None:
        if "poisoned" in str(texts):
            raise ValueError("no")

    serve(api, embedder=FakeEmbedder("all-MiniLM-L6-v2-int8-1", 384, failing=refuse))
    good, bad = remembered(api, "the crane"), remembered(api, "the poisoned well", scope="wells")

    found = indexed(api)
    for _ in range(4):
        api.call("POST", "/_dev/clock", {"advance_seconds": 361})
        assert api.application.deliveries.settled(25)

    assert found == {good}
    assert waiting(api, "IndexQueue") == []
    assert waiting(api, "IndexDeadLetters") == [{"record_id": bad, "scopes": ["wells"]}]


def test_a_record_that_was_set_aside_is_indexed_once_it_can_be(api: Api) -> None:
    def refuse(_texts: object) -> None:
        raise ValueError("no")

    embedder = FakeEmbedder("all-MiniLM-L6-v2-int8-1", 384, failing=refuse)
    serve(api, embedder=embedder)
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
            raise Unavailable("one at a time")

    serve(api, embedder=FakeEmbedder("all-MiniLM-L6-v2-int8-1", 384, failing=busy))
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
            raise Unavailable("the model does not answer")

    serve(api, embedder=FakeEmbedder("all-MiniLM-L6-v2-int8-1", 384, failing=busy))
    remembered(api, "the stuck crane")
    good = remembered(api, "the harbour")

    assert indexed(api) == {good}
    (left,) = waiting(api, "UnindexedChanges")
    assert left["requestContext"]["condition"] == "RetryAttemptsExhausted"
    assert left["DDBStreamBatchInfo"]["batchSize"] == 1
    assert capfd.readouterr().err.count("Traceback") >= 20


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


def test_a_table_that_was_made_without_a_stream_is_given_one(tmp_path: Path) -> None:
    properties = read_template(TEMPLATE).table
    with running(tmp_path / "memory.db") as endpoint:
        client = wiring.dynamodb_client(endpoint)
        ensure_table(client, TABLE, properties)
        client.update_table(TableName=TABLE, StreamSpecification={"StreamEnabled": False})

        arn = stream_of(client, TABLE, properties)
        client.put_item(TableName=TABLE, Item={"pk": {"S": "record#1"}, "sk": {"S": "record"}})
        piece = TableStream(stream_client(endpoint), arn).read()

    assert piece is not None
    assert piece.records[-1]["dynamodb"]["Keys"]["pk"] == {"S": "record#1"}


# --- what the template says -----------------------------------------------------------------------


def test_the_source_is_as_the_template_has_it() -> None:
    (source,) = EventSources.of(read_template(TEMPLATE)).streams

    assert source.function == INDEX
    assert source.bisects
    assert source.dead_letters == "UnindexedChanges"
    assert source.patterns == ({"dynamodb": {"Keys": {"sk": {"S": ["record", "topic"]}}}},)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (
            "BatchSize: 100\n",
            "BatchSize: 100\n            TumblingWindowInSeconds: 5\n",
            "Tumbling",
        ),
        (
            "Stream: !GetAtt Table.StreamArn",
            "Stream: !GetAtt Other.StreamArn",
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


def topic_entries(api: Api) -> dict[str, Any]:
    """The entries of topics, by topic id, once all that is due has been done."""
    assert api.application.deliveries.settled(25)
    pages = api.functions.store.dynamodb.get_paginator("scan").paginate(TableName=TABLE)
    items = [item for page in pages for item in page["Items"]]
    own = [item for item in items if item["pk"]["S"].startswith(TOPICS.entries)]
    return {item["sk"]["S"]: item for item in own if "removed" not in item}


def observed(api: Api, **fields: Any) -> str:
    """The id of a new fact."""
    usual = {"source": "ana", "subject": "Sines", "predicate": "cranes", "object": 3}
    reply = api.call("POST", "/v1/ingest/observation", {**usual, **fields})
    assert reply.status == 201
    return str(reply.record["id"])


def test_a_topic_is_indexed_by_itself_apart_from_records(api: Api) -> None:
    record_id = remembered(api, "the crane")
    topic_id = api.call("POST", "/v1/topics", {"title": "The crane"}).body["topic_id"]

    assert topic_entries(api).keys() == {topic_id}
    assert indexed(api) == {record_id}


def test_a_topic_that_is_deleted_is_found_no_more(api: Api) -> None:
    topic_id = api.call("POST", "/v1/topics", {"title": "The crane"}).body["topic_id"]
    before = set(topic_entries(api))

    api.call("DELETE", f"/v1/topics/{topic_id}")

    assert (before, topic_entries(api)) == ({topic_id}, {})


def test_observations_feed_topics_where_the_operator_says_so(api: Api) -> None:
    unfed = observed(api, subject="Nobody")
    assert topic_entries(api) == {}
    serve(api, topic_policy=TopicPolicy(feeds=True))

    fact_id = observed(api)
    (topic_id,) = topic_entries(api)

    topic = api.call("GET", f"/v1/topics/{topic_id}").body
    field = api.call("GET", f"/v1/topics/{topic_id}/fields/cranes").body
    assert topic["title"] == "Sines"
    assert fact_id in json.dumps(field)
    assert unfed not in json.dumps(field)


def test_an_observation_that_is_erased_or_raised_leaves_its_topic(api: Api) -> None:
    serve(api, topic_policy=TopicPolicy(feeds=True))
    erased, raised = observed(api), observed(api, predicate="depth", object="28 m")
    (topic_id,) = topic_entries(api)

    api.call("DELETE", f"/v1/records/{erased}?erase=true")
    api.call("PATCH", f"/v1/records/{raised}", {"sensitivity": "hyper"})

    (other_id,) = topic_entries(api)
    assert other_id != topic_id
    assert api.call("GET", f"/v1/topics/{topic_id}").status == 404
    fields = api.call("GET", f"/v1/topics/{other_id}").body["fields"]
    assert list(fields) == ["depth"]


def test_a_topic_that_was_set_aside_is_indexed_once_it_can_be(api: Api) -> None:
    def refuse(texts: object) -> None:
        if "crane" in str(texts):
            raise ValueError("no")

    embedder = FakeEmbedder("all-MiniLM-L6-v2-int8-1", 384, failing=refuse)
    serve(api, embedder=embedder)
    topic_id = api.call("POST", "/v1/topics", {"title": "The crane"}).body["topic_id"]
    before = topic_entries(api)

    embedder.failing = lambda _: None
    api.call("POST", "/_dev/clock", {"advance_seconds": 361})

    assert before == {}
    assert topic_entries(api).keys() == {topic_id}
