"""A sweep amid another writer who has put a blob and is about to name the blob."""

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import Event

from membrane.adapters.dynamodb.records.store import DynamoRecords
from membrane.domain.lifecycle.requests import (
    DeleteRecord,
    RecordChange,
)
from membrane.domain.records.stored import RemovedRecord
from membrane.table.items import LostRace
from membrane.usecases.machinery.calls import Result
from membrane.wiring.world import World
from tests.builders.requests import change
from tests.builders.stored_records import noise
from tests.fakes.bucket import FakeBlobs
from tests.worlds.depth import steps
from tests.worlds.endings import (
    SCENES,
    STEPS,
    Beginning,
    amid,
    require_whole,
)
from tests.worlds.faults import Moment
from tests.worlds.stores import Store

PATIENCE_S = 60
"""Longer than any process here pauses."""


@dataclass(slots=True)
class SlowBlobs(FakeBlobs):
    """A bucket whose user pauses when it has put something, until it is let go on."""

    has_put: Event = field(default_factory=Event)
    may_go_on: Event = field(default_factory=Event)

    def write(self, name: str, content: bytes) -> None:
        """See BlobStore."""
        FakeBlobs.write(self, name, content)
        self.has_put.set()
        assert self.may_go_on.wait(PATIENCE_S)


@dataclass(slots=True)
class Slow:
    """Another process, which pauses between its first blob and the item that names it."""

    asked: RecordChange
    services: World
    blobs: SlowBlobs
    thread: ThreadPoolExecutor
    under_way: Future[Result] | None = None

    @classmethod
    def beside(cls, table: Store, asked: RecordChange, thread: ThreadPoolExecutor) -> "Slow":
        """Over the same table and bucket."""
        there, records = table.blobs, table.records
        assert isinstance(there, FakeBlobs)
        assert isinstance(records, DynamoRecords)
        blobs = SlowBlobs(there.now, there.blobs, there.written_at)
        records = replace(records, codec=replace(records.codec, blobs=blobs), blobs=blobs)
        services = table.services.but(blobs=blobs, records=records)
        return cls(asked, services, blobs, thread)

    def begin(self) -> None:
        """Come as far as the pause."""
        self.under_way = self.thread.submit(change, self.asked, self.services)
        assert self.blobs.has_put.wait(PATIENCE_S)

    def end(self) -> None:
        """Go on, where it was begun."""
        self.blobs.may_go_on.set()
        if self.under_way is not None:
            self.under_way.result()


def test_no_blob_is_removed_that_another_has_put_and_is_about_to_name() -> None:
    beginning = Beginning.of(SCENES["forget"])
    at_length = DeleteRecord(id="record-1", erase=True, rationale=noise(90_000))

    with ThreadPoolExecutor(1) as thread:
        for step in steps():
            table = beginning.begin()
            slow = Slow.beside(table, at_length, thread)
            moment = Moment(step, slow.begin)
            with amid(table, moment), suppress(LostRace):
                beginning.scene.act(table)
            slow.end()
            if not moment.has_come:
                break

            require_whole(table, beginning)
            found = table.records.load("record-1")
            assert isinstance(found, RemovedRecord)
            assert found.tombstone.is_erased
    assert 3 < step < STEPS
