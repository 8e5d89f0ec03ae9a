"""Captures of hostile or very much content: stored whole, and read in bounded steps."""

from collections.abc import Mapping
from typing import Any

import pytest

from membrane.domain.entities.canonical import MAX_TERMS
from membrane.domain.entities.known_names import known_spans
from membrane.domain.entities.surfaces import MAX_MENTIONS
from membrane.domain.language.json_text import Body
from membrane.domain.language.names import MAX_NAME_CHARACTERS
from membrane.domain.language.vocabulary import ConflictPolicy, MemoryType, Sensitivity
from membrane.domain.lifecycle.requests import DeleteRecord, RestoreRecord
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.usecases.ports.names import (
    MAX_BUCKET_BYTES,
    MAX_NAMES,
    NO_ROOM,
    NameBucket,
    NameChange,
    NamePlace,
)
from membrane.usecases.ports.services import Services
from membrane.usecases.revision.heads import MAX_HOLDERS
from tests.builders.captures import captured
from tests.builders.entities import add_entity
from tests.builders.ingesting import ingest
from tests.builders.requests import call, change, observation, standing
from tests.builders.stored_records import stored
from tests.fakes.clock import FakeClock
from tests.fakes.operators import Metrics
from tests.growth import steps
from tests.worlds.captures import Held, alive, require_sound_captures
from tests.worlds.memory import make_services
from tests.worlds.memory_table import TableRecords

OWNS = {"subject": "Orchid", "predicate": "owned_by", "object": "Lumo"}

MARKED = ("`", '"', "/", "+", "`a", '"A', "a/", "\u201cA ", "repo a/b ", "@ab ", "a.b/", "`@@` ")
"""Beginnings of names that never end, and names without end."""


@pytest.fixture
def records() -> TableRecords:
    """The store."""
    return TableRecords(FakeClock())


@pytest.fixture
def metrics() -> Metrics:
    """What operators are told."""
    return Metrics()


@pytest.fixture
def services(records: TableRecords, metrics: Metrics) -> Services:
    """An empty memory."""
    return make_services(records=records, now=records.now, measure=metrics)


def mentions(body: Body) -> Mapping[str, str]:
    """The entity of each surface; empty for a mention without one."""
    found = body["primary_record"]["interpretation"].get("mentions", [])
    return {each["surface"]: each.get("canonical_entity_id", "") for each in found}


def records_in(records: TableRecords) -> Held:
    """Every record, without receipts."""
    return dict(records.places)


# --- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ({"project": ""}, []),
        ({"project": " \t\n"}, []),
        ({"project": "@"}, []),
        ({"project": "@ @"}, []),
        ("see `@@` there", []),
        ({"project": "a\u0000b\u001b[2J"}, ["a\u0000b\u001b[2J"]),
        ({"project": "\u202eEvil\u202c"}, ["\u202eEvil\u202c"]),
        ({"project": "\U0001f600" * MAX_NAME_CHARACTERS}, ["\U0001f600" * MAX_NAME_CHARACTERS]),
        ({"project": "\ufdfa" * MAX_NAME_CHARACTERS}, []),
        ({"project": "x" * (MAX_NAME_CHARACTERS + 1)}, []),
        ({"project": "__proto__", "__proto__": {"project": "x"}}, ["__proto__"]),
        (f"broken: {'x' * 5_000}.py", []),
        ({"project": ["a", "A", " a ", 7, None, {"x": 1}]}, ["a"]),
        ({f"entity_{number}": f"n{number}" for number in range(10_000)}, None),
    ],
)
def test_whatever_is_named_becomes_an_entity_that_is_found_again_or_nothing(
    services: Services, records: TableRecords, content: Any, named: list[str] | None
) -> None:
    first, second = (captured(content, services) for _ in range(2))

    if named is not None:
        assert list(mentions(first)) == named
    assert all(mentions(first).values())
    assert mentions(second) == mentions(first)
    assert len(mentions(first)) <= MAX_MENTIONS
    assert second["created_records"] == []
    require_sound_captures(records_in(records))


def test_a_subject_without_a_name_is_a_fact_without_an_entity(services: Services) -> None:
    body = captured({**OWNS, "subject": "@"}, services, source_kind="observation")

    (fact,) = body["created_records"]
    assert fact["payload"]["subject"] == "@"


def fill_with_names(services: Services, left: int = 0) -> None:
    """Let the names of the first word `orion` leave room for so many more."""
    place = NamePlace("project:alpha", "orion")
    before = NameBucket(place, Sensitivity.LOW)
    names = {f"orion {number}": "somebody" for number in range(MAX_NAMES - left)}
    services.records.create(stored("beside"), names=[NameChange(before, names)])


def test_where_a_bucket_has_no_room_the_capture_has_a_mention_without_an_entity(
    services: Services, metrics: Metrics
) -> None:
    known = add_entity("Orion Nebula", services)
    others = [f"orion {number}" for number in range(MAX_NAMES - 1)]
    for start in range(0, len(others), 10):
        captured({"entities": others[start : start + 10]}, services)
    assert metrics.told == []

    body = captured({"entities": ["orion last", "lyra", "orion nebula"], "text": "x"}, services)

    found = mentions(body)
    assert (found["orion last"], bool(found["lyra"]), found["orion nebula"]) == ("", True, known.id)
    assert metrics.told == [(NO_ROOM, 1, {})]
    assert body["primary_record"]["interpretation"]["status"] == "tentative"
    assert len(body["primary_record"]["relations"]) == 2


def test_a_full_record_takes_names_as_far_as_there_is_room_the_canonical_name_first(
    services: Services, metrics: Metrics
) -> None:
    fill_with_names(services, left=2)
    aliases = ["Orion Belt", "Orion Sword", "Hunter"]

    entity = add_entity("Orion", services, payload={"aliases": aliases})

    assert metrics.told == [(NO_ROOM, 1, {})]
    names = ["Orion", "Orion Belt", "Orion Sword", "Hunter"]
    found = mentions(captured({"entities": names}, services))
    assert [found[each] for each in names] == [entity.id, entity.id, "", entity.id]


def test_a_restored_entity_without_room_for_the_name_is_restored_and_the_name_is_counted(
    services: Services, metrics: Metrics
) -> None:
    entity = add_entity("Orion", services)
    change(DeleteRecord(id=entity.id), services)
    place = NamePlace("project:alpha", "orion")
    before = services.names.buckets([place])[place][Sensitivity.LOW]
    names = {f"orion {number}": "somebody" for number in range(MAX_NAMES)}
    services.records.create(stored("beside"), names=[NameChange(before, names)])

    change(RestoreRecord(id=entity.id), services)

    assert metrics.told == [(NO_ROOM, 1, {})]
    assert mentions(captured({"entities": ["Orion"]}, services)) == {"Orion": ""}


def test_long_names_fill_a_bucket_before_many_do() -> None:
    bucket = NameBucket(NamePlace("", "orion"), Sensitivity.LOW)
    names = {f"orion {number} {'x' * 200}": "e" * 36 for number in range(300)}

    assert not NameChange(bucket, names).fits
    assert NameChange(bucket, dict(list(names.items())[: MAX_BUCKET_BYTES // 300])).fits


def test_an_entity_of_thirty_aliases_is_found_by_its_first_terms(services: Services) -> None:
    aliases = [f"bobby {number}" for number in range(30)]
    bob = add_entity("Bob", services, payload={"aliases": aliases})

    body = captured({"person": [aliases[MAX_TERMS - 2], aliases[MAX_TERMS - 1]]}, services)

    found = mentions(body)
    assert found[aliases[MAX_TERMS - 2]] == bob.id
    assert found[aliases[MAX_TERMS - 1]] not in ("", bob.id)


# --- much ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", MARKED)
def test_a_long_text_costs_no_more_than_its_beginning(services: Services, unit: str) -> None:
    short, long = (unit * (length // len(unit)) for length in (20_000, 100_000))
    captured(long, services)  # so that both find the same entities

    few = steps(lambda: captured(short, services))
    many = steps(lambda: captured(long, services))

    assert many < 1.5 * few + 1_000


def test_many_known_names_of_one_word_cost_no_more_than_few() -> None:
    words = "orion " * 3_000
    few = {f"{'orion ' * number}belt" for number in range(2, 12)}
    many = {f"{'orion ' * (2 + number % 40)}belt {number}" for number in range(500)}

    assert steps(lambda: known_spans(words, {"orion": dict.fromkeys(many, "e")})) < 10 * steps(
        lambda: known_spans(words, {"orion": dict.fromkeys(few, "e")})
    )


def test_deep_content_is_kept(services: Services) -> None:
    deep: Any = "Orchid"
    for _ in range(95):
        deep = [deep]

    body = captured({"text": "x", "deep": deep}, services)

    kept = body["primary_record"]["payload"]["environment"]["context"]["capture_content"]
    assert kept["deep"] == deep


# --- facts ---------------------------------------------------------------------------------------


def test_where_a_fact_has_no_room_the_evidence_is_stored_without_it(
    records: TableRecords, services: Services
) -> None:
    for number in range(MAX_HOLDERS):
        assert isinstance(records.now, FakeClock)
        records.now.advance(seconds=1)
        told = observation(**{**OWNS, "object": f"{number}"}, scope="project:alpha")
        ingest(told, call(told), services)

    body = captured(OWNS, services, source_kind="observation")

    assert [each["type"] for each in body["created_records"]] == ["entity"]
    interpretation = body["primary_record"]["interpretation"]
    assert interpretation["status"] == "tentative"
    assert list(interpretation["relation_candidates"]) == [{"predicate": "derived_semantic"}]
    assert standing(body["primary_record"]["id"], records).tombstone is None


@pytest.mark.parametrize("policy", ConflictPolicy)
def test_a_fact_above_the_level_of_a_capture_is_not_linked_and_does_not_change(
    policy: ConflictPolicy,
) -> None:
    defaults = PolicyDefaults(conflicts={"owned_by": policy})
    records = TableRecords(FakeClock(), defaults)
    services = make_services(records=records, now=records.now, policy=defaults)
    for said in ("Lumo", "Orca"):
        stated = {**OWNS, "object": said}
        captured(stated, services, source_kind="observation", sensitivity="high")
    hidden = [each for each in alive(records_in(records)) if each.sensitivity is Sensitivity.HIGH]

    body = captured(OWNS, services, source_kind="observation")

    (fact,) = [each for each in body["created_records"] if each["type"] == MemoryType.SEMANTIC]
    assert fact["sensitivity"] == "low"
    assert [standing(each.id, records) for each in hidden] == hidden
    require_sound_captures(records_in(records))
