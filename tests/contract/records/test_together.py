"""Records are created and changed together or not at all."""

import pytest

from membrane.domain.language.values import LargeValue
from membrane.domain.records.records import Relation
from membrane.domain.records.stored import StoredRecord
from membrane.table.items import IdTaken, KeyUsed, LostRace
from membrane.usecases.ports.records import Receipt
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


def linked(record_id: str, *target_ids: str) -> StoredRecord:
    """A new record with relations to the targets."""
    relations = tuple(
        Relation(predicate="mentions", target_id=each, weight=1.0, created_at=NOW)
        for each in target_ids
    )
    return stored(record_id, relations=relations)


def test_new_records_are_there_with_relations_among_them(store: Store) -> None:
    one, two, three = linked("one", "two", "three"), linked("two", "one"), stored("three")

    store.records.create(one, also=[two, three])

    found = store.records.load_each(["one", "two", "three"])
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

    assert store.records.load_each(["two", "other"]) == {
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
    assert store.records.load_each(["one", "two", "three"]) == {taken: there}
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

    assert store.records.load_each(["one", "two"]) == {}


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

    assert store.records.load_each(["new", "one"]) == {"new": new[0], "one": new[1]}
    assert [each.source_id for each in store.records.incoming("target")] == ["two"]
