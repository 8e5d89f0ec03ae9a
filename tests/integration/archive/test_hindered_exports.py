"""Exports without time, without room for a value or a part, and after their end."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from membrane_local.functions import FunctionError, LocalContext
from membrane_local.storage.stores import TABLE
from tests.builders.random_documents import Documents
from tests.integration.archive.test_spoiled_lines import laden_record, laden_topic
from tests.integration.http.test_large_values import uploaded
from tests.worlds.api import Api
from tests.worlds.archiving import Pair, downloaded, exported, lines_in, restored

EXPORT = "membrane-export"
VALUE = json.dumps("x" * 200_000).encode()
"""A value that lies in the bucket."""


@pytest.fixture
def events(pair: Pair) -> Iterator[list[Any]]:
    """The events by which runs of exports are to start: none starts by itself."""
    found: list[Any] = []
    functions = pair.source.functions
    invoke_later = functions.invoke_later
    functions.invoke_later = lambda _, event: found.append(event)
    yield found
    functions.invoke_later = invoke_later


def asked(api: Api, events: list[Any]) -> Any:
    """The event of the first run of a new export."""
    assert api.post("/v1/exports", {}).status == 202
    (event,) = events
    return event


def export_of(api: Api, event: Any) -> Any:
    reply = api.get(f"/v1/exports/{event[EXPORT]['id']}")
    assert reply.status == 200, reply.body
    return reply.body


def content_of(api: Api, event: Any) -> bytes:
    return b"".join(downloaded(api, part["url"]) for part in export_of(api, event)["parts"])


def job_key(event: Any) -> str:
    return f"export#{event[EXPORT]['owner']} {event[EXPORT]['id']}"


def test_runs_without_time_write_each_line_once(
    pair: Pair, events: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    api = pair.source
    for _ in range(4):
        laden_record(api)
    laden_topic(api)
    Documents(api, Random(3)).fill(8)
    event = asked(api, events)
    api.invoke("ExportFunction", event)
    at_once = content_of(api, event)
    events.clear()
    event = asked(api, events)

    monkeypatch.setattr(LocalContext, "get_remaining_time_in_millis", lambda _: 0)
    for each in events:
        api.invoke("ExportFunction", each)

    assert [each[EXPORT]["hop"] for each in events] == list(range(len(events)))
    assert len(events) > 5
    assert len(export_of(api, event)["parts"]) > 5
    assert content_of(api, event) == at_once


def test_an_export_without_time_for_the_last_run_says_so_and_goes_on_when_asked_again(
    pair: Pair, events: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    api = pair.source
    laden_record(api)
    laden_topic(api)
    first = asked(api, events)
    last = {EXPORT: {**first[EXPORT], "hop": 96}}

    with monkeypatch.context() as late:
        late.setattr(LocalContext, "get_remaining_time_in_millis", lambda _: 0)
        with pytest.raises(FunctionError, match="takes too long"):
            api.invoke("ExportFunction", last)

    failed = export_of(api, first)
    assert set(failed) == {"export"}
    assert (failed["export"]["state"], failed["export"]["reason"]) == (
        "failed",
        "the export takes too long",
    )
    assert events == [first]
    assert api.invoke("ExportFunction", first)["state"] == "done"
    assert "reason" not in export_of(api, first)["export"]
    assert restored(pair.target, content_of(api, first))["refused"] == 0


def test_an_export_of_too_many_parts_fails_with_a_reason(pair: Pair, events: list[Any]) -> None:
    api = pair.source
    event = asked(api, events)
    item: Any = api.stored()[job_key(event)]
    job = json.loads(item["progress"]["S"])
    job["parts"] = [[f"exports/{'x' * 36}/{number:04}.ndjson", 1] for number in range(3_000)]
    full = {**item, "progress": {"S": json.dumps(job)}}
    api.functions.store.dynamodb.put_item(TableName=TABLE, Item=full)

    with pytest.raises(FunctionError, match="export scope by scope"):
        api.invoke("ExportFunction", event)

    export = export_of(api, event)["export"]
    assert export["state"] == "failed"
    assert export["reason"] == "the export has more than 3000 parts; export scope by scope"


def test_a_value_too_large_for_a_line_is_named_and_keeps_back_no_other(pair: Pair) -> None:
    api = pair.source
    for _ in range(2):
        claim = uploaded(api, VALUE)
        body = {"source": "s", "tool_name": "cat", "result": claim, "scope": "team:a"}
        assert api.post("/v1/ingest/tool-output", body).status == 201
    items = {key: item for key, item in api.stored().items() if key.endswith(" record")}
    key, item = min(items.items())
    document = item["document"]["S"]
    size = f'"size":{len(VALUE)}'
    assert size in document
    grown: Any = {**item, "document": {"S": document.replace(size, f'"size":{2**27 + 1}')}}
    api.functions.store.dynamodb.put_item(TableName=TABLE, Item=grown)

    _, *lines, last = lines_in(exported(api))

    record_id = key.removeprefix("record#").removesuffix(" record")
    (damaged,) = [each for each in lines if each["kind"] == "damaged"]
    assert damaged["id"] == record_id
    assert damaged["reason"] == "the line would exceed 134217728 bytes"
    assert last["counts"]["record"] == 1


def test_an_export_ends_after_a_week_for_whoever_made_it(pair: Pair) -> None:
    api = pair.source
    export = api.post("/v1/exports", {}).body["export"]
    path = f"/v1/exports/{export['id']}"

    pair.advance(7 * 86_400 - 1)
    before = (api.get(path).status, len(api.get("/v1/exports").body["exports"]))
    pair.advance(1)

    assert before == (200, 1)
    assert api.get(path).status == 404
    assert api.get("/v1/exports").body == {"exports": []}


def test_a_thread_goes_on_behind_the_later_of_its_turns(pair: Pair) -> None:
    def said(api: Api) -> int:
        spoken = {"session": "s", "messages": [{"role": "user", "content": "hello"}]}
        reply = api.post("/v1/messages", {**spoken, "scope": "team:a"})
        assert reply.status == 201, reply.body
        return int(reply.body["first_turn"])

    for _ in range(2):
        said(pair.source)
    earlier = exported(pair.source)
    said(pair.source)
    later = exported(pair.source)

    for number, content in enumerate((later, earlier)):
        restored(pair.target, content, f"{number}.ndjson")

    assert said(pair.target) == said(pair.source) == 4
