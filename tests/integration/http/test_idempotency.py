"""One effect per key, whatever is repeated, and however often."""

from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.integration.http.test_routes import EVENT, REPORTS, SKILL
from tests.worlds.api import Api, repeated
from tests.worlds.depth import crowd, examples
from tests.worlds.threads import at_once

PRINTABLE = st.characters(exclude_categories=("C", "Zl", "Zp", "Zs"), include_characters=" ")
KEYS = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=255)


@pytest.mark.parametrize("name", REPORTS)
def test_a_repeat_is_answered_200_with_the_same_record(api: Api, name: str) -> None:
    key = {"idempotency-key": "k-1"}
    first = api.post(f"/v1/ingest/{name}", REPORTS[name], headers=key)

    again = api.post(f"/v1/ingest/{name}", REPORTS[name], headers=key)

    assert (first.status, again.status) == (201, 200)
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert again.record["id"] == first.record["id"]


def test_a_key_in_the_body_wins_over_the_header(api: Api) -> None:
    keyed = {**EVENT, "idempotency_key": "mine"}
    first = api.post("/v1/ingest/event", keyed, headers={"idempotency-key": "a"})

    again = api.post("/v1/ingest/event", keyed, headers={"idempotency-key": "b"})

    assert again.record["id"] == first.record["id"]


def test_the_same_key_with_another_body_is_409(api: Api) -> None:
    key = {"idempotency-key": "k-1"}
    api.post("/v1/ingest/event", EVENT, headers=key)
    before = api.stored()

    reply = api.post("/v1/ingest/event", {**EVENT, "ref": "evt-2"}, headers=key)

    assert (reply.status, reply.body["code"]) == (409, "ALREADY_EXISTS")
    assert api.stored() == before


def test_a_key_is_one_principals_and_one_rpcs(api: Api) -> None:
    key = {"idempotency-key": "k-1"}
    other = api.key_for(actor_id="other")
    first = api.post("/v1/ingest/event", EVENT, headers=key)

    by_other = api.post("/v1/ingest/event", EVENT, headers=key, key=other)
    by_other_rpc = api.post("/v1/ingest/observation", REPORTS["observation"], headers=key)

    ids = {reply.record["id"] for reply in (first, by_other, by_other_rpc)}
    assert len(ids) == 3


def test_a_repeat_after_deletion_tells_when_and_makes_nothing(api: Api) -> None:
    key = {"idempotency-key": "k-1"}
    record_id = api.post("/v1/ingest/event", EVENT, headers=key).record["id"]
    api.call("DELETE", f"/v1/records/{record_id}")
    before = api.stored()

    again = api.post("/v1/ingest/event", EVENT, headers=key)

    assert again.status == 200
    assert again.record["id"] == record_id
    assert again.record["deleted_at"]
    assert api.stored() == before


def test_a_repeated_outcome_changes_nothing_more(api: Api) -> None:
    target = api.post("/v1/ingest/event", EVENT).record["id"]
    outcome = {"source": "judge", "target_record_id": target, "outcome_status": "success"}
    key = {"idempotency-key": "k-1"}
    api.post("/v1/ingest/outcome", outcome, headers=key)
    before = api.stored()

    again = api.post("/v1/ingest/outcome", outcome, headers=key)

    assert again.headers["idempotency-replayed"] == "true"
    assert len(again.record["audit_log"]) == 2
    assert api.stored() == before


def test_a_repeated_deletion_is_204_again(api: Api) -> None:
    record_id = api.post("/v1/ingest/event", EVENT).record["id"]
    key = {"idempotency-key": "k-1"}
    api.call("DELETE", f"/v1/records/{record_id}", headers=key)

    again = api.call("DELETE", f"/v1/records/{record_id}", headers=key)
    unkeyed = api.call("DELETE", f"/v1/records/{record_id}")

    assert (again.status, again.headers["idempotency-replayed"]) == (204, "true")
    assert unkeyed.status == 404


def test_a_key_with_a_chosen_id_is_remembered_beside_the_record(api: Api) -> None:
    key = {"idempotency-key": "k-1"}
    first = api.post("/v1/records", {"id": "skill-1", **SKILL}, headers=key)

    again = api.post("/v1/records", {"id": "skill-1", **SKILL}, headers=key)
    other_id = api.post("/v1/records", {"id": "skill-2", **SKILL}, headers=key)
    no_id = api.post("/v1/records", SKILL, headers=key)
    no_key = api.post("/v1/records", {"id": "skill-1", **SKILL})

    assert [reply.status for reply in (first, again, other_id, no_id, no_key)] == [
        201, 200, 409, 409, 409
    ]  # fmt: skip
    assert api.get("/v1/records/skill-2").status == 404


@pytest.mark.parametrize("key", ["", " " * 256, "ümlaut", "tab\t", "\x7f"])
def test_a_key_that_is_not_1_to_255_printable_ascii_characters_is_400(api: Api, key: str) -> None:
    before = api.stored()

    reply = api.post("/v1/ingest/event", {**EVENT, "idempotency_key": key})

    assert reply.status == 400
    assert reply.body["errors"][0]["field"] == "idempotency_key"
    assert api.stored() == before


def after_days(api: Api, days: int) -> None:
    assert api.post("/_dev/clock", {"advance_seconds": days * 86_400}).status == 200


def test_a_key_is_free_again_when_the_tombstone_of_its_record_has_expired(api: Api) -> None:
    keys = [{"idempotency-key": each} for each in ("k-1", "k-2")]
    observation, chosen = REPORTS["observation"], {"id": "chosen", **SKILL}
    first = api.post("/v1/ingest/observation", observation, headers=keys[0]).record["id"]
    api.post("/v1/records", chosen, headers=keys[1])
    for each in (first, "chosen"):
        api.call("DELETE", f"/v1/records/{each}")
    other = {**observation, "object": "tea"}
    refused = api.post("/v1/ingest/observation", other, headers=keys[0])
    after_days(api, 401)

    again = api.post("/v1/ingest/observation", other, headers=keys[0])
    under_the_id = api.post("/v1/records", chosen, headers=keys[1])

    assert refused.status == 409, "also after the deletion"
    assert (again.status, again.record["id"], again.record["audit_count"]) == (201, first, 1)
    assert (under_the_id.status, under_the_id.body["code"]) == (409, "ALREADY_EXISTS")
    after_days(api, -401)


def test_a_key_whose_request_was_refused_is_not_used_up(api: Api) -> None:
    key = {"idempotency-key": "k-1"}
    api.post("/v1/records", {"id": "chosen", **SKILL})

    replies = [
        api.post("/v1/records", {"id": each, **SKILL}, headers=key) for each in ("chosen", "b")
    ]

    assert [each.status for each in replies] == [409, 201]


def test_a_change_is_recognised_after_many_others_and_beside_the_key_of_the_record(
    api: Api,
) -> None:
    target = api.post("/v1/ingest/event", {**EVENT, "idempotency_key": "k-0"}).record["id"]
    outcome = {"source": "judge", "target_record_id": target, "outcome_status": "success"}
    for number in range(100):
        reply = api.post("/v1/ingest/outcome", {**outcome, "idempotency_key": f"k-{number}"})
        assert "idempotency-replayed" not in reply.headers

    again = api.post("/v1/ingest/outcome", {**outcome, "idempotency_key": "k-0"})
    other = {**outcome, "outcome_status": "failure", "idempotency_key": "k-0"}

    assert (again.headers["idempotency-replayed"], again.record["audit_count"]) == ("true", 101)
    assert api.post("/v1/ingest/outcome", other).body["code"] == "ALREADY_EXISTS"
    assert api.post("/v1/ingest/outcome", outcome).record["audit_count"] == 102, "without a key"


def test_a_repeat_knows_its_record_though_a_target_went_and_hides_what_is_hidden_now(
    api: Api,
) -> None:
    scope, key = "project:alpha", {"idempotency-key": "k-1"}
    alpha = api.key_for(scopes=(scope,))
    target = api.post("/v1/ingest/event", {**EVENT, "scope": scope}).record["id"]
    relation = {"predicate": "cites", "target_id": target}
    body = {**SKILL, "scope": scope, "relations": [relation]}
    first = api.post("/v1/records", body, headers=key, key=alpha).record
    api.call("DELETE", f"/v1/records/{target}")

    again = api.post("/v1/records", body, headers=key, key=alpha)
    api.call("PATCH", f"/v1/records/{first['id']}", {"scope": "project:beta"})
    hidden = api.post("/v1/records", body, headers=key, key=alpha)

    assert (again.status, again.record["id"]) == (200, first["id"])
    assert (hidden.status, hidden.body["detail"]) == (404, "record not found")


@settings(max_examples=examples(60))
@given(
    key=KEYS,
    name=st.sampled_from(sorted(REPORTS)),
    ref=st.text(PRINTABLE, min_size=1, max_size=20),
    repeats=st.integers(1, 4),
)
def test_any_report_under_any_key_makes_exactly_one_record(
    local_api: Api, key: str, name: str, ref: str, repeats: int
) -> None:
    report = {**REPORTS[name], "source": ref, "idempotency_key": key}
    agent = local_api.key_for(actor_id=f"agent {ref} {key[:20]!r} {name}")
    before = local_api.stored()

    replies = [local_api.post(f"/v1/ingest/{name}", report, key=agent) for _ in range(repeats + 1)]

    new = local_api.stored().keys() - before.keys()
    assert sum(name.endswith(" record") for name in new) <= 1
    assert len({reply.record["id"] for reply in replies}) == 1


def test_the_same_request_from_many_callers_at_once_makes_one_record(api: Api) -> None:
    keyed: dict[str, Any] = {**EVENT, "idempotency_key": "k-1"}

    replies = at_once([lambda: api.post("/v1/ingest/event", keyed)] * 32)

    assert sorted(reply.status for reply in replies) == [200] * 31 + [201]
    assert sum(name.endswith(" record") for name in api.stored()) == 1


def test_outcomes_from_many_callers_at_once_are_all_kept(api: Api) -> None:
    target = api.post("/v1/ingest/event", EVENT).record["id"]
    outcome = {"source": "judge", "target_record_id": target, "outcome_status": "success"}

    tell = partial(api.post, "/v1/ingest/outcome", outcome)

    replies = at_once([partial(repeated, tell)] * crowd())

    assert {reply.status for reply in replies} == {200}
    trail = api.get(f"/v1/records/{target}/audit?verify=true").body
    assert len(trail["audit_log"]) == 1 + crowd()
    assert trail["verified"] is True
