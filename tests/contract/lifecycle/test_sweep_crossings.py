"""Sweeps and endings that cross one another or another writer, or go by an index that lags."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Event
from typing import Any

import pytest

from membrane.adapters.dynamodb.indexes.due import DynamoDue
from membrane.adapters.dynamodb.records.store import DynamoRecords
from membrane.adapters.dynamodb.table.keys import shard_of
from membrane.domain.language.errors import FailedPrecondition, NotFound
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import DeletionPolicy
from membrane.domain.lifecycle.requests import (
    ChangeLifecycle,
    DeleteRecord,
    Pin,
    RecordChange,
    Reinforce,
    RestoreRecord,
)
from membrane.domain.records.stored import RemovedRecord
from membrane.domain.salience.lifecycle import DecayChange
from membrane.usecases.housekeeping.collect_blobs import collect_blobs
from membrane.usecases.lifecycle.sweep_due import sweep_due
from membrane.usecases.lifecycle.sweep_tally import SweepResult
from membrane.usecases.machinery.calls import Result
from membrane.usecases.ports.indexes import Due
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services import Services
from membrane.wiring import services as wiring
from tests.builders.ingesting import ingest
from tests.builders.laden_records import CONTENT, TARGETS, edges_of, laden, the, values_of
from tests.builders.requests import call, change, outcome, written
from tests.builders.stored_records import NOW_S, noise, stored
from tests.fakes.bucket import FakeBlobs
from tests.fakes.stand_in import StandIn
from tests.worlds.depth import is_deep, steps
from tests.worlds.endings import (
    SCENES,
    STEPS,
    Beginning,
    Scene,
    amid,
    delete,
    require_sound,
    require_whole,
    swept,
)
from tests.worlds.faults import Moment
from tests.worlds.stores import Store, table_store
from tests.worlds.threads import at_once

HOUR_S, DAY_S = 3_600, 86_400
PATIENCE_S = 60
"""Longer than any process here pauses."""

Act = Callable[[Store], object]


def recorded(table: Store) -> object:
    asked = outcome("record-1")
    return ingest(asked, call(asked), table.services)


def asks(request: type[RecordChange], **fields: Any) -> Callable[[Store], object]:
    """A caller that asks for that change of the record."""
    return lambda table: change(request(id="record-1", **fields), table.services)


RIVALS: dict[str, Callable[[Store], object]] = {
    "reinforced": asks(Reinforce),
    "given an outcome": recorded,
    "pinned": asks(Pin),
    "kept by its policy": asks(ChangeLifecycle, deletion_policy=DeletionPolicy.MANUAL_ONLY),
    "given another half-life": asks(ChangeLifecycle, decay=DecayChange(half_life_seconds=10**6)),
    "deleted": asks(DeleteRecord),
    "erased": asks(DeleteRecord, erase=True, rationale="law"),
    "restored": asks(RestoreRecord),
    "swept": swept,
}


@dataclass(slots=True)
class Rival:
    """Another process, which does all it does at one step of the first."""

    act: Callable[[Store], object]
    table: Store
    succeeded: bool = False

    def __call__(self) -> None:
        """Refused where it comes too late, or too early."""
        with suppress(NotFound, FailedPrecondition):
            self.act(self.table)
            self.succeeded = True


def crossings(beginning: Beginning, rival: Act) -> Iterator[tuple[Store, bool]]:
    """What is stored where the rival comes at each step, and whether it succeeded."""
    for step in steps():
        table = beginning.begin()
        other = Rival(rival, table)
        moment = Moment(step, other)
        with amid(table, moment), suppress(NotFound, FailedPrecondition):
            beginning.scene.act(table)
        if not moment.has_come:
            break
        require_whole(table, beginning)
        yield table, other.succeeded
    assert 3 < step < STEPS


SAVING = ("reinforced", "pinned", "kept by its policy")
PRUNED = ["decay-service"] * 2


@pytest.mark.parametrize(
    ("scene", "rival"),
    [
        *(("prune", rival) for rival in (*SAVING, "given another half-life", "given an outcome")),
        ("prune, and spill audit", "reinforced"),
    ],
)
def test_what_is_changed_while_it_is_swept_is_never_lost(scene: str, rival: str) -> None:
    ends = Counter[bool]()
    for table, succeeded in crossings(Beginning.of(SCENES[scene]), RIVALS[rival]):
        ends[succeeded] += 1
        if rival in SAVING:
            table.clock.advance(minutes=1)
            swept(table)
        found = the(table)
        who = [entry.principal for entry in found.trail[SCENES[scene].entries :]]
        if not succeeded:
            assert who == PRUNED
        elif rival in SAVING:
            assert who == ["owner"]
        else:
            assert who in (["owner"], ["owner", *PRUNED])
        assert (found.tombstone is None) is (who == ["owner"])
    assert set(ends) == {True, False} if is_deep() else ends[True]  # too late is the last step


@pytest.mark.parametrize(
    ("scene", "rival"),
    [
        *(("prune", rival) for rival in ("deleted", "erased", "swept")),
        ("prune, and spill audit", "swept"),
    ],
)
def test_what_is_ended_while_it_is_swept_ends_once(scene: str, rival: str) -> None:
    for table, _ in crossings(Beginning.of(SCENES[scene]), RIVALS[rival]):
        held = table.records.load("record-1")
        assert held is not None
        assert held.tombstone is not None
        if isinstance(held, RemovedRecord):
            require_cleared(held, table)
        entries = [entry.action for entry in held.trail[SCENES[scene].entries :]]
        assert entries in (["decay", "delete"], ["delete"], ["decay", "delete", "delete"])
        assert held.tombstone.is_erased is (rival == "erased")


CROSSINGS = [
    ("forget", "erased"),
    ("forget", "swept"),
    ("forget", "restored"),
    ("forget, and spill audit", "erased"),
    ("forget, and spill audit", "swept"),
    ("erase what lives", "erased"),
    ("erase what lives", "reinforced"),
    ("erase what lives", "deleted"),
    ("erase what lives, and spill audit", "given an outcome"),
    ("erase what is deleted", "erased"),
    ("erase what is deleted", "swept"),
    ("erase what is deleted", "restored"),
]


@pytest.mark.parametrize(("scene", "rival"), CROSSINGS, ids=map(" and ".join, CROSSINGS))
def test_whatever_crosses_the_end_of_a_record_it_ends_whole(scene: str, rival: str) -> None:
    for table, succeeded in crossings(Beginning.of(SCENES[scene]), RIVALS[rival]):
        table.clock.advance(seconds=1)
        swept(table)

        found = table.records.load("record-1")
        assert isinstance(found, RemovedRecord)
        assert found.tombstone.is_erased is ("erase" in scene or (rival == "erased" and succeeded))
        require_cleared(found, table)


def require_cleared(found: RemovedRecord, table: Store) -> None:
    """All is gone, once the job has come for what the one put who was late."""
    assert found.tombstone.due_s is None
    table.clock.advance(days=2)
    collect_blobs(table.services, table.topics, table.documents)
    require_sound(found, table)


def expire(table: Store) -> None:
    """The record's tombstone is over, and no sweep has come for it."""
    delete(table)
    table.clock.advance(days=401)


def test_who_comes_while_an_expired_tombstone_is_removed_stays_whole() -> None:
    beginning = Beginning.of(Scene(discarded, expire, 20))
    born_s = epoch_seconds(beginning.now)
    first = laden(table_store(), entries=1).record
    newcomer = stored(payload=first.payload, relations=first.relations, born_s=born_s)

    def made_again(table: Store) -> None:
        """Of the same content, at the same id, with the same relations."""
        targets = [the(table, target) for target in TARGETS]
        values = dict.fromkeys(values_of(newcomer), CONTENT)
        table.records.create(newcomer, targets=targets, values=values)

    for table, succeeded in crossings(beginning, made_again):
        assert succeeded
        table.clock.advance(days=2)
        collect_blobs(table.services, table.topics, table.documents)
        found = the(table)
        assert found == newcomer
        assert [table.records.value(large) for large in values_of(found)] == [CONTENT]
        edges = edges_of(table)
        assert [edges["record-1", target] for target in TARGETS] == [2, 2]
        assert {each.born_s for each in table.records.incoming(TARGETS[0])} == {born_s}


def discarded(table: Store) -> None:
    """What is left of it is removed, unless another record stands there by now."""
    with suppress(LostRace):
        table.records.discard("record-1")


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
    services: Services
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
        services = replace(table.services, blobs=blobs, records=records)
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


# --- At once ------------------------------------------------------------------------------------


def deployed(table: Store) -> Services:
    """The services as they are deployed: with the real pause between tries."""
    return replace(table.services, back_off=wiring.back_off)


def sweeping(services: Services) -> SweepResult:
    return sweep_due(services, lambda: False)


def test_two_sweeps_at_once_prune_and_forget_each_record_once(table: Store) -> None:
    for number in range(40):
        table.records.create(stored(f"record-{number}", born_s=NOW_S - DAY_S))
    world = deployed(table)

    pruning = at_once([partial(sweeping, world)] * 2)
    pruned = [the(table, f"record-{number}") for number in range(40)]
    table.clock.advance(days=31)
    forgetting = at_once([partial(sweeping, world)] * 2)

    assert sum(each.by_type("pruned").get("episodic", 0) for each in pruning) == 40
    assert sum(each.by_type("forgotten").get("episodic", 0) for each in forgetting) == 40
    assert all(each.faults == each.failures == () for each in (*pruning, *forgetting))
    for before in pruned:
        after = table.records.load(before.id)
        assert isinstance(after, RemovedRecord)
        assert [entry.action for entry in before.trail] == ["create", "decay", "delete"]
        assert after.trail[:-1] == before.trail
        require_sound(after, table)


def test_sweeps_and_callers_at_once_lose_no_reinforcement_and_prune_what_got_none(
    table: Store,
) -> None:
    names = [f"record-{number}" for number in range(30)]
    for name in names:
        table.records.create(stored(name, born_s=NOW_S - DAY_S))
    world = deployed(table)

    def reinforce(name: str) -> str:
        with suppress(NotFound):
            written(change(Reinforce(id=name), world))
            return name
        return ""

    def sweep() -> str:
        return str(sweeping(world).faults or "")

    callers: list[Callable[[], str]] = [partial(reinforce, name) for name in names]
    replies = at_once([sweep, *callers, sweep])

    assert set(replies) <= {*names, ""}
    for name in names:
        found = the(table, name)
        assert (found.tombstone is None) is (name in replies)
        assert len(found.trail) == (2 if name in replies else 3)
        require_sound(found, table)


# --- An index that lags -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Lagging(StandIn):
    """A DynamoDue that still shows what has changed since."""

    index: DynamoDue
    shown: Sequence[Due]

    @property
    def shards(self) -> int:
        """See DynamoDue."""
        return self.index.shards

    def due(self, shard: int, by_s: int) -> Iterator[Due]:
        """See DynamoDue."""
        mine = [due for due in self.shown if shard_of(due.record_id, self.shards) == shard]
        yield from (due for due in mine if due.due_s <= by_s)

    def put_off(self, due: Due, until_s: int | None) -> None:
        """See DynamoDue."""
        self.index.put_off(due, until_s)


def pruned(table: Store) -> None:
    """By the sweep, when its time had come."""
    table.clock.advance(hours=6)
    sweeping(table.services)


def forgotten(table: Store) -> None:
    """A month after it was deleted."""
    RIVALS["deleted"](table)
    table.clock.advance(days=31)
    sweeping(table.services)


SINCE: dict[str, Callable[[Store], object]] = {
    **{name: RIVALS[name] for name in RIVALS if name not in ("restored", "swept")},
    "kept for ever": asks(ChangeLifecycle, deletion_policy=DeletionPolicy.NEVER),
    "deleted and restored": lambda table: (RIVALS["deleted"](table), RIVALS["restored"](table)),
    "pruned": pruned,
    "forgotten": forgotten,
    "gone": lambda table: table.remove(table.own_item("record-1")),
}
"""What may have become of a record that was due in five hours."""


@pytest.mark.parametrize("since", SINCE.values(), ids=SINCE)
def test_nothing_is_deleted_for_what_an_index_shows_that_lags(
    table: Store, since: Callable[[Store], object]
) -> None:
    table.records.create(stored(born_s=NOW_S - 5 * HOUR_S))
    long_s = int(NOW_S) + DAY_S
    shown = [due for shard in range(16) for due in table.due.due(shard, long_s)]
    assert [due.record_id for due in shown] == ["record-1"]
    since(table)
    table.clock.advance(hours=4)
    before = table.everything()
    lagging = Lagging(table.due, [replace(due, due_s=due.due_s - HOUR_S) for due in shown])

    swept = sweeping(replace(table.services, due=lagging))

    assert table.everything() == before
    assert (swept.faults, swept.failures) == ((), ())
    assert swept.by_type("pruned") == swept.by_type("forgotten") == {}
