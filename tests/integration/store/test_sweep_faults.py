"""Sweeps and endings that are killed, that cross one another or another writer, or see old news."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import count
from typing import Any

import pytest

from membrane import wiring
from membrane.adapters.dynamodb.table_keys import shard_of
from membrane.domain import audit
from membrane.domain.errors import FailedPrecondition, NotFound
from membrane.domain.requests import (
    ChangeLifecycle,
    DecayChange,
    DeleteRecord,
    Pin,
    RecordChange,
    Reinforce,
    RestoreRecord,
)
from membrane.domain.stored import Held, Remains, StoredRecord
from membrane.domain.vocabulary import DeletionPolicy
from membrane.usecases.delete_record import delete_record
from membrane.usecases.ingest import ingest
from membrane.usecases.ports import Due, DueIndex, Services
from membrane.usecases.sweep_due import sweep_due, sweep_shard
from membrane.usecases.sweep_tally import Swept, Tally
from tests.fakes import FakeBlobs, FakeClock
from tests.integration.store.faults import Killed, Moment, SteppingBlobs, at, die
from tests.integration.store.laden import CONTENT, SECRET, TARGETS, laden, texts, the
from tests.integration.store.samples import NOW_S, lifecycle, stored
from tests.integration.store.stores import TableStore, table_store
from tests.integration.store.test_concurrency import at_once
from tests.integration.store.test_forgetting import values_of
from tests.unit.usecases.asking import call, change, event, outcome, written

DAY_S = 86_400
BYSTANDERS = (*TARGETS, "pointer-record-1", "lasting")
STEPS = 400
"""More than anything here takes; every test says that it reached the last."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """All that is stored, and the time: where a run begins, over and over."""

    items: Sequence[Any]
    blobs: Mapping[str, bytes]
    now: datetime

    @classmethod
    def of(cls, endpoint: str, scene: "Scene") -> "Beginning":
        """A laden record and others beside it, as the scene has them."""
        blobs = FakeBlobs()
        table = table_store(endpoint, blobs)
        laden(table, entries=scene.entries)
        table.records.create(stored("lasting", kept=lifecycle(pinned=True)))
        scene.prepare(table)
        return cls(table.everything(), blobs.blobs, table.clock.now)

    def begin(self, endpoint: str) -> TableStore:
        """A store of its own in that state."""
        clock = FakeClock(self.now)
        blobs = SteppingBlobs(clock, dict(self.blobs), dict.fromkeys(self.blobs, self.now))
        table = table_store(endpoint, blobs)
        table.clock.now = self.now
        puts = [{"PutRequest": {"Item": item}} for item in self.items]
        requests: Any = {table.table: puts}
        assert not table.inspector.batch_write_item(RequestItems=requests)["UnprocessedItems"]
        return table


@contextmanager
def amid(table: TableStore, moment: Moment) -> Iterator[None]:
    """Let every call of the table and of the bucket be two steps."""
    assert isinstance(table.blobs, SteppingBlobs)
    table.blobs.moment = moment
    with at(moment, table.client):
        yield
    table.blobs.moment = lambda: None


def swept(table: TableStore) -> Tally:
    """The laden record's shard, swept without a fault."""
    shard = shard_of("record-1", table.due.shards)
    tally = sweep_shard(shard, services=table.services, is_out_of_time=lambda: False)
    assert (tally.faults, tally.failure) == ([], None)
    return tally


def erased(table: TableStore) -> object:
    asked = DeleteRecord(id="record-1", erase=True, rationale="law")
    return change(asked, table.services, key="key-1")


def restored(table: TableStore) -> object:
    return change(RestoreRecord(id="record-1"), table.services, key="key-1")


# --- Killed -------------------------------------------------------------------------------------


def fade(table: TableStore) -> None:
    """All that is not pinned is due, but for those that are to stay."""
    for record_id in BYSTANDERS[:-1]:
        change(Pin(id=record_id), table.services)
    table.clock.advance(days=1)


def bury(table: TableStore) -> None:
    """The record's restore window is over."""
    fade(table)
    change(DeleteRecord(id="record-1"), table.services)
    table.clock.advance(days=31)


def delete(table: TableStore) -> None:
    """The record can be restored."""
    fade(table)
    change(DeleteRecord(id="record-1"), table.services)


def reprofile(table: TableStore) -> None:
    """The same, of a record whose decay class nobody has used before."""
    decay = DecayChange(half_life_seconds=7_777)
    change(ChangeLifecycle(id="record-1", decay=decay), table.services)
    delete(table)


@dataclass(frozen=True, slots=True)
class Scene:
    """What is done to a record, and from where."""

    act: Callable[[TableStore], object]
    prepare: Callable[[TableStore], object]
    entries: int
    """Audit entries that the record has at first; with 16 and more, some lie beside its item."""


SCENES: dict[str, Scene] = {
    "prune": Scene(swept, fade, 3),
    "prune, and spill audit": Scene(swept, fade, 15),
    "forget": Scene(swept, bury, 20),
    "forget, and spill audit": Scene(swept, bury, 15),
    "erase what lives": Scene(erased, fade, 20),
    "erase what lives, and spill audit": Scene(erased, fade, 16),
    "erase what is deleted": Scene(erased, delete, 20),
    "restore": Scene(restored, delete, 20),
    "restore, and spill audit": Scene(restored, delete, 15),
    "restore to another decay class": Scene(restored, reprofile, 3),
}
CHANGING = frozenset({"audit", "entries", "version"})
"""Attributes with salts in them, and how often a record was written."""


@dataclass(frozen=True, slots=True)
class State:
    """All that is stored, but for salts and what follows from them."""

    items: Mapping[tuple[str, str], Mapping[str, Any]]
    trails: Mapping[str, Sequence[tuple[object, ...]]]
    blobs: Mapping[str, int]
    """How many of its blobs a record names."""


def state_of(table: TableStore) -> State:
    """The state, with all that must hold of any."""
    trails, blobs = {}, {}
    for record_id in ("record-1", *BYSTANDERS):
        held = table.records.load(record_id)
        assert held is not None
        require_sound(held, table)
        trails[record_id] = [essence(entry) for entry in held.trail]
        blobs[record_id] = len(table.records.blob_names(record_id))
    items = {
        (item["pk"]["S"], item["sk"]["S"]): {
            name: value for name, value in item.items() if name not in CHANGING
        }
        for item in table.everything()
    }
    return State(items, trails, blobs)


def essence(entry: Any) -> tuple[object, ...]:
    """An audit entry without its salt and hashes."""
    said = (entry.actor, entry.rationale, entry.salience_before, entry.salience_after)
    return entry.action, entry.timestamp, entry.principal, audit.is_erased(entry), *said


def require_sound(held: Held, table: TableStore) -> None:
    """Its audit verifies, and of its blobs none is absent, nor any that it should not have."""
    assert audit.first_broken(held.id, held.trail, held.written_entries) is None
    named = table.records.blob_names(held.id)
    there = {blob.name for blob in table.blobs.listed(held.id)}
    assert named <= there
    if isinstance(held, StoredRecord):
        assert all(table.records.value(large) == CONTENT for large in values_of(held))
    elif held.tombstone.due_s is None:
        assert named == there
    if held.tombstone is not None and held.tombstone.is_erased and held.tombstone.due_s is None:
        assert not any(SECRET in text for text in texts(table))


def settled(table: TableStore) -> State:
    """What is stored once the next sweep has come."""
    table.clock.advance(seconds=1)
    swept(table)
    return state_of(table)


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_killed_at_any_call_and_run_again_all_is_as_if_nothing_had_happened(
    endpoint: str, scene: Scene
) -> None:
    beginning = Beginning.of(endpoint, scene)
    table = beginning.begin(endpoint)
    scene.act(table)
    undisturbed = settled(table)

    for step in count():
        table, moment = beginning.begin(endpoint), Moment(step, die)
        with suppress(Killed), amid(table, moment):
            scene.act(table)
        require_whole(table)
        scene.act(table)

        assert settled(table) == undisturbed, f"killed at step {step}"
        if not moment.has_come:
            break
    assert 3 < step < STEPS


def require_whole(table: TableStore) -> None:
    """Whatever was killed, each record can be read, and no audit entry is lost."""
    for record_id in ("record-1", *BYSTANDERS):
        held = table.records.load(record_id)
        assert held is not None
        assert audit.first_broken(record_id, held.trail, held.written_entries) is None
        assert table.records.blob_names(record_id) <= {
            blob.name for blob in table.blobs.listed(record_id)
        }
