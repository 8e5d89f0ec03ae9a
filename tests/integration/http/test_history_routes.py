"""What was, over HTTP: versions, a record and a fact as of an instant, the newest of a chain."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import pytest

from membrane.domain.language.json_text import JsonObject
from tests.integration.http.test_revisions import a_fact, observed, read, revise, supersede
from tests.integration.http.test_routes import EVENT
from tests.worlds.api import Api

NOON = "2026-03-01T12:00:00Z"


@pytest.fixture
def still(api: Api) -> Iterator[Api]:
    """The stack with its clock frozen at noon, and the machine's time again afterwards."""
    api.post("/_dev/clock", {"frozen": True})
    api.post("/_dev/clock", {"set": NOON})
    yield api
    api.post("/_dev/clock", {"set": datetime.now(UTC).isoformat()})


def advance(api: Api, minutes: float) -> None:
    """Let so much time pass."""
    assert api.post("/_dev/clock", {"advance_seconds": 60 * minutes}).status == 200


def versions(api: Api, record_id: str, query: str = "", **options: Any) -> list[JsonObject]:
    reply = api.get(f"/v1/records/{record_id}/versions{query}", **options)
    assert reply.status == 200, reply.body
    return list(reply.body["versions"])


def as_of(api: Api, record_id: str, instant: str) -> JsonObject:
    return api.get(f"/v1/records/{record_id}?as_of={quote(instant)}").record


def test_versions_tell_who_made_each_why_and_what_it_changed(still: Api) -> None:
    record_id = observed(still)
    advance(still, 1)
    revise(still, record_id, "contest", {"contesting_ref": "letter-7"})
    advance(still, 1)
    still.call("PATCH", f"/v1/records/{record_id}", {"tags": ["doubtful"], "actor": "ann"})

    first, second, third = versions(still, record_id)

    assert (first["number"], first["action"], first["changes"]) == (1, "create", [])
    assert (first["valid_from"], first["valid_to"]) == (NOON, second["valid_from"])
    assert (second["actor"], second["rationale"]) == ("eval", "contested by letter-7: update")
    assert [each["field"] for each in second["changes"]] == [
        "provenance.sources",
        "payload.revision",
    ]
    assert second["changes"][1]["after"]["status"] == "contested"
    assert third["changes"][0]["field"] == "tags"
    assert (third["actor"], "valid_to" in third) == ("ann", False)


def test_versions_come_in_pages(still: Api) -> None:
    record_id = observed(still)
    for number in range(20):
        still.call("PATCH", f"/v1/records/{record_id}", {"tags": [f"t{number}"]})

    first = still.get(f"/v1/records/{record_id}/versions?limit=15").body
    second = still.get(
        f"/v1/records/{record_id}/versions?limit=15&cursor={first['next_cursor']}"
    ).body

    assert [each["number"] for each in first["versions"]] == [*range(1, 16)]
    assert [each["number"] for each in second["versions"]] == [*range(16, 22)]
    assert "next_cursor" not in second


def test_a_record_is_read_as_it_was_at_any_instant(still: Api) -> None:
    record_id = observed(still)
    advance(still, 30)
    before = read(still, record_id)
    advance(still, 30)
    new = supersede(still, record_id).record
    advance(still, 30)

    assert as_of(still, record_id, "2026-03-01T12:30:00Z") == before
    assert as_of(still, record_id, "2026-03-01T13:30:00+01:00") == before
    then = as_of(still, record_id, "2026-03-01T13:00:00Z")
    assert then["payload"]["revision"]["superseded_by"] == new["id"]
    assert then["salience"] == 0
    assert still.get(f"/v1/records/{new['id']}?as_of=2026-03-01T12:59:59Z").status == 404


def test_what_was_believed_of_a_fact_is_retrieved_as_of_then(still: Api) -> None:
    old = observed(still, object="Go")
    advance(still, 60)
    new = supersede(still, old).record["id"]
    advance(still, 60)

    def believed(instant: str) -> list[tuple[str, Any]]:
        asked = {"subject": "user", "predicate": "likes", "as_of": instant}
        reply = still.post("/v1/retrieve", asked)
        assert reply.status == 200, reply.body
        return [(each["id"], each["payload"]["object"]) for each in reply.body["records"]]

    assert believed("2026-03-01T11:59:59Z") == []
    assert believed("2026-03-01T12:59:59Z") == [(old, "Go")]
    assert believed("2026-03-01T13:00:00Z") == [(new, "Rust")]


def test_the_newest_of_a_chain_is_one_request_away(still: Api) -> None:
    ids = [observed(still)]
    for _ in range(3):
        ids.append(str(supersede(still, ids[-1]).record["id"]))

    found = [still.get(f"/v1/records/{each}?resolve=latest").record["id"] for each in ids]

    assert found == [ids[-1]] * 4


def test_an_erased_record_leaves_no_history(still: Api) -> None:
    record_id = observed(still)
    for number in range(30):
        still.call("PATCH", f"/v1/records/{record_id}", {"tags": [f"s3cret {number}"]})
    assert "s3cret" in str(still.stored())

    erased = still.call("DELETE", f"/v1/records/{record_id}?erase=true")

    assert erased.status == 204
    assert still.get(f"/v1/records/{record_id}/versions").status == 404
    left = [item for key, item in still.stored().items() if key.startswith(f"record#{record_id} ")]
    assert left
    assert not any("deltas" in item or "history" in item for item in left)


def test_a_restored_record_has_its_history_and_a_gap_in_it(still: Api) -> None:
    record_id = observed(still)
    advance(still, 10)
    still.call("PATCH", f"/v1/records/{record_id}", {"tags": ["a"]})
    advance(still, 10)
    still.call("DELETE", f"/v1/records/{record_id}")
    advance(still, 10)
    assert still.post(f"/v1/records/{record_id}/restore", None).status == 200

    assert [each["number"] for each in versions(still, record_id)] == [1, 2]
    assert as_of(still, record_id, "2026-03-01T12:15:00Z")["tags"] == ["a"]
    assert still.get(f"/v1/records/{record_id}?as_of=2026-03-01T12:25:00Z").status == 404
    assert as_of(still, record_id, "2026-03-01T12:30:00Z")["tags"] == ["a"]


def test_a_time_in_which_it_was_out_of_reach_is_never_shown(still: Api) -> None:
    record_id = observed(still, scope="project:alpha")
    for tags, sensitivity in (["s3cret"], "high"), (["open"], "low"):
        advance(still, 10)
        asked = {"tags": tags, "sensitivity": sensitivity}
        assert still.call("PATCH", f"/v1/records/{record_id}", asked).status == 200
    key = still.key_for(scopes=("project:alpha",), max_sensitivity="medium")

    found = versions(still, record_id, key=key)
    then = still.get(f"/v1/records/{record_id}?as_of=2026-03-01T12:15:00Z", key=key)
    narrowed = still.get(
        f"/v1/records/{record_id}?as_of=2026-03-01T12:15:00Z&max_sensitivity=medium"
    )

    assert sorted(found[1]) == ["number", "valid_from", "valid_to", "withheld"]
    assert "changes" not in found[2]
    assert "s3cret" not in str(found)
    assert then.status == 404
    assert (narrowed.status, narrowed.body["code"]) == (403, "PERMISSION_DENIED")


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("as_of=yesterday", "as_of"),
        ("as_of=2026-03-01T12:00:00", "as_of"),
        ("as_of=2026-03-01", "as_of"),
        ("as_of=9999-01-01T00:00:00Z", None),
        ("as_of=2026-03-01T12:00:00Z&as_of=2026-03-01T12:00:00Z", None),
        ("resolve=newest", "resolve"),
        ("resolve=latest&as_of=2026-03-01T12:00:00Z", None),
        ("at=2026-03-01T12:00:00Z", None),
    ],
)
def test_what_is_no_instant_of_the_past_is_refused(
    still: Api, query: str, field: str | None
) -> None:
    record_id = observed(still)

    reply = still.get(f"/v1/records/{record_id}?{query}")

    assert (reply.status, reply.body["code"]) == (400, "INVALID_ARGUMENT")
    assert field in (None, *(each["field"] for each in reply.body.get("errors", [])))


@pytest.mark.parametrize("query", ["limit=x", "limit=-1", "cursor=no", "verify=true"])
def test_what_is_no_page_of_versions_is_refused(still: Api, query: str) -> None:
    reply = still.get(f"/v1/records/{observed(still)}/versions?{query}")

    assert (reply.status, reply.body["code"]) == (400, "INVALID_ARGUMENT")


@pytest.mark.parametrize(
    "asked",
    [
        {"subject": "user"},
        {"predicate": "likes"},
        {},
        {"subject": "user", "predicate": "likes", "task_descriptor": "Which language?"},
        {"subject": "user", "predicate": "likes", "as_of": "2999-01-01T00:00:00Z"},
        {"subject": "user", "predicate": "likes", "as_of": 7},
    ],
)
def test_the_past_is_asked_of_one_fact_alone(still: Api, asked: JsonObject) -> None:
    reply = still.post("/v1/retrieve", {"as_of": NOON, **asked})

    assert (reply.status, reply.body["code"]) == (400, "INVALID_ARGUMENT")


def test_an_episode_has_a_version_for_each_outcome(still: Api) -> None:
    record_id = still.post("/v1/ingest/event", EVENT).record["id"]
    advance(still, 1)
    for status in ("failure", "success"):
        body = {"source": "judge", "target_record_id": record_id, "outcome_status": status}
        assert still.post("/v1/ingest/outcome", body).status == 200

    found = versions(still, record_id)

    changes = [{each["field"]: each for each in version["changes"]} for version in found]
    assert [each.get("payload.outcome") for each in changes] == [
        None,
        {"field": "payload.outcome", "after": "failure"},
        {"field": "payload.outcome", "before": "failure", "after": "success"},
    ]
    assert [len(each["provenance.sources"]["added"]) for each in changes[1:]] == [1, 1]


def test_a_new_record_of_a_revision_begins_with_its_own_first_version(still: Api) -> None:
    new = supersede(still, observed(still)).record

    (only,) = versions(still, new["id"])

    assert only["action"] == "create"
    assert only["rationale"].startswith("supersedes ")
    assert new["payload"]["object"] == a_fact()["payload"]["object"]
