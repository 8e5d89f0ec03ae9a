"""What is left of a record when its restore window ends, when it is erased, and in the end."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from membrane.adapters.bucket import S3Blobs
from membrane.domain.ingest.builder import Making, Why
from membrane.domain.language.errors import AlreadyExists, FailedPrecondition, NotFound
from membrane.domain.language.timestamps import from_epoch_seconds
from membrane.domain.language.vocabulary import DeletionPolicy
from membrane.domain.lifecycle.changes import erased_record, expired_record
from membrane.domain.lifecycle.pruning import Retention
from membrane.domain.lifecycle.requests import DeleteRecord, Reinforce, RestoreRecord
from membrane.domain.records.evidence import DERIVED_SEMANTIC
from membrane.domain.records.learning_mark import LearningMark, Stage
from membrane.domain.records.records import AuditEntry, Relation, first_broken
from membrane.domain.records.stored import AnyRecord, RemovedRecord, StoredRecord, Tombstone
from membrane.table.blobs import blob_of_text
from membrane.table.items import CorruptItem, IdTaken, LostRace
from membrane.usecases.collect_blobs import collect_blobs
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.lifecycle.sweep_due import sweep_due
from membrane.usecases.ports.indexes import Due
from membrane.usecases.ports.records import Receipt
from membrane.usecases.records.write import erasure_tombstone
from membrane.wiring.world import World
from tests.builders.derived_facts import capture
from tests.builders.records import a_making, ingest
from tests.builders.requests import call, change, full_record, gone, written
from tests.builders.requests import event as reported
from tests.builders.stored_records import (
    CONTENT,
    DAY_S,
    NOW,
    NOW_S,
    SECRET,
    TARGETS,
    buried,
    changed,
    created,
    edges_of,
    entry,
    event,
    laden,
    lifecycle,
    stored,
    texts,
    the,
    values_of,
)
from tests.worlds.faults import Killed, before_writes, mortal
from tests.worlds.stores import Store, contents

WHY = Why("curator", "it was asked for")
ALL_S = int(NOW_S) + 10**9


def services_of(store: Store) -> World:
    """The world over the store."""
    return store.services


def remains(store: Store, record_id: str = "record-1") -> RemovedRecord:
    """What is left of the record."""
    found = store.records.load(record_id, whole=True)
    assert isinstance(found, RemovedRecord)
    return found


def grave_of(held: AnyRecord) -> Tombstone:
    assert held.tombstone is not None
    return held.tombstone


def making(store: Store, record_id: str = "record-1") -> Making:
    return a_making(record_id=record_id, now=store.clock.now, principal="decay-service")


def bury(store: Store, record_id: str = "record-1") -> StoredRecord:
    """Its tombstone, with the document; it can be restored no longer."""
    before = the(store, record_id)
    store.records.replace(before, buried(before))
    found = the(store, record_id)
    store.clock.now = from_epoch_seconds(grave_of(found).due_s or 0)
    return found


def forget(store: Store, record_id: str = "record-1") -> tuple[StoredRecord, RemovedRecord]:
    """Its tombstone, and what is left of it when that is forgotten."""
    found = bury(store, record_id)
    after = expired_record(found, making(store, record_id), grave_of(found))
    store.records.forget(found, after)
    return found, after


def erase(store: Store, record_id: str = "record-1") -> tuple[AnyRecord, RemovedRecord]:
    """What stood there, and what is left of it when that is erased."""
    held = store.records.load(record_id, whole=True)
    assert held is not None
    grave = erasure_tombstone(held, store.clock.now, Retention())
    after = erased_record(held, grave, WHY, making(store, record_id))
    store.records.forget(held, after)
    return held, after


def entries_beside(table: Store, record_id: str = "record-1") -> list[Any]:
    """The items of the record's older audit entries."""
    return [item for item in table.partition(f"record#{record_id}") if "entries" in item]


# --- Forgetting ---------------------------------------------------------------------------------


@pytest.mark.parametrize("entries", [1, 15, 25])
def test_what_is_forgotten_keeps_who_it_was_why_it_went_and_its_whole_audit(
    store: Store, entries: int
) -> None:
    laden(store, entries=entries)

    before, after = forget(store)

    found = remains(store)
    assert found == after.without_due_time()
    assert (found.id, found.type, found.scope) == (before.id, before.type, before.scope)
    assert (found.sensitivity, found.fingerprint) == (before.sensitivity, before.fingerprint)
    assert found.operations == before.operations
    assert found.tombstone == grave_of(before)._replace(due_s=None)
    assert found.trail[:-1] == before.trail
    assert first_broken("record-1", found.trail, found.written_entries) is None


def test_a_forgotten_record_names_the_facts_derived_from_it_until_it_is_erased(
    store: Store,
) -> None:
    targets = [created(store, stored(name)) for name in ("fact-1", "fact-2", "other")]
    predicates = (DERIVED_SEMANTIC, DERIVED_SEMANTIC, "cites")
    relations = tuple(
        Relation(predicate=predicate, target_id=target.id, weight=1.0, created_at=NOW)
        for predicate, target in zip(predicates, targets, strict=True)
    )
    store.records.create(stored(relations=relations), targets=targets)

    _, forgotten = forget(store)

    assert forgotten.facts == ("fact-1", "fact-2")
    assert remains(store) == forgotten.without_due_time()

    _, erased = erase(store)

    assert erased.facts == ()
    assert remains(store) == erased.without_due_time()


def test_an_erasure_of_an_expired_capture_reaches_the_derived_fact(store: Store) -> None:
    services = services_of(store)
    made = capture("tea", services)
    forget(store, made.capture_id)

    change(DeleteRecord(id=made.capture_id, erase=True), services)

    assert remains(store, made.capture_id).tombstone.is_erased
    assert remains(store, made.fact_id).tombstone.is_erased


def test_damaged_facts_of_a_forgotten_record_are_reported(table: Store) -> None:
    created(table, stored())
    forget(table)
    table.put({**table.own_item("record-1"), "facts": {"S": "[1]"}})

    with pytest.raises(CorruptItem):
        table.records.load("record-1")


def test_what_changed_since_it_was_read_is_not_forgotten(store: Store) -> None:
    laden(store)
    before = bury(store)
    store.records.replace(before, changed(before))
    stands = the(store)

    with pytest.raises(LostRace):
        store.records.forget(before, expired_record(before, making(store), grave_of(before)))

    assert the(store) == stands
    assert all(store.records.value(large) == CONTENT for large in values_of(stands))


def test_a_record_that_is_its_item_alone_is_forgotten_by_one_put(table: Store) -> None:
    created(table, stored(fingerprint=b"f" * 32))
    found = bury(table)
    after = expired_record(found, making(table), grave_of(found))
    table.watched.requests.clear()

    table.records.forget(found, after)

    assert table.watched.operations() == ["PutItem"]
    assert remains(table) == after.without_due_time()


OF_REMAINS = {
    "pk",
    "sk",
    "type",
    "scope",
    "sensitivity",
    "created_at",
    "version",
    "fingerprint",
    "audit",
    "audit_count",
    "audit_spilled",
    "deleted_at",
    "deleted_reason",
    "expires_at",
}


INDEXES = ("rank", "due", "natural", "learning")
OF_LISTS = {"rank_pk", "rank_sk", "salience", "anchored_at", "deletion_policy", "conf"}
"""The row of a removed record in lists, which stays as the row is; an erased record has none."""


@pytest.mark.parametrize(("end", "listed"), [(forget, OF_LISTS), (erase, set())])
@pytest.mark.parametrize("entries", [0, 20])
def test_no_more_is_left_in_the_item_than_the_remains_need(
    table: Store, entries: int, end: Callable[[Store], object], listed: set[str]
) -> None:
    if not entries:
        created(table, stored(fingerprint=b"f" * 32))
    else:
        laden(table, entries=entries)

    end(table)

    assert table.own_item("record-1").keys() == OF_REMAINS | listed
    assert list(table.due.due(0, ALL_S)) == []
    indexed = {name: [each["pk"] for each in table.index(name)] for name in INDEXES}
    found = {name for name, entries in indexed.items() if {"S": "record#record-1"} in entries}
    assert found == ({"rank"} if listed else set())


@pytest.mark.parametrize("end", [forget, erase])
def test_a_step_waits_no_longer_when_its_content_goes(
    table: Store, end: Callable[[Store], object]
) -> None:
    step = replace(stored(), learning=LearningMark(awaits=Stage.STEP))
    created(table, step)
    assert [each["pk"] for each in table.index("learning")] == [{"S": "record#record-1"}]

    end(table)

    assert table.index("learning") == []


@pytest.mark.parametrize("end", [forget, erase])
def test_edges_at_targets_go_and_those_of_others_stay(
    table: Store, end: Callable[[Store], object]
) -> None:
    laden(table)
    laden(table, "record-2")
    before = edges_of(table)

    end(table)

    own = {(source, target) for source, target in before if source == "record-1"}
    assert own == {("record-1", target) for target in TARGETS}
    assert edges_of(table) == Counter({each: before[each] for each in before if each not in own})


@pytest.mark.parametrize("entries", [15, 25])
def test_older_audit_entries_keep_their_text_and_expire_with_the_tombstone(
    table: Store, entries: int
) -> None:
    laden(table, entries=entries)

    before, after = forget(table)

    beside = entries_beside(table)
    assert beside
    ends = {item["expires_at"]["N"] for item in beside}
    assert ends == {table.own_item("record-1")["expires_at"]["N"]}
    assert ends == {str(after.tombstone.expires_at_s)}
    assert [entry.actor for entry in remains(table).trail[:-1]] == [
        entry.actor for entry in before.trail
    ]


def before_item(
    table: Store, first: str, deed: Callable[[Any], object], of: str = "record-1"
) -> Callable[[], Any]:
    """Do the deed with an item before it is written; gives the item as the table has it then."""
    beside = table.partition(f"record#{of}")
    item = next(each for each in beside if each["sk"]["S"].startswith(first))
    key: Any = {"pk": item["pk"], "sk": item["sk"]}
    before_writes(table.client, lambda: deed(item), item["pk"]["S"], item["sk"]["S"])
    return lambda: table.inspector.get_item(TableName=table.table, Key=key).get("Item")


def test_an_edge_of_a_younger_record_of_the_id_is_not_removed(table: Store) -> None:
    laden(table)
    younger = {"born": {"N": str(NOW_S + 1)}}

    def put(item: Any) -> None:
        table.inspector.put_item(TableName=table.table, Item={**item, **younger})

    now = before_item(table, "source#", put, of=TARGETS[0])

    with pytest.raises(LostRace):
        forget(table)

    assert now()["born"] == younger["born"]


def test_a_side_item_of_a_younger_record_of_the_id_is_not_removed(table: Store) -> None:
    created(table, stored())
    for number in range(24):  # older changes leave the item
        newest = the(table)
        record = newest.record.model_copy(update={"tags": (f"{number}",)})
        table.records.replace(
            newest, newest.next_version(changed(replace(newest, record=record)).record)
        )
    younger = {"born": {"N": str(NOW_S + 1)}}

    def put(item: Any) -> None:
        table.inspector.put_item(TableName=table.table, Item={**item, **younger})

    now = before_item(table, "history#", put)

    with pytest.raises(LostRace):
        forget(table)

    assert now()["born"] == younger["born"]


@pytest.mark.parametrize("remove", [forget, erase])
def test_an_audit_item_that_ttl_removes_first_is_not_brought_back(
    table: Store, remove: Callable[[Store], object]
) -> None:
    laden(table)

    def expire(item: Any) -> None:
        key = {"pk": item["pk"], "sk": item["sk"]}
        table.inspector.delete_item(TableName=table.table, Key=key)

    now = before_item(table, "audit#", expire)

    with pytest.raises(LostRace):
        remove(table)

    assert now() is None


def test_of_its_blobs_those_of_the_audit_stay(table: Store) -> None:
    laden(table)
    laden(table, "record-2")
    others = {blob.name for blob in table.blobs.list_blobs("record-2")}

    forget(table)

    assert {blob.name for blob in table.blobs.list_blobs("record-2")} == others
    left = {blob.name for blob in table.blobs.list_blobs("record-1")}
    assert left == table.records.blob_names("record-1")
    assert len(left) == 2


def test_what_is_forgotten_takes_its_place_until_it_expires(store: Store) -> None:
    laden(store)
    _, after = forget(store)
    end = from_epoch_seconds(after.tombstone.expires_at_s)

    store.clock.now = end - timedelta(microseconds=1)
    with pytest.raises(IdTaken):
        store.records.create(stored())
    store.clock.now = end

    assert store.records.load("record-1", whole=True) is None
    newcomer = stored(payload=event("build:2"), born_s=NOW_S + 401 * DAY_S)
    store.records.create(newcomer)
    assert the(store) == newcomer


def test_more_lies_beside_it_than_one_transaction_takes(table: Store) -> None:
    trail: list[AuditEntry] = []
    for _ in range(850):
        trail.append(entry("record-1", trail, actor=SECRET))
    keep(table, trail)
    bury(table)
    found = the(table)

    table.records.forget(found, expired_record(found, making(table), grave_of(found)))
    assert len(entries_beside(table)) > 100
    assert all("expires_at" in item for item in entries_beside(table))
    assert remains(table).trail[:851] == found.trail

    erase(table)
    assert not any(SECRET in text for text in texts(table))
    left = remains(table)
    assert first_broken("record-1", left.trail, left.written_entries) is None


def keep(table: Store, trail: Sequence[AuditEntry]) -> None:
    """A record of these audit entries, of which all but the newest lie in items of their own."""
    plain = stored()
    whole = replace(plain, record=plain.record.model_copy(update={"audit_log": tuple(trail)}))
    table.services.restores.restore_record(whole, {})


# --- Erasing ------------------------------------------------------------------------------------


def as_living(store: Store) -> None:
    """As it is."""
    the(store)


STATES: dict[str, Callable[[Store], object]] = {
    "living": as_living,
    "deleted": bury,
    "forgotten": forget,
    "erased": erase,
}


@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
@pytest.mark.parametrize("entries", [1, 20])
def test_what_is_erased_says_nothing_any_more_and_its_chain_still_holds(
    store: Store, entries: int, state: Callable[[Store], object]
) -> None:
    laden(store, entries=entries)
    state(store)

    before, after = erase(store)

    found = remains(store)
    assert found == after.without_due_time()
    assert [entry.hash for entry in found.trail[:-1]] == [entry.hash for entry in before.trail]
    assert not any(entry.actor or entry.rationale or entry.salt for entry in found.trail[:-1])
    assert (found.trail[-1].actor, found.trail[-1].rationale) == (WHY.actor, WHY.rationale)
    assert first_broken("record-1", found.trail, found.written_entries) is None
    assert (found.scope, found.sensitivity, found.fingerprint) == (
        "project:alpha",
        "low",
        b"f" * 32,
    )
    assert grave_of(found).is_erased


@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
@pytest.mark.parametrize("entries", [15, 16, 20])
def test_nothing_of_what_is_erased_is_left_in_the_table_or_the_bucket(
    table: Store, entries: int, state: Callable[[Store], object]
) -> None:
    laden(table, entries=entries)
    state(table)

    erase(table)

    assert not any(SECRET in text for text in texts(table))
    assert list(table.blobs.list_blobs("record-1")) == []
    ends = {item["expires_at"]["N"] for item in entries_beside(table)}
    assert ends <= {table.own_item("record-1")["expires_at"]["N"]}


@pytest.mark.parametrize("entries", [15, 20])
def test_no_version_in_the_bucket_has_a_byte_of_what_is_erased(
    bucketed: Store, entries: int
) -> None:
    assert isinstance(bucketed.blobs, S3Blobs)
    laden(bucketed, entries=entries)
    for name in [blob.name for blob in bucketed.blobs.list_blobs()]:
        if name not in bucketed.records.blob_names("record-1"):
            bucketed.blobs.remove(name)  # as the job does that collects orphans
    bucketed.blobs.write("blobs/record-1/orphan", SECRET.encode())
    bucketed.blobs.remove("blobs/record-1/orphan")
    assert any(SECRET.encode() in content for _, content in contents(bucketed.blobs.client()))

    erase(bucketed)

    assert [name for name, _ in contents(bucketed.blobs.client()) if "/record-1/" in name] == []


@pytest.mark.parametrize("end", [forget, erase])
def test_only_erasing_takes_a_removed_blob_out_of_the_bucket_for_good(
    bucketed: Store, end: Callable[[Store], object]
) -> None:
    assert isinstance(bucketed.blobs, S3Blobs)
    laden(bucketed, entries=20)

    end(bucketed)

    present = {blob.name for blob in bucketed.blobs.list_blobs()}
    removed = [name for name, _ in contents(bucketed.blobs.client()) if name not in present]
    assert bool(removed) == (end is forget)


def test_a_blob_that_a_write_left_behind_an_erasure_is_collected_for_good(
    bucketed: Store,
) -> None:
    assert isinstance(bucketed.blobs, S3Blobs)
    for record_id in ("record-1", "record-2"):
        created(bucketed, stored(record_id))
    erase(bucketed)
    for record_id in ("record-1", "record-2"):
        bucketed.blobs.write(f"blobs/{record_id}/orphan", SECRET.encode())
    bucketed.clock.now = max(blob.written_at for blob in bucketed.blobs.list_blobs()) + timedelta(
        days=2
    )

    collect_blobs(bucketed.services.but(topics=bucketed.topics, documents=bucketed.documents))

    left = {name for name, _ in contents(bucketed.blobs.client())}
    assert left == {"blobs/record-2/orphan"}


def test_what_a_killed_write_left_in_the_bucket_is_erased_with_the_record(
    table: Store,
) -> None:
    created(table, stored())
    for name in ("blobs/record-1/orphan", "blobs/record-10/another's"):
        table.blobs.write(name, SECRET.encode())

    erase(table)

    assert [blob.name for blob in table.blobs.list_blobs()] == ["blobs/record-10/another's"]


def test_a_lost_blob_of_the_audit_is_an_error_where_nobody_else_erases(table: Store) -> None:
    laden(table, entries=20)
    before = the(table)
    grave = erasure_tombstone(before, table.clock.now, Retention())
    after = erased_record(before, grave, WHY, making(table))
    lost = blob_of_text(entries_beside(table)[0], "entries", "record-1")
    assert lost is not None
    table.blobs.remove(lost)

    with pytest.raises(CorruptItem):
        table.records.forget(before, after)


def test_what_was_deleted_is_erased_for_as_long_as_its_tombstone_would_have_stood(
    store: Store,
) -> None:
    laden(store)
    before = bury(store)

    _, after = erase(store)

    grave = grave_of(before)
    assert after.tombstone.expires_at_s == grave.expires_at_s
    assert after.tombstone.deleted_at_s == grave.deleted_at_s


def test_an_erasure_that_ends_amid_the_forgetting_of_the_record_is_finished_by_the_sweep(
    table: Store,
) -> None:
    laden(table)
    lives = [mortal(table.client)]

    def erase_in_part() -> None:
        if lives:
            life = lives.pop()
            life.writes_left = 1
            with suppress(Killed):
                erase(table)
            life.writes_left = 1_000

    before_writes(table.client, erase_in_part, "REMOVE due_pk")
    forget(table)
    assert any(SECRET in text for text in texts(table))

    sweep_due(table.services, lambda: False)

    assert remains(table).tombstone.is_erased
    assert not any(SECRET in text for text in texts(table))


@pytest.mark.parametrize("policy", DeletionPolicy)
def test_a_caller_may_erase_whatever_the_deletion_policy(
    store: Store, policy: DeletionPolicy
) -> None:
    created(store, stored(kept=lifecycle(deletion_policy=policy)))

    change(DeleteRecord(id="record-1", erase=True, rationale="law"), services_of(store))

    found = remains(store)
    assert grave_of(found).is_erased
    assert found.tombstone.due_s is None
    assert found.trail[-1].rationale == "law"


@pytest.mark.parametrize("state", [as_living, bury, forget])
def test_erasing_again_leaves_what_was_erased_as_it_is(
    store: Store, state: Callable[[Store], object]
) -> None:
    laden(store)
    state(store)
    asked = DeleteRecord(id="record-1", erase=True)
    change(asked, services_of(store))
    before = remains(store)
    store.clock.advance(days=1)

    change(asked, services_of(store))

    assert remains(store) == before


# --- Replays ------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", [forget, erase])
def test_a_repeat_of_what_made_it_meets_the_tombstone(
    store: Store, end: Callable[[Store, str], object]
) -> None:
    world, asked = services_of(store), reported(summary=SECRET)
    record = written(ingest(asked, call(asked, key="key-1"), world))
    end(store, record.id)

    again = gone(ingest(asked, call(asked, key="key-1"), world))

    deleted_at_s = grave_of(remains(store, record.id)).deleted_at_s
    assert again.record_id == record.id
    assert again.deleted_at == NOW
    assert deleted_at_s == NOW_S
    other = reported(summary="other")
    with pytest.raises(AlreadyExists):
        ingest(other, call(other, key="key-1"), world)


@pytest.mark.parametrize("end", [forget, erase])
def test_a_repeat_of_what_made_it_under_a_chosen_id_meets_the_tombstone(
    store: Store, end: Callable[[Store, str], object]
) -> None:
    world, asked = services_of(store), full_record(id="chosen")
    ingest_record(asked, call(asked, key="key-1"), world)
    end(store, "chosen")

    assert gone(ingest_record(asked, call(asked, key="key-1"), world)).record_id == "chosen"
    with pytest.raises(AlreadyExists):
        ingest_record(asked, call(asked), world)
    assert store.records.receipt("chosen") is None


@pytest.mark.parametrize("end", [forget, erase])
def test_a_repeat_of_what_changed_it_meets_the_tombstone(
    store: Store, end: Callable[[Store], object]
) -> None:
    created(store, stored())
    asked, world = Reinforce(id="record-1"), services_of(store)
    change(asked, world, key="key-1")
    end(store)
    before = remains(store)

    assert gone(change(asked, world, key="key-1")).record_id == "record-1"
    with pytest.raises(NotFound):
        change(asked, world)

    assert remains(store) == before


# --- Restoring ----------------------------------------------------------------------------------


def test_a_restored_record_has_all_that_it_had(store: Store) -> None:
    before = laden(store)
    store.records.replace(before, buried(before))
    store.clock.advance(days=29)

    change(RestoreRecord(id="record-1"), services_of(store))

    found = the(store)
    assert found.tombstone is None
    assert found.record.payload == before.record.payload
    assert found.record.relations == before.record.relations
    assert [store.records.value(large) for large in values_of(found)] == [CONTENT]
    assert found.trail[:-2] == before.trail
    assert first_broken("record-1", found.trail, found.written_entries) is None
    assert found.anchor.salience == 1.0


def test_a_restored_record_is_in_the_indexes_that_it_was_in(table: Store) -> None:
    before = laden(table)
    indexed = {name: keys_of(table, name) for name in ("rank", "due", "natural")}
    table.records.replace(before, buried(before))
    table.clock.advance(days=29)

    change(RestoreRecord(id="record-1"), table.services)

    for name, (partition, instant) in indexed.items():
        assert keys_of(table, name)[0] == partition
        assert (keys_of(table, name)[1] == instant) is (name == "natural")


def keys_of(table: Store, name: str) -> tuple[Any, Any]:
    """Where the record stands in the index."""
    (found,) = [each for each in table.index(name) if each["pk"] == {"S": "record#record-1"}]
    return found[f"{name}_pk"], found[f"{name}_sk"]


def test_the_restore_window_ends_at_the_very_second(store: Store) -> None:
    created(store, stored())
    before = bury(store)
    end = store.clock.now
    asked, world = RestoreRecord(id="record-1"), services_of(store)

    with pytest.raises(FailedPrecondition, match="is over"):
        change(asked, world)
    assert the(store) == before
    store.clock.now = end - timedelta(microseconds=1)
    change(asked, world)

    assert the(store).tombstone is None


@pytest.mark.parametrize(
    ("state", "words"),
    [(as_living, "not deleted"), (forget, "is over"), (erase, "erased")],
)
def test_what_is_not_deleted_or_has_no_document_cannot_be_restored(
    store: Store, state: Callable[[Store], object], words: str
) -> None:
    laden(store)
    state(store)
    before = store.records.load("record-1", whole=True)

    with pytest.raises(FailedPrecondition, match=words):
        change(RestoreRecord(id="record-1"), services_of(store))

    assert store.records.load("record-1", whole=True) == before


# --- The end ------------------------------------------------------------------------------------


def expire(store: Store) -> None:
    """The tombstone's time is over, and no sweep came to remove its document."""
    before = the(store)
    store.records.replace(before, buried(before))
    store.clock.advance(days=401)


def test_what_is_left_of_an_expired_tombstone_is_removed(table: Store) -> None:
    laden(table)
    laden(table, "record-2")
    others = [item for item in table.everything() if item["pk"] != {"S": "record#record-1"}]
    expire(table)

    table.records.discard("record-1")

    (inverse,) = table.partition("record#record-1")
    assert inverse["source_id"] == {"S": "pointer-record-1"}
    assert [item for item in others if item not in table.everything()] == [
        item for item in others if item.get("source_id") == {"S": "record-1"}
    ]
    collect_blobs(table.services.but(topics=table.topics, documents=table.documents))
    assert {blob.record_id for blob in table.blobs.list_blobs()} == {"record-2"}
    assert [table.records.value(large) for large in values_of(the(table, "record-2"))] == [CONTENT]


@pytest.mark.parametrize("state", [as_living, bury, forget, erase])
def test_what_has_not_expired_is_not_removed(
    store: Store, state: Callable[[Store], object]
) -> None:
    laden(store)
    state(store)
    before = store.records.load("record-1", whole=True)

    store.records.discard("record-1")

    assert before is not None
    assert store.records.load("record-1", whole=True) == before
    if isinstance(before, StoredRecord):
        assert all(store.records.value(large) == CONTENT for large in values_of(before))


def test_where_nothing_is_nothing_is_removed(table: Store) -> None:
    table.records.create(stored("chosen"), receipts={"chosen": Receipt("keyed", b"f" * 32)})
    before = table.everything()

    for record_id in ("never", "keyed"):
        table.records.discard(record_id)

    assert table.everything() == before


def test_who_comes_in_the_place_of_an_expired_tombstone_is_not_removed(table: Store) -> None:
    laden(table)
    expire(table)
    cited = Relation(predicate="cites", target_id="target-1", weight=1.0, created_at=NOW)
    newcomer = stored(payload=event("build:2"), relations=(cited,), born_s=NOW_S + 401 * DAY_S)
    table.records.create(newcomer, targets=[the(table, "target-1")])

    table.records.discard("record-1")

    assert the(table) == newcomer


def test_who_comes_while_another_removes_the_expired_tombstone_gets_the_place(
    table: Store,
) -> None:
    laden(table)
    expire(table)
    newcomer = stored(payload=event("build:2"), born_s=NOW_S + 401 * DAY_S)
    removal = "attribute_exists(deleted_at)"
    before_writes(table.client, lambda: table.records.discard("record-1"), removal)

    table.records.create(newcomer)

    assert the(table) == newcomer


def test_where_both_periods_are_one_the_sweep_removes_what_has_expired(table: Store) -> None:
    laden(table)
    before = the(table)
    grave = replace(buried(before), tombstone=Tombstone(NOW_S, "deleted", ALL_S, ALL_S))
    table.records.replace(before, grave)
    table.clock.now = from_epoch_seconds(ALL_S)
    assert Due("record-1", ALL_S) in [
        due for shard in range(16) for due in table.due.due(shard, ALL_S)
    ]

    swept = sweep_due(table.services, lambda: False)

    assert swept.faults == ()
    assert table.records.load("record-1", whole=True) is None
    assert "document" not in [name for item in table.partition("record#record-1") for name in item]
