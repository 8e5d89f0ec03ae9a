"""A capture stores evidence, the entities that it names first, the stated fact, and links."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.access.principals import principal_of
from membrane.domain.entities.requests import ReadEntity
from membrane.domain.language.errors import (
    AlreadyExists,
    InvalidArgument,
    PermissionDenied,
)
from membrane.domain.language.json_text import Body
from membrane.domain.language.vocabulary import ConflictPolicy, Permission
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.records import as_json
from membrane.domain.records.states import is_retracted
from membrane.domain.revision.requests import Retract, Supersede
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.usecases.capture.draft_capture import MAX_CHANGED_FACTS
from membrane.usecases.capture.new_entities import MAX_NEW_ALIASES
from membrane.usecases.entities.read_entity import read_entity
from membrane.usecases.ports.services import Services
from tests.builders.captures import capture, captured
from tests.builders.entities import add_entity, entity_payload
from tests.builders.ingesting import ingest
from tests.builders.requests import call, change, event, observation, refused, standing, written
from tests.fakes.clock import FakeClock
from tests.worlds.memory import make_reading_services, make_services
from tests.worlds.memory_table import TableRecords

INGESTER = principal_of("ingester", [Permission.INGEST], ["project:alpha"], "low")


@pytest.fixture
def records() -> TableRecords:
    """The store."""
    return TableRecords(FakeClock())


@pytest.fixture
def services(records: TableRecords) -> Services:
    """An empty memory."""
    return make_services(records=records, now=records.now)


def mentions(body: Body) -> Sequence[Body]:
    found: Sequence[Body] = body["primary_record"]["interpretation"].get("mentions", [])
    return found


def entity_ids(body: Body) -> dict[str, str | None]:
    """The entity of each surface."""
    return {each["surface"]: each.get("canonical_entity_id") for each in mentions(body)}


def edges(body: Body) -> set[tuple[str, str, str]]:
    return {(each["source_id"], each["predicate"], each["target_id"]) for each in body["edges"]}


# --- the evidence --------------------------------------------------------------------------------


def test_an_event_keeps_content_context_and_reason(services: Services) -> None:
    content = {"ref": "evt-1", "text": "Remember Orchid", "project": "Orchid"}

    body = captured(
        content, services, context={"thread_id": "t"}, summary="Orchid", reason_to_remember="jargon"
    )

    primary = body["primary_record"]
    assert primary["type"] == "episodic"
    assert primary["payload"]["timeline"][0]["ref"] == "evt-1"
    assert primary["payload"]["timeline"][0]["summary"] == "Orchid"
    assert primary["payload"]["environment"]["context"] == {
        "capture_content": content,
        "capture_context": {"thread_id": "t"},
        "reason_to_remember": "jargon",
    }


def test_a_tool_output_keeps_its_result_once(services: Services) -> None:
    content = {"tool_name": "grep", "args": {"p": 1}, "result": "3 hits", "note": "quick"}

    body = captured(content, services, source_kind="tool_output")

    payload = body["primary_record"]["payload"]
    assert payload["tool_graph"][0]["result"] == "3 hits"
    context = payload["environment"]["context"]
    assert context["capture_content"] == {"tool_name": "grep", "note": "quick"}
    assert mentions(body)[0]["entity_kind"] == "tool"


STATE = {"thread_id": "t", "state": "blocked", "next_actions": ["ask Ana"], "summary": "Waiting"}


def test_a_working_state_keeps_what_its_fields_lack(services: Services) -> None:
    content = {**STATE, "project": "Orchid", "blockers": [{"ticket": 7}]}

    body = captured(
        content,
        services,
        source_kind="working_state",
        context={"host": "a9"},
        summary="Ana decides",
        reason_to_remember="she was away",
    )

    payload = body["primary_record"]["payload"]
    assert payload["context_summary"] == "Ana decides"
    assert payload["environment"]["context"] == {
        "capture_content": {
            "summary": "Waiting",
            "project": "Orchid",
            "blockers": [{"ticket": 7}],
        },
        "capture_context": {"host": "a9"},
        "reason_to_remember": "she was away",
    }


@pytest.mark.parametrize(
    ("fields", "context"),
    [
        ({"thread": "other"}, None),
        ({"thread_id": 7, "thread": "t"}, None),
        ({"context_summary": 7}, None),
        ({}, {"host": "a9"}),
        ({}, ["a9"]),
        ({}, False),
    ],
)
def test_a_working_state_loses_no_field_and_no_context(
    services: Services, fields: dict[str, Any], context: Any
) -> None:
    body = captured({**STATE, **fields}, services, source_kind="working_state", context=context)

    payload = body["primary_record"]["payload"]
    lacking = {name: each for name, each in fields.items() if each != payload["thread_id"]}
    kept = payload["environment"]["context"]
    assert (kept["capture_content"], kept["capture_context"]) == (lacking, context)


@pytest.mark.parametrize("reason", ["", "Waiting"])
def test_a_working_state_within_its_fields_has_no_environment(
    services: Services, reason: str
) -> None:
    body = captured(STATE, services, source_kind="working_state", reason_to_remember=reason)

    assert "environment" not in body["primary_record"]["payload"]


def test_a_working_state_is_checked_like_one_that_is_ingested(
    services: Services, records: TableRecords
) -> None:
    with refused(records, InvalidArgument, "state must be one of: planning"):
        capture({"thread_id": "t", "state": "nonsense"}, services, source_kind="working_state")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"content": None}, "content is required for captures"),
        ({"content": {"a": 1}, "source": ""}, "candidate source is required"),
        ({"content": "x", "source_kind": "working_state"}, "content must be an object"),
        ({"content": {}, "source_kind": "tool_output"}, "tool name is required"),
        (
            {"content": {"subject": "s", "predicate": "p", "object": {"$upload": "u"}}},
            "content.object must be in place",
        ),
    ],
)
def test_bad_input_leaves_nothing(
    services: Services, records: TableRecords, fields: dict[str, Any], words: str
) -> None:
    with refused(records, InvalidArgument, words):
        capture(fields.pop("content"), services, **fields)


# --- entities ------------------------------------------------------------------------------------


def test_a_new_name_becomes_an_entity_with_scope_and_sensitivity(services: Services) -> None:
    body = captured({"text": "x", "project": "Orchid"}, services, sensitivity="medium")

    (entity,) = body["created_records"]
    assert entity["payload"]["canonical_name"] == "Orchid"
    assert list(entity["payload"]["types"]) == ["Project"]
    assert (entity["scope"], entity["sensitivity"]) == ("project:alpha", "medium")
    assert (
        entity["audit_log"][0]["rationale"] == "Created canonical entity during capture resolution"
    )
    primary_id = body["primary_record"]["id"]
    assert edges(body) == {
        (primary_id, "mentions_entity", entity["id"]),
        (entity["id"], "mentioned_in", primary_id),
    }
    assert body["primary_record"]["interpretation"]["status"] == "resolved"


def test_a_known_name_leads_to_the_entity(services: Services) -> None:
    bob = add_entity("Robert Miller", services, payload={"aliases": ["Bob"]})

    body = captured("yesterday bob's laptop broke, ROBERT  Miller is away", services)

    assert entity_ids(body) == {"bob": bob.id, "ROBERT  Miller": bob.id}
    assert body["created_records"] == []
    assert [each["target_id"] for each in body["primary_record"]["relations"]] == [bob.id]


def test_the_longest_name_counts(services: Services) -> None:
    add_entity("Orion", services)
    belt = add_entity("Orion Belt", services)

    body = captured("the Orion Belt deploy", services)

    assert entity_ids(body) == {"Orion Belt": belt.id}


def test_names_end_at_word_borders(services: Services) -> None:
    add_entity("Ann", services)

    assert entity_ids(captured("Annual planning is annoying", services)) == {}


def test_the_scope_comes_before_the_unscoped_and_low_before_high(services: Services) -> None:
    unscoped = add_entity("Bob", services, scope="")
    assert entity_ids(captured("Bob", services)) == {"Bob": unscoped.id}
    high = add_entity("Bob", services, sensitivity="high")
    assert entity_ids(captured("Bob", services, sensitivity="high")) == {"Bob": high.id}
    low = add_entity("Bob", services)

    assert entity_ids(captured("Bob", services, sensitivity="high")) == {"Bob": low.id}


def test_a_hidden_entity_neither_shows_nor_hinders(services: Services) -> None:
    hidden = add_entity("Orchid", services, sensitivity="high")
    other = add_entity("Orchid", services, scope="project:beta")

    body = captured({"project": "Orchid", "text": "Orchid"}, services)

    (entity,) = body["created_records"]
    assert entity_ids(body) == {"Orchid": entity["id"]}
    assert entity["id"] not in (hidden.id, other.id)


def test_a_deleted_entity_makes_room_for_another(services: Services) -> None:
    gone = add_entity("Orchid", services)
    change(DeleteRecord(id=gone.id), services)

    body = captured({"project": "Orchid"}, services)

    assert entity_ids(body)["Orchid"] not in (None, gone.id)
    assert entity_ids(captured("about Orchid", services)) == entity_ids(body)


def test_text_about_a_deleted_entity_mentions_nothing(services: Services) -> None:
    gone = add_entity("Orchid", services)
    change(DeleteRecord(id=gone.id), services)

    assert entity_ids(captured("about Orchid", services)) == {}


def test_a_retracted_longer_name_leaves_the_shorter_name_its_place(services: Services) -> None:
    falcon = add_entity("Project Falcon", services)
    delta = add_entity("Project Falcon Delta", services)
    change(Retract(id=delta.id, rationale="cancelled"), services)

    body = captured("the Project Falcon Delta review", services)

    assert entity_ids(body) == {"Project Falcon": falcon.id}


def test_a_longer_name_that_leads_out_of_sight_leaves_the_shorter_name_its_place(
    services: Services,
) -> None:
    falcon = add_entity("Project Falcon", services)
    delta = add_entity("Project Falcon Delta", services)
    hidden = {
        "type": "entity",
        "sensitivity": "high",
        "scope": "project:alpha",
        "payload": entity_payload("Project Osprey"),
    }
    change(Supersede.model_validate({"id": delta.id, "new_record": hidden}), services)

    body = captured("the Project Falcon Delta review", services)

    assert entity_ids(body) == {"Project Falcon": falcon.id}


def test_a_hidden_longer_name_leaves_the_shorter_name_its_place(services: Services) -> None:
    falcon = add_entity("Project Falcon", services)
    add_entity("Project Falcon Delta", services, sensitivity="high")

    body = captured("the Project Falcon Delta review", services)

    assert entity_ids(body) == {"Project Falcon": falcon.id}


def test_an_entity_within_a_longer_name_is_not_used_again(
    services: Services, records: TableRecords
) -> None:
    falcon = add_entity("Project Falcon", services)
    add_entity("Project Falcon Delta", services)
    _advance(records, days=20)

    captured("the Project Falcon Delta review", services)

    entries = standing(falcon.id, records).record.audit_log
    assert [each.action for each in entries] == ["create"]


def test_a_capture_changes_no_name_of_an_entity(services: Services, records: TableRecords) -> None:
    bob = add_entity("Bob", services)
    before = standing(bob.id, records)

    capture({"person": "Bob", "user": "BOB"}, services, INGESTER)

    assert standing(bob.id, records) == before


def test_a_mention_keeps_an_entity_from_fading_once_a_day(
    services: Services, records: TableRecords
) -> None:
    bob = add_entity("Bob", services)
    _advance(records, days=20)

    for _ in range(3):
        capture("Bob again", services)

    entries = standing(bob.id, records).record.audit_log
    assert [each.action for each in entries] == ["create", "reinforce"]


def test_a_mention_changes_no_entity_that_the_key_may_not_write(
    services: Services, records: TableRecords
) -> None:
    bob = add_entity("Bob", services, scope="")
    _advance(records, days=20)

    body = capture("Bob again", services, INGESTER).body

    assert entity_ids(body) == {"Bob": bob.id}
    assert [each.action for each in standing(bob.id, records).record.audit_log] == ["create"]


def test_every_name_of_a_new_entity_leads_to_it(services: Services) -> None:
    first = captured({"text": "see https://github.com/acme/payments"}, services)
    later = captured({"repository": "acme/payments"}, services)

    (entity,) = first["created_records"]
    assert list(entity["payload"]["aliases"]) == ["acme/payments"]
    assert entity_ids(later) == {"acme/payments": entity["id"]}
    assert later["created_records"] == []


def test_a_capture_keeps_few_aliases(services: Services) -> None:
    text = " ".join(f"https://github.com/acme/shop{number}" for number in range(9))

    body = captured({"text": text}, services)

    aliases = [each["payload"].get("aliases", []) for each in body["created_records"]]
    assert [len(each) for each in aliases] == [1] * MAX_NEW_ALIASES + [0] * (9 - MAX_NEW_ALIASES)


def test_identical_captures_share_the_entity(services: Services) -> None:
    first, second = (captured({"project": "Orchid"}, services) for _ in range(2))

    assert entity_ids(first) == entity_ids(second)
    assert second["created_records"] == []


def test_tickets_of_two_repositories_with_one_number_are_two_entities(services: Services) -> None:
    bodies = [captured(f"PR #12 of {each} is open", services) for each in ("acme/mill", "acme/web")]
    later = captured("see acme/web#12", services)

    mill, web = (entity_ids(each) for each in bodies)
    assert list(mill) == ["acme/mill#12"]
    assert mill["acme/mill#12"] != web["acme/web#12"]
    assert entity_ids(later) == web


def test_the_bare_number_of_a_ticket_makes_no_entity_and_finds_a_known_one(
    services: Services,
) -> None:
    first = captured("PR #12 is open", services)
    known = add_entity("#12", services)
    later = captured("PR #12 is open", services)
    qualified = captured("PR #12 of acme/mill is open", services)

    assert entity_ids(first) == {"#12": None}
    assert first["primary_record"]["interpretation"]["status"] == "tentative"
    assert entity_ids(later) == {"#12": known.id}
    assert list(entity_ids(qualified)) == ["acme/mill#12"]


# --- references ----------------------------------------------------------------------------------


def test_references_lead_to_records_by_id_and_by_ref(services: Services) -> None:
    report = event(ref="build:7", scope="project:alpha")
    build = written(ingest(report, call(report), services))

    body = captured({"text": "see", "refs": ["build:7", build.id, "unknown:1"]}, services)

    interpretation = body["primary_record"]["interpretation"]
    found = [each.get("target_record_id") for each in interpretation["reference_candidates"]]
    assert found == [build.id, build.id, None]
    assert interpretation["status"] == "tentative"
    (relation,) = body["primary_record"]["relations"]
    assert (relation["predicate"], relation["target_id"]) == ("references_record", build.id)


def test_a_ref_of_its_own_is_resolved_without_an_edge(services: Services) -> None:
    body = captured({"ref": "evt-1", "text": "x"}, services)

    (reference,) = body["primary_record"]["interpretation"]["reference_candidates"]
    assert reference["target_record_id"] == body["primary_record"]["id"]
    assert body["edges"] == []


def test_a_record_out_of_sight_is_not_referred_to(services: Services) -> None:
    for fields in ({"scope": "project:beta"}, {"scope": "project:alpha", "sensitivity": "high"}):
        report = event(ref="build:7", **fields)
        ingest(report, call(report), services)

    body = captured({"source_ref": "build:7"}, services)

    (reference,) = body["primary_record"]["interpretation"]["reference_candidates"]
    assert not reference.get("resolved")


# --- facts ---------------------------------------------------------------------------------------

OWNS = {"subject": "Orchid", "predicate": "owned_by", "object": "Team Lumo"}


def fact(body: Body) -> Body:
    (found,) = [each for each in body["created_records"] if each["type"] == "semantic"]
    return dict(found)


def test_an_observation_derives_a_fact_with_evidence_and_links(services: Services) -> None:
    lumo = add_entity("Lumo", services, payload={"aliases": ["Team Lumo"]})

    body = captured(OWNS, services, source_kind="observation")

    primary_id, derived = body["primary_record"]["id"], fact(body)
    orchid = body["created_records"][0]["id"]
    assert derived["payload"]["subject"] == "Orchid"
    assert derived["payload"]["object"] == "Lumo"
    assert [each["source_id"] for each in derived["payload"]["evidence"]] == [primary_id]
    assert {(primary_id, "derived_semantic", derived["id"])} < edges(body)
    assert (derived["id"], "subject_entity", orchid) in edges(body)
    assert (derived["id"], "object_entity", lumo.id) in edges(body)
    assert len(body["edges"]) == 10


def test_identical_observations_make_one_fact_with_two_pieces_of_evidence(
    services: Services, records: TableRecords
) -> None:
    first = captured(OWNS, services, source_kind="observation")
    second = captured(OWNS, services, source_kind="observation")

    assert second["created_records"] == []
    known = standing(fact(first)["id"], records).record
    sources = [each["source_id"] for each in as_json(known)["payload"]["evidence"]]
    assert sources == [first["primary_record"]["id"], second["primary_record"]["id"]]
    assert (second["primary_record"]["id"], "derived_semantic", known.id) in edges(second)


def test_a_repeat_links_a_fact_that_is_older_than_the_entity_of_the_object(
    services: Services, records: TableRecords
) -> None:
    owned = {"subject": "box", "predicate": "owned_by", "object": "zelda"}
    known = fact(captured(owned, services, source_kind="observation"))["id"]
    zelda = captured({"person": "zelda"}, services)["created_records"][0]["id"]

    for _ in range(2):
        captured(owned, services, source_kind="observation")

    relations = standing(known, records).record.relations
    assert [each.predicate for each in relations] == ["subject_entity", "object_entity"]
    assert relations[1].target_id == zelda
    page = ReadEntity(id=zelda)
    body = read_entity(
        page, call(page), make_reading_services(records=records, now=records.now)
    ).body
    assert [each["record"]["id"] for each in body["facts"]] == [known]


def test_a_capture_links_a_fact_that_was_observed_before(
    services: Services, records: TableRecords
) -> None:
    seen = observation(**OWNS, scope="project:alpha", sensitivity="low")
    known = written(ingest(seen, call(seen), services))

    body = captured(OWNS, services, source_kind="observation")

    (orchid,) = body["created_records"]
    relations = standing(known.id, records).record.relations
    assert [(each.predicate, each.target_id) for each in relations] == [
        ("subject_entity", orchid["id"])
    ]


def test_a_contradiction_follows_the_conflict_policy() -> None:
    policy = PolicyDefaults(conflicts={"owned_by": ConflictPolicy.REPLACE})
    records = TableRecords(FakeClock(), policy)
    services = make_services(records=records, now=records.now, policy=policy)
    first = fact(captured(OWNS, services, source_kind="observation"))

    second = fact(captured({**OWNS, "object": "Team Orca"}, services, source_kind="observation"))

    assert second["payload"]["revision"]["supersedes"] == first["id"]
    assert standing(first["id"], records).record.salience == 0.0


def test_a_capture_meets_what_was_observed_under_an_alias() -> None:
    policy = PolicyDefaults(conflicts={"host": ConflictPolicy.REPLACE})
    records = TableRecords(FakeClock(), policy)
    services = make_services(records=records, now=records.now, policy=policy)
    add_entity("Payments", services, payload={"aliases": ["pay-svc"]})

    def hosted(host: str) -> dict[str, str]:
        return {"subject": "pay-svc", "predicate": "host", "object": host}

    seen = observation(**hosted("x1"), scope="project:alpha")
    observed = written(ingest(seen, call(seen), services))

    again = captured(hosted("x1"), services, source_kind="observation")
    other = fact(captured(hosted("x2"), services, source_kind="observation"))

    assert again["created_records"] == []
    assert other["payload"]["subject"] == "Payments"
    assert other["payload"]["revision"]["supersedes"] == observed.id


def test_a_capture_supersedes_more_facts_than_its_transaction_changes() -> None:
    records = TableRecords(FakeClock())
    services = make_services(records=records, now=records.now)
    several = list[str]()
    for number in range(MAX_CHANGED_FACTS + 2):
        seen = observation(subject="many", predicate="host", object=number, scope="project:alpha")
        several.append(written(ingest(seen, call(seen), services)).id)
    policy = PolicyDefaults(conflicts={"host": ConflictPolicy.REPLACE})
    services = make_services(records=records, now=records.now, policy=policy)

    stated = {"subject": "many", "predicate": "host", "object": "new"}
    body = captured(stated, services, source_kind="observation")

    assert all(is_retracted(standing(each, records).record.payload) for each in several)
    assert fact(body)["payload"]["object"] == "new"


def test_a_capture_meets_an_object_observed_under_an_alias(services: Services) -> None:
    add_entity("Payments", services, payload={"aliases": ["pay-svc"]})
    runs = {"subject": "x1", "predicate": "runs", "object": "pay-svc"}
    seen = observation(**runs, scope="project:alpha", sensitivity="low")
    ingest(seen, call(seen), services)

    body = captured(runs, services, source_kind="observation")

    assert [each["type"] for each in body["created_records"]] == ["entity"]


def test_an_event_states_no_fact_unless_asked(services: Services) -> None:
    assert [each["type"] for each in captured(OWNS, services)["created_records"]] == ["entity"]
    proposed = captured({**OWNS, "subject": "Iris"}, services, proposed_type="semantic")
    assert [each["type"] for each in proposed["created_records"]] == ["entity", "semantic"]


# --- once ----------------------------------------------------------------------------------------


def test_a_repeat_shows_what_is_stored(services: Services, records: TableRecords) -> None:
    first = capture(OWNS, services, key="k", source_kind="observation")
    stored = records.everything()

    second = capture(OWNS, services, key="k", source_kind="observation")

    assert second.replayed
    assert second.body == first.body
    assert records.everything() == stored
    with pytest.raises(AlreadyExists):
        capture({**OWNS, "object": "x"}, services, key="k", source_kind="observation")


def test_a_repeat_for_a_deleted_capture_shows_what_is_left(services: Services) -> None:
    first = capture("x", services, key="k").body["primary_record"]["id"]
    change(DeleteRecord(id=first), services)

    again = capture("x", services, key="k")

    assert again.replayed
    assert again.body["primary_record"]["id"] == first
    assert "deleted_at" in again.body["primary_record"]


# --- rights --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fields",
    [
        {"scope": "project:beta"},
        {"sensitivity": "high"},
        {"lifecycle": {"pinned": True}},
    ],
)
def test_a_capture_stays_within_the_rights_of_the_key(
    services: Services, records: TableRecords, fields: dict[str, Any]
) -> None:
    with refused(records, PermissionDenied):
        capture("x", services, INGESTER, **fields)


@given(st.lists(st.sampled_from(["low", "medium", "high"]), min_size=1, max_size=4))
def test_all_that_a_capture_makes_is_as_confidential_as_the_capture(levels: list[str]) -> None:
    services = make_services()

    for level in levels:
        body = captured(OWNS, services, source_kind="observation", sensitivity=level)
        made = [body["primary_record"], *body["created_records"]]
        assert {each["sensitivity"] for each in made} == {level}


def _advance(records: TableRecords, **time: float) -> None:
    assert isinstance(records.now, FakeClock)
    records.now.advance(seconds=timedelta(**time).total_seconds())
