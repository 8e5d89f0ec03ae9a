"""Anchors are made in any number of runs, form a chain, and keep the leaves of a week."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import pytest

from membrane.domain.integrity.anchors import (
    SHARDS,
    Anchor,
    roots_name,
    shard_name,
    signed_name,
)
from membrane.domain.integrity.leaves import WIDTH, LeafKind, leaf_of_record, place_of
from membrane.domain.language.errors import Aborted, FailedPrecondition, Unavailable
from membrane.domain.language.json_text import canonical_json
from membrane.usecases.integrity.anchor_table import KEPT, AnchorProgress, Stage, anchor_table
from membrane.usecases.machinery.anchored_leaves import AnchoredLeaves, is_signed
from membrane.usecases.machinery.long_jobs import never
from membrane.usecases.ports.services import Services
from tests.builders.stored_records import stored
from tests.fakes.bucket import FakeBlobs
from tests.fakes.clock import FakeClock
from tests.fakes.world import make_services
from tests.worlds.anchored_tables import newest

if TYPE_CHECKING:
    from tests.fakes.integrity import FakeIntegrity

IDS = [f"record-{number}" for number in range(5)]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def services(clock: FakeClock) -> Services:
    """Five records, each on a page of its own."""
    services = make_services(now=clock)
    for record_id in IDS:
        services.records.create(stored(record_id))
    return services


def objects(services: Services) -> set[str]:
    """The names of the objects in the bucket."""
    assert isinstance(services.blobs, FakeBlobs)
    return set(services.blobs.blobs)


def out_of_time_after(pages: int) -> Callable[[], bool]:
    """A clock that lets a run look at so many pages."""
    left = iter([False] * pages)
    return lambda: next(left, True)


def signed_anchors(services: Services) -> list[Anchor]:
    """The anchors of the table, the oldest first."""
    return [each.signed.anchor for each in services.integrity.anchors() if each.signed]


def anchored(services: Services, clock: FakeClock) -> str:
    """The instant of one anchor more, a day later."""
    clock.advance(hours=24)
    return anchor_table(services, never).instant


def test_an_anchor_is_signed_and_holds_a_leaf_of_each_record(services: Services) -> None:
    assert anchor_table(services, never).leaves == len(IDS)

    signed = newest(services)
    assert signed is not None
    assert is_signed(signed, services)
    leaves = AnchoredLeaves(signed.anchor, services)
    for record_id in IDS:
        leaf = leaves.find(place_of(LeafKind.RECORD, record_id))
        assert leaf == leaf_of_record(stored(record_id))
    assert leaves.find(place_of(LeafKind.RECORD, "absent")) is None


def test_runs_that_are_out_of_time_make_the_anchor_of_one_run(services: Services) -> None:
    at_once = make_services(now=services.now, records=services.records)
    anchor_table(at_once, never)

    runs = 1
    while not anchor_table(services, out_of_time_after(1)).is_done:
        runs += 1

    assert runs == len(IDS) + 1
    assert newest(services) == newest(at_once)
    assert not [name for name in objects(services) if "portion" in name]


def test_a_second_call_in_the_same_second_makes_no_second_anchor(services: Services) -> None:
    first = anchor_table(services, never)

    assert anchor_table(services, never) == first
    assert len(services.integrity.anchors()) == 1


class _Failing(FakeBlobs):
    """A bucket that fails at a number of writes."""

    fails_at = 0
    writes = 0

    def write(self, name: str, content: bytes) -> None:
        self.writes += 1
        if self.writes == self.fails_at:
            raise Unavailable("the bucket did not answer")
        super().write(name, content)


def test_a_run_that_fails_anywhere_is_continued_to_the_same_anchor(services: Services) -> None:
    at_once = make_services(now=services.now, records=services.records)
    anchor_table(at_once, never)
    writes = len(objects(at_once)) + 1  # the portion is removed in the end

    for number in range(1, writes + 1):
        blobs = _Failing()
        blobs.fails_at = number
        broken = make_services(now=services.now, records=services.records, blobs=blobs)
        with pytest.raises(Unavailable):
            anchor_table(broken, never)
        anchor_table(broken, never)
        assert newest(broken) == newest(at_once)


def test_of_two_runs_at_once_one_is_refused(services: Services) -> None:
    def other_run() -> bool:
        anchor_table(services, never)
        return False

    with pytest.raises(Aborted, match="another anchor"):
        anchor_table(services, other_run)

    assert len(services.integrity.anchors()) == 1


def test_each_anchor_names_the_one_before(services: Services, clock: FakeClock) -> None:
    first, second = anchored(services, clock), anchored(services, clock)

    older, newer = signed_anchors(services)
    assert (older.instant, older.previous) == (first, None)
    assert (newer.instant, newer.previous, newer.previous_hash) == (second, first, older.hash)


def test_the_newest_anchors_keep_their_leaves_and_all_keep_their_roots(
    services: Services, clock: FakeClock
) -> None:
    instants = [anchored(services, clock) for _ in range(KEPT + 2)]

    there = objects(services)
    for age, instant in enumerate(reversed(instants)):
        leaves = {shard_name(instant, shard) for shard in range(SHARDS)} | {roots_name(instant)}
        assert bool(leaves & there) is (age < KEPT), age
    assert [each.instant for each in signed_anchors(services)] == instants


def test_a_walk_with_a_lost_or_changed_portion_begins_again(services: Services) -> None:
    for content in (None, b"", b"\x00" * WIDTH):
        progress = anchor_table(services, out_of_time_after(1))
        assert progress.stage is Stage.WALKING
        for portion in progress.portions:
            if content is None:
                services.blobs.remove(portion.name)
            else:
                services.blobs.write(portion.name, content)

        assert anchor_table(services, never).leaves == len(IDS)
        cast("FakeClock", services.now).advance(hours=24)


def test_a_run_killed_before_the_table_has_the_anchor_does_not_sign_again(
    services: Services,
) -> None:
    integrity = cast("FakeIntegrity", services.integrity)
    progress = anchor_table(services, never)
    integrity.kept.clear()
    kept = integrity.checkpoint
    assert kept is not None
    before = replace(progress, stage=Stage.SIGNING)
    content = before.as_json()
    signature = list(services.signer.sign(canonical_json(content)))
    integrity.checkpoint = replace(kept, progress={"progress": content, "signature": signature})
    copy = services.blobs.get(signed_name(progress.instant))

    assert anchor_table(services, never) == progress

    assert services.blobs.get(signed_name(progress.instant)) == copy
    assert [each.instant for each in signed_anchors(services)] == [progress.instant]


def test_progress_that_nobody_signed_is_not_followed(services: Services, clock: FakeClock) -> None:
    first = anchored(services, clock)
    second = anchored(services, clock)
    integrity = cast("FakeIntegrity", services.integrity)
    integrity.kept.clear()
    kept = integrity.checkpoint
    assert kept is not None
    forged = AnchorProgress(first).as_json()
    signature = kept.progress["signature"]
    integrity.checkpoint = replace(kept, progress={"progress": forged, "signature": signature})

    third = anchored(services, clock)

    (anchor,) = signed_anchors(services)
    assert (anchor.instant, anchor.previous) == (third, second)


def test_a_clock_behind_the_newest_anchor_is_an_error(services: Services, clock: FakeClock) -> None:
    anchored(services, clock)
    clock.advance(hours=-1)

    with pytest.raises(FailedPrecondition, match="behind the anchor"):
        anchor_table(services, never)
