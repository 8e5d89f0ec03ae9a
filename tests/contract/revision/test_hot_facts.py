"""Many writers at once on one fact: each is answered, after a few requests, and nothing is lost."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest

from membrane.domain.language.vocabulary import ConflictPolicy
from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.ports.services import Services
from membrane.wiring import services as wiring
from tests.builders.requests import observation
from tests.worlds.depth import cases
from tests.worlds.faults import hooks
from tests.worlds.revision import done, held_in, id_of, require_whole, revising
from tests.worlds.stores import Store
from tests.worlds.virtual_time import VirtualTime

REPLACE, FORK = ConflictPolicy.REPLACE, ConflictPolicy.FORK
CONTEST, KEEP = ConflictPolicy.CONTEST, ConflictPolicy.KEEP

POLICIES = ([REPLACE], [FORK], [KEEP], [CONTEST], [REPLACE, FORK, CONTEST, KEEP])

WRITERS = 32
LONGEST_S = 5.0


@pytest.fixture
def table(table: Store) -> Store:
    """One table: in virtual time the requests are the same ones whichever emulator answers."""
    return table


@dataclass(frozen=True, slots=True)
class Crowd:
    """What became of writers who began at once."""

    facts: dict[str, StoredRecord]
    answered: Sequence[str]
    requests: Counter[str]
    slowest_s: float


def crowd(table: Store, policies: Sequence[ConflictPolicy]) -> Crowd:
    """Let 32 writers tell 32 different objects of one fact at once, by these policies in turn."""
    time, requests = VirtualTime(), Counter[str]()

    def count(model: Any, **_: object) -> None:
        requests[model.name] += 1

    services = replace(revising(table), back_off=time.back_off, new_id=wiring.new_id)
    hooks(table.client).register("before-call.dynamodb", count)
    hooks(table.client).register("before-call.dynamodb", time.request)
    asked = [
        observation(
            predicate="home", object=f"{number}", on_conflict=policies[number % len(policies)]
        )
        for number in range(WRITERS)
    ]

    def tell(number: int, services: Services) -> str:
        return id_of(done(asked[number], services, key=f"key-{number}"))

    answered = time.at_once([partial(tell, number, services) for number in range(WRITERS)])
    items = table.everything()
    found: dict[str, AnyRecord] = held_in(table, items)
    require_whole(found, items)
    facts = {each.id: each for each in found.values() if isinstance(each, StoredRecord)}
    return Crowd(facts, answered, requests, max(time.ended_s))


@pytest.mark.parametrize("policies", cases(POLICIES, POLICIES[-1:]), ids="-".join)
def test_each_of_32_writers_at_once_is_done_after_few_tries_and_within_five_seconds(
    table: Store, policies: Sequence[ConflictPolicy]
) -> None:
    met = crowd(table, policies)

    assert set(met.answered) == met.facts.keys(), "each writer made a fact of its own"
    assert len(met.facts) == WRITERS
    assert met.requests["TransactWriteItems"] <= 3 * WRITERS
    assert met.requests.total() <= 40 * WRITERS
    assert met.slowest_s <= LONGEST_S


def test_of_32_facts_that_replace_each_other_at_once_one_is_active(table: Store) -> None:
    met = crowd(table, [REPLACE])

    assert met.slowest_s <= LONGEST_S
    active = [each for each in met.facts.values() if not is_retracted(each.record.payload)]
    assert len(active) == 1
