"""Several records in one write: all of them become what they shall be, or none does."""

import pytest

from membrane.domain.records.records import Relation
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ports.records import IdTaken, KeyUsed, LostRace, Receipt
from tests.builders.stored_records import NOW, buried, changed, stored
from tests.worlds.stores import Store

KEYED = "018f3c5e-0000-8000-8000-000000000001"
LATER = "2027-01-01T00:00:00Z"


def kept(store: Store, record: StoredRecord) -> StoredRecord:
    """The record, stored and read again."""
    store.records.create(record)
    return read(store, record.id)


def read(store: Store, record_id: str) -> StoredRecord:
    """The record as it is now."""
    held = store.records.load(record_id)
    assert isinstance(held, StoredRecord)
    return held


def relating(before: StoredRecord, *target_ids: str) -> StoredRecord:
    """The next version, with more relations."""
    new = tuple(
        Relation(predicate="contested_by", target_id=target_id, weight=1.0, created_at=NOW)
        for target_id in target_ids
    )
    after = changed(before)
    relations = (*before.record.relations, *new)
    return before.next_version(after.record.model_copy(update={"relations": relations}))


def redated(before: StoredRecord) -> StoredRecord:
    """The next version, of whose relations the first is of a later day."""
    first, *others = before.record.relations
    relations = (first.model_copy(update={"created_at": LATER}), *others)
    return before.next_version(changed(before).record.model_copy(update={"relations": relations}))


def test_a_record_is_created_together_with_the_change_of_others(store: Store) -> None:
    one, two = kept(store, stored("one")), kept(store, stored("two"))
    new = stored("new")

    store.records.create(new, changed=[(one, changed(one)), (two, changed(two))])

    assert read(store, "new") == new
    assert read(store, "one") == changed(one)
    assert read(store, "two") == changed(two)


def test_where_another_writer_came_first_nothing_is_created_and_nothing_changes(
    store: Store,
) -> None:
    one, two = kept(store, stored("one")), kept(store, stored("two"))
    store.records.replace(two, changed(two, actor="another"))

    with pytest.raises(LostRace):
        store.records.create(stored("new"), changed=[(one, changed(one)), (two, changed(two))])

    assert store.records.load("new") is None
    assert read(store, "one") == one
    assert read(store, "two") == changed(two, actor="another")


def test_where_the_id_is_taken_nothing_changes(store: Store) -> None:
    one, there = kept(store, stored("one")), kept(store, stored("there"))

    with pytest.raises(IdTaken):
        store.records.create(stored("there", scope="other"), changed=[(one, changed(one))])

    assert read(store, "one") == one
    assert read(store, "there") == there


def test_several_records_change_together(store: Store) -> None:
    one, two = kept(store, stored("one")), kept(store, stored("two"))

    store.records.replace_all([(one, changed(one)), (two, relating(two, "one"))])

    assert read(store, "one") == changed(one)
    assert read(store, "two") == relating(two, "one")


def test_several_records_change_together_or_not_at_all(store: Store) -> None:
    one, two = kept(store, stored("one")), kept(store, stored("two"))
    store.records.replace(two, buried(two))

    with pytest.raises(LostRace):
        store.records.replace_all([(one, changed(one)), (two, changed(two))])

    assert read(store, "one") == one


def test_the_target_of_a_new_relation_must_be_as_it_was_read(store: Store) -> None:
    one, target = kept(store, stored("one")), kept(store, stored("target"))
    store.records.replace(target, buried(target))

    with pytest.raises(LostRace):
        store.records.replace_all([(one, relating(one, "target"))], targets=[target])

    assert read(store, "one") == one


def test_relations_are_added_behind_those_that_there_are(store: Store) -> None:
    for target_id in ("first", "second", "third"):
        kept(store, stored(target_id))
    one = kept(store, stored("one"))

    store.records.replace(one, relating(one, "second"))
    two = read(store, "one")
    store.records.replace(two, relating(two, "first", "third"))

    found = read(store, "one").record.relations
    assert [each.target_id for each in found] == ["second", "first", "third"]


def test_a_relation_that_is_another_now_stays_in_its_place(store: Store) -> None:
    for target_id in ("first", "second"):
        kept(store, stored(target_id))
    one = kept(store, stored("one"))
    store.records.replace(one, relating(one, "first", "second"))
    two = read(store, "one")

    store.records.replace(two, redated(two))

    assert read(store, "one") == redated(two)
    assert [each.created_at for each in redated(two).record.relations] == [LATER, NOW]


def test_a_relation_is_told_alike_by_the_record_and_by_its_target(table: Store) -> None:
    kept(table, stored("target"))
    one = kept(table, stored("one"))
    table.records.replace(one, relating(one, "target"))
    two = read(table, "one")

    table.records.replace(two, redated(two))

    (edge,) = table.records.incoming("target")
    (told,) = read(table, "one").record.relations
    assert edge.created_at == told.created_at == LATER


def test_a_change_that_a_key_made_is_found_under_it(store: Store) -> None:
    one = kept(store, stored("one"))
    receipt = Receipt(KEYED, b"f" * 32)

    store.records.replace_all([(one, changed(one))], receipts={"one": receipt})

    used = store.records.receipt(KEYED)
    assert used is not None
    assert (used.record_id, used.fingerprint) == ("one", b"f" * 32)


def test_a_key_makes_one_change_alone(store: Store) -> None:
    one, two = kept(store, stored("one")), kept(store, stored("two"))
    receipt = Receipt(KEYED, b"f" * 32)
    store.records.replace_all([(one, changed(one))], receipts={"one": receipt})

    with pytest.raises(KeyUsed):
        store.records.replace_all([(two, changed(two))], receipts={"two": receipt})

    assert read(store, "two") == two


def test_thirty_sources_with_full_trails_fit_into_one_transaction(table: Store) -> None:
    sources = [kept(table, stored(f"source-{number}")) for number in range(30)]
    for _ in range(15):
        sources = [_next(table, source) for source in sources]
    relations = tuple(
        Relation(predicate="derived_from", target_id=source.id, weight=1.0, created_at=NOW)
        for source in sources
    )

    table.records.create(
        stored("union", relations=relations),
        changed=[(source, changed(source)) for source in sources],
        receipts={"union": Receipt(KEYED, b"f" * 32)},
    )

    assert len(read(table, "union").record.relations) == len(sources)
    assert all(len(read(table, source.id).trail) == 17 for source in sources)
    again = _next(table, read(table, "source-0"))
    assert len(again.trail) == 18


def _next(store: Store, before: StoredRecord) -> StoredRecord:
    store.records.replace(before, changed(before))
    return read(store, before.id)
