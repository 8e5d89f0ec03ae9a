"""Conflicting observations at once, of which the natural index shows nothing, end legally."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from membrane.domain.language.vocabulary import ConflictPolicy
from membrane.domain.records import audit
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.states import is_contested, is_retracted, state_of
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.successors import MAX_SOURCES
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.usecases.machinery.calls import Written
from membrane.usecases.ports.services import Services
from tests.builders.ingesting import ingest
from tests.builders.requests import call, observation
from tests.fakes.indexes import FakeNatural
from tests.fakes.records import FakeRecords
from tests.worlds.metering import Cost, meter
from tests.worlds.stores import Store
from tests.worlds.threads import at_once

WRITERS = 16


@dataclass(frozen=True, slots=True)
class Facts:
    """What is in a table after several have observed at once."""

    standing: Sequence[StoredRecord]
    """Active or contested."""
    retracted: Sequence[StoredRecord]

    def objects(self) -> list[Any]:
        """Of what stands."""
        return sorted(str(_fact(each).object) for each in self.standing)


def services_of(table: Store, policy: ConflictPolicy) -> Services:
    """Services whose natural index never shows a thing, with real pauses between tries."""
    conflicts = {"likes": policy}
    settings = table.settings._replace(policy=PolicyDefaults(conflicts=conflicts))
    return replace(table.under(settings), natural=FakeNatural(FakeRecords(table.clock)))


def observed_at_once(
    values: Sequence[Any], services: Services, keys: Sequence[str | None]
) -> list[Written]:
    """What comes of observations of the values, each from a thread of its own."""

    def observe(value: Any, key: str | None) -> Written:
        asked = observation(object=value)
        result = ingest(asked, call(asked, key=key), services)
        assert isinstance(result, Written)
        return result

    return at_once([partial(observe, *each) for each in zip(values, keys, strict=True)])


def facts_in(table: Store, services: Services) -> Facts:
    """Every record of the table; each with a trail that holds."""
    ids = [
        item["pk"]["S"].removeprefix("record#")
        for item in table.everything()
        if item["sk"]["S"] == "record" and "receipt_for" not in item
    ]
    held = [services.records.load(each, whole=True) for each in ids]
    found = [each for each in held if isinstance(each, StoredRecord)]
    for each in found:
        assert audit.first_broken(each.id, each.trail) is None
    return Facts(
        [each for each in found if not is_retracted(each.record.payload)],
        [each for each in found if is_retracted(each.record.payload)],
    )


def _fact(stored: StoredRecord) -> SemanticPayload:
    assert isinstance(stored.record.payload, SemanticPayload)
    return stored.record.payload


@pytest.mark.parametrize("keyed", [False, True])
def test_of_observations_that_replace_each_other_one_is_left(table: Store, *, keyed: bool) -> None:
    services = services_of(table, ConflictPolicy.REPLACE)
    keys = [f"k-{number}" if keyed else None for number in range(WRITERS)]

    results = observed_at_once(list(range(WRITERS)), services, keys)

    facts = facts_in(table, services)
    assert len({each.record.id for each in results}) == WRITERS
    assert (len(facts.standing), len(facts.retracted)) == (1, WRITERS - 1)
    chain = [facts.standing[0]]
    by_id = {each.id: each for each in facts.retracted}
    while old := state_of(chain[-1].record.payload).supersedes:
        chain.append(by_id[old])
    assert len(chain) == WRITERS
    for newer, older in pairwise(chain):
        assert state_of(older.record.payload).superseded_by == newer.id


def test_of_two_objects_that_several_observe_at_once_one_is_left(table: Store) -> None:
    services = services_of(table, ConflictPolicy.REPLACE)
    values = ["tea", "coffee"] * (WRITERS // 2)

    results = observed_at_once(values, services, [None] * WRITERS)

    facts = facts_in(table, services)
    assert len(facts.standing) == 1
    made = [each for each in results if not each.reinforced]
    every = [*facts.standing, *facts.retracted]
    assert sorted(each.record.id for each in made) == sorted(each.id for each in every)
    reinforcements = [
        entry for each in every for entry in each.trail if entry.action == "reinforce"
    ]
    assert len(reinforcements) == WRITERS - len(made)


def test_of_one_object_that_several_observe_at_once_one_record_is_made(
    table: Store,
) -> None:
    services = services_of(table, ConflictPolicy.REPLACE)

    results = observed_at_once(["tea"] * WRITERS, services, [None] * WRITERS)

    facts = facts_in(table, services)
    assert (len(facts.standing), len(facts.retracted)) == (1, 0)
    assert sum(each.reinforced for each in results) == WRITERS - 1
    assert len(facts.standing[0].trail) == WRITERS


def test_one_observation_sent_several_times_at_once_has_one_effect(table: Store) -> None:
    services = services_of(table, ConflictPolicy.REPLACE)
    observed_at_once(["tea"], services, [None])

    results = observed_at_once(["tea"] * WRITERS, services, ["k"] * WRITERS)

    (fact,) = facts_in(table, services).standing
    assert {each.record.id for each in results} == {fact.id}
    assert [entry.action for entry in fact.trail] == ["create", "reinforce"]


def test_forks_made_at_once_all_vary_the_first(table: Store) -> None:
    services = services_of(table, ConflictPolicy.FORK)

    observed_at_once(list(range(WRITERS)), services, [None] * WRITERS)

    facts = facts_in(table, services)
    assert (len(facts.standing), facts.retracted) == (WRITERS, [])
    roots = [each.id for each in facts.standing if not each.record.relations]
    sources = {each.target_id for fact in facts.standing for each in fact.record.relations}
    assert sources == set(roots)
    assert len(roots) == 1


def test_of_observations_that_contest_each_other_the_last_alone_is_not_contested(
    table: Store,
) -> None:
    services = services_of(table, ConflictPolicy.CONTEST)

    observed_at_once(list(range(WRITERS // 2)), services, [None] * (WRITERS // 2))

    facts = facts_in(table, services)
    contested = [each for each in facts.standing if is_contested(each.record.payload)]
    assert (len(facts.standing), len(contested)) == (WRITERS // 2, WRITERS // 2 - 1)
    assert sorted(len(each.record.relations) for each in facts.standing) == list(
        range(WRITERS // 2)
    )


@pytest.mark.parametrize("said", ["milk", 0])
@pytest.mark.parametrize("policy", [ConflictPolicy.REPLACE, ConflictPolicy.CONTEST])
def test_as_many_conflicts_as_there_may_be_are_one_write(
    table: Store, policy: ConflictPolicy, said: Any
) -> None:
    before = table.under(table.settings)
    for number in range(MAX_SOURCES):
        asked = observation(object=number, scope="s" * 200)
        ingest(asked, call(asked), before)
        table.clock.advance(seconds=1)
    settings = table.settings._replace(policy=PolicyDefaults(conflicts={"*": policy}))

    asked = observation(object=said, scope="s" * 200)
    result = ingest(asked, call(asked, key="k"), table.under(settings))

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
    services = table.under(table.settings)
    for each in several:
        asked = observation(object=each, scope="project:alpha")
        ingest(asked, call(asked), services)
        table.clock.advance(seconds=1)


def under(table: Store, policy: ConflictPolicy) -> Services:
    """Services with that policy for every predicate."""
    settings = table.settings._replace(policy=PolicyDefaults(conflicts={"*": policy}))
    return table.under(settings)


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


def test_many_observations_at_once_leave_one_of_many_facts(table: Store) -> None:
    crowd(table, range(100))
    services = under(table, ConflictPolicy.REPLACE)

    def observe(value: int) -> None:
        asked = observation(object=value, scope="project:alpha")
        ingest(asked, call(asked), services)

    at_once([partial(observe, value) for value in range(1_000, 1_004)])

    facts = facts_in(table, services)
    assert (len(facts.standing), len(facts.retracted)) == (1, 103)


@pytest.mark.parametrize(("policy", "requests"), [("keep", 3), ("fork", 5)])
def test_of_many_facts_those_alone_that_change_are_asked_for_one_by_one(
    table: Store, policy: str, requests: int
) -> None:
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
    settings = table.settings._replace(
        policy=PolicyDefaults(conflicts={"*": ConflictPolicy.REPLACE})
    )
    services = table.under(settings)
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
