"""Whole files: cut, changed, repeated, interrupted, and of one scope or user."""

from random import Random
from typing import Any

import pytest

from membrane_local.storage.stores import TABLE
from tests.builders.random_documents import Documents, documents_of
from tests.builders.random_memories import Memory
from tests.worlds.api import Api
from tests.worlds.archiving import Pair, exported, lines_in, restored
from tests.worlds.depth import cases
from tests.worlds.reads import lists_of, records_of
from tests.worlds.topic_client import Topics

RECORDS, TOPICS, DOCUMENTS = cases((5_000, 500, 1_000), (200, 20, 20))
"""Records, topics and keyed documents of the large memory."""

ACTIONS = ("event", "observation", "full record", "messages", "large value", "long trail")


@pytest.fixture
def memory(pair: Pair) -> Memory:
    """A small memory in the first stack."""
    found = Memory(pair.source, Random(1))
    for action in ACTIONS:
        found.act(action)
    return found


@pytest.mark.parametrize(
    "spoil",
    [
        lambda content: content[: len(content) // 2],
        lambda content: b"\n".join(content.splitlines()[:-1]) + b"\n",
        lambda content: b"\n".join(content.splitlines()[:2] + content.splitlines()[3:]) + b"\n",
        lambda content: content.replace(b"python", b"jython"),
        lambda content: content.replace(b'"version":1', b'"version":2', 1),
        lambda content: content + b'{"kind":"thread"}\n',
        lambda content: content + b"\n",
        lambda content: content[content.index(b"\n") + 1 :],
    ],
    ids=["half", "no end", "a line less", "a word", "version", "a line more", "blank", "no header"],
)
@pytest.mark.usefixtures("memory")
def test_a_file_that_is_not_whole_is_refused_and_leaves_nothing(pair: Pair, spoil: Any) -> None:
    content = exported(pair.source)
    before = pair.target.stored()

    result = restored(pair.target, spoil(content))

    assert result["status"] == "failed"
    assert result["reason"].startswith("the object was refused as a whole")
    assert pair.target.stored() == before


def test_a_repeated_restore_skips_every_record(pair: Pair, memory: Memory) -> None:
    content = exported(pair.source)
    first = restored(pair.target, content, "first.ndjson")
    before = pair.target.stored()

    again = restored(pair.target, content, "second.ndjson")

    assert (again["created"], again["replayed"]) == (0, first["created"])
    assert again["refused"] == 0
    assert records_of(pair.target, memory.ids) == records_of(pair.source, memory.ids)
    assert pair.target.stored() == before


def test_a_record_that_differs_is_refused_with_the_number_of_the_line(
    pair: Pair, memory: Memory
) -> None:
    content = exported(pair.source)
    restored(pair.target, content, "first.ndjson")
    changed = memory.ids[0]
    pair.target.post(f"/v1/records/{changed}/reinforce", {"rationale": "useful"})
    before = records_of(pair.target, memory.ids)

    again = restored(pair.target, content, "second.ndjson")

    (refusal,) = again["refusals"]
    line = lines_in(content)[refusal["line"] - 1]
    assert line["record"]["id"] == changed
    assert refusal["code"] == "ALREADY_EXISTS"
    assert records_of(pair.target, memory.ids) == before


def test_an_export_of_a_scope_restores_the_scope_alone(pair: Pair, memory: Memory) -> None:
    for action in ACTIONS * 3:
        memory.act(action)

    content = exported(pair.source, {"scope": "team:a"})

    restored(pair.target, content)
    path = "/v1/records?scope=team:a&limit=50"
    source = pair.source.get(path).body["records"]
    of_scope = [record for record in source if record.get("scope") == "team:a"]
    assert pair.target.get(path).body["records"] == of_scope
    records = [line["record"] for line in lines_in(content) if line.get("kind") == "record"]
    assert {record["scope"] for record in records} == {"team:a"}


def test_an_export_of_a_user_has_the_records_of_the_user_alone(pair: Pair) -> None:
    key = pair.source.key_for(scopes=("app:user:*",), user_prefix="app:user:")
    for user in ("ada", "bob"):
        body = {"source": "s", "event_kind": "build", "ref": user, "user": user}
        assert pair.source.post("/v1/ingest/event", body, key=key).status == 201

    content = exported(pair.source, {"user": "ada"}, key=key)

    scopes = [line["record"]["scope"] for line in lines_in(content)[1:-1]]
    assert scopes == ["app:user:ada"]


def test_a_key_without_admin_makes_and_reads_no_export(pair: Pair) -> None:
    key = pair.source.key_for(permissions=("ingest", "read", "revise"))

    assert pair.source.post("/v1/exports", {}, key=key).status == 403
    assert pair.source.get("/v1/exports", key=key).status == 403
    assert pair.source.get("/v1/exports/any", key=key).status == 403


def test_exports_are_listed_for_the_key_that_made_them(pair: Pair) -> None:
    first = pair.source.post("/v1/exports", {}).body["export"]["id"]
    stranger = pair.source.key_for(actor_id="stranger")

    listed = pair.source.get("/v1/exports").body["exports"]

    assert [each["id"] for each in listed] == [first]
    assert pair.source.get("/v1/exports", key=stranger).body == {"exports": []}
    assert pair.source.get(f"/v1/exports/{first}", key=stranger).status == 404
    for strange in ("a" * 1_100, "%E4%B8%AD"):
        assert pair.source.get(f"/v1/exports/{strange}").status == 400


def told(api: Api, title: str, **fields: str) -> str:
    """The id of a new topic of low sensitivity with the fields."""
    listed = [{"name": name, "value": value} for name, value in fields.items()]
    topic = {"title": title, "scope": "team:a", "sensitivity": "low", "fields": listed}
    reply = api.post("/v1/ingest", {"placement": "new_topic", **topic})
    assert reply.status < 300, reply.body
    return str(reply.body["topic_id"])


def test_an_alias_does_not_carry_values_of_a_keeper_that_the_key_may_not_read(pair: Pair) -> None:
    api = pair.source
    ids = {told(api, "Billing", owner="a", port="1"), told(api, "Billing", owner="b", extra="e")}
    Topics(api).wait()
    (keeper,) = {api.get(f"/v1/topics/{each}").body["id"] for each in ids}
    (alias,) = ids - {keeper}
    assert api.call("PATCH", f"/v1/topics/{keeper}", {"sensitivity": "hyper"}).status == 200
    value = {"field_name": "owner", "value": "withheld"}
    assert api.post(f"/v1/topics/{keeper}/fields", value).status < 300
    low = api.key_for(max_sensitivity="low")
    assert api.get(f"/v1/topics/{alias}", key=low).status == 404

    content = exported(api, key=low)

    assert "topic" not in lines_in(content)[-1]["counts"]
    assert b"withheld" in exported(api)
    assert b"withheld" not in content


@pytest.mark.parametrize("place", ["topic", "action#", "receipt"])
def test_a_damaged_item_ends_no_export(pair: Pair, place: str) -> None:
    api = pair.source
    body = {"title": "t", "placement": "new_topic", "scope": "team:a"}
    field = {"name": "is", "value": "x"}
    keyed = {"idempotency-key": "one"}
    assert api.post("/v1/ingest", {**body, "fields": [field]}, headers=keyed).status == 200
    table = api.functions.store.dynamodb
    action: Any = {"pk": {"S": "topic-log#"}, "sk": {"S": "action#2026-01-01T00:00:00#x"}}
    items = [*table.scan(TableName=TABLE)["Items"], action | {"action": {"S": "{"}}]
    damaged = [item for item in items if item["sk"]["S"].startswith(place)]
    damaged = [item for item in damaged if item["pk"]["S"].startswith("topic")]
    for item in damaged:
        kept = {name: item[name] for name in ("pk", "sk", "expires_at", "action") if name in item}
        table.put_item(TableName=TABLE, Item=kept)

    assert damaged
    assert lines_in(exported(api))[-1]["counts"]["damaged"] == len(damaged)
    assert "damaged" not in lines_in(exported(api, {"scope": "team:a"}))[-1]["counts"]


def test_a_large_memory_is_restored_whole(pair: Pair) -> None:
    for start in range(0, RECORDS, 100):
        report = {"rpc": "IngestEvent", "source": "s", "event_kind": "build"}
        many = [{**report, "ref": f"{n}", "summary": f"run {n}"} for n in range(start, start + 100)]
        assert pair.source.post("/v1/ingest/batch", {"items": many}).status == 200

    for number in range(TOPICS):
        fields = [{"name": name, "value": f"{name} {number}"} for name in ("is", "likes")]
        told = {"title": f"topic {number}", "placement": "new_topic", "fields": fields}
        assert pair.source.post("/v1/ingest", told).status == 200

    documents = Documents(pair.source, Random(2))
    documents.fill(DOCUMENTS)
    content = exported(pair.source)
    result = restored(pair.target, content)

    counts = lines_in(content)[-1]["counts"]
    assert (counts["record"], counts["topic"]) == (RECORDS, TOPICS)
    assert counts["keyed_document"] == DOCUMENTS
    assert (result["created"], result["refused"]) == (sum(counts.values()), 0)
    assert lists_of(pair.target) == lists_of(pair.source)
    assert documents_of(pair.target, documents) == documents_of(pair.source, documents)
    assert sorted(exported(pair.target).splitlines()[1:]) == sorted(content.splitlines()[1:])


def test_lines_of_a_file_are_json_with_a_kind(pair: Pair, memory: Memory) -> None:
    content = exported(pair.source)

    first, *others, last = lines_in(content)

    assert first["format"] == "membrane-export"
    assert last["format"] == "membrane-export-end"
    assert last["counts"] == {
        kind: sum(line["kind"] == kind for line in others)
        for kind in sorted({line["kind"] for line in others})
    }
    assert {line["record"]["id"] for line in others if line["kind"] == "record"} == {*memory.ids}
