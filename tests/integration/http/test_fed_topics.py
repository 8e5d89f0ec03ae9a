"""Topics that observations feed: whatever becomes of a record, topics tell what it says now."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.integration.http.test_routes import SKILL
from tests.worlds.api import Api
from tests.worlds.depth import examples
from tests.worlds.topic_client import DAY_S, Topics, field

NUMBERS = count()
SECRET = "planted-secret"


def observe(topics: Topics, **fields: Any) -> str:
    """The id of the record of an observation, which a topic tells."""
    usual = {"source": "ana", "subject": "Sines", "predicate": "cranes", "object": 3}
    body = {**usual, "scope": "team", **fields}
    reply = topics.call("POST", "ingest/observation", body)
    assert reply.status < 300, reply.body
    topics.settle()
    return str(reply.record["id"])


def told(topics: Topics, **query: str) -> dict[tuple[str, str, str], list[Any]]:
    """By scope, sensitivity and field what topics tell, sorted."""
    found: dict[tuple[str, str, str], list[Any]] = {}
    for topic_id in topics.listed(**query):
        shown = topics.read(topic_id)
        for name in shown["fields"]:
            place = (shown["scope"], shown["sensitivity"], name)
            found[place] = sorted([*found.get(place, []), *topics.values(topic_id, name)], key=repr)
    return found


def only(topics: Topics) -> str:
    """The id of the only topic."""
    (topic_id,) = topics.listed()
    return topic_id


def act(method: str, path: str, body: Any = None) -> Callable[[Topics, str], None]:
    """A request about the record, after which topics have heard of it."""

    def acting(topics: Topics, record_id: str) -> None:
        reply = topics.call(method, f"records/{record_id}{path}", body)
        assert reply.status < 300, reply.body
        topics.settle()

    return acting


def supersede(topics: Topics, record_id: str) -> None:
    """Another fact, which nobody observed, takes the record's place."""
    record = topics.call("GET", f"records/{record_id}").record
    new = {name: record[name] for name in ("type", "sensitivity", "scope", "payload")}
    payload = {**record["payload"], "object": "of somebody who knows better"}
    act("POST", "/supersede", {"new_record": {**new, "payload": payload}})(topics, record_id)


ERASE = act("DELETE", "?erase=true")
WITHDRAWN = {
    "retracted": act("POST", "/retract", {}),
    "superseded": supersede,
    "deleted": act("DELETE", ""),
    "erased": ERASE,
}
MOVED = {
    "raised": act("PATCH", "", {"sensitivity": "hyper"}),
    "lowered": act("PATCH", "", {"sensitivity": "public"}),
    "to another scope": act("PATCH", "", {"scope": "other"}),
}
BACK = {
    "taken up again": (WITHDRAWN["retracted"], act("PATCH", "", {"retracted": False})),
    "restored": (WITHDRAWN["deleted"], act("POST", "/restore")),
}


# --- what is fed --------------------------------------------------------------------------------


def test_an_observation_becomes_a_field_of_its_subject_with_the_record_as_evidence(
    tuned: Topics,
) -> None:
    at = "2024-01-01T00:00:00Z"
    record_id = observe(tuned, sensitivity="high", timestamp=at)
    observe(tuned, subject="A" * 1_100, predicate="lives\nin " + "x" * 300, scope="long")

    shown = tuned.read(tuned.listed(scope="team")[0])
    assert (shown["title"], shown["scope"], shown["sensitivity"]) == ("Sines", "team", "high")
    (cranes,) = shown["fields"]["cranes"]["history"]
    assert (cranes["value"], cranes["evidence"], cranes["valid_from"]) == (3, record_id, at)
    assert cranes["provenance"] == "observation"
    long = tuned.read(tuned.listed(scope="long")[0])
    (name,) = long["fields"]
    assert (len(long["title"]), len(name), name[:9]) == (1_000, 256, "lives in ")


def test_observations_of_one_subject_are_one_topic_with_histories_in_order(tuned: Topics) -> None:
    for value, year in ((4, 2025), (3, 2024), ("three, and a small one", 2026), (5, 2999)):
        observe(tuned, object=value, timestamp=f"{year}-01-01T00:00:00Z")
    observe(tuned, predicate="depth", object="28 m")
    observe(tuned, predicate="log", object="x" * 200_000)

    made = only(tuned)
    now, *then = tuned.field(made, "cranes", archived="true")["history"]
    assert (now["value"], now["valid_from"][:4]) == (5, now["recorded_at"][:4])
    assert [each["value"] for each in then] == ["three, and a small one", 4, 3]
    assert tuned.values(made, "depth") == ["28 m"]
    assert tuned.values(made, "log") == ["x" * 200_000]


def test_scopes_and_sensitivities_have_topics_of_their_own(tuned: Topics) -> None:
    for scope, sensitivity in (("team", "hyper"), ("team", "low"), ("", "low")):
        observe(tuned, scope=scope, sensitivity=sensitivity)

    places = [("", "low", "cranes"), ("team", "hyper", "cranes"), ("team", "low", "cranes")]
    assert told(tuned) == {place: [3] for place in places}


def test_an_observation_that_took_the_place_of_another_feeds_and_nothing_else_does(
    tuned: Topics,
) -> None:
    observe(tuned)
    observe(tuned, object=4, on_conflict="replace")
    body = {"source": "ana", "event_kind": "turn", "ref": "talk:1", "summary": "crane"}
    assert tuned.call("POST", "ingest/event", body).status == 201
    assert tuned.call("POST", "records", SKILL).status == 201
    tuned.settle()

    assert tuned.values(only(tuned), "cranes") == [4]


def test_each_record_and_whoever_tells_has_a_revision_of_his_own(tuned: Topics) -> None:
    tuned.tell(field("depth", "28 m"), title="Sines", scope="team")
    known = observe(tuned, predicate="depth", object="28 m")
    made, event = only(tuned), tuned.last(only(tuned))
    observe(tuned)
    observe(tuned, source="bob")
    tuned.tell(field("cranes", 3), title="Sines", scope="team")

    assert event["detail"] == {"fields": ["depth"], "unchanged": True, "evidence": known}
    assert tuned.values(made, "depth") == ["28 m"]
    assert tuned.values(made, "cranes") == [3, 3, 3]


def test_what_changed_or_went_before_it_was_fed_is_fed_as_it_is(tuned: Topics) -> None:
    tuned.api.post("/_dev/stream", {"paused": True})
    ids = [tuned.call("POST", "ingest/observation", {
        "source": "ana", "subject": name, "predicate": "cranes", "object": 3, "scope": "team",
    }).record["id"] for name in ("Sines", "Sado")]  # fmt: skip
    assert tuned.call("PATCH", f"records/{ids[0]}", {"sensitivity": "hyper"}).status == 200
    assert tuned.call("DELETE", f"records/{ids[1]}").status == 204
    tuned.api.post("/_dev/stream", {"paused": False})
    tuned.settle()

    assert told(tuned) == {("team", "hyper", "cranes"): [3]}


def test_a_record_is_named_as_evidence_to_whoever_may_see_it(tuned: Topics) -> None:
    low = tuned.of("team", ceiling="low")
    record_id, made = observe(tuned), only(tuned)
    tuned.api.post("/_dev/stream", {"paused": True})
    assert tuned.call("PATCH", f"records/{record_id}", {"sensitivity": "high"}).status == 200

    seen = [reader.field(made, "cranes")["history"][0]["evidence"] for reader in (low, tuned)]
    tuned.api.post("/_dev/stream", {"paused": False})

    assert seen == ["", record_id]


# --- what becomes of it -------------------------------------------------------------------------


@pytest.mark.parametrize("become", WITHDRAWN.values(), ids=WITHDRAWN)
def test_a_statement_goes_with_its_record_and_those_of_others_stay(
    tuned: Topics, become: Callable[[Topics, str], None]
) -> None:
    alone = observe(tuned, subject="Dusk", object="alone")
    second = observe(tuned, object=4, source="bob")
    same = observe(tuned)
    depth = observe(tuned, predicate="depth", object="28 m")

    for each in (alone, second):
        become(tuned, each)

    place = ("team", "low")
    assert told(tuned) == {(*place, "cranes"): [3], (*place, "depth"): ["28 m"]}
    evidence = [
        each["history"][0]["evidence"] for each in tuned.read(only(tuned))["fields"].values()
    ]
    assert evidence == [same, depth]
    if become == ERASE:
        topics = {key: each for key, each in tuned.api.stored().items() if key.startswith("topic#")}
        assert "Dusk" not in repr(topics)


@pytest.mark.parametrize("become", MOVED.values(), ids=MOVED)
def test_a_record_that_may_not_stand_in_its_topic_moves_to_another(
    tuned: Topics, become: Callable[[Topics, str], None]
) -> None:
    record_id, before = observe(tuned), only(tuned)

    become(tuned, record_id)

    now = tuned.call("GET", f"records/{record_id}").record
    assert told(tuned) == {(now["scope"], now["sensitivity"], "cranes"): [3]}
    assert tuned.call("GET", f"topics/{before}").status == 404


@pytest.mark.parametrize(("away", "back"), BACK.values(), ids=BACK)
def test_a_record_that_comes_back_is_told_again(
    tuned: Topics, away: Callable[[Topics, str], None], back: Callable[[Topics, str], None]
) -> None:
    record_id = observe(tuned)
    away(tuned, record_id)
    gone = told(tuned)

    back(tuned, record_id)

    assert (gone, told(tuned)) == ({}, {("team", "low", "cranes"): [3]})


def test_a_topic_that_somebody_works_on_stays_without_the_record(tuned: Topics) -> None:
    record_id = observe(tuned)
    tuned.change(only(tuned), summary="A port")

    WITHDRAWN["retracted"](tuned, record_id)

    shown = tuned.read(only(tuned))
    assert (shown["title"], shown["fields"]) == ("Sines", {})
    assert tuned.kinds(shown["id"])[-1] == "withdrawn"


def archived(topics: Topics, record_id: str) -> None:
    """Later values push it into an archive; the audit event leaves the topic's head."""
    made = only(topics)
    for number in range(20):
        topics.append(made, "cranes", f"{number}")
    assert record_id in repr(topics.field(made, "cranes", archived="true"))


def deleted(topics: Topics, _: str) -> None:
    topics.delete(only(topics), name="cranes")


def promoted(topics: Topics, _: str) -> None:
    body = {"field_names": ["cranes"], "child_title": "Cranes"}
    topics.do("POST", f"topics/{only(topics)}/promote-nested", body)


def promoted_and_undone(topics: Topics, _: str) -> None:
    made = only(topics)
    body = {"field_names": ["cranes"], "child_title": "Cranes", "child_topic_id": "child"}
    topics.do("POST", f"topics/{made}/promote-nested", body)
    topics.do("POST", f"topics/{made}/undo-nested", {"child_topic_id": "child"})


def merged(topics: Topics, _: str) -> None:
    topics.make("Sines", {"depth": "28 m", "x": 1}, scope="team")
    assert len(topics.listed()) == 2
    topics.reason("team")
    assert len(topics.listed()) == 1


def merged_and_parted(topics: Topics, record_id: str) -> None:
    merged(topics, record_id)
    (alias,) = topics.read(only(topics))["absorbed"]
    topics.do("POST", f"topics/{alias}/unmerge", {})


@pytest.mark.parametrize(
    "meanwhile", [archived, deleted, promoted, promoted_and_undone, merged, merged_and_parted]
)
def test_what_an_erased_record_said_is_nowhere_wherever_it_has_gone(
    tuned: Topics, meanwhile: Callable[[Topics, str], None]
) -> None:
    record_id = observe(tuned, object=SECRET)
    tuned.wait(DAY_S)
    named = observe(tuned, predicate=f"{SECRET} plan", object="of the port")
    meanwhile(tuned, record_id)
    tuned.settle()

    for each in (record_id, named):
        ERASE(tuned, each)

    blobs = tuned.api.functions.store.blobs
    everything = [*map(repr, tuned.api.stored().values())]
    everything += [repr(blobs.get(each.name)) for each in blobs.list_blobs()]
    assert not [each for each in everything if SECRET in each]
    kept = [value for listed in told(tuned).values() for value in listed]
    assert SECRET not in kept
    if meanwhile == archived:
        assert sorted(kept) == sorted(f"{number}" for number in range(20))


CHANGES = st.lists(
    st.tuples(
        st.integers(0, 2), st.sampled_from(["erased", "deleted", "retracted", *MOVED, *BACK])
    ),
    max_size=10,
)


@settings(max_examples=examples(25))
@given(steps=CHANGES)
def test_whatever_becomes_of_records_topics_tell_what_they_say_now(
    tuned_api: Api, steps: list[tuple[int, str]]
) -> None:
    topics, number = Topics(tuned_api), next(NUMBERS)
    scopes = (f"law-{number}", f"law-{number}-other")
    acts: dict[str, tuple[str, str, Any]] = {
        "erased": ("DELETE", "?erase=true", None),
        "deleted": ("DELETE", "", None),
        "restored": ("POST", "/restore", None),
        "retracted": ("POST", "/retract", {}),
        "taken up again": ("PATCH", "", {"retracted": False}),
        "raised": ("PATCH", "", {"sensitivity": "hyper"}),
        "lowered": ("PATCH", "", {"sensitivity": "public"}),
        "to another scope": ("PATCH", "", {"scope": scopes[1]}),
    }
    subject = f"Sines {number}"
    ids = [observe(topics, object=n, scope=scopes[0], subject=subject) for n in range(3)]

    for position, step in steps:
        method, path, body = acts[step]
        topics.call(method, f"records/{ids[position]}{path}", body)
    topics.settle()

    expected: dict[tuple[str, str, str], list[Any]] = {}
    for value, record_id in enumerate(ids):
        reply = topics.call("GET", f"records/{record_id}")
        if (
            reply.status == 200
            and reply.record["payload"].get("revision", {}).get("status") != "retracted"
        ):
            place = (reply.record["scope"], reply.record["sensitivity"], "cranes")
            expected[place] = [*expected.get(place, []), value]
    assert {k: v for scope in scopes for k, v in told(topics, scope=scope).items()} == expected
