"""The three indexes: sparse, thin, and equal to what the domain computes."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings

from membrane.domain.language.vocabulary import DecayCurve, DeletionPolicy
from membrane.domain.lifecycle.pruning import due_of, rank_in_class
from membrane.domain.records.payloads import CompetencePayload, EpisodicPayload, PerformanceStats
from membrane.domain.records.records import Relation
from membrane.domain.records.standing import natural_key
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.function import decay_class
from membrane.domain.salience.lifecycle import DecayProfile
from tests.builders.generated_records import SCOPES, records
from tests.builders.stored_records import (
    NOW,
    buried,
    changed,
    event,
    lifecycle,
    noise,
    stored,
)
from tests.worlds.depth import examples
from tests.worlds.limits import item_bytes
from tests.worlds.stores import CURVE, STRUCTURE, TABLE, Item, Store

INDEXES = ("rank", "due", "natural")
"""Of records; threads are those of search entries."""
SKILL = CompetencePayload(
    kind="competence",
    skill_name="deploy",
    triggers=(),
    recipe=(),
    performance=PerformanceStats(success_rate=0.3),
)
NEVER_INDEXED = {"document", "audit", "lifecycle", "entries", "operations", "fingerprint"}


def entries_of(table: Store, record_id: str) -> dict[str, Item]:
    """A record's entry by index, where it has one."""
    return {
        name: entry
        for name in INDEXES
        for entry in table.index(name)
        if entry["pk"] == {"S": f"record#{record_id}"}
    }


def kept(table: Store, record: StoredRecord) -> StoredRecord:
    """The record, stored and read again."""
    table.records.create(record)
    found = table.records.load(record.id)
    assert isinstance(found, StoredRecord)
    return found


@settings(max_examples=examples(40))
@given(generated=records())
def test_index_keys_are_what_the_domain_says(table: Store, generated: StoredRecord) -> None:
    table.records.create(generated)

    item = table.own_item(generated.id)
    due_s = due_of(generated, table.services.policy.custom_curves)
    natural = natural_key(generated.record.scope, generated.record.payload)
    assert float(item["rank_sk"]["N"]) == rank_in_class(generated)
    assert (int(item["due_sk"]["N"]) if "due_sk" in item else None) == due_s
    assert (item["natural_pk"]["B"] if "natural_pk" in item else None) == natural
    assert ("due_pk" in item, "natural_sk" in item) == (due_s is not None, natural is not None)


def test_a_record_of_the_usual_kind_is_in_all_three_indexes(table: Store) -> None:
    record = kept(table, stored())

    found = entries_of(table, record.id)

    assert set(found) == set(INDEXES)
    partition = found["rank"]["rank_pk"]["S"]
    assert decay_class(record.record.lifecycle) in partition
    assert partition.endswith("project:alpha")


def test_an_entry_of_the_rank_index_carries_all_that_the_template_projects(
    table: Store,
) -> None:
    record = kept(table, stored(payload=SKILL))
    (rank,) = (one for one in TABLE["GlobalSecondaryIndexes"] if one["IndexName"] == "rank")

    entry = entries_of(table, record.id)["rank"]

    assert set(rank["Projection"]["NonKeyAttributes"]) <= entry.keys()


def test_index_entries_are_thin_and_never_hold_the_payload(table: Store) -> None:
    longest = DecayProfile(
        curve=DecayCurve.CUSTOM,
        half_life_seconds=3_162_240_000,
        min_salience=0.12345678901234567,
        max_age_seconds=31_622_400_000,
        custom_curve=CURVE,
        reinforcement_gain=0.2,
    )
    large = stored(
        "i" * 128,
        payload=event("r" * 100_000, noise(20_000)),
        scope=SCOPES[-1],
        salience=0.1234567890123456,
        kept=lifecycle(longest),
        tags=tuple(f"{number:0256d}" for number in range(100)),
    )

    found = entries_of(table, kept(table, large).id)

    assert set(found) == set(INDEXES)
    for entry in found.values():
        assert item_bytes(entry) < 1_024
        assert not NEVER_INDEXED & entry.keys()


@pytest.mark.parametrize(
    ("record", "absent_from"),
    [
        (stored(kept=lifecycle(pinned=True)), {"due"}),
        (stored(kept=lifecycle(deletion_policy=DeletionPolicy.MANUAL_ONLY)), {"due"}),
        (stored(kept=lifecycle(deletion_policy=DeletionPolicy.NEVER)), {"due"}),
        (stored(payload=EpisodicPayload(kind="episodic", timeline=())), {"natural"}),
    ],
    ids=["pinned", "manual_only", "never", "an episode without events"],
)
def test_a_record_is_only_in_the_indexes_that_it_belongs_to(
    table: Store, record: StoredRecord, absent_from: set[str]
) -> None:
    table.records.create(record)

    assert entries_of(table, record.id).keys() == set(INDEXES) - absent_from


def test_a_tombstone_is_due_at_the_end_of_its_restore_window_and_listed_by_its_removal(
    table: Store,
) -> None:
    before = kept(table, stored())
    grave = buried(before)

    table.records.replace(before, grave)

    found = entries_of(table, before.id)
    assert found.keys() == {"due", "rank", "natural"}
    assert grave.tombstone is not None
    assert found["rank"]["rank_pk"] == {"S": "removed#deleted#=project:alpha"}
    assert found["rank"]["rank_sk"] == {"N": str(grave.tombstone.deleted_at_s)}
    assert found["due"]["due_sk"] == {"N": str(grave.tombstone.due_s)}


def test_nothing_but_a_records_own_item_is_in_an_index(table: Store) -> None:
    target = kept(table, stored("target"))
    relations = (Relation(predicate="cites", target_id="target", weight=1.0, created_at=NOW),)
    table.records.create(stored(relations=relations), targets=[target])
    for _ in range(20):
        newest = table.records.load("record-1")
        assert isinstance(newest, StoredRecord)
        table.records.replace(newest, changed(newest))

    indexed = [entry["sk"]["S"] for name in INDEXES for entry in table.index(name)]

    assert set(indexed) == {"record"}
    assert len(indexed) == 6


def test_a_change_that_moves_no_key_leaves_the_index_entries_alone(table: Store) -> None:
    before = kept(table, stored())
    entries = entries_of(table, before.id)

    table.records.replace(before, changed(before))

    assert entries_of(table, before.id) == entries


def test_no_two_scopes_share_a_partition_of_an_index(table: Store) -> None:
    found = [
        kept_keys(table, stored(f"record-{number}", scope=scope))
        for number, scope in enumerate(SCOPES)
    ]

    for partitions in zip(*found, strict=True):
        assert len(set(partitions)) == len(SCOPES)


def kept_keys(table: Store, record: StoredRecord) -> Sequence[object]:
    """Partitions of a record in the indexes that are divided by scope."""
    table.records.create(record)
    item = table.own_item(record.id)
    return item["rank_pk"]["S"], item["natural_pk"]["B"]


def test_due_records_spread_over_sixteen_shards(table: Store) -> None:
    for number in range(200):
        table.records.create(stored(f"record-{number}"))

    shards = {entry["due_pk"]["S"] for entry in table.index("due")}

    assert shards == {f"due#{shard}" for shard in range(16)}


def test_no_index_is_read_to_create_change_or_load_a_record(table: Store) -> None:
    target = kept(table, stored("target"))
    relations = (Relation(predicate="cites", target_id="target", weight=1.0, created_at=NOW),)
    table.records.create(stored(relations=relations), targets=[target])
    before = table.records.load("record-1")
    assert isinstance(before, StoredRecord)
    table.records.replace(before, changed(before))
    table.records.head(b"head")

    reads = [asked for name, asked in table.watched.requests if name in ("Query", "GetItem")]

    assert reads
    assert all("IndexName" not in asked and asked["ConsistentRead"] is True for asked in reads)


def test_the_template_has_what_a_local_table_takes_over() -> None:
    assert set(STRUCTURE) <= TABLE.keys()
    indexes = {index["IndexName"] for index in TABLE["GlobalSecondaryIndexes"]}
    assert indexes == {*INDEXES, "learning"}
