"""Lines of a file that no export wrote: each is refused by its number, and leaves nothing."""

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from membrane_local.storage.stores import TABLE
from tests.integration.erasure.test_erasures import by_hand, run
from tests.integration.http.test_large_values import uploaded
from tests.worlds.api import Api
from tests.worlds.archiving import Pair, exported, file_of, lines_in, restored
from tests.worlds.faults import killed_at

Line = dict[str, Any]
Spoil = Callable[[Line], object]


def set_at(*path: str | int, to: Any) -> Spoil:
    """Replaces one value of a line."""

    def spoil(line: Line) -> None:
        holder: Any = line
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = to

    return spoil


def a_tombstone(**fields: Any) -> Spoil:
    """The line of a deleted record that still has the content."""
    due = {"deleted_at_s": 1.0, "reason": "deleted", "due_s": 5, "expires_at_s": 9}
    return set_at("state", "tombstone", to=due | fields)


def relation(target: str) -> list[Line]:
    return [{"predicate": "about", "target_id": target, "weight": 1.0}]


OF_RECORDS: dict[str, Spoil] = {
    "content that no sweep removes": a_tombstone(due_s=None),
    "content beyond the tombstone": a_tombstone(due_s=10),
    "content that is due before the deletion": a_tombstone(due_s=0),
    "content of an erased record": a_tombstone(erasure="erasure-1"),
    "an unknown kind": set_at("kind", to="secret"),
    "an unknown field": set_at("more", to=1),
    "an unknown field of the record": set_at("record", "more", to=1),
    "an unknown field of the state": set_at("state", "more", to=1),
    "no record": lambda line: line.pop("record"),
    "a record that is no object": set_at("record", to=[]),
    "an id with a slash": set_at("record", "id", to="../other"),
    "an id of another record": set_at("record", "id", to="record-2"),
    "a relation to an id with a slash": set_at("record", "relations", to=relation("../y")),
    "a long id": set_at("record", "id", to="x" * 129),
    "no audit trail": set_at("record", "audit_log", to=[]),
    "a missing entry": lambda line: line["record"]["audit_log"].pop(1),
    "a missing end": lambda line: line["record"]["audit_log"].pop(),
    "a changed actor": set_at("record", "audit_log", 2, "actor", to="someone"),
    "a changed hash": set_at("record", "audit_log", 2, "hash", to="0" * 64),
    "a wrong count": set_at("record", "audit_count", to=3),
    "another creation": set_at("state", "born_s", to=1.0),
    "another last change": set_at("record", "updated_at", to="2026-01-01T00:00:00Z"),
    "a version of 0": set_at("state", "version", to=0),
    "a negative salience": set_at("record", "salience", to=-1),
    "a huge salience": set_at("record", "salience", to=1e101),
    "an anchor beyond the calendar": set_at("state", "anchored_at_s", to=1e300),
    "a short fingerprint": set_at("state", "fingerprint", to="ff"),
    "a malformed operation": set_at("state", "operations", to=["zz"]),
    "too many operations": set_at("state", "operations", to=["0" * 32] * 101),
    "a tombstone without an end": set_at("state", "tombstone", to={"deleted_at_s": 1.0}),
    "a reserved scope": set_at("record", "scope", to="*"),
    "a long scope": set_at("record", "scope", to="x" * 257),
    "a payload of another type": set_at("record", "type", to="semantic"),
    "an unknown status": set_at("record", "interpretation", to={"status": "guessed"}),
    "a missing value": set_at("values", to={}),
    "an unnamed value": lambda line: line["values"].update({"0" * 64: "1"}),
    "a changed value": lambda line: line["values"].update(dict.fromkeys(line["values"], '"x"')),
    "a history of a later entry": set_at("history", to=[{"entry": 999, "was": []}]),
    "a history of the first entry": set_at("history", to=[{"entry": 0, "was": []}]),
    "a malformed history": set_at("history", to=[{"entry": 1, "was": 7}]),
    "a history without a place": set_at("history", to=[{"entry": 1, "was": [{"path": []}]}]),
    "a history of no field": set_at(
        "history", to=[{"entry": 1, "was": [{"path": ["payload", "x", "y"], "kept": 1}]}]
    ),
    "a history of an unknown word": set_at(
        "history", to=[{"entry": 1, "was": [{"path": ["sensitivity"], "value": "secret"}]}]
    ),
}
OF_TOPICS: dict[str, Spoil] = {
    "an unknown field": set_at("more", to=1),
    "an unknown field of the topic": set_at("topic", "more", to=1),
    "an unknown field of a field": set_at("topic", "fields", "colour", "more", to=1),
    "an unknown field of an event": set_at("events", 0, "more", to=1),
    "an unknown field of a revision": set_at("lines", 0, "revisions", 0, "more", to=1),
    "no topic": lambda line: line.pop("topic"),
    "an id with a slash": set_at("topic", "id", to="../other"),
    "an id of another topic": set_at("topic", "id", to="topic-2"),
    "a reserved scope": set_at("topic", "scope", to="*"),
    "a long title": set_at("topic", "title", to="x" * 1_001),
    "an unknown status": set_at("topic", "status", to="secret"),
    "a negative salience": set_at("topic", "salience", to=-1.0),
    "a salience that is a text": set_at("topic", "salience", to="1"),
    "a version of 0": set_at("topic", "version", to=0),
    "no events": set_at("events", to=[]),
    "a missing event": lambda line: line["events"].pop(1),
    "a changed principal": set_at("events", 2, "principal", to="someone"),
    "a changed reason": set_at("events", 2, "why", to="because"),
    "a changed hash": set_at("events", 2, "hash", to="0" * 64),
    "an edge of another topic": set_at("edges", 0, "from_id", to="topic-2"),
    "an edge to no id": set_at("edges", 0, "to_id", to="a b"),
    "no lines": lambda line: line.pop("lines"),
    "a line of no field": set_at("lines", 0, "id", to="f" * 16),
    "a line with a bad id": set_at("lines", 0, "id", to="x#y"),
    "a revision twice": lambda line: line["lines"][0]["revisions"].append(
        line["lines"][0]["revisions"][0]
    ),
    "a time without a zone": set_at("lines", 0, "revisions", 0, "valid_from", to="2026-01-01"),
    "a negative order": set_at("lines", 0, "revisions", 0, "order", to=-1),
    "a value of another type": set_at("topic", "fields", "colour", "type", to=7),
    "a missing value": lambda line: line.pop("values"),
    "an unnamed value": lambda line: line["values"].update({"0" * 64: "1"}),
    "a changed value": lambda line: line["values"].update(dict.fromkeys(line["values"], '"x"')),
}
OTHERS: list[Line] = [
    {"kind": "damaged", "id": "x", "reason": "unreadable"},
    {"kind": "receipt", "keyed_id": "a", "record_id": "b", "fingerprint": "x"},
    {"kind": "receipt", "keyed_id": "a/b", "record_id": "b", "fingerprint": "0" * 64},
    {"kind": "thread", "key": "0" * 64, "next_turn": 1},
    {"kind": "thread", "key": "0" * 63, "next_turn": 2},
    {"kind": "thread", "key": "0" * 64, "next_turn": 2, "more": 1},
    {"kind": "action", "scope": "*", "at": "2026-01-01T00:00:00Z", "id": "a", "action": {}},
    {"kind": "system_context", "document": {"system_role": "helper"}},
]
FORMER: list[Line] = [
    {
        "kind": "statement",
        "record_id": "r",
        "content": "0" * 64,
        "topic_id": "near",
        "line_id": "0" * 16,
        "version": 1,
    },
    {
        "kind": "communities",
        "scope": "team:a",
        "document": {"made_at": "2026-01-01T00:00:00Z", "marks": "", "levels": {}},
    },
]


def laden_record(api: Api) -> None:
    """A record with a large value, a trail and a history."""
    claim = uploaded(api, json.dumps(["x" * 200_000]).encode())
    body = {"source": "s", "tool_name": "cat", "result": claim, "scope": "team:a"}
    record = api.post("/v1/ingest/tool-output", body).record["id"]
    for tag in "abc":
        assert api.call("PATCH", f"/v1/records/{record}", {"tags": [tag]}).status == 200


def laden_topic(api: Api) -> None:
    """A topic with revisions of a field, a large value, and an edge."""
    for title in ("far", "near"):
        topic = {"topic_id": title, "title": title, "scope": "team:a"}
        assert api.post("/v1/topics", topic).status < 300
    large = ["x" * 90_000, "y" * 90_000]
    for name, value in (("colour", "red"), ("colour", "blue"), ("log", large)):
        field = {"field_name": name, "value": value}
        assert api.post("/v1/topics/near/fields", field).status < 300
    edge = {"to_topic_id": "far", "kind": "runs"}
    assert api.post("/v1/topics/near/relationships", edge).status < 300


@pytest.mark.parametrize(
    ("make", "kind", "spoiled"),
    [(laden_record, "record", OF_RECORDS), (laden_topic, "topic", OF_TOPICS)],
    ids=["record", "topic"],
)
def test_every_spoiled_line_is_refused_and_leaves_nothing(
    pair: Pair, make: Callable[[Api], None], kind: str, spoiled: dict[str, Spoil]
) -> None:
    make(pair.source)
    first, *found = lines_in(exported(pair.source))[:-1]
    line = max((each for each in found if each["kind"] == kind), key=lambda each: len(str(each)))
    bad = {name: deepcopy(line) for name in spoiled}
    for name, spoil in spoiled.items():
        spoil(bad[name])
    before = pair.target.stored()

    result = restored(pair.target, file_of(first, *bad.values(), *OTHERS))

    refused = {each["line"] - 2 for each in result["refusals"]}
    accepted = [name for number, name in enumerate(bad) if number not in refused]
    assert accepted == []
    assert (result["created"], result["refused"]) == (0, len(bad) + len(OTHERS))
    assert pair.target.stored() == before
    assert restored(pair.target, file_of(first, line), "good.ndjson")["created"] == 1


def test_lines_of_what_former_versions_kept_are_passed_over(pair: Pair) -> None:
    laden_topic(pair.source)
    first, *found = lines_in(exported(pair.source))[:-1]

    result = restored(pair.target, file_of(first, *FORMER, *found))

    assert (result["status"], result["refused"]) == ("done", 0)
    assert pair.target.get("/v1/topics/near").body == pair.source.get("/v1/topics/near").body


def test_lines_of_a_scope_that_is_being_erased_are_refused(pair: Pair) -> None:
    laden_record(pair.source)
    laden_topic(pair.source)
    content = exported(pair.source)
    table = pair.target.functions.store.dynamodb
    assert pair.target.post("/v1/topics", {"title": "t", "scope": "team:a"}).status < 300
    with by_hand(pair.target):
        asked = {"scope": "team:a", "dry_run": False}
        erasure = pair.target.post("/v1/erasures", asked).body["id"]
    with killed_at(12, table):
        run(pair.target, erasure)

    result = restored(pair.target, content)

    assert result["created"] == 0
    assert result["refused"] > 0
    run(pair.target, erasure)
    assert restored(pair.target, content, "later.ndjson")["refused"] == 0


def test_a_history_that_belongs_to_another_topic_is_not_added_to(pair: Pair) -> None:
    laden_topic(pair.source)
    first, *found = lines_in(exported(pair.source))[:-1]
    (line,) = [each for each in found if each["kind"] == "topic" and each["topic"]["id"] == "near"]
    assert restored(pair.target, file_of(first, line))["created"] == 1
    before = pair.target.stored()
    foreign = json.loads(json.dumps(line))
    foreign["topic"]["id"] = "smuggled"

    result = restored(pair.target, file_of(first, foreign), "other.ndjson")

    assert (result["created"], result["refused"]) == (0, 1)
    assert pair.target.stored() == before


def test_a_damaged_record_becomes_a_line_and_the_others_are_exported(pair: Pair) -> None:
    api = pair.source
    body = {"source": "s", "event_kind": "build", "scope": "team:a"}
    ids = [api.post("/v1/ingest/event", {**body, "ref": each}).record["id"] for each in "abc"]
    item: Any = {**api.stored()[f"record#{ids[0]} record"], "document": {"S": "{"}}
    api.functions.store.dynamodb.put_item(TableName=TABLE, Item=item)

    counts = lines_in(exported(api))[-1]["counts"]

    assert (counts["damaged"], counts["record"]) == (1, 2)


def test_an_export_has_what_the_key_may_see_alone(pair: Pair) -> None:
    api = pair.source
    several = [("team:a", "low"), ("team:a", "hyper"), ("", "low"), ("other", "low")]
    for number, (scope, sensitivity) in enumerate(several):
        body = {"source": "s", "event_kind": "build", "ref": f"{number}"}
        place = {"scope": scope, "sensitivity": sensitivity}
        assert api.post("/v1/ingest/event", {**body, **place}).status == 201
    key = api.key_for(permissions=("admin",), scopes=("team:*",), max_sensitivity="low")

    found = [each for each in lines_in(exported(api, key=key)) if each.get("kind") == "record"]

    assert [each["record"]["payload"]["timeline"][0]["ref"] for each in found] == ["0"]
    assert api.post("/v1/exports", {"scope": "other"}, key=key).status == 403


def test_an_export_is_made_once_under_a_key_and_read_by_its_cursor_alone(pair: Pair) -> None:
    api, once = pair.source, {"idempotency-key": "once"}
    first, again = (api.post("/v1/exports", {}, headers=once) for _ in range(2))
    other = api.post("/v1/exports", {"scope": "a"}, headers=once)

    export = first.body["export"]["id"]
    assert (first.status, again.status, other.status) == (202, 200, 409)
    assert again.body["export"]["id"] == export
    for cursor in ("x", "-1", "1.5", "12345"):
        assert api.get(f"/v1/exports/{export}?cursor={cursor}").status == 400
