"""One topic by its id, one of its fields: as they are, as they were, and for whom."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.language.errors import InvalidArgument, NotFound, PermissionDenied
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.violations import validate
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.sizes import MAX_REPLY_BYTES, reply_bytes
from membrane.domain.topics.access import Access, Read, Signal
from membrane.domain.topics.appending import FieldWrite, append_writes
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.policy import TopicPolicy
from membrane.domain.topics.requests.editing import (
    DeleteField,
    DeleteTopic,
    NestFields,
    PromoteFields,
    SetFieldRef,
)
from membrane.domain.topics.requests.ingest import IngestTopic
from membrane.domain.topics.versions import ChangeContext, EventDraft, next_version
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.topics.placing.place_topic import ingest_topic
from tests.builders.ingesting import ingest
from tests.builders.requests import ALPHA, BETA, OWNER, call, observation, written
from tests.builders.topic_editors import ask
from tests.builders.topic_readers import field, topic, values
from tests.fakes.clock import MORNING
from tests.worlds.merged_topics import merge, unmerge
from tests.worlds.queried_topics import Asked

ALPHAS = "project:alpha"

LATER = MORNING + timedelta(days=1)


@pytest.fixture
def world() -> Asked:
    """A world of fakes."""
    return Asked()


def circumstances(world: Asked) -> ChangeContext:
    """Those of a write."""
    services = world.services
    return ChangeContext(
        now=services.now(),
        principal="owner",
        salt=services.new_salt(),
        token=services.new_id(),
        policy=services.topic_policy,
    )


def at(days: int) -> str:
    """So many days after the clocks' beginning, less a second."""
    return rfc3339(MORNING + timedelta(days=days, seconds=-1))


def test_a_topic_has_the_shape_that_memstate_gives_it(world: Asked) -> None:
    world.add("ada", "Ada", {"city": "Paris"}, summary="a pilot", topic_kind="person", salience=2)

    shown = topic(world.services, "ada")

    names = "id title summary topic_kind salience failed_salience archived fields topic_history"
    assert {name: shown[name] for name in names.split()} == {
        "id": "ada",
        "title": "Ada",
        "summary": "a pilot",
        "topic_kind": "person",
        "salience": 2.0,
        "failed_salience": 0.0,
        "archived": False,
        "fields": shown["fields"],
        "topic_history": shown["topic_history"],
    }
    assert shown["created_at"] == shown["updated_at"] == rfc3339(MORNING)
    assert [(each["kind"], each["principal"]) for each in shown["topic_history"]] == [
        ("created", "owner"),
        ("fields", "owner"),
    ]


def test_a_field_has_all_that_is_known_of_its_revisions(world: Asked) -> None:
    world.add("ada", "Ada")
    older = world.append("ada", "age", 36, field_type="int", why_changed="asked her")
    newer = world.append("ada", "age", 37)

    shown = topic(world.services, "ada")["fields"]["age"]

    assert (shown["field_type"], shown["ref_topic_id"]) == ("int", None)
    assert [each["id"] for each in shown["history"]] == [newer, older]
    assert shown["history"][1] == {
        "id": older,
        "valid_from": rfc3339(MORNING),
        "value": 36,
        "why_changed": "asked her",
        "impact_expected": None,
        "provenance": "ui",
        "operation": None,
        "recorded_at": rfc3339(MORNING),
        "principal": "owner",
        "evidence": "",
    }
    assert shown["history_length"] == 2


def test_no_more_of_a_history_is_shown_than_stays_in_the_table() -> None:
    world = Asked(TopicPolicy(max_history=3))
    world.add("ada", "Ada")
    for number in range(5):
        world.append("ada", "count", number)

    assert values(topic(world.services, "ada")["fields"]["count"]) == [4, 3, 2]
    assert values(field(world.services, "ada", "count")) == [4, 3, 2]
    assert values(field(world.services, "ada", "count", archived=True)) == [4, 3, 2, 1, 0]
    assert values(field(world.services, "ada", "count", with_history=False)) == [4]


def test_the_parts_of_a_salience_and_the_newest_reads_are_told(world: Asked) -> None:
    world.add("ada", "Ada", {"city": "Paris"})
    now_s = MORNING.timestamp()
    read = Read(now_s, "key", ("city",))
    access = Access(Signal(0.25, now_s), {"city": Signal(0.5, now_s)}, (read,))
    world.topics.keep_access("ada", Access(), access)

    shown = topic(world.services, "ada")

    assert shown["salience_parts"] == {"base": 1.0, "access": 0.25, "fields": 0.5}
    assert shown["salience"] == 1.75
    assert shown["fields"]["city"]["salience"] == 1.5
    assert shown["access_trail"] == [
        {"at": rfc3339(MORNING), "principal": "key", "fields": ["city"]}
    ]


def test_a_group_is_shown_as_one_field_that_holds_its_own(world: Asked) -> None:
    world.add("ada", "Ada", {"street": "Rue A", "city": "Paris"})
    ask(NestFields(id="ada", field_names=("street", "city"), nest_key="home"), world.services)
    world.append("ada", "home.street", "Rue B")

    shown = topic(world.services, "ada")["fields"]

    assert list(shown) == ["home"]
    (made,) = shown["home"]["history"]
    assert made["operation"] == "nested_fields_in_topic"
    assert made["value"]["_memstate_nested"] is True
    assert values(made["value"]["fields"]["street"]) == ["Rue B", "Rue A"]
    assert field(world.services, "ada", "home") == shown["home"]
    assert values(field(world.services, "ada", "home.street")) == ["Rue B", "Rue A"]


def test_an_alias_leads_to_the_topic_that_it_was_merged_into(world: Asked) -> None:
    world.add("rich", "Ada", {"city": "Paris"})
    world.add("poor", "ADA", {"pet": "a cat"})
    world.add("flight", "Flight")
    ask(SetFieldRef(id="flight", name="pilot", ref_topic_id="poor"), world.services)
    merge(world.services, "rich", "poor")

    shown = topic(world.services, "poor")

    assert (shown["id"], shown["asked_id"], shown["absorbed"]) == ("rich", "poor", ["poor"])
    assert list(shown["fields"]) == ["city", "pet"]
    assert "asked_id" not in topic(world.services, "rich")
    assert topic(world.services, "flight")["fields"]["pilot"]["ref_topic_id"] == "rich"


def test_a_reference_to_what_may_not_be_seen_is_none(world: Asked) -> None:
    world.add("secret", "Secret", scope="project:beta")
    world.add("ada", "Ada", scope="project:alpha")
    ask(SetFieldRef(id="ada", name="boss", ref_topic_id="secret"), world.services)

    assert field(world.services, "ada", "boss", ALPHA)["ref_topic_id"] is None
    assert field(world.services, "ada", "boss")["ref_topic_id"] == "secret"


def test_a_field_without_a_value_is_shown_with_an_empty_history(world: Asked) -> None:
    world.add("ada", "Ada")
    ask(SetFieldRef(id="ada", name="self", ref_topic_id="ada"), world.services)

    assert field(world.services, "ada", "self")["history"] == []
    assert topic(world.services, "ada")["fields"]["self"]["history"] == []


# --- for whom ------------------------------------------------------------------------------------


def test_what_is_absent_deleted_or_hidden_is_not_found(world: Asked) -> None:
    world.add("hidden", "Hidden", {"a": 1}, scope="project:alpha", sensitivity="high")
    world.add("deleted", "Deleted", {"a": 1}, scope="project:alpha")
    ask(DeleteTopic(id="deleted"), world.services)

    for topic_id in ("nobody", "hidden", "deleted", "no/id", ""):
        with pytest.raises(NotFound) as refused:
            topic(world.services, topic_id, ALPHA)
        assert str(refused.value) == "topic not found"
        with pytest.raises(NotFound) as refused:
            field(world.services, topic_id, "a", ALPHA)
        assert str(refused.value) == "field not found"
    assert topic(world.services, "hidden", OWNER)["title"] == "Hidden"


def test_a_request_narrows_the_trust_of_its_key(world: Asked) -> None:
    world.add("ada", "Ada", {"a": 1}, scope="project:alpha", sensitivity="medium")

    assert topic(world.services, "ada", trust={"scopes": ["project:alpha"]})["id"] == "ada"
    for trust in ({"max_sensitivity": "low"}, {"scopes": ["project:beta"]}):
        with pytest.raises(PermissionDenied, match="access denied by trust context"):
            topic(world.services, "ada", trust=trust)
        with pytest.raises(PermissionDenied, match="access denied by trust context"):
            field(world.services, "ada", "a", trust=trust)
    for trust in ({"scopes": ["project:alpha"]}, {"max_sensitivity": "low"}):
        with pytest.raises(NotFound):
            topic(world.services, "ada", BETA, trust=trust)


def test_a_field_that_is_not_there_is_not_found(world: Asked) -> None:
    world.add("ada", "Ada", {"city": "Paris", "pet": "a cat"})
    ask(DeleteField(id="ada", name="pet"), world.services)

    for name in ("pet", "country", "", "cit"):
        with pytest.raises(NotFound, match="field not found"):
            field(world.services, "ada", name)


def told_of_others(world: Asked) -> None:
    """A topic whose trail names others in every way."""
    for topic_id in ("ada", "other"):
        world.add(topic_id, topic_id.title(), {"plan": "p"}, scope=ALPHAS)
    world.relate("ada", "funds", "other")
    ask(SetFieldRef(id="ada", name="boss", ref_topic_id="other"), world.services)
    edges: JsonObject = {"placement": "extend_topic", "topic_id": "ada"}
    edges |= {"edges": [{"to_topic_id": "other", "kind": "trusts"}]}
    request = validate(IngestTopic, edges)
    ingest_topic(request, call(request, OWNER), world.services)
    merge(world.services, "ada", "other")
    unmerge(world.services, "other")
    asked = {"id": "ada", "field_names": ["plan"], "child_topic_id": "child", "child_title": "C"}
    asked |= {"parent_link_field": "link", "relationship_kind": "hides"}
    ask(validate(PromoteFields, asked), world.services)


def details(world: Asked, principal: Principal) -> dict[str, JsonObject]:
    """By kind the detail of the last event."""
    trail = topic(world.services, "ada", principal)["topic_history"]
    return {each["kind"]: each["detail"] for each in trail}


def test_a_trail_names_no_topic_that_may_not_be_seen(world: Asked) -> None:
    told_of_others(world)
    before = details(world, ALPHA)
    for topic_id in ("other", "child"):
        world.change(topic_id, sensitivity="hyper")

    told = details(world, ALPHA)

    assert told.keys().isdisjoint({"edge_added", "ref"})
    assert told["merged"] == told["unmerged"] == {"topic_id": None}
    assert told["nested_topic_promoted"] == {"child_topic_id": None, "moved_fields": ["plan"]}
    assert before["edge_added"] == {"edges": [{"to_topic_id": "other", "kind": "trusts"}]}
    assert before["nested_topic_promoted"]["child_topic_id"] == "child"
    assert details(world, OWNER) == before
    shown = compact_json(topic(world.services, "ada", ALPHA))
    assert not any(word in shown for word in ("other", 'child"', "funds", "trusts", "hides"))


def test_links_to_hidden_topics_do_not_cut_the_trail(
    world: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    for topic_id in ("ada", "other"):
        world.add(topic_id, topic_id.title(), {"plan": "p"}, scope=ALPHAS)
    for number in range(8):
        world.relate("ada", f"funds {number}", "other")
    world.change("other", sensitivity="hyper")
    monkeypatch.setattr("membrane.usecases.topics.reading.read_topic.MAX_TRAIL_BYTES", 600)

    of_reader, of_owner = (topic(world.services, "ada", each) for each in (ALPHA, OWNER))

    assert [each["kind"] for each in of_reader["topic_history"]] == ["created", "fields"]
    assert "topic_history_cut" not in of_reader
    assert of_owner["topic_history_cut"] is True


def test_a_reason_names_no_topic_that_may_not_be_seen(world: Asked) -> None:
    told_of_others(world)
    why = "promoted fields to nested topic child"

    def reasons(principal: Principal) -> list[str | None]:
        (asked,) = world.one("", principal, topic_ids=["ada"], field_names=["link"])["fields"]
        read = field(world.services, "ada", "link", principal)["history"]
        return [asked["current"]["why_changed"], read[0]["why_changed"]]

    assert reasons(ALPHA) == [why, why]
    world.change("child", sensitivity="hyper")
    assert (reasons(ALPHA), reasons(OWNER)) == ([None, None], [why, why])


def test_a_record_is_named_as_evidence_where_it_may_be_seen(world: Asked) -> None:
    asked = observation(scope=ALPHAS, sensitivity="high")
    record = written(ingest(asked, call(asked), world.services))
    world.add("ada", "Ada", {"n": 1}, scope=ALPHAS)
    for record_id in (record.id, "gone"):
        context = circumstances(world)
        before = world.standing("ada")
        added = append_writes(before, [FieldWrite(name="n", value=2, evidence=record_id)], context)
        draft = EventDraft(EventKind.FIELDS, {"fields": ["n"]})
        after = next_version(before, draft, context=context, fields=added.fields)
        world.topics.commit(TopicChange(topics=[(before, after)], revisions=added.revisions))

    def evidence(principal: Principal) -> list[str]:
        shown = topic(world.services, "ada", principal)["fields"]["n"]
        assert field(world.services, "ada", "n", principal)["history"] == shown["history"]
        return [each["evidence"] for each in shown["history"]]

    low = principal_of("low", Permission, [ALPHAS], "low")
    assert evidence(OWNER) == ["", record.id, ""]
    assert evidence(low) == ["", "", ""]


# --- as of an instant ----------------------------------------------------------------------------


def moved(world: Asked) -> None:
    """Ada lives in one city after the other, a day each; she has a cat on the second one."""
    world.add("ada", "Ada", {"city": "Paris"})
    for city in ("Rome", "Oslo"):
        world.clock.advance(days=1)
        world.append("ada", "city", city)
        if city == "Rome":
            world.append("ada", "pet", "a cat")
    ask(DeleteField(id="ada", name="pet"), world.services)
    world.clock.advance(days=1)


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (1, {"city": ["Paris"]}),
        (2, {"city": ["Rome", "Paris"], "pet": ["a cat"]}),
        (3, {"city": ["Oslo", "Rome", "Paris"]}),
    ],
)
def test_a_topic_is_read_as_it_was(world: Asked, days: int, expected: dict[str, list[Any]]) -> None:
    moved(world)

    shown = topic(world.services, "ada", as_of=at(days))

    assert {name: values(each) for name, each in shown["fields"].items()} == expected
    for name, history in expected.items():
        assert values(field(world.services, "ada", name, as_of=at(days))) == history
        alone = field(world.services, "ada", name, as_of=at(days), with_history=False)
        assert values(alone) == history[:1]


def test_of_its_trail_only_what_had_happened_is_told(world: Asked) -> None:
    moved(world)

    kinds = [
        [each["kind"] for each in topic(world.services, "ada", as_of=at(days))["topic_history"]]
        for days in (1, 2)
    ]

    assert kinds == [["created", "fields"], ["created", "fields", "fields", "fields"]]


def test_before_it_was_there_nothing_is_found(world: Asked) -> None:
    moved(world)

    with pytest.raises(NotFound, match="topic not found"):
        topic(world.services, "ada", as_of=at(0))
    with pytest.raises(NotFound, match="field not found"):
        field(world.services, "ada", "city", as_of=at(0))
    with pytest.raises(NotFound, match="field not found"):
        field(world.services, "ada", "pet", as_of=at(1))
    with pytest.raises(NotFound, match="field not found"):
        field(world.services, "ada", "pet", as_of=at(3))


def test_what_was_told_late_of_an_earlier_time_counts(world: Asked) -> None:
    world.add("ada", "Ada")
    world.append("ada", "city", "Lyon", valid_from="2020-01-01T00:00:00Z")

    shown = topic(world.services, "ada", as_of="2021-01-01T00:00:00Z")

    assert values(shown["fields"]["city"]) == ["Lyon"]


def test_nobody_reads_what_is_yet_to_come(world: Asked) -> None:
    world.add("ada", "Ada", {"city": "Paris"})

    with pytest.raises(InvalidArgument, match="as_of lies in the future"):
        topic(world.services, "ada", as_of=rfc3339(LATER))
    with pytest.raises(InvalidArgument, match="as_of lies in the future"):
        field(world.services, "ada", "city", as_of=rfc3339(LATER))


def test_a_value_of_then_comes_with_its_own_reference(world: Asked) -> None:
    for topic_id in ("bob", "eve", "ada"):
        world.add(topic_id, topic_id.title())
    for boss in ("bob", "eve"):
        world.append("ada", "boss", boss.title(), ref_topic_id=boss)
        world.clock.advance(days=1)
    world.append("ada", "boss", "Eve herself")

    then = [field(world.services, "ada", "boss", as_of=at(days)) for days in (1, 2)]
    now = field(world.services, "ada", "boss")

    assert [(values(each)[0], each["ref_topic_id"]) for each in (*then, now)] == [
        ("Bob", "bob"),
        ("Eve", "eve"),
        ("Eve herself", "eve"),
    ]


def test_no_more_histories_are_read_than_one_request_may(
    world: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("membrane.usecases.topics.histories.MOST_HISTORIES", 3)
    world.add("ada", "Ada")
    for value in (1, 2):
        for number in range(5):
            world.append("ada", f"f{number}", value)
        world.clock.advance(days=1)

    now = topic(world.services, "ada")
    then = topic(world.services, "ada", as_of=at(1))

    assert [values(each) for each in now["fields"].values()] == [[2, 1]] * 3 + [[2]] * 2
    assert {each["history_length"] for each in now["fields"].values()} == {2}
    assert "fields_cut" not in now
    assert [values(each) for each in then["fields"].values()] == [[1]] * 3
    assert then["fields_cut"] is True


# --- what a reply has room for -------------------------------------------------------------------

LONG = "x" * 100_000


def test_of_long_histories_the_newest_is_shown_of_each_field(world: Asked) -> None:
    world.add("ada", "Ada")
    for number in range(40):
        for name in ("a", "b"):
            world.append("ada", name, f"{number} {LONG}")

    shown = topic(world.services, "ada")

    assert reply_bytes(shown) < MAX_REPLY_BYTES
    assert all(each["history_length"] == 40 for each in shown["fields"].values())
    assert all(values(each)[0].startswith("39 ") for each in shown["fields"].values())
    assert len(values(shown["fields"]["a"])) > len(values(shown["fields"]["b"])) > 0


def test_of_a_topic_that_is_larger_than_a_reply_every_field_is_named(world: Asked) -> None:
    world.add("ada", "Ada")
    quotes = '"' * 50_000
    for number in range(38):
        world.append("ada", f"field {number:02}", quotes)

    shown = topic(world.services, "ada")

    assert reply_bytes(shown) < MAX_REPLY_BYTES
    assert len(shown["fields"]) == 38
    assert values(shown["fields"]["field 00"]) == [quotes]
    assert values(shown["fields"]["field 37"]) == []
    assert values(field(world.services, "ada", "field 37")) == [quotes]


def test_of_a_long_trail_the_newest_is_shown(world: Asked) -> None:
    world.add("ada", "Ada", {"city": "Paris"})
    first, last = world.topics.trails["ada"]
    trail = (first, *[last] * 12_000)
    world.topics.trails["ada"] = trail
    world.topics.topics["ada"] = replace(world.topics.topics["ada"], events=len(trail))

    shown = topic(world.services, "ada")

    assert shown["topic_history_cut"] is True
    assert {each["kind"] for each in shown["topic_history"]} == {"fields"}
    assert 1_000 < len(shown["topic_history"]) < 12_000
    assert reply_bytes(shown) < MAX_REPLY_BYTES


def test_a_principal_of_a_low_ceiling_reads_what_is_low(world: Asked) -> None:
    low = principal_of("low", Permission, ["*"], "low")
    world.add("ada", "Ada", sensitivity="low")

    assert topic(world.services, "ada", low)["sensitivity"] == "low"
