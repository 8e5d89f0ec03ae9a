"""Many callers at once, in threads of their own: everything that was accepted is there, once."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.integration.conftest import CROWDED
from tests.worlds.api import Api, Reply
from tests.worlds.depth import cases
from tests.worlds.recall import advance
from tests.worlds.threads import at_once

WRITERS = cases(32, 12)


def until_heard(api: Api, path: str, body: Any, key: str = "", method: str = "POST") -> Reply:
    """The reply to a caller who asks again when the request was aborted."""
    headers = {"idempotency-key": key} if key else {}
    while True:
        reply = api.call(method, path, body, headers=headers)
        if reply.status != 409 or reply.body["code"] != "ABORTED":
            return reply


def crowd(api: Api, path: str, body: Callable[[int], Any], *, one_key: bool = False) -> list[Reply]:
    """The replies to all, each under a key of its own, or all under one."""
    keys = ["one" if one_key else f"{number}" for number in range(WRITERS)]
    return at_once([partial(until_heard, api, path, body(n), key) for n, key in enumerate(keys)])


def observation(said: str, predicate: str = CROWDED) -> dict[str, Any]:
    return {"source": "a", "subject": "Ada", "predicate": predicate, "object": said}


def observed(api: Api, said: str, predicate: str = CROWDED) -> str:
    reply = api.post("/v1/ingest/observation", observation(said, predicate))
    return str(reply.record["id"])


def event(ref: str) -> dict[str, Any]:
    return {"source": "a", "event_kind": "build", "ref": ref}


def record(**fields: Any) -> dict[str, Any]:
    payload = {"kind": "entity", "canonical_name": "Ada", "primary_type": "Person"}
    return {"record": {"type": "entity", "sensitivity": "low", "payload": payload, **fields}}


def whole(api: Api, listed: Any) -> dict[str, Any]:
    return api.get(f"/v1/records/{listed['id']}").record


def facts(api: Api) -> list[dict[str, Any]]:
    found = api.get("/v1/records?type=semantic&limit=100").body["records"]
    return [whole(api, each) for each in found]


@pytest.fixture(autouse=True)
def _sound(api: Api) -> Any:
    """Nothing is left to repair, and every audit trail verifies."""
    yield
    asked = {"membrane-verify": {"after": None, "repair": False}}
    assert api.invoke("VerifyFunction", asked)["findings"] == []


def test_of_many_changes_of_one_record_each_leaves_one_entry(api: Api) -> None:
    found = observed(api, "tea")

    replies = crowd(api, f"/v1/records/{found}/penalize", lambda _: {"amount": 0.0})

    assert {each.status for each in replies} == {200}
    trail = api.get(f"/v1/records/{found}/audit").body["audit_log"]
    assert [each["action"] for each in trail] == ["create", *["decay"] * WRITERS]


def test_of_many_requests_under_one_key_one_creates_and_the_others_are_replays(api: Api) -> None:
    replies = crowd(api, "/v1/ingest/event", lambda _: event("1"), one_key=True)

    assert len({each.record["id"] for each in replies}) == 1
    (found,) = api.get("/v1/records").body["records"]
    assert found["audit_count"] == 1


def test_of_many_bodies_under_one_key_one_is_written_and_the_others_are_refused(api: Api) -> None:
    replies = crowd(api, "/v1/ingest/event", lambda n: event(f"{n}"), one_key=True)

    statuses = Counter(each.status for each in replies)
    assert sorted(statuses.values()) == [1, WRITERS - 1]
    assert statuses[409] == WRITERS - 1
    assert len(api.get("/v1/records").body["records"]) == 1


def test_of_many_records_of_one_chosen_id_one_is_written(api: Api) -> None:
    replies = crowd(api, "/v1/records", lambda n: record(id="chosen", tags=[f"{n}"]))

    assert Counter(each.status for each in replies)[409] == WRITERS - 1
    assert len(api.get("/v1/records").body["records"]) == 1


def test_of_many_that_observe_otherwise_one_fact_is_left_and_the_rest_are_its_past(
    api: Api,
) -> None:
    crowd(api, "/v1/ingest/observation", lambda n: observation(f"{n}"))

    (left,) = facts(api)
    chain = [left]
    while before := chain[-1]["payload"].get("revision", {}).get("supersedes"):
        chain.append(api.get(f"/v1/records/{before}").record)
    assert sorted(int(each["payload"]["object"]) for each in chain) == list(range(WRITERS))


def test_of_many_that_observe_the_same_one_makes_the_fact_and_the_others_reinforce(
    api: Api,
) -> None:
    replies = crowd(api, "/v1/ingest/observation", lambda _: observation("tea"))

    (left,) = facts(api)
    assert {each.record["id"] for each in replies} == {left["id"]}
    trail = api.get(f"/v1/records/{left['id']}/audit").body["audit_log"]
    assert len(trail) == WRITERS


@pytest.mark.parametrize("policy", ["fork", "contest"])
def test_of_many_that_fork_or_contest_all_facts_stand(api: Api, policy: str) -> None:
    crowd(
        api,
        "/v1/ingest/observation",
        lambda n: {**observation(f"{n}", "owns"), "on_conflict": policy},
    )

    found = facts(api)
    statuses = Counter(each["payload"].get("revision", {}).get("status") for each in found)
    assert len(found) == WRITERS
    if policy == "contest":
        assert statuses["contested"] == WRITERS - 1
    else:
        sources = [each["target_id"] for fact in found for each in fact.get("relations", ())]
        assert Counter(sources).most_common(1)[0][1] == len(sources) == WRITERS - 1


def test_of_two_objects_that_many_observe_one_is_left(api: Api) -> None:
    crowd(api, "/v1/ingest/observation", lambda n: observation("tea" if n % 2 else "ale"))

    assert len(facts(api)) == 1


def test_of_many_merges_and_successors_of_the_same_facts_each_fact_has_one(api: Api) -> None:
    ids = [observed(api, f"{number}", "keeps") for number in range(4)]
    payload = {**facts(api)[0]["payload"], "object": "all"}
    new = {"type": "semantic", "sensitivity": "low", "payload": payload}
    merges = [{"ids": each, "merged_record": new} for each in (ids[:2], ids[2:], ids[1:3])]
    asked = [
        *(partial(until_heard, api, "/v1/records/merge", each) for each in merges),
        *(
            partial(until_heard, api, f"/v1/records/{each}/supersede", {"new_record": new})
            for each in ids
        ),
    ]

    replies = at_once(asked)

    won = [each.record["id"] for each in replies if each.status < 300]
    assert {each.status for each in replies if each.status >= 300} <= {404, 409}
    after = [
        each["target_id"]
        for record_id in won
        for each in api.get(f"/v1/records/{record_id}").record["relations"]
        if each["predicate"] in ("supersedes", "derived_from", "merged_from")
    ]
    assert sorted(set(after) & set(ids)) == sorted(ids)
    assert len([each for each in after if each in ids]) == len(ids)


@pytest.mark.parametrize("content", [{"project": "Orchid"}, {"text": "Orion", "person": "Orion"}])
def test_of_many_captures_of_a_new_name_one_makes_the_entity_and_all_are_linked(
    api: Api, content: dict[str, str]
) -> None:
    captured = {"source": "a", "source_kind": "event"}
    replies = crowd(api, "/v1/capture", lambda n: {**captured, "content": {**content, "n": n}})

    assert {each.status for each in replies} <= {200, 201}
    (entity,) = api.get("/v1/records?type=entity").body["records"]
    mentions = api.get(f"/v1/entities/{entity['id']}/mentions?limit=100").body
    assert len(mentions["mentions"]) == WRITERS


def test_of_many_captures_that_state_one_fact_all_are_evidence(api: Api) -> None:
    content = {"subject": "Orchid", "predicate": CROWDED, "object": "tea"}
    asked = {"source": "a", "source_kind": "observation", "content": content}

    crowd(api, "/v1/capture", lambda n: {**asked, "summary": f"{n}"})

    (left,) = facts(api)
    assert len(left["payload"]["evidence"]) == WRITERS


def test_of_many_messages_each_takes_a_turn_of_the_thread(api: Api) -> None:
    said = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]

    crowd(api, "/v1/messages", lambda n: {"thread_id": "t", "messages": said, "source": f"{n}"})

    found = api.get("/v1/records?limit=100").body["records"]
    turns = [each["payload"]["timeline"][0]["ref"] for each in map(partial(whole, api), found)]
    assert sorted(turns) == sorted(f"t:{number + 1}" for number in range(2 * WRITERS))


def test_of_many_writers_of_one_field_each_leaves_one_revision(api: Api) -> None:
    api.post("/v1/topics", {"topic_id": "t", "title": "t"})

    crowd(api, "/v1/topics/t/fields", lambda n: {"field_name": "n", "value": n})

    found = api.get("/v1/topics/t/fields/n?with_history=true").body["history"]
    assert sorted(each["value"] for each in found) == list(range(WRITERS))


@pytest.mark.parametrize("is_keyed", [True, False])
def test_of_many_that_tell_of_a_new_title_one_makes_the_topic(api: Api, *, is_keyed: bool) -> None:
    fields = [{"name": "n", "value": "same"}]
    replies = crowd(
        api, "/v1/ingest", lambda _: {"title": "Orion", "fields": fields}, one_key=is_keyed
    )

    assert {each.status for each in replies} <= {200, 201}
    assert len({each.body["topic_id"] for each in replies}) == 1
    assert len(api.get("/v1/topics").body["topics"]) == 1


def test_of_many_new_titles_each_makes_a_topic(api: Api) -> None:
    crowd(api, "/v1/ingest", lambda n: {"title": f"Orion {n}", "fields": []})

    assert len(api.get("/v1/topics?limit=100").body["topics"]) == WRITERS


def test_of_many_appended_items_each_has_a_place(api: Api) -> None:
    crowd(api, "/v1/documents/logs/log/items", lambda n: {"items": [n]})

    kept = api.get(f"/v1/documents/logs/log?items={WRITERS}").body["document"]["items"]
    assert sorted(each["value"] for each in kept) == list(range(WRITERS))


def test_two_sweeps_and_callers_at_once_prune_what_nobody_reinforced(api: Api) -> None:
    lifecycle = {"decay": {"half_life_seconds": 75}}
    bodies = [{**event(f"{n}"), "lifecycle": lifecycle} for n in range(WRITERS)]
    ids = [api.post("/v1/ingest/event", each).record["id"] for each in bodies]
    api.functions.clock.freeze(frozen=True)
    advance(api, days=1)

    def reinforce(record_id: str) -> int:
        return until_heard(api, f"/v1/records/{record_id}/reinforce", {}).status

    sweep = partial(api.invoke, "DecayFunction", {})
    swept, *statuses, also = at_once([sweep, *(partial(reinforce, each) for each in ids), sweep])

    assert swept["failed"] == also["failed"] == 0
    kept = {each["id"] for each in api.get("/v1/records?limit=100").body["records"]}
    assert kept == {each for each, status in zip(ids, statuses, strict=True) if status == 200}
    pruned = api.get("/v1/records?state=pruned&limit=100").body["records"]
    assert len(kept) + len(pruned) == WRITERS
