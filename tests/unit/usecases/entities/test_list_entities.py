"""Entities are listed by the beginnings of their names, as far as the reader may see them."""

from dataclasses import replace
from itertools import chain
from typing import Any

import pytest

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.entities.requests import ListEntities, MergeEntities
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import Body
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.usecases.entities.list_entities import list_entities
from membrane.usecases.entities.merge_entities import merge_entities
from tests.builders.entities import add_entity
from tests.builders.requests import OWNER, call, change, standing
from tests.worlds.retrieval import Memory

LEVELS = ("public", "low")
READER = principal_of("reader", ["read"], ["project:alpha"], "low")


@pytest.fixture
def memory() -> Memory:
    """An empty memory."""
    return Memory()


def listed(memory: Memory, principal: Principal = READER, **asked: Any) -> Body:
    request = ListEntities(**asked)
    return list_entities(request, call(request, principal), memory.services).body


def merge(memory: Memory, into: str, *others: str) -> None:
    request = MergeEntities(id=into, entity_ids=others)
    merge_entities(request, call(request, OWNER), memory.services)


def names(body: Body) -> list[str]:
    return [each["name"] for each in body["entities"]]


def all_names(memory: Memory, **asked: Any) -> list[str]:
    """The names of the entities on all pages."""
    body = listed(memory, **asked)
    found = names(body)
    while "next_cursor" in body:
        body = listed(memory, cursor=body["next_cursor"], **asked)
        found += names(body)
    return found


def test_entities_are_found_by_the_beginning_of_any_name(memory: Memory) -> None:
    add_entity("Robert Miller", memory.services, payload={"aliases": ["Bob"]})
    add_entity("Team Lumo", memory.services)
    add_entity("Team Orca", memory.services)

    assert names(listed(memory, q="bo")) == ["Robert Miller"]
    assert names(listed(memory, q="TEAM")) == ["Team Lumo", "Team Orca"]
    assert names(listed(memory, q="team  o")) == ["Team Orca"]
    assert names(listed(memory, q="lumo")) == []


def test_an_entity_with_several_names_comes_once(memory: Memory) -> None:
    add_entity("Bob", memory.services, payload={"aliases": ["Bobby", "Robert"]})

    assert names(listed(memory)) == ["Bob"]


def test_what_the_reader_may_not_see_changes_nothing(memory: Memory) -> None:
    add_entity("Bob", memory.services)
    before = listed(memory, q="b")
    add_entity("Bob", memory.services, sensitivity="high")
    add_entity("Bertha", memory.services, scope="project:beta")

    assert listed(memory, q="b") == before


def test_unscoped_entities_come_first_unless_a_scope_is_named(memory: Memory) -> None:
    add_entity("Zebra", memory.services, scope="")
    add_entity("Ape", memory.services)

    assert names(listed(memory)) == ["Zebra", "Ape"]
    assert names(listed(memory, scope="project:alpha")) == ["Ape"]


def test_types_are_compared_without_case(memory: Memory) -> None:
    add_entity("Bob", memory.services)
    add_entity("Boat", memory.services, payload={"primary_type": "Service", "types": ["API"]})

    assert names(listed(memory, q="bo", type="person")) == ["Bob"]
    assert names(listed(memory, q="bo", type="api")) == ["Boat"]


def test_deleted_and_merged_entities_are_not_listed(memory: Memory) -> None:
    gone = add_entity("Gone", memory.services)
    change(DeleteRecord(id=gone.id), memory.services)
    robert, bob = add_entity("Robert", memory.services), add_entity("Bob", memory.services)
    merge(memory, robert.id, bob.id)

    assert names(listed(memory)) == ["Robert"]
    assert names(listed(memory, q="bob")) == ["Robert"]


def test_pages_hold_every_entity_once(memory: Memory) -> None:
    for number in range(25):
        add_entity(f"{'abc'[number % 3]} thing {number:02d}", memory.services)

    found = all_names(memory, limit=7)

    assert sorted(found) == sorted(set(found))
    assert len(found) == 25


def test_an_entity_with_names_on_several_pages_comes_once(memory: Memory) -> None:
    add_entity("Bob", memory.services, payload={"aliases": ["Zoe Z", "Bobby B"]})
    robert = add_entity("Beate", memory.services, payload={"aliases": ["Zeta"]})
    absorbed = add_entity("Aaron", memory.services, payload={"aliases": ["Yves"]})
    merge(memory, robert.id, absorbed.id)
    hidden = {"aliases": ["Aaa", "Bobby B"]}
    add_entity("Zoe Z", memory.services, payload=hidden, sensitivity="medium")

    assert all_names(memory, limit=1) == ["Beate", "Bob"]


def test_entities_of_the_same_name_and_several_levels_are_all_listed(memory: Memory) -> None:
    several = {add_entity("Bob", memory.services, sensitivity=each).id for each in LEVELS}

    found, body = list[str](), listed(memory, limit=1)
    found += [each["id"] for each in body["entities"]]
    while "next_cursor" in body:
        body = listed(memory, limit=1, cursor=body["next_cursor"])
        found += [each["id"] for each in body["entities"]]

    assert (len(found), {*found}) == (len(several), several)


def test_a_cursor_belongs_to_its_request(memory: Memory) -> None:
    for name in ("One", "Two"):
        add_entity(name, memory.services)
    cursor = listed(memory, limit=1)["next_cursor"]

    with pytest.raises(InvalidArgument):
        listed(memory, q="t", cursor=cursor)


def test_an_entity_is_found_by_the_identifiers_of_absorbed_entities(memory: Memory) -> None:
    robert = add_entity("Robert", memory.services)
    identifiers = [{"namespace": "chat", "value": "bobm"}]
    bob = add_entity("Bob", memory.services, payload={"identifiers": identifiers})
    merge(memory, robert.id, bob.id)

    assert names(listed(memory, q="bobm")) == ["Robert"]
    assert names(listed(memory)) == ["Robert"]


def test_an_entity_is_found_by_every_name_of_many_absorbed_entities(memory: Memory) -> None:
    robert = add_entity("Robert", memory.services)
    several = [[f"{word}{number}" for word in ("Bob", "Bo", "Rob")] for number in range(10)]
    absorbed = [
        add_entity(name, memory.services, payload={"aliases": aliases}).id
        for name, *aliases in several
    ]
    merge(memory, robert.id, *absorbed)

    for name in chain.from_iterable(several):
        assert names(listed(memory, q=name)) == ["Robert"]


def test_a_later_page_has_no_entity_that_a_name_of_an_absorbed_entity_has_listed(
    memory: Memory,
) -> None:
    robert = add_entity("Zoe", memory.services)
    identifiers = [{"namespace": "chat", "value": each} for each in ("aaa", "bbb x", "mmm")]
    bob = add_entity("Zoe Z", memory.services, payload={"identifiers": identifiers})
    for name in ("Bob", "Lea"):
        add_entity(name, memory.services)
    merge(memory, robert.id, bob.id)

    assert all_names(memory, limit=1) == ["Zoe", "Bob", "Lea"]
    assert all_names(memory, q="b", limit=1) == ["Zoe", "Bob"]


def test_an_absorbed_entity_that_the_reader_may_not_see_lends_no_name(memory: Memory) -> None:
    robert = add_entity("Robert", memory.services)
    identifiers = [{"namespace": "chat", "value": "bobm"}]
    bob = add_entity("Bob", memory.services, payload={"identifiers": identifiers})
    merge(memory, robert.id, bob.id)
    hidden = standing(bob.id, memory.records)
    record = hidden.record.model_copy(update={"sensitivity": Sensitivity.HIGH})
    memory.records.places[bob.id] = replace(hidden, record=record)

    assert names(listed(memory, q="bobm")) == []
    assert names(listed(memory, q="bob")) == ["Robert"]


def test_successors_of_many_entities_are_read_together(memory: Memory) -> None:
    costs = list[int]()
    for number in range(2, 12):
        first, middle, last = (
            add_entity(f"{name} {number:02d}", memory.services) for name in ("Ann", "Beth", "Cleo")
        )
        merge(memory, middle.id, first.id)
        merge(memory, last.id, middle.id)
        memory.records.requests.clear()
        assert len(names(listed(memory, q="ann"))) == number - 1
        costs.append(len(memory.records.requests))

    assert costs == [3] * len(costs)


def test_similar_entities_are_suggested_for_a_merge(memory: Memory) -> None:
    names_given = ("Robert Miller", "Robert Miller jr", "Orchid")
    bob, *others = [add_entity(each, memory.services) for each in names_given]
    memory.index(bob.id, *(each.id for each in others))

    body = listed(memory, similar_to=bob.id)

    assert names(body)[0] == "Robert Miller jr"
    assert bob.id not in [each["id"] for each in body["entities"]]
