"""Several new records in one write: all of them are there, or none is."""

import pytest

from membrane.domain.language.values import LargeValue
from membrane.domain.records.records import Relation
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ports.records import IdTaken, KeyUsed, LostRace, Receipt
from tests.builders.generated_records import PROFILES
from tests.builders.stored_records import (
    DAY_S,
    NOW,
    NOW_S,
    buried,
    changed,
    event,
    lifecycle,
    noise,
    stored,
)
from tests.worlds.stores import Store

KEYED = "018f3c5e-0000-8000-8000-000000000001"


def linked(record_id: str, *target_ids: str) -> StoredRecord:
    """A new record with relations to the targets."""
    relations = tuple(
        Relation(predicate="mentions", target_id=each, weight=1.0, created_at=NOW)
        for each in target_ids
    )
    return stored(record_id, relations=relations)


def kept(store: Store, record: StoredRecord) -> StoredRecord:
    """The record, stored and read again."""
    store.records.create(record)
    held = store.records.load(record.id)
    assert isinstance(held, StoredRecord)
    return held


def test_new_records_are_there_with_relations_among_them(store: Store) -> None:
    one, two, three = linked("one", "two", "three"), linked("two", "one"), stored("three")

    store.records.create(one, also=[two, three])

    found = store.records.load_all(["one", "two", "three"])
    assert found == {"one": one, "two": two, "three": three}
    assert [each.source_id for each in store.records.incoming("three")] == ["one"]
    assert [each.source_id for each in store.records.incoming("one")] == ["two"]


def test_everything_else_of_the_write_comes_with_them(store: Store) -> None:
    target, other = kept(store, stored("target")), kept(store, stored("other"))
    head = store.records.head(b"head")

    store.records.create(
        linked("one", "target"),
        also=[linked("two", "target", "one")],
        changed=[(other, changed(other))],
        targets=[target],
        heads=[head],
        receipts={"one": Receipt(KEYED, b"f" * 32)},
    )

    assert store.records.load_all(["two", "other"]) == {
        "two": linked("two", "target", "one"),
        "other": changed(other),
    }
    assert store.records.head(b"head").version == 1
    used = store.records.receipt(KEYED)
    assert used is not None
    assert used.record_id == "one"


@pytest.mark.parametrize("taken", ["one", "two", "three"])
def test_where_an_id_is_taken_none_is_written(store: Store, taken: str) -> None:
    there = kept(store, stored(taken, scope="other"))
    new = linked("one", "two"), stored("two"), stored("three")

    with pytest.raises(IdTaken) as refused:
        store.records.create(new[0], also=new[1:])

    assert refused.value.record_id == taken
    assert store.records.load_all(["one", "two", "three"]) == {taken: there}
    assert list(store.records.incoming("two")) == []


def test_where_a_key_has_made_the_id_none_is_written(store: Store) -> None:
    store.records.create(stored("chosen"), receipts={"chosen": Receipt("two", b"f" * 32)})

    with pytest.raises(KeyUsed):
        store.records.create(stored("one"), also=[stored("two")])

    assert store.records.load("one") is None


def test_where_a_target_has_changed_none_is_written(store: Store) -> None:
    target = kept(store, stored("target"))
    store.records.replace(target, buried(target))

    with pytest.raises(LostRace):
        store.records.create(stored("one"), also=[linked("two", "target")], targets=[target])

    assert store.records.load_all(["one", "two"]) == {}


def test_new_classes_of_one_scope_are_registered_at_once(store: Store) -> None:
    kinds = [*PROFILES[1:4], PROFILES[1]]
    new = [stored(str(number), kept=lifecycle(kind)) for number, kind in enumerate(kinds)]
    before = {*store.ranks.partitions("project:alpha")}

    store.records.create(new[0], also=new[1:])

    assert len({*store.ranks.partitions("project:alpha")} - before) == 3


def test_large_values_and_documents_of_each_are_written(store: Store) -> None:
    content = b'"' + noise(200_000).encode() + b'"'
    large = LargeValue("two", "5" * 64, len(content))
    two = stored("two", payload=event(summary=noise(90_000)))

    store.records.create(stored("one"), also=[two], values={large: content})

    assert store.records.load("two") == two


def test_an_expired_tombstone_gives_way_and_its_edges_go(store: Store) -> None:
    kept(store, stored("target"))
    for record_id in ("one", "two"):
        held = kept(store, linked(record_id, "target"))
        store.records.replace(held, buried(held))
    store.clock.advance(seconds=401 * DAY_S)
    born_s = NOW_S + 401 * DAY_S
    new = stored("new", born_s=born_s), stored("one", born_s=born_s)

    store.records.create(new[0], also=new[1:])

    assert store.records.load_all(["new", "one"]) == {"new": new[0], "one": new[1]}
    assert [each.source_id for each in store.records.incoming("target")] == ["two"]
