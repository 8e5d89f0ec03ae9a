"""Conflicting observations at once, of which the natural index shows nothing, end legally."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from membrane.domain.language.vocabulary import ConflictPolicy
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.records import first_broken
from membrane.domain.records.standing import is_contested, is_retracted, state_of
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.changes import MAX_SOURCES
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.usecases.machinery.calls import Written
from membrane.wiring.world import World
from tests.builders.records import ingest
from tests.builders.requests import call, observation
from tests.worlds.metering import Cost, meter
from tests.worlds.stores import Store


@dataclass(frozen=True, slots=True)
class Facts:
    """What is in a table after several have observed at once."""

    standing: Sequence[StoredRecord]
    """Active or contested."""
    retracted: Sequence[StoredRecord]

    def objects(self) -> list[Any]:
        """Of what stands."""
        return sorted(str(_fact(each).object) for each in self.standing)


def facts_in(table: Store, services: World) -> Facts:
    """Every record of the table; each with a trail that holds."""
    ids = [
        item["pk"]["S"].removeprefix("record#")
        for item in table.everything()
        if item["sk"]["S"] == "record" and "receipt_for" not in item
    ]
    held = [services.records.load(each, whole=True) for each in ids]
    found = [each for each in held if isinstance(each, StoredRecord)]
    for each in found:
        assert first_broken(each.id, each.trail) is None
    return Facts(
        [each for each in found if not is_retracted(each.record.payload)],
        [each for each in found if is_retracted(each.record.payload)],
    )


def _fact(stored: StoredRecord) -> SemanticPayload:
    assert isinstance(stored.record.payload, SemanticPayload)
    return stored.record.payload


@pytest.mark.parametrize("said", ["milk", 0])
@pytest.mark.parametrize("policy", [ConflictPolicy.REPLACE, ConflictPolicy.CONTEST])
def test_as_many_conflicts_as_there_may_be_are_one_write(
    table: Store, policy: ConflictPolicy, said: Any
) -> None:
    before = table.under()
    for number in range(MAX_SOURCES):
        asked = observation(object=number, scope="s" * 200)
        ingest(asked, call(asked), before)
        table.clock.advance(seconds=1)
    policies = PolicyDefaults(conflicts={"*": policy})

    asked = observation(object=said, scope="s" * 200)
    result = ingest(asked, call(asked, key="k"), table.under(policy=policies))

    facts = facts_in(table, before)
    assert isinstance(result, Written)
    if policy is ConflictPolicy.REPLACE:
        assert [each.id for each in facts.standing] == [result.record.id]
        assert len(result.record.relations) == MAX_SOURCES - result.reinforced
    else:
        contested = [each for each in facts.standing if is_contested(each.record.payload)]
        assert len(contested) == (0 if result.reinforced else MAX_SOURCES)


def crowd(table: Store, several: Sequence[Any]) -> None:
    """All of these stand side by side."""
    services = table.under()
    for each in several:
        asked = observation(object=each, scope="project:alpha")
        ingest(asked, call(asked), services)
        table.clock.advance(seconds=1)


def under(table: Store, policy: ConflictPolicy) -> World:
    """World with that policy for every predicate."""
    policies = PolicyDefaults(conflicts={"*": policy})
    return table.under(policy=policies)


@pytest.mark.parametrize("said", ["coffee", 70])
def test_a_policy_that_is_switched_finds_many_facts_and_leaves_one(table: Store, said: Any) -> None:
    crowd(table, range(150))
    services = under(table, ConflictPolicy.REPLACE)

    asked = observation(object=said, scope="project:alpha")
    result = ingest(asked, call(asked), services)

    facts = facts_in(table, services)
    assert isinstance(result, Written)
    assert [each.id for each in facts.standing] == [result.record.id]
    assert len(facts.retracted) == (149 if result.reinforced else 150)
    by_id = {each.id: each for each in (*facts.standing, *facts.retracted)}
    for each in facts.retracted:
        successor = by_id[state_of(each.record.payload).superseded_by].record
        assert ("supersedes", each.id) in {
            (relation.predicate, relation.target_id) for relation in successor.relations
        }
    assert max(len(each.record.relations) for each in by_id.values()) <= MAX_SOURCES


@pytest.mark.parametrize(("policy", "requests"), [("keep", 3), ("fork", 4)])
def test_of_many_facts_none_is_read_twice(table: Store, policy: str, requests: int) -> None:
    crowd(table, range(60))
    services = under(table, ConflictPolicy.FORK)
    first = observation(object="first", scope="project:alpha")
    ingest(first, call(first), services)
    cost = meter(table.client)

    asked = observation(object="second", scope="project:alpha", on_conflict=policy)
    ingest(asked, call(asked), services)

    assert cost.requests == requests


def test_replacing_costs_the_same_however_often_the_fact_changed_before(
    table: Store,
) -> None:
    policies = PolicyDefaults(conflicts={"*": ConflictPolicy.REPLACE})
    services = table.under(policy=policies)
    cost = meter(table.client)

    def cost_of(value: Any) -> Cost:
        before = replace(cost)
        asked = observation(object=value, scope="project:alpha")
        ingest(asked, call(asked), services)
        table.clock.advance(minutes=1)
        return cost - before

    first, replacing, again = cost_of(0), cost_of(1), cost_of(1)
    for number in range(2, 60):
        cost_of(number)

    late = cost_of(60)
    assert (first.requests, replacing.requests, again.requests) == (3, 4, 4)
    assert late.within(replace(replacing, read_units=replacing.read_units + 1)), (late, replacing)
    assert cost_of(60).within(replace(again, read_units=again.read_units + 1))
