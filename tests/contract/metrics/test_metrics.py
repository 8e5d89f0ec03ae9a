"""The contract of what metrics are counted from: the rank index, records by segment, audit."""

from collections.abc import Sequence

import pytest

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.violations import validate
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.domain.metrics.requests import GetMetrics
from membrane.domain.metrics.snapshot import Snapshot
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.metrics.every_scope import SEGMENTS, Segments
from membrane.usecases.metrics.read_metrics import read_metrics
from membrane.usecases.ports.indexes import Segment
from membrane.wiring.settings import read_settings
from tests.builders.requests import call
from tests.builders.stored_records import buried, changed, lifecycle, stored
from tests.fakes.world import make_services
from tests.worlds.counted_records import Directly, require_right
from tests.worlds.stores import SETTINGS, Store

POLICY = read_settings(SETTINGS).policy
ADMIN = principal_of("admin", Permission, ["*"], "hyper")
LOW = Sensitivity.LOW


def snapshot_of(
    store: Store, principal: Principal = ADMIN, segments: Segments = SEGMENTS
) -> Snapshot:
    """As of the store's clock."""
    request = validate(GetMetrics, {})
    services = make_services(
        records=store.records, ranks=store.ranks, now=store.clock, policy=POLICY
    )
    return read_metrics(request, call(request, principal), services, segments=segments)


def many() -> list[StoredRecord]:
    """Of three scopes and two sensitivities, some of them pinned."""
    return [
        stored(
            f"record-{number}",
            scope=("team", "other", "")[number % 3],
            sensitivity=Sensitivity.HIGH if number % 4 == 0 else LOW,
            salience=number / 20,
            kept=lifecycle(pinned=number % 5 == 0),
        )
        for number in range(20)
    ]


def create(store: Store, every: Sequence[StoredRecord]) -> None:
    for each in every:
        store.records.create(each)


def test_a_snapshot_is_what_the_records_tell(store: Store) -> None:
    every = many()
    create(store, every)
    store.clock.advance(hours=2)
    reader = principal_of("reader", ["read"], ["team"], "low")

    whole, own = snapshot_of(store), snapshot_of(store, reader)

    now_s = epoch_seconds(store.clock.now)
    seen = [each for each in every if each.scope in ("", "team") and each.sensitivity is LOW]
    require_right(whole, Directly(every, now_s))
    require_right(own, Directly(seen, now_s))
    assert whole.error_bounds == whole.sampled == own.error_bounds == own.sampled == {}


def test_what_was_changed_or_deleted_is_counted_as_it_is_now(store: Store) -> None:
    first, second = stored("record-1"), stored("record-2")
    create(store, [first, second])
    held = [store.records.load(each.id) for each in (first, second)]
    assert all(isinstance(each, StoredRecord) for each in held)
    later = changed(held[0])  # type: ignore[arg-type]  # checked above
    store.records.replace(held[0], later)  # type: ignore[arg-type]  # checked above
    store.records.replace(held[1], buried(held[1]))  # type: ignore[arg-type]  # checked above

    snapshot = snapshot_of(store)

    assert (snapshot.total_records, snapshot.total_audit_entries) == (1, len(later.trail))


def test_segments_have_each_record_once_and_none_above_the_ceiling(store: Store) -> None:
    create(store, many())

    met = [
        ranked.record_id
        for number in range(8)
        for _, _, ranked in store.ranks.segment(Segment(number, 8), LOW, 100).records
    ]

    seen = [each.id for each in many() if each.sensitivity is LOW]
    assert sorted(met) == sorted(seen)


def test_a_segment_is_read_page_by_page(store: Store) -> None:
    create(store, many())
    met, after, items = [], None, 0

    while True:
        page = store.ranks.segment(Segment(0, 1), Sensitivity.HYPER, 3, after)
        met += [ranked.record_id for _, _, ranked in page.records]
        items, after = items + page.items, page.after
        assert page.items <= 3
        if after is None:
            break

    assert sorted(met) == sorted(each.id for each in many())
    assert items >= 20


def test_of_more_records_than_are_gone_through_a_sample_tells_within_its_bounds(
    store: Store,
) -> None:
    create(store, [stored(f"record-{number}") for number in range(200)])

    snapshot = snapshot_of(store, segments=Segments(read=4, items=40, finer=2))

    off = snapshot.error_bounds["total_records"]
    assert abs(snapshot.total_records - 200) <= off
    assert set(snapshot.error_bounds) >= {"records_by_type", "active_records", "avg_salience"}
    assert snapshot.sampled["total_audit_entries"] < 200


def test_what_is_told_of_audit_is_what_the_newest_entries_say(store: Store) -> None:
    create(store, many())

    found = store.records.audit_summaries(["record-1", "record-2", "nobody"])

    assert {each.record_id for each in found} == {"record-1", "record-2"}
    for each in found:
        (expected,) = (record for record in many() if record.id == each.record_id)
        assert (each.scope, each.sensitivity) == (expected.scope, expected.sensitivity)
        assert each.actions == [entry.action for entry in expected.trail]
        assert each.entries == len(expected.trail)


@pytest.mark.parametrize("ceiling", ["public", "low", "medium", "high", "hyper"])
def test_nothing_above_the_ceiling_counts(store: Store, ceiling: str) -> None:
    levels = list(Sensitivity)
    create(store, [stored(f"record-{each}", sensitivity=each) for each in levels])

    snapshot = snapshot_of(store, principal_of("agent", Permission, ["*"], ceiling))

    assert snapshot.total_records == levels.index(Sensitivity(ceiling)) + 1
