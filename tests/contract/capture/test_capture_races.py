"""Captures at once: one entity of a name, one fact of a statement, and no capture is lost."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from membrane.domain.language.json_text import Body
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.payloads import SemanticPayload
from membrane.usecases.ports.services import Services
from membrane.wiring import services as wiring
from tests.builders.captures import capture
from tests.builders.entities import add_entity
from tests.worlds.captures import (
    Held,
    alive,
    entity_of_name,
    of_type,
    require_sound_captures,
)
from tests.worlds.depth import cases
from tests.worlds.faults import hooks
from tests.worlds.revision import CONTESTED, KEPT, REPLACED, held_in, require_whole, revising
from tests.worlds.stores import Store
from tests.worlds.virtual_time import VirtualTime

WRITERS = 64
STATERS = cases(32, 24)
"""Each that states a fact waits in line behind the others, and reads what they wrote."""
LONGEST_S = 26.0
"""Seconds of the timeout of a function that are there for attempts and pauses."""


@pytest.fixture
def table(table: Store) -> Store:
    """One table: in virtual time the requests are the same ones whichever emulator answers."""
    return table


@pytest.fixture
def time(table: Store) -> VirtualTime:
    """The time in which the requests of the writers are made."""
    found = VirtualTime()
    hooks(table.client).register("before-call.dynamodb", found.request)
    return found


@pytest.fixture
def world(table: Store, time: VirtualTime) -> Services:
    """Services with random ids, and the pauses between tries in that time."""
    return replace(revising(table), back_off=time.back_off, new_id=wiring.new_id)


def replies(
    contents: Sequence[Any], world: Services, time: VirtualTime, **fields: Any
) -> list[Body]:
    acts = [
        partial(capture, each, world, key=f"key-{number}", **fields)
        for number, each in enumerate(contents)
    ]
    return [each.body for each in time.at_once(acts)]


def sound(table: Store) -> Held:
    """Every record, with all that must hold of any state."""
    items = table.everything()
    found = held_in(table, items)
    require_whole(found, items)
    require_sound_captures(found)
    return found


def test_of_64_captures_that_name_a_new_entity_one_makes_the_entity_and_all_are_linked(
    table: Store, world: Services, time: VirtualTime
) -> None:
    bodies = replies([{"project": "Orchid", "n": n} for n in range(WRITERS)], world, time)

    (entity,) = of_type(sound(table), MemoryType.ENTITY)
    assert {entity_of_name(each, "Orchid") for each in bodies} == {entity.id}
    edges = list(table.records.incoming(entity.id))
    assert {each.source_id for each in edges} == {each["primary_record"]["id"] for each in bodies}
    assert len(edges) == WRITERS
    assert max(time.ended_s) <= LONGEST_S


def test_of_64_captures_that_mention_a_faded_entity_one_reinforces(
    table: Store, world: Services, time: VirtualTime
) -> None:
    bob = add_entity("Bob", world)
    table.clock.advance(days=20)

    replies([f"Bob, for the {n}th time" for n in range(WRITERS)], world, time)

    assert len(list(table.records.incoming(bob.id))) == WRITERS
    found = sound(table)[bob.id]
    assert [each.action for each in found.trail] == ["create", "reinforce"]
    assert max(time.ended_s) <= LONGEST_S


def test_of_64_captures_whose_names_share_the_first_word_each_makes_an_entity(
    table: Store, world: Services, time: VirtualTime
) -> None:
    bodies = replies([{"project": f"Orion {n}"} for n in range(WRITERS)], world, time)

    made = {entity_of_name(each, f"Orion {n}") for n, each in enumerate(bodies)}
    assert made == {each.id for each in of_type(sound(table), MemoryType.ENTITY)}
    assert len(made) == WRITERS
    assert max(time.ended_s) <= LONGEST_S


@pytest.mark.parametrize("predicate", cases([KEPT, REPLACED, CONTESTED], [REPLACED]))
def test_of_many_captures_that_state_the_same_fact_all_are_evidence_of_one(
    table: Store, world: Services, time: VirtualTime, predicate: str
) -> None:
    stated = {"subject": "Orchid", "predicate": predicate, "object": "tea"}

    bodies = replies([stated] * STATERS, world, time, source_kind="observation")

    (known,) = of_type(sound(table), MemoryType.SEMANTIC)
    assert isinstance(known.record.payload, SemanticPayload)
    primaries = {each["primary_record"]["id"] for each in bodies}
    assert {each.source_id for each in table.records.incoming(known.id)} == primaries
    evidence = {each.source_id for each in known.record.payload.evidence}
    assert evidence == primaries
    assert max(time.ended_s) <= LONGEST_S


@pytest.mark.parametrize("predicate", cases([KEPT, REPLACED, CONTESTED], [REPLACED]))
def test_of_many_captures_that_contradict_each_other_each_makes_a_fact(
    table: Store, world: Services, time: VirtualTime, predicate: str
) -> None:
    stated = [
        {"subject": "Orchid", "predicate": predicate, "object": f"{n}"} for n in range(STATERS)
    ]

    replies(stated, world, time, source_kind="observation")

    found = sound(table)
    facts = [each for each in alive(found) if each.type is MemoryType.SEMANTIC]
    assert len(facts) == STATERS
    if predicate == REPLACED:
        assert len(of_type(found, MemoryType.SEMANTIC)) == 1
