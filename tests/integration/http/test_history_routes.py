"""What was, over HTTP: versions, a record and a fact as of an instant, the newest of a chain."""

import json
from typing import Any
from urllib.parse import quote

import pytest

from tests.integration.http.test_revisions import a_fact, observed, read, revise, supersede
from tests.integration.http.test_routes import EVENT
from tests.worlds.api import Api
from tests.worlds.recall import NOON
from tests.worlds.stored_items import change, own_item, text_of

MAX_REPLY_BYTES = 6 * 1024 * 1024
LONGEST = 500
"""Steps of a chain that one request goes along."""


def advance(api: Api, minutes: float) -> None:
    """Let so much time pass."""
    assert api.post("/_dev/clock", {"advance_seconds": 60 * minutes}).status == 200


def versions(api: Api, record_id: str, query: str = "", **options: Any) -> list[dict[str, Any]]:
    reply = api.get(f"/v1/records/{record_id}/versions{query}", **options)
    assert reply.status == 200, reply.body
    return list(reply.body["versions"])


def as_of(api: Api, record_id: str, instant: str) -> dict[str, Any]:
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
def test_the_past_is_asked_of_one_fact_alone(still: Api, asked: dict[str, Any]) -> None:
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


# --- trust, chains and full replies --------------------------------------------------------------


def reclassified(api: Api, record_id: str, **fields: Any) -> None:
    """The record with another class, an hour later."""
    advance(api, 60)
    assert api.call("PATCH", f"/v1/records/{record_id}", fields).status == 200


def test_of_versions_out_of_reach_neither_content_nor_the_reason_of_the_next_is_told(
    still: Api,
) -> None:
    record_id = observed(still, scope="project:alpha")
    reclassified(still, record_id, tags=["open"])
    reclassified(still, record_id, sensitivity="high", tags=["s3cret"], rationale="a s3cret")
    reclassified(still, record_id, scope="project:beta", tags=["still s3cret"])
    open_again = {"scope": "shared", "sensitivity": "low", "tags": ["open again"]}
    reclassified(still, record_id, **open_again, rationale="no s3cret now")
    reclassified(still, record_id, tags=["last"], rationale="it was asked for")
    alpha = still.key_for(scopes=("project:alpha", "shared"))
    low = still.key_for(max_sensitivity="low")
    within = "?scope=shared&max_sensitivity=low"

    seen = {who: versions(still, record_id, key=who) for who in (alpha, low)}
    narrowed = versions(still, record_id, within)

    assert "s3cret" not in str(seen[low])
    assert "still s3cret" not in str(seen[alpha])
    withheld = [
        [each["number"] for each in told if each.get("withheld")]
        for told in (*seen.values(), narrowed)
    ]
    assert withheld == [[4], [3, 4], [1, 2, 3, 4]]
    after = seen[low][4]
    assert {"rationale", "changes"} & after.keys() == set()
    assert (after["action"], after["principal"]) == ("revise", "local")
    assert seen[low][5]["rationale"].endswith("it was asked for")
    assert "no s3cret now" in versions(still, record_id)[4]["rationale"]


def test_what_is_or_was_out_of_reach_may_not_be_read_as_it_was(still: Api) -> None:
    open_, closed = observed(still), observed(still)
    reclassified(still, closed, sensitivity="high")
    reclassified(still, open_, sensitivity="high")
    reclassified(still, open_, sensitivity="low")
    low = still.key_for(max_sensitivity="low")

    def seen(record_id: str, instant: str, query: str = "", key: str | None = None) -> int:
        return still.get(f"/v1/records/{record_id}?as_of={instant}{query}", key=key).status

    assert seen(closed, NOON, key=low) == seen(open_, "2026-03-01T14:30:00Z", key=low) == 404
    assert seen(open_, NOON, key=low) == seen(open_, "2026-03-01T15:00:00Z", key=low) == 200
    assert seen(open_, "2026-03-01T14:30:00Z", "&max_sensitivity=low") == 403
    future = still.get(f"/v1/records/{open_}?as_of=2026-03-01T15:00:00.000001Z")
    assert (future.status, future.body["detail"]) == (400, "as_of lies in the future")


def test_a_deleted_record_has_no_versions_and_a_page_behind_the_last_is_empty(still: Api) -> None:
    record_id = observed(still)
    assert versions(still, record_id, "?cursor=7") == []
    still.call("DELETE", f"/v1/records/{record_id}")

    assert still.get(f"/v1/records/{record_id}/versions").status == 404


def test_what_was_merged_leads_to_the_union_and_what_was_retracted_to_itself(still: Api) -> None:
    one, other, dead = (observed(still, object=said) for said in ("a", "b", "c"))
    body = {"ids": [one, other], "merged_record": a_fact()}
    union = still.post("/v1/records/merge", body).record["id"]
    revise(still, dead, "retract", {})

    assert still.get(f"/v1/records/{other}?resolve=latest").record["id"] == union
    assert still.get(f"/v1/records/{dead}?resolve=latest").record["id"] == dead
    low = still.key_for(max_sensitivity="low")
    reclassified(still, str(union), sensitivity="high")
    assert still.get(f"/v1/records/{one}?resolve=latest", key=low).status == 404
    assert still.get(f"/v1/records/{one}?resolve=latest&max_sensitivity=low").status == 403
    still.call("DELETE", f"/v1/records/{union}")
    assert still.get(f"/v1/records/{one}?resolve=latest").status == 404


def test_a_chain_that_is_too_long_tells_where_to_go_on(still: Api) -> None:
    ids = [observed(still)]
    for _ in range(LONGEST + 1):
        ids.append(str(supersede(still, ids[-1]).record["id"]))

    assert still.get(f"/v1/records/{ids[1]}?resolve=latest").record["id"] == ids[-1]
    reply = still.get(f"/v1/records/{ids[0]}?resolve=latest")
    assert reply.status == 409
    assert f"go on from record {ids[LONGEST]}" in reply.body["detail"]


def test_a_page_of_versions_ends_where_a_reply_is_full(still: Api) -> None:
    record_id = observed(still)
    for number in range(90):
        tags = [f"{number} {tag} ".ljust(256, '"') for tag in range(60)]
        assert still.call("PATCH", f"/v1/records/{record_id}", {"tags": tags}).status == 200

    first = still.get(f"/v1/records/{record_id}/versions").body
    second = versions(still, record_id, f"?cursor={first['next_cursor']}")

    assert 5_500_000 < len(json.dumps(json.dumps(first))) < MAX_REPLY_BYTES
    assert [each["number"] for each in (*first["versions"], *second)] == [*range(1, 92)]


# --- audit trails --------------------------------------------------------------------------------

ENTRIES = 25


def an_audited(api: Api) -> str:
    """The id of a record with ENTRIES audit entries."""
    record_id = str(api.post("/v1/ingest/event", EVENT).record["id"])
    for number in range(ENTRIES - 1):
        use = {"rationale": f"use {number}"}
        assert api.post(f"/v1/records/{record_id}/reinforce", use).status == 200
    return record_id


def audits(api: Api, record_id: str, query: str = "verify=true") -> list[dict[str, Any]]:
    """Every page of the trail."""
    path = f"/v1/records/{record_id}/audit?{query}"
    several = [api.get(path).body]
    while cursor := several[-1].get("next_cursor"):
        several.append(api.get(f"{path}&cursor={cursor}").body)
    return several


def test_a_reply_has_the_newest_twenty_entries_and_their_number(still: Api) -> None:
    record = read(still, an_audited(still))

    assert (len(record["audit_log"]), record["audit_count"]) == (20, ENTRIES)
    assert record["audit_log"][-1]["rationale"] == f"use {ENTRIES - 2}"


@pytest.mark.parametrize("limit", [0, 1, 7, ENTRIES, 10_000])
def test_the_pages_together_are_the_whole_trail(still: Api, limit: int) -> None:
    record_id = an_audited(still)

    several = audits(still, record_id, f"limit={limit}")

    entries = [each["rationale"] for page in several for each in page["audit_log"]]
    assert entries[1:] == [f"use {number}" for number in range(ENTRIES - 1)]
    assert all(len(page["audit_log"]) <= (limit or ENTRIES) for page in several)
    assert not any("verified" in page for page in several), "only where that is asked for"


def test_the_first_page_verifies_the_whole_trail_and_a_later_one_itself(still: Api) -> None:
    record_id = an_audited(still)
    own = own_item(still, record_id)
    text = text_of(still, own, "audit").replace('"use 18"', '"use 99"')
    change(still, own, audit={"S": text})

    pages = audits(still, record_id, "limit=10&verify=true")

    assert [page["verified"] for page in pages] == [False, False, True]
    assert [page.get("broken_at") for page in pages[:2]] == [19, 19]


def test_a_page_of_a_trail_holds_what_a_reply_carries(still: Api) -> None:
    record_id = observed(still)
    for _ in range(10):
        long = "\x01" * 100_000
        still.post(f"/v1/records/{record_id}/pin", {"actor": long, "rationale": long})

    several = audits(still, record_id)

    assert [len(page["audit_log"]) for page in several] == [5, 4, 2]
    assert all(page["verified"] for page in several)


@pytest.mark.parametrize("cursor", ["x", "-1", "1.5", "%D9%A1", "1" * 10, "%201"])
@pytest.mark.parametrize("path", ["audit", "versions"])
def test_a_place_in_a_trail_that_is_not_ours_is_refused(still: Api, path: str, cursor: str) -> None:
    reply = still.get(f"/v1/records/{observed(still)}/{path}?cursor={cursor}")

    assert (reply.status, reply.body["code"]) == (400, "INVALID_ARGUMENT")


def test_a_page_behind_the_end_of_a_trail_is_empty(still: Api) -> None:
    (page,) = audits(still, observed(still), "cursor=900&verify=true")

    assert (page["audit_log"], page["verified"]) == ([], True)
