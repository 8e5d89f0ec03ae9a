"""The names of entities: found by scope and first word, written with the entity or not at all."""

from collections.abc import Mapping

import pytest

from membrane.domain.language.vocabulary import Sensitivity
from membrane.usecases.ports.names import NameBucket, NameChange, NamePlace
from membrane.usecases.ports.records import LostRace
from tests.builders.stored_records import stored
from tests.worlds.stores import Store, TableStore

ORION = NamePlace("project:a", "orion")


def bucket(ids: Mapping[str, str], level: Sensitivity = Sensitivity.LOW) -> NameBucket:
    return NameBucket(ORION, level, ids)


def write(store: Store, record_id: str, *changes: NameChange) -> None:
    store.records.create(stored(record_id), names=changes)


def test_names_are_found_where_they_were_written(store: Store) -> None:
    write(store, "e1", NameChange(bucket({}), {"orion": "e1", "orion belt": "e1"}))

    found = store.names.buckets([ORION, NamePlace("", "orion"), NamePlace("project:a", "belt")])

    assert found == {ORION: {Sensitivity.LOW: bucket({"orion": "e1", "orion belt": "e1"})}}


def test_levels_are_written_apart(store: Store) -> None:
    write(store, "e1", NameChange(bucket({}), {"orion": "e1"}))
    write(store, "e2", NameChange(bucket({}, Sensitivity.HIGH), {"orion": "e2"}))

    found = store.names.buckets([ORION])[ORION]

    assert {level: each.entity_ids for level, each in found.items()} == {
        Sensitivity.LOW: {"orion": "e1"},
        Sensitivity.HIGH: {"orion": "e2"},
    }


def test_of_two_writers_that_read_the_same_names_one_loses_with_its_record(store: Store) -> None:
    write(store, "e1", NameChange(bucket({}), {"orion": "e1"}))

    with pytest.raises(LostRace):
        write(store, "e2", NameChange(bucket({}), {"orion": "e2"}))

    assert store.records.load("e2") is None
    assert store.names.buckets([ORION])[ORION][Sensitivity.LOW].entity_ids == {"orion": "e1"}


def test_the_removal_of_the_last_names_leaves_nothing(table: TableStore) -> None:
    write(table, "e1", NameChange(bucket({}), {"orion": "e1"}))
    write(table, "e2", NameChange(bucket({"orion": "e1"}), {}, is_last=True))

    assert table.names.buckets([ORION]) == {}
    assert table.partition("names#=project:a") == []


def test_a_removal_as_the_last_loses_against_names_of_another_level(store: Store) -> None:
    write(store, "e1", NameChange(bucket({}), {"orion": "e1"}))
    write(store, "e2", NameChange(bucket({}, Sensitivity.HIGH), {"orion": "e2"}))

    with pytest.raises(LostRace):
        write(store, "e3", NameChange(bucket({"orion": "e1"}), {}, is_last=True))
    write(store, "e3", NameChange(bucket({"orion": "e1"}), {}))

    assert store.names.buckets([ORION])[ORION].keys() == {Sensitivity.HIGH}


def test_words_with_a_prefix_come_in_order_and_resume(store: Store) -> None:
    for word in ("orion", "oracle", "zebra", "order"):
        before = NameBucket(NamePlace("project:a", word), Sensitivity.LOW)
        write(store, f"id-{word}", NameChange(before, {word: f"id-{word}"}))

    def words(prefix: str, after: str = "") -> list[str]:
        return [place.word for place, _ in store.names.beginning_with("project:a", prefix, after)]

    assert words("or") == ["oracle", "order", "orion"]
    assert words("or", "order") == ["orion"]
    assert words("") == ["oracle", "order", "orion", "zebra"]


def test_a_word_longer_than_a_key_is_found(store: Store) -> None:
    place = NamePlace("project:a", "\U0001f600" * 256)

    write(store, "e1", NameChange(NameBucket(place, Sensitivity.LOW), {place.word: "e1"}))

    assert store.names.buckets([place])[place][Sensitivity.LOW].entity_ids == {place.word: "e1"}
