"""Which observations conflict, what each policy makes of a conflict, and what evidence holds up."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.conftest import NO_SCHEDULES
from tests.integration.http.test_large_values import uploaded
from tests.integration.http.test_revision_rules import contest, patch, refused, state, unchanged
from tests.integration.http.test_revisions import a_fact, audited, read, revise
from tests.worlds.api import Api, Reply, api_with

KEEP, REPLACE, FORK, CONTEST = "likes", "weighs", "varies", "doubts"
"""Predicates by the policy for the conflicts of their facts."""
POLICIES = {REPLACE: "replace", FORK: "fork", CONTEST: "contest"}
MOST = 22
"""As many facts as one write changes."""
LISTED = 100
"""As many captures as a fact names as its evidence."""

each_policy = pytest.mark.parametrize("predicate", POLICIES)


@pytest.fixture(scope="module")
def local_api() -> Iterator[Api]:
    """A stack in which predicates have policies."""
    with api_with({"ConflictPolicies": json.dumps(POLICIES)} | NO_SCHEDULES) as found:
        yield found


def observe(api: Api, said: Any, predicate: str = KEEP, key: str = "", **fields: Any) -> Reply:
    fact = {"source": "agent", "subject": "user", "predicate": predicate, "object": said}
    return api.post("/v1/ingest/observation", {**fact, **fields}, key=key or None)


def made(api: Api, said: Any, predicate: str = KEEP, key: str = "", **fields: Any) -> str:
    reply = observe(api, said, predicate, key, **fields)
    assert reply.status == 201, reply.body
    return str(reply.record["id"])


def facts(api: Api, predicate: str = KEEP) -> list[dict[str, Any]]:
    """The active facts of the predicate, that hold now."""
    assert api.get("/_dev/queues?wait").status == 200
    listed = api.get("/v1/records?type=semantic&limit=1000").body["records"]
    return [
        each
        for each in listed
        if each["payload"]["predicate"] == predicate
        and each["payload"].get("revision", {}).get("status") != "retracted"
    ]


def active(api: Api, predicate: str = KEEP) -> list[Any]:
    """What the active facts of the predicate say."""
    return sorted((each["payload"]["object"] for each in facts(api, predicate)), key=str)


def relations(record: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["predicate"], each["target_id"]) for each in record.get("relations", [])]


# --- what each policy does -----------------------------------------------------------------------


def test_facts_that_nobody_has_a_policy_for_stand_side_by_side(api: Api) -> None:
    for said in ("tea", "coffee", "coffee"):
        made(api, said)

    assert active(api) == ["coffee", "coffee", "tea"]


def test_another_object_replaces_the_active_fact_and_both_tell(api: Api) -> None:
    old = made(api, "tea", REPLACE)
    new = observe(api, "coffee", REPLACE, source="survey").record

    before = read(api, old)
    assert before["payload"]["revision"]["superseded_by"] == new["id"]
    assert (before["payload"]["revision"]["status"], before["salience"]) == ("retracted", 0)
    assert before["audit_log"][-1]["actor"] == "survey"
    assert audited(api, old)[-1][1] == f"superseded by {new['id']}: observed otherwise"
    assert new["payload"]["revision"]["supersedes"] == old
    assert relations(new) == [("supersedes", old)]
    assert [each["ref"] for each in new["provenance"]["sources"]] == ["survey", old]


def test_one_observation_replaces_or_confirms_against_all_that_were_told_without_a_policy(
    api: Api,
) -> None:
    tea, milk, water = (made(api, said) for said in ("tea", "milk", "water"))

    again = observe(api, "milk", on_conflict="replace")
    new = observe(api, "coffee", on_conflict="replace").record

    assert (again.status, again.record["id"]) == (200, milk)
    assert relations(again.record) == [("supersedes", tea), ("supersedes", water)]
    assert {state(api, each)["superseded_by"] for each in (tea, water)} == {milk}
    assert relations(new) == [("supersedes", milk)]
    assert active(api) == ["coffee"]


@each_policy
def test_the_same_object_reinforces_the_fact_that_is_there(api: Api, predicate: str) -> None:
    known = made(api, {"hot": True, "sweet": [1, None]}, predicate)

    again = observe(api, {"sweet": [1, None], "hot": True}, predicate, source="survey")

    entry = again.record["audit_log"][-1]
    assert (again.status, again.record["id"]) == (200, known)
    assert (entry["action"], entry["actor"], entry["rationale"]) == (
        "reinforce",
        "survey",
        "observed again",
    )
    assert len(facts(api, predicate)) == 1


def test_a_fork_varies_the_first_and_a_contest_doubts_those_that_stand(api: Api) -> None:
    tea, ale = made(api, "tea", FORK, sensitivity="medium"), made(api, "ale", CONTEST)
    coffee, wine = observe(api, "coffee", FORK).record, observe(api, "wine", CONTEST).record

    assert relations(coffee) == [("derived_from", tea)]
    assert coffee["sensitivity"] == "medium"
    assert audited(api, tea)[-1] == ("fork", f"forked to {coffee['id']}: observed otherwise")
    assert "revision" not in wine["payload"]
    assert relations(read(api, ale)) == [("contested_by", wine["id"])]
    assert state(api, ale)["status"] == "contested"
    assert audited(api, ale)[-1][1] == f"contested by {wine['id']}: observed otherwise"
    water = observe(api, "water", CONTEST, on_conflict="replace").record
    assert ("supersedes", ale) in relations(water)
    assert (active(api, FORK), active(api, CONTEST)) == (["coffee", "tea"], ["water"])


def test_of_more_conflicts_than_one_write_holds_the_newest_are_contested(api: Api) -> None:
    several = [made(api, number) for number in range(MOST + 2)]

    made(api, "coffee", on_conflict="contest")
    water = observe(api, "water", on_conflict="fork").record

    contested = [each for each in several if state(api, each).get("status") == "contested"]
    assert contested == several[-MOST:]
    assert relations(water) == [("derived_from", several[0])]


def test_facts_too_many_for_one_write_replace_each_other_and_those_alike_in_sensitivity_first(
    api: Api,
) -> None:
    for number in range(2 * MOST):
        made(api, number)
    secret = made(api, "tea", sensitivity="high")

    coffee = observe(api, "coffee", on_conflict="replace").record

    assert active(api) == ["coffee"]
    assert (coffee["sensitivity"], state(api, secret)["superseded_by"]) == ("high", coffee["id"])


def test_a_setting_holds_for_who_may_not_revise_and_a_word_for_who_may(api: Api) -> None:
    watcher = api.key_for(permissions=("ingest",), max_sensitivity="low")
    made(api, "tea", REPLACE, watcher)
    with unchanged(api):
        reply = observe(api, "coffee", REPLACE, watcher, on_conflict="keep")
        refused(reply, 403, "the permission revise is required")

    made(api, "coffee", REPLACE, watcher, on_conflict="replace")
    made(api, "milk", REPLACE, on_conflict="keep")

    assert active(api, REPLACE) == ["coffee", "milk"]


# --- what conflicts ------------------------------------------------------------------------------


@each_policy
def test_facts_apart_do_not_conflict(api: Api, predicate: str) -> None:
    tea = made(api, "tea", predicate, end="2026-01-01T00:00:00Z")
    apart: list[dict[str, Any]] = [
        {"scope": "project:beta"},
        {"subject": "guest"},
        {"conditions": {"time": "morning"}},
        {"start": "2026-01-01T00:00:00Z"},
    ]

    for fields in apart:
        other = observe(api, "coffee", predicate, **{"end": "2027-01-01T00:00:00Z", **fields})
        assert (other.status, relations(other.record)) == (201, [])

    assert len(audited(api, tea)) == 1


def test_conditions_are_the_same_however_they_are_spelled_or_sent(api: Api) -> None:
    made(api, "tea", REPLACE, conditions={"day": 1, "time": "morning"})
    made(api, "coffee", REPLACE, conditions={"time": "morning", "day": 1.0})
    large = {"text": "x" * 200_000}
    made(api, "ale", REPLACE, conditions=large)
    claim = uploaded(api, json.dumps(large, indent=1).encode())
    made(api, "milk", REPLACE, conditions=claim)
    made(api, "water", REPLACE, conditions={"text": "y" * 200_000})

    assert active(api, REPLACE) == ["coffee", "milk", "water"]


def test_what_holds_for_longer_is_not_known_and_the_longest_is_reinforced(api: Api) -> None:
    year = {"start": "2026-01-01T00:00:00Z", "end": "2027-01-01T00:00:00Z"}
    month = {"start": "2026-02-01T00:00:00Z", "end": "2026-03-01T00:00:00Z"}
    known = made(api, "tea", REPLACE, **year)

    within = observe(api, "tea", REPLACE, **month)
    longer = observe(api, "tea", REPLACE, start=year["start"])

    assert (within.status, within.record["id"]) == (200, known)
    assert relations(longer.record) == [("supersedes", known)]
    made(api, "tea", end="2026-06-01T00:00:00Z")
    always = made(api, "tea")
    again = observe(api, "tea", on_conflict="replace", end="2026-05-01T00:00:00Z")
    assert again.record["id"] == always
    assert active(api) == ["tea"]


def test_what_says_the_same_at_other_times_stays(api: Api) -> None:
    early = made(api, "tea", end="2126-06-01T00:00:00Z")
    late = made(api, "tea", start="2126-02-01T00:00:00Z")
    shorter = made(api, "tea", end="2126-05-01T00:00:00Z")
    within = {"start": "2126-03-01T00:00:00Z", "end": "2126-04-01T00:00:00Z"}

    result = observe(api, "tea", on_conflict="replace", **within)

    assert result.record["id"] == early
    assert (state(api, late), state(api, shorter)["superseded_by"]) == ({}, early)


@pytest.mark.parametrize(
    ("given", "validity"),
    [
        ({}, {"mode": "global"}),
        ({"conditions": {}, "start": "0001-01-01T00:00:00Z"}, {"mode": "global"}),
        ({"conditions": {"a": 1}}, {"mode": "conditional", "conditions": {"a": 1}}),
        (
            {"end": "2026-01-01T01:00:00+01:00"},
            {"mode": "timeboxed", "end": "2026-01-01T00:00:00Z"},
        ),
    ],
    ids=str,
)
def test_a_fact_holds_when_it_was_reported_to(
    api: Api, given: dict[str, Any], validity: dict[str, Any]
) -> None:
    assert observe(api, "tea", **given).record["payload"]["validity"] == validity


def test_a_deleted_fact_is_in_nobodys_way(api: Api) -> None:
    api.call("DELETE", f"/v1/records/{made(api, 'tea', REPLACE)}")

    assert relations(observe(api, "coffee", REPLACE).record) == []


# --- what may not be seen ------------------------------------------------------------------------


@each_policy
def test_a_fact_above_the_callers_ceiling_neither_counts_nor_is_told_of(
    api: Api, predicate: str
) -> None:
    watcher = api.key_for(permissions=("ingest",), max_sensitivity="low")
    secret = made(api, "tea", predicate, sensitivity="high")

    same, other = (observe(api, said, predicate, watcher) for said in ("tea", "coffee"))

    told = [target for each in (same, other) for _, target in relations(each.record)]
    assert secret not in told
    assert (same.status, other.record["sensitivity"]) == (201, "low")
    assert len(audited(api, secret)) == 1


def test_the_audit_of_a_fact_does_not_name_one_that_is_more_sensitive(api: Api) -> None:
    words = {REPLACE: "superseded", FORK: "forked", CONTEST: "contested"}
    for predicate, word in words.items():
        tea = made(api, "tea", predicate)
        secret = made(api, "coffee", predicate, sensitivity="high")
        assert audited(api, tea)[-1][1] == f"{word}: observed otherwise"
        if predicate is REPLACE:
            assert state(api, tea)["superseded_by"] == secret

    tea, secret = made(api, "tea"), made(api, "coffee", sensitivity="high")
    observe(api, "tea", on_conflict="replace")
    assert audited(api, tea)[-1][1] == "supersedes another: observed again"
    assert audited(api, secret)[-1][1] == f"superseded by {tea}: observed again"


# --- keys ----------------------------------------------------------------------------------------


@each_policy
def test_a_repeat_under_the_same_key_changes_nothing_whatever_came_since(
    api: Api, predicate: str
) -> None:
    told = [("tea", "first"), ("coffee", "second"), ("coffee", "third")]
    firsts = [observe(api, said, predicate, idempotency_key=key) for said, key in told]
    made(api, "milk", predicate)

    with unchanged(api):
        repeats = [observe(api, said, predicate, idempotency_key=key) for said, key in told]
        other = observe(api, "water", predicate, idempotency_key="third")

    assert [each.status for each in firsts] == [201, 201, 200]
    assert [each.record["id"] for each in repeats] == [each.record["id"] for each in firsts]
    assert {each.headers.get("idempotency-replayed") for each in repeats} == {"true"}
    assert (other.status, other.body["code"]) == (409, "ALREADY_EXISTS")


def test_a_repeat_tells_that_the_fact_was_deleted_since(api: Api) -> None:
    known = made(api, "tea", REPLACE)
    observe(api, "tea", REPLACE, idempotency_key="k")
    api.call("DELETE", f"/v1/records/{known}")

    late = observe(api, "tea", REPLACE, idempotency_key="k")

    assert (late.status, set(late.record)) == (200, {"id", "deleted_at"})


# --- records that are sent whole -----------------------------------------------------------------


def whole(predicate: str, said: str = "ale") -> dict[str, Any]:
    payload = a_fact()["payload"] | {"predicate": predicate, "object": said}
    return a_fact(payload=payload)


def test_a_record_sent_whole_waits_for_its_place_where_facts_replace_each_other(api: Api) -> None:
    first = api.post("/v1/records", whole(REPLACE), headers={"idempotency-key": "k"})
    tea = made(api, "tea", REPLACE)
    words = f"record {tea} is the active fact of this subject and predicate: supersede that one"
    clerk = api.key_for(max_sensitivity="low")
    secret = made(api, "tea", REPLACE, subject="guest", sensitivity="high")
    guest = whole(REPLACE)
    guest["payload"]["subject"] = "guest"

    with unchanged(api):
        refused(api.post("/v1/records", whole(REPLACE)), 409, words)
        again = api.post("/v1/records", whole(REPLACE), headers={"idempotency-key": "k"})

    assert (again.status, again.record["id"]) == (200, first.record["id"])
    assert api.post("/v1/records", guest, key=clerk).status == 201, "who does not see it"
    assert state(api, secret) == {}
    for predicate in (FORK, CONTEST):
        made(api, "tea", predicate)
        assert api.post("/v1/records", whole(predicate)).status == 201
        assert active(api, predicate) == ["ale", "tea"]


def test_facts_that_stood_side_by_side_before_are_merged_step_by_step(api: Api) -> None:
    tea, milk, water = (
        made(api, said, REPLACE, on_conflict="keep") for said in ("tea", "milk", "water")
    )
    union = {"merged_record": whole(REPLACE)}

    both = api.post("/v1/records/merge", {"ids": [tea, milk], **union})
    refused(api.post("/v1/records", whole(REPLACE)), 409, "is the active fact")
    last = api.post("/v1/records/merge", {"ids": [both.record["id"], water], **union})

    assert (both.status, last.status) == (201, 201)
    assert active(api, REPLACE) == ["ale"]


# --- facts of captures ---------------------------------------------------------------------------


def capture(api: Api, said: str, predicate: str = KEEP, **fields: Any) -> tuple[str, str]:
    """The ids of a capture and of its fact."""
    content = {"subject": "user", "predicate": predicate, "object": said}
    asked = {"source": "harness", "source_kind": "observation", "content": content, **fields}
    reply = api.post("/v1/capture", asked)
    assert reply.status == 201, reply.body
    primary = str(reply.body["primary_record"]["id"])
    (fact,) = [
        str(edge["target_id"])
        for edge in reply.body["edges"]
        if (edge["source_id"], edge["predicate"]) == (primary, "derived_semantic")
    ]
    return primary, fact


def evidence(api: Api, fact_id: str) -> list[str]:
    return [each["source_id"] for each in read(api, fact_id)["payload"]["evidence"]]


def end(api: Api, record_id: str, how: str, **body: Any) -> None:
    query = "?erase=true" if how == "erase" else ""
    assert api.call("DELETE", f"/v1/records/{record_id}{query}", body or None).status == 204


def is_gone(api: Api, record_id: str) -> bool:
    return api.get(f"/v1/records/{record_id}").status == 404


each_end = pytest.mark.parametrize("how", ["delete", "erase"])


@pytest.mark.parametrize("predicate", [KEEP, *POLICIES])
def test_a_fact_that_is_captured_again_gains_evidence_in_its_history(
    api: Api, predicate: str
) -> None:
    first, fact_id = capture(api, "tea", predicate)
    second, same = capture(api, "tea", predicate)

    assert same == fact_id
    assert evidence(api, fact_id) == [first, second]
    assert audited(api, fact_id)[-1] == ("reinforce", "observed again")
    _, version = api.get(f"/v1/records/{fact_id}/versions").body["versions"]
    assert [each["field"] for each in version["changes"]] == ["payload.evidence"]
    assert active(api, predicate) == ["tea"]


def test_a_report_and_a_capture_hold_up_one_fact(api: Api) -> None:
    reported = made(api, "tea", REPLACE)
    seen, fact_id = capture(api, "tea", REPLACE)
    observe(api, "tea", REPLACE)

    assert fact_id == reported
    assert evidence(api, fact_id) == ["agent", seen]


@each_end
def test_a_fact_goes_with_the_last_of_its_evidence(api: Api, how: str) -> None:
    (first, fact_id), (second, _) = capture(api, "tea"), capture(api, "tea")
    contest(api, fact_id, "a letter")
    end(api, first, how)
    left, words = evidence(api, fact_id), audited(api, fact_id)[-1][1]

    end(api, second, how, actor="curator", rationale="misheard")

    trail = api.get(f"/v1/records/{fact_id}/audit?verify=true").body
    entry = trail["audit_log"][-1]
    assert (left, words) == ([second], "evidence withdrawn")
    assert (entry["action"], entry["actor"]) == ("delete", "curator")
    assert (entry["rationale"], trail["verified"]) == ("last evidence withdrawn: misheard", True)
    assert is_gone(api, fact_id) is (how == "erase")
    assert how == "erase" or state(api, fact_id)["status"] == "retracted"


@each_end
def test_a_fact_that_an_agent_reported_stays_without_the_capture(api: Api, how: str) -> None:
    made(api, "tea", REPLACE)
    seen, fact_id = capture(api, "tea", REPLACE)

    end(api, seen, how)

    assert evidence(api, fact_id) == ["agent"]
    assert active(api, REPLACE) == ["tea"]


def test_of_many_captures_that_state_a_fact_the_newest_are_listed_and_the_others_count(
    api: Api,
) -> None:
    several = [capture(api, "tea") for _ in range(LISTED + 3)]
    fact_id = several[0][1]
    listed = evidence(api, fact_id)
    unlisted = [each for each, _ in several if each not in listed]
    assert listed == [each for each, _ in several[3:]]
    end(api, unlisted[0], "delete")

    for seen in listed:
        end(api, seen, "erase")

    found = evidence(api, fact_id)
    assert found
    assert {*found} <= {*unlisted[1:]}
    for seen in unlisted[1:]:
        end(api, seen, "erase")
    assert active(api) == []


@each_end
def test_what_a_withdrawn_fact_replaced_or_contested_stands_again(api: Api, how: str) -> None:
    tea, ale = made(api, "tea", REPLACE), made(api, "ale", CONTEST)
    replacing, _ = capture(api, "coffee", REPLACE)
    doubting, _ = capture(api, "wine", CONTEST)
    assert (active(api, REPLACE), state(api, ale)["status"]) == (["coffee"], "contested")

    end(api, replacing, how)
    end(api, doubting, how)

    assert active(api, REPLACE) == ["tea"]
    assert (state(api, tea)["status"], state(api, ale)["status"]) == ("active", "active")
    assert "superseded_by" not in state(api, tea)
    words = "no longer retracted: the newer fact was withdrawn"
    assert audited(api, tea)[-1][1] == words
    assert observe(api, "tea", REPLACE).record["id"] == tea, "it has its place again"


def test_a_contest_by_others_and_a_later_successor_outlast_the_withdrawn_fact(api: Api) -> None:
    tea, ale, _ = made(api, "tea", CONTEST), made(api, "ale", FORK), made(api, "rum", REPLACE)
    contested, _ = capture(api, "coffee", CONTEST)
    contest(api, tea, "a letter")
    varied, _ = capture(api, "wine", FORK)
    replaced, _ = capture(api, "coffee", REPLACE)
    made(api, "milk", REPLACE)

    for each in (contested, varied, replaced):
        end(api, each, "delete")

    assert state(api, tea)["status"] == "contested"
    assert (state(api, ale), active(api, FORK), active(api, REPLACE)) == ({}, ["ale"], ["milk"])


def test_a_withdrawal_passes_over_what_the_caller_may_not_change(api: Api) -> None:
    scope = "project:alpha"
    (hidden, far), (open_, near) = (capture(api, said, scope=scope) for said in ("tea", "milk"))
    patch(api, far, scope="project:beta")
    patch(api, near, scope="")
    key = api.key_for(scopes=(scope,))

    for seen in (hidden, open_):
        assert api.call("DELETE", f"/v1/records/{seen}", key=key).status == 204

    assert active(api) == ["milk", "tea"]


def test_a_refused_deletion_leaves_the_facts(api: Api) -> None:
    seen, _ = capture(api, "tea")
    keep = {"deletion_policy": "never"}
    assert api.call("PATCH", f"/v1/records/{seen}/lifecycle", keep).status == 200

    assert api.call("DELETE", f"/v1/records/{seen}").status == 409
    assert active(api) == ["tea"]


@pytest.mark.parametrize("others", [0, 1])
def test_a_fact_outlives_a_faded_capture_and_goes_when_the_capture_is_erased(
    api: Api, others: int
) -> None:
    api.functions.clock.freeze(frozen=True)
    seen, fact_id = capture(api, "tea")
    pinned = [fact_id, *(capture(api, "tea")[0] for _ in range(others))]
    for each in pinned:
        assert api.post(f"/v1/records/{each}/pin", None).status == 200
    for days in (30, 31):
        api.post("/_dev/clock", {"advance_seconds": days * 86_400})
        api.invoke("DecayFunction", {})
    assert is_gone(api, seen)
    assert active(api) == ["tea"]

    end(api, seen, "erase")

    assert is_gone(api, fact_id) is (not others)
    assert not others or evidence(api, fact_id) == pinned[1:]
    api.post("/_dev/clock", {"advance_seconds": -61 * 86_400})


def test_an_erasure_takes_along_a_fact_that_was_retracted_or_deleted(api: Api) -> None:
    (one, retracted), (other, deleted) = capture(api, "tea"), capture(api, "milk")
    end(api, one, "delete")
    end(api, deleted, "delete")
    before = audited(api, deleted)

    for seen in (one, other):
        end(api, seen, "erase")

    trails = [api.get(f"/v1/records/{each}/audit").body for each in (retracted, deleted)]
    assert [len(each["audit_log"]) for each in trails] == [3, len(before) + 1]
    for each in (retracted, deleted):
        reply = api.post(f"/v1/records/{each}/restore", None)
        refused(reply, 409, "the record was erased; nothing is left to restore")


@pytest.mark.parametrize("resolved", [False, True])
def test_a_working_state_that_is_retracted_takes_its_fact_along(
    api: Api,
    resolved: bool,  # noqa: FBT001 - a parameter
) -> None:
    fact = {"subject": "user", "predicate": KEEP, "object": "tea"}
    content = {"thread_id": "1", "state": "planning", "fact": fact}
    kinds = {"source_kind": "working_state", "proposed_type": "semantic"}
    working, fact_id = capture(api, "tea", content=content, **kinds)

    if resolved:
        contest(api, working, "a letter")
        revise(api, working, "resolve", {"resolution": "retract"})
    else:
        revise(api, working, "retract", {})

    assert state(api, fact_id)["status"] == "retracted"
