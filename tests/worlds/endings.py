"""How records end, and what must hold of them whatever comes between."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from membrane.domain.lifecycle.requests import DeleteRecord, Pin
from membrane.domain.records.records import first_broken
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.table.keys import shard_of
from membrane.usecases.lifecycle.sweep_due import SweepResult, sweep_shard
from tests.builders.requests import change
from tests.builders.stored_records import (
    CONTENT,
    SECRET,
    TARGETS,
    laden,
    lifecycle,
    stored,
    texts,
    values_of,
)
from tests.fakes.bucket import FakeBlobs
from tests.fakes.clock import FakeClock
from tests.worlds.faults import Moment, SteppingBlobs, at
from tests.worlds.stores import Store, table_store

BYSTANDERS = (*TARGETS, "pointer-record-1", "lasting")
STEPS = 400
"""More than anything here takes; every test says that it reached the last."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What is done to a record, and from where."""

    act: Callable[[Store], object]
    prepare: Callable[[Store], object]
    entries: int
    """Audit entries that the record has at first; with 16 and more, some lie beside its item."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """All that is stored, and the time: where a run begins, over and over."""

    scene: Scene
    items: Sequence[Any]
    blobs: Mapping[str, bytes]
    now: datetime

    @classmethod
    def of(cls, scene: Scene) -> "Beginning":
        """A laden record and others beside it, as the scene has them."""
        blobs = FakeBlobs()
        table = table_store(blobs)
        laden(table, entries=scene.entries)
        table.records.create(stored("lasting", kept=lifecycle(pinned=True)))
        scene.prepare(table)
        return cls(scene, table.everything(), blobs.blobs, table.clock.now)

    def begin(self) -> Store:
        """A store of its own in that state."""
        clock = FakeClock(self.now)
        blobs = SteppingBlobs(clock, dict(self.blobs), dict.fromkeys(self.blobs, self.now))
        table = table_store(blobs)
        table.clock.now = self.now
        table.put_all(self.items)
        return table


@contextmanager
def amid(table: Store, moment: Moment) -> Iterator[None]:
    """Let every call of the table and of the bucket be two steps."""
    assert isinstance(table.blobs, SteppingBlobs)
    table.blobs.moment = moment
    try:
        with at(moment, table.client):
            yield
    finally:
        table.blobs.moment = lambda: None


def swept(table: Store) -> SweepResult:
    """The laden record's shard, swept without a fault."""
    shard = shard_of("record-1", table.due.shards)
    tally = sweep_shard(shard, world=table.services, is_out_of_time=lambda: False)
    assert (tally.faults, tally.failures) == ((), ())
    return tally


def fade(table: Store) -> None:
    """All that is not pinned is due, but for those that are to stay."""
    for record_id in BYSTANDERS[:-1]:
        change(Pin(id=record_id), table.services)
    table.clock.advance(days=1)


def bury(table: Store) -> None:
    """The record's restore window is over."""
    fade(table)
    change(DeleteRecord(id="record-1"), table.services)
    table.clock.advance(days=31)


SCENES: dict[str, Scene] = {
    "forget": Scene(swept, bury, 20),
}


def require_sound(held: AnyRecord, table: Store) -> None:
    """Its audit verifies, and of its blobs none is absent, nor any that it should not have."""
    assert first_broken(held.id, held.trail, held.written_entries) is None
    named = table.records.blob_names(held.id)
    there = {blob.name for blob in table.blobs.list_blobs(held.id)}
    assert named <= there
    if isinstance(held, StoredRecord):
        assert all(table.records.value(large) == CONTENT for large in values_of(held))
    elif held.tombstone.due_s is None:
        assert named == there
    if held.tombstone is not None and held.tombstone.is_erased and held.tombstone.due_s is None:
        assert not any(SECRET in text for text in texts(table))


def require_whole(table: Store, beginning: Beginning) -> None:
    """Whatever happened, the record can be read, no audit entry is lost, and others are as ever."""
    held = table.records.load("record-1")
    assert held is not None
    assert first_broken("record-1", held.trail, held.written_entries) is None
    there = {blob.name for blob in table.blobs.list_blobs("record-1")}
    assert table.records.blob_names("record-1") <= there
    assert others_in(table.everything()) == others_in(beginning.items)


def others_in(items: Sequence[Any]) -> list[Any]:
    """The own items of all other records."""
    own = [item for item in items if item["sk"] == {"S": "record"}]
    return [item for item in own if item["pk"] != {"S": "record#record-1"}]
