"""Messages of threads in the store: all or none of them, and no turn of a thread twice."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from membrane.adapters.dynamodb.records.queues import MAX_TRANSACTION_BYTES
from membrane.domain.language.errors import TooLarge
from membrane.domain.language.vocabulary import DecayCurve, MemoryType, Sensitivity
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.lifecycle import DecayProfile
from membrane.table.items import IdTaken, LostRace
from membrane.usecases.ports.records import Turns
from membrane.wiring.world import World
from tests.builders.proposals import lines, said, tell
from tests.builders.requests import change
from tests.builders.stored_records import lifecycle, noise, stored
from tests.worlds.stores import Store

KEY = b"thread"
SIZES = (1, 99, 100)


def several(number: int, **fields: Any) -> list[StoredRecord]:
    """So many records to be written."""
    return [stored(f"record-{place}", **fields) for place in range(number)]


# --- the store -----------------------------------------------------------------------------------


@pytest.mark.parametrize("number", SIZES)
def test_records_are_written_together_and_the_thread_moves_on(store: Store, number: int) -> None:
    new = several(number)

    store.records.create_all(new, Turns(KEY, 1, 1 + number))

    found = store.records.load_each([each.id for each in new])
    assert list(found.values()) == new
    assert store.records.next_turn(KEY) == 1 + number
    assert store.records.next_turn(b"another thread") == 1


@pytest.mark.parametrize("number", SIZES)
def test_where_an_id_is_taken_no_record_is_written(store: Store, number: int) -> None:
    there = stored("record-0", scope="other")
    store.records.create(there)

    with pytest.raises(IdTaken):
        store.records.create_all(several(number), Turns(KEY, 1, 1 + number))

    assert store.records.load("record-0") == there
    assert not store.records.load_each([f"record-{place}" for place in range(1, number)])
    assert store.records.next_turn(KEY) == 1


@pytest.mark.parametrize("number", SIZES)
@pytest.mark.parametrize("first", [1, 2, 4])
def test_where_the_turns_were_taken_no_record_is_written(
    store: Store, number: int, first: int
) -> None:
    store.records.create_all([stored("one"), stored("two")], Turns(KEY, 1, 3))

    with pytest.raises(LostRace):
        store.records.create_all(several(number), Turns(KEY, first, first + number))

    assert not store.records.load_each([f"record-{place}" for place in range(number)])
    assert store.records.next_turn(KEY) == 3


@pytest.mark.parametrize("number", SIZES)
def test_records_of_a_new_decay_profile_are_found_by_salience(store: Store, number: int) -> None:
    profile = DecayProfile(
        curve=DecayCurve.EXPONENTIAL, half_life_seconds=77, reinforcement_gain=0.2
    )

    store.records.create_all(several(number, kept=lifecycle(profile)), Turns(KEY, 1, 1 + number))

    classes = {each.decay_class for each in store.ranks.partitions("project:alpha")}
    assert "exponential:77:0:0" in classes


def test_a_conversation_is_one_transaction_as_long_as_it_has_room_for_the_threads_head(
    table: Store,
) -> None:
    tell(said("Hi"), table.services)
    requests = {}
    for number in SIZES:
        before = len(table.watched.requests)
        tell(said(*lines(number), thread_id=f"of {number}"), table.services)
        requests[number] = table.watched.operations()[before:]

    assert requests[1] == requests[99] == ["GetItem", "TransactWriteItems"]
    assert requests[100] == ["GetItem", "Query", "PutItem", "TransactWriteItems"]


def test_the_first_conversation_of_a_scope_registers_the_decay_profile_of_messages(
    table: Store,
) -> None:
    tell(said(*lines(2)), table.services)

    assert table.watched.operations() == ["GetItem", "GetItem", "TransactWriteItems"]
    assert said_partitions(table.services) == {"exponential:2592000:0:0": 2}


def test_messages_are_found_by_salience_after_their_half_life_was_set_anew(
    table: Store,
) -> None:
    tell(said(*lines(2)), table.services)
    shorter = replace(table.services.policy, message_half_life_s=60)
    services = table.under(policy=shorter)
    services = services.but(new_id=table.services.new_id)

    tell(said(*lines(3)), services)

    assert said_partitions(services) == {"exponential:2592000:0:0": 2, "exponential:60:0:0": 3}


def test_a_scope_that_is_full_of_decay_profiles_has_room_for_that_of_messages(
    store: Store,
) -> None:
    for number in range(14):
        profile = DecayProfile(
            curve=DecayCurve.LINEAR, half_life_seconds=1 + number, reinforcement_gain=0.2
        )
        kept = lifecycle(profile)
        store.records.create(stored(f"filler-{number}", scope="project:alpha", kept=kept))
    profile = DecayProfile(
        curve=DecayCurve.EXPONENTIAL, half_life_seconds=2_592_000, reinforcement_gain=0.2
    )
    said_so = several(2, kept=lifecycle(profile))

    store.records.create_all(said_so, Turns(KEY, 1, 3))

    classes = {each.decay_class for each in store.ranks.partitions("project:alpha")}
    assert "exponential:2592000:0:0" in classes


def test_what_is_too_large_for_a_transaction_is_refused_before_anything_is_written(
    table: Store,
) -> None:
    source = noise(42_000)  # of the audit's entry and, compressed, not yet large enough for a blob
    request = said(*(noise(40_000, place) for place in range(100)), source=source)
    assert 100 * (len(source) + 40_000) * 6 / 8 > MAX_TRANSACTION_BYTES
    before = table.everything()

    with pytest.raises(TooLarge, match="send fewer at once"):
        tell(request, table.services)

    assert table.everything() == before
    assert not list(table.blobs.list_blobs())


def test_messages_too_large_for_their_items_lie_in_the_bucket(table: Store) -> None:
    contents = [noise(100_000, place) for place in range(3)]

    told = tell(said(*contents), table.services)

    found = table.records.load_each([each["id"] for each in told.body["records"]])
    events = [each.record.payload.timeline[0] for each in found.values()]  # type: ignore[union-attr]
    assert [each.summary for each in events] == contents


def test_a_repeat_of_messages_that_were_erased_says_when(table: Store) -> None:
    services = table.services
    first = tell(said("Hi", "Hello"), services, key="k")
    ids = [each["id"] for each in first.body["records"]]
    for each in ids:
        change(DeleteRecord(id=each, erase=True), services)

    again = tell(said("Hi", "Hello"), services, key="k")

    assert again.replayed
    assert (again.body["first_turn"], again.body["next_turn"]) == (None, None)
    assert [each["id"] for each in again.body["records"]] == ids
    assert all(each["deleted_at"] for each in again.body["records"])


def said_partitions(services: World) -> Mapping[str, int]:
    """By decay class how many episodes the scope has, where it has any."""
    ranks = services.ranks
    counted = {
        each.decay_class: ranks.entries_in(each, Sensitivity.HYPER, 10).visible
        for each in ranks.partitions("project:alpha")
        if each.type is MemoryType.EPISODIC
    }
    return {each: count for each, count in counted.items() if count}
