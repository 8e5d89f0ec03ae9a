"""Heads of facts move to whoever has read them, also with many writers at one fact."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

from membrane.domain.language.vocabulary import ConflictPolicy, Sensitivity
from membrane.domain.records.standing import is_retracted
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.table.items import LostRace
from membrane.usecases.ports.records import Head, Holder
from membrane.wiring import chance
from membrane.wiring.world import World
from tests.builders.requests import observation
from tests.builders.stored_records import changed, stored
from tests.worlds.depth import cases
from tests.worlds.faults import hooks
from tests.worlds.revision import done, held_in, id_of, require_whole, revising
from tests.worlds.stores import Store
from tests.worlds.virtual_time import VirtualTime

KEY = b"\x00the fact\xff"
FIRST = Holder("first", Sensitivity.LOW)
SECOND = Holder("second", Sensitivity.HIGH, "2026-01-01T00:00:00Z", "2027-01-01T00:00:00.5Z")


def read(store: Store, record_id: str) -> StoredRecord:
    """The record as it is now."""
    held = store.records.load(record_id)
    assert isinstance(held, StoredRecord)
    return held


def test_a_head_that_was_never_claimed_is_held_by_nobody(store: Store) -> None:
    assert store.records.head(KEY) == Head(KEY)


def test_a_record_claims_a_head_as_it_is_created(store: Store) -> None:
    store.records.create(stored("first"), heads=[Head(KEY, 0, (FIRST,))])

    assert store.records.head(KEY) == Head(KEY, 1, (FIRST,))
    assert store.records.head(KEY + b"\x00") == Head(KEY + b"\x00")


def test_several_heads_are_read_as_each_is_alone(store: Store) -> None:
    keys = [bytes((number,)) for number in range(120)]
    store.records.create(stored("first"), heads=[Head(keys[0], 0, (FIRST,)), Head(keys[110])])

    found = store.records.heads_of(keys)

    assert found == {each: store.records.head(each) for each in keys}
    assert [found[each].version for each in (keys[0], keys[1], keys[110])] == [1, 0, 1]


def test_a_head_keeps_several_holders_with_their_windows(store: Store) -> None:
    store.records.create(stored("first"), heads=[Head(KEY, 0, (FIRST, SECOND))])

    assert store.records.head(KEY).holders == (FIRST, SECOND)


def test_a_head_keeps_up_to_when_it_names_all_that_counts(store: Store) -> None:
    store.records.create(stored("first"), heads=[Head(KEY, 0, (FIRST,), 1_772_355_600.25)])

    assert store.records.head(KEY).known_to_s == 1_772_355_600.25


def test_of_two_claims_one_wins_and_the_loser_is_not_stored(store: Store) -> None:
    store.records.create(stored("first"), heads=[Head(KEY, 0, (FIRST,))])

    with pytest.raises(LostRace):
        store.records.create(stored("second"), heads=[Head(KEY, 0, (SECOND,))])

    assert store.records.head(KEY).holders == (FIRST,)
    assert store.records.load("second") is None


def test_a_head_moves_to_whoever_has_read_it_as_it_is(store: Store) -> None:
    store.records.create(stored("first"), heads=[Head(KEY, 0, (FIRST,))])

    store.records.create(stored("second"), heads=[Head(KEY, 1, (SECOND,))])

    assert store.records.head(KEY) == Head(KEY, 2, (SECOND,))


def test_a_record_whose_head_has_moved_meanwhile_is_not_changed(store: Store) -> None:
    store.records.create(stored("first"), heads=[Head(KEY, 0, (FIRST,))])
    store.records.create(stored("second"), heads=[Head(KEY, 1, (FIRST, SECOND))])
    before = read(store, "first")

    with pytest.raises(LostRace):
        store.records.replace_all([(before, changed(before))], heads=[Head(KEY, 1, ())])

    assert store.records.load("first") == before
    assert store.records.head(KEY).holders == (FIRST, SECOND)


def test_a_head_without_holders_may_be_claimed_again(store: Store) -> None:
    store.records.create(stored("first"), heads=[Head(KEY, 0, (FIRST,))])
    before = read(store, "first")

    store.records.replace_all([(before, changed(before))], heads=[Head(KEY, 1, ())])
    assert store.records.head(KEY) == Head(KEY, 2)
    store.records.create(stored("second"), heads=[Head(KEY, 2, (SECOND,))])

    assert store.records.head(KEY).holders == (SECOND,)


def test_where_one_head_is_lost_no_other_moves(store: Store) -> None:
    store.records.create(stored("first"), heads=[Head(b"one", 0, (FIRST,))])

    with pytest.raises(LostRace):
        store.records.create(
            stored("second"), heads=[Head(b"two", 0, (SECOND,)), Head(b"one", 0, (SECOND,))]
        )

    assert store.records.head(b"two") == Head(b"two")


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

    services = revising(table).but(back_off=time.back_off, new_id=chance.new_id)
    hooks(table.client).register("before-call.dynamodb", count)
    hooks(table.client).register("before-call.dynamodb", time.request)
    asked = [
        observation(
            predicate="home", object=f"{number}", on_conflict=policies[number % len(policies)]
        )
        for number in range(WRITERS)
    ]

    def tell(number: int, services: World) -> str:
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
