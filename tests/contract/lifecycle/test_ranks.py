"""The rank index, read without a record: by decay class, stretch by stretch."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import pytest

from membrane.adapters.dynamodb.indexes.orders import DynamoRanks
from membrane.domain.language.vocabulary import (
    DecayCurve,
    DeletionPolicy,
    MemoryType,
    RevisionStatus,
    Sensitivity,
    ValidityMode,
)
from membrane.domain.lifecycle.pruning import Ranked
from membrane.domain.records.payloads import RevisionState, SemanticPayload, Validity
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.decay_defaults import PolicyDefaults, implied_classes
from membrane.domain.salience.function import decay_class, lifecycle_of_class
from membrane.domain.salience.lifecycle import DecayProfile, Lifecycle
from membrane.usecases.ports.indexes import RankPartition, Ranks
from tests.builders.generated_records import SCOPES
from tests.builders.stored_records import NOW_S, buried, lifecycle, stored
from tests.worlds.faults import before_writes
from tests.worlds.metering import meter
from tests.worlds.stores import CURVE, Store

SCOPE = "project:alpha"
ALL = 1_000
HYPER, LOW = Sensitivity.HYPER, Sensitivity.LOW
PROFILES = (
    DecayProfile(curve=DecayCurve.EXPONENTIAL, half_life_seconds=77, reinforcement_gain=0.2),
    DecayProfile(
        curve=DecayCurve.LINEAR,
        half_life_seconds=60,
        min_salience=0.1,
        max_age_seconds=600,
        reinforcement_gain=0.2,
    ),
    DecayProfile(
        curve=DecayCurve.CUSTOM, half_life_seconds=600, custom_curve=CURVE, reinforcement_gain=0.2
    ),
)


def usual(scope: str = SCOPE) -> RankPartition:
    """Where episodes are that fade as the settings say."""
    return partition_of(lifecycle(), scope)


def partition_of(kept: Lifecycle, scope: str = SCOPE) -> RankPartition:
    return RankPartition(scope, MemoryType.EPISODIC, decay_class(kept), 0)


def numbered(count: int) -> list[StoredRecord]:
    """Records in the order of their ranks, of five sensitivities."""
    levels = list(Sensitivity)
    return [
        stored(
            f"record-{number}",
            salience=0.1 + number / 7,
            sensitivity=levels[number % len(levels)],
            born_s=NOW_S - number / 3,
        )
        for number in range(count)
    ]


def fact(status: RevisionStatus | None = None) -> SemanticPayload:
    return SemanticPayload(
        kind="semantic",
        subject="user",
        predicate="likes",
        object="tea",
        validity=Validity(mode=ValidityMode.GLOBAL),
        revision=None if status is None else RevisionState(status=status),
    )


def create(store: Store, records: Sequence[StoredRecord]) -> None:
    for each in records:
        store.records.create(each)


def ranked(records: Sequence[StoredRecord]) -> list[Ranked]:
    """What the index has to tell of the records."""
    return [
        Ranked(
            each.id,
            each.anchor,
            each.record.lifecycle.deletion_policy,
            each.record.confidence,
            None,
        )
        for each in records
    ]


def stretches(ranks: DynamoRanks, entries: int, ceiling: Sensitivity = HYPER) -> list[Ranks]:
    """The usual partition, so many entries at a time."""
    found = [ranks.entries_in(usual(), ceiling, entries)]
    while found[-1].after is not None:
        found.append(ranks.entries_in(usual(), ceiling, entries, found[-1].after))
    return found


def test_what_is_read_is_what_ranks_and_what_it_takes_to_prune(store: Store) -> None:
    records = numbered(5)
    create(store, records)

    found = store.ranks.entries_in(usual(), HYPER, ALL)

    assert list(found.records) == ranked(records)
    assert (found.entries, found.visible, found.after) == (5, 5, None)


@pytest.mark.parametrize("policy", DeletionPolicy)
def test_each_record_has_its_own_deletion_policy(store: Store, policy: DeletionPolicy) -> None:
    create(store, [stored(kept=lifecycle(deletion_policy=policy))])

    (found,) = store.ranks.entries_in(usual(), HYPER, ALL).records

    assert found.deletion_policy is policy


@pytest.mark.parametrize("entries", [1, 2, 3, 7, 8])
def test_stretches_join_without_a_gap(store: Store, entries: int) -> None:
    records = numbered(7)
    create(store, records)

    found = stretches(store.ranks, entries)

    assert list(chain.from_iterable(each.records for each in found)) == ranked(records)
    assert {each.entries for each in found[:-1]} <= {entries}
    assert sum(each.visible for each in found) == 7


def test_what_is_passed_over_is_counted_and_reading_goes_on_behind_it(store: Store) -> None:
    records = numbered(7)
    create(store, records)

    passed = store.ranks.count(usual(), HYPER, 3)
    found = store.ranks.entries_in(usual(), HYPER, 2, passed.after)
    behind = store.ranks.count(usual(), HYPER, ALL, found.after)

    assert (passed.entries, passed.visible, list(passed.records)) == (3, 3, [])
    assert list(found.records) == ranked(records[3:5])
    assert (behind.entries, behind.visible, behind.after) == (2, 2, None)


def test_what_is_retracted_does_not_fade_and_comes_last_to_who_goes_down_the_ranks(
    store: Store,
) -> None:
    facts = [
        stored("faded", payload=fact(), salience=0.0),
        stored("retracted", payload=fact(RevisionStatus.RETRACTED), salience=0.0),
        stored("fresh", payload=fact(), salience=1.0),
    ]
    create(store, facts)
    partition = RankPartition(SCOPE, MemoryType.SEMANTIC, decay_class(lifecycle()), 0)

    found = store.ranks.entries_in(partition, HYPER, ALL)
    counted = store.ranks.count(partition, HYPER, ALL)
    down = [each.record_id for each in store.ranks.top(partition, ALL)]

    assert list(found.records) == ranked([facts[0], facts[2]])
    assert (found.visible, counted.visible) == (2, 2)
    assert down == ["fresh", "faded", "retracted"]


@pytest.mark.parametrize("ceiling", Sensitivity)
def test_what_is_above_the_ceiling_is_gone_through_unseen(
    store: Store, ceiling: Sensitivity
) -> None:
    records = numbered(10)
    create(store, records)
    below = [each for each in records if each.sensitivity.level <= ceiling.level]

    found = store.ranks.entries_in(usual(), ceiling, ALL)
    counted = store.ranks.count(usual(), ceiling, ALL)

    assert list(found.records) == ranked(below)
    assert (found.entries, found.visible) == (10, len(below))
    assert (counted.entries, counted.visible) == (10, len(below))


def test_a_stretch_is_as_long_when_nothing_of_it_may_be_seen(store: Store) -> None:
    create(store, numbered(7))

    lengths = [each.entries for each in stretches(store.ranks, 3, Sensitivity.PUBLIC)]

    assert lengths[:2] == [3, 3]
    assert sum(lengths) == 7


def test_a_deleted_record_is_in_no_rank(store: Store) -> None:
    create(store, numbered(2))
    before = store.records.load("record-0")
    assert isinstance(before, StoredRecord)

    store.records.replace(before, buried(before))

    assert store.ranks.entries_in(usual(), HYPER, ALL).visible == 1


def test_no_scope_reads_the_records_of_another(store: Store) -> None:
    create(store, [stored(f"record-{n}", scope=scope) for n, scope in enumerate(SCOPES)])

    found = [store.ranks.count(usual(scope), HYPER, ALL).visible for scope in SCOPES]

    assert found == [1] * len(SCOPES)


@pytest.mark.parametrize("scope", ["", SCOPE])
def test_the_partitions_of_a_scope_are_those_of_the_settings_and_those_that_it_uses(
    store: Store, scope: str
) -> None:
    own = [lifecycle(profile) for profile in PROFILES]
    create(store, [stored(f"own-{n}", scope=scope, kept=kept) for n, kept in enumerate(own)])
    create(store, [stored("other", scope=f"{scope}s", kept=lifecycle(pinned=True))])

    found = store.ranks.partitions(scope)

    assert {each.scope for each in found} == {scope}
    for memory_type in MemoryType:
        classes = {each.decay_class for each in found if each.type is memory_type}
        used = {decay_class(kept) for kept in own} if memory_type is MemoryType.EPISODIC else set()
        assert classes == implied_classes(memory_type, PolicyDefaults()) | used


def test_every_record_is_in_one_of_the_partitions_and_fades_as_its_class_says(
    store: Store,
) -> None:
    kept = [lifecycle(), lifecycle(pinned=True), *map(lifecycle, PROFILES)]
    create(store, [stored(f"record-{n}", kept=each) for n, each in enumerate(kept)])

    found = {
        each.decay_class: store.ranks.entries_in(each, HYPER, ALL).visible
        for each in store.ranks.partitions(SCOPE)
        if each.type is MemoryType.EPISODIC
    }

    assert found == {decay_class(each): 1 for each in kept}
    for each in kept:
        told = lifecycle_of_class(decay_class(each))
        assert told.pinned or decay_class(told) == decay_class(each)


def test_a_page_that_ends_early_is_followed_by_the_next(table: Store) -> None:
    records = numbered(7)
    create(table, records)

    def cut_short(params: dict[str, int], **_: object) -> None:
        """As after a megabyte."""
        params["Limit"] = min(params["Limit"], 2)

    table.client.meta.events.register("provide-client-params.dynamodb.Query", cut_short)

    found = table.ranks.entries_in(usual(), HYPER, 5)
    counted = table.ranks.count(usual(), HYPER, ALL, found.after)

    assert list(found.records) == ranked(records[:5])
    assert (counted.entries, counted.after) == (2, None)


def test_only_index_and_registry_are_read_and_nothing_is_written(table: Store) -> None:
    create(table, numbered(3))
    table.watched.requests.clear()

    (partition, *_) = [each for each in table.ranks.partitions(SCOPE) if each == usual()]
    table.ranks.entries_in(partition, LOW, ALL)
    table.ranks.count(partition, LOW, ALL)

    (registry, former, *queries) = table.watched.requests
    assert (registry[0], registry[1]["Key"]["pk"]) == ("GetItem", {"S": f"scope#={SCOPE}"})
    assert (former[0], former[1]["Key"]["pk"]) == ("GetItem", {"S": "settings"})
    assert [name for name, _ in queries] == ["Query", "Query"]
    assert all(asked["IndexName"] == "rank" for _, asked in queries)
    assert "document" not in str(queries)


def test_records_are_found_that_fade_by_what_the_settings_were(table: Store) -> None:
    table.services.ranks.keep_classes()
    create(table, numbered(3))
    policy = replace(table.services.policy, episodic_half_life_s=7_200)

    later = table.under(policy=policy).ranks

    partitions = later.partitions(SCOPE)
    assert usual() in partitions
    assert sum(later.count(each, HYPER, ALL).visible for each in partitions) == 3


def test_of_two_environments_that_keep_classes_at_once_the_later_looks_again(table: Store) -> None:
    ours, theirs = table.services.ranks, table.under().ranks
    before_writes(table.client, theirs.keep_classes)
    spent = meter(table.client)

    ours.keep_classes()
    ours.keep_classes()

    assert spent.requests == 5, "two looks and two writes, of which one lost, and another look"


def test_classes_are_kept_once_by_one_request_more(table: Store) -> None:
    services = table.services
    spent = meter(table.client)

    for _ in range(4):
        services.ranks.keep_classes()
    assert spent.requests == 3, "a look, a write and another look"

    table.under().ranks.keep_classes()
    assert spent.requests == 4, "another environment only looks"
