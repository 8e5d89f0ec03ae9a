"""Sweeps and endings that are killed, that cross one another or another writer, or see old news."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import count
from typing import Any

import pytest

from membrane import wiring
from membrane.adapters.dynamodb.table_keys import shard_of
from membrane.domain import audit
from membrane.domain.errors import FailedPrecondition, NotFound
from membrane.domain.requests.changes import (
    ChangeLifecycle,
    DeleteRecord,
    Pin,
    RecordChange,
    Reinforce,
    RestoreRecord,
)
from membrane.domain.requests.lifecycles import DecayChange
from membrane.domain.stored import Held, Remains, StoredRecord
from membrane.domain.vocabulary import DeletionPolicy
from membrane.usecases.collect_blobs import collect_blobs
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
from tests.unit.usecases.asking import call, change, outcome, written

HOUR_S, DAY_S = 3_600, 86_400
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
    try:
        with at(moment, table.client):
            yield
    finally:
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
        require_whole(table, beginning)
        scene.act(table)

        assert settled(table) == undisturbed, f"killed at step {step}"
        if not moment.has_come:
            break
    assert 3 < step < STEPS


def require_whole(table: TableStore, beginning: Beginning) -> None:
    """Whatever happened, the record can be read, no audit entry is lost, and others are as ever."""
    held = table.records.load("record-1")
    assert held is not None
    assert audit.first_broken("record-1", held.trail, held.written_entries) is None
    there = {blob.name for blob in table.blobs.listed("record-1")}
    assert table.records.blob_names("record-1") <= there
    assert others_in(table.everything()) == others_in(beginning.items)


def others_in(items: Sequence[Any]) -> list[Any]:
    """The own items of all other records."""
    own = [item for item in items if item["sk"] == {"S": "record"}]
    return [item for item in own if item["pk"] != {"S": "record#record-1"}]


@pytest.mark.parametrize("key", ["key-1", None], ids=["with a key", "without"])
@pytest.mark.parametrize("scene", ["erase what lives", "erase what is deleted"])
def test_erasing_that_was_killed_is_finished_by_asking_again(
    endpoint: str, scene: str, key: str | None
) -> None:
    beginning = Beginning.of(endpoint, SCENES[scene])
    asked = DeleteRecord(id="record-1", erase=True, rationale="law")

    for step in count():
        table, moment = beginning.begin(endpoint), Moment(step, die)
        with suppress(Killed), amid(table, moment):
            change(asked, table.services, key=key)
        change(asked, table.services, key=key)

        found = table.records.load("record-1")
        assert isinstance(found, Remains)
        assert (found.tombstone.is_erased, found.tombstone.due_s) == (True, None)
        require_sound(found, table)
        reasons = [entry.rationale for entry in found.trail if entry.rationale]
        assert reasons == ["law"], "what a repeat finds said before it is erased, too"
        if not moment.has_come:
            break
    assert 3 < step < STEPS


# --- Crossing -----------------------------------------------------------------------------------


def recorded(table: TableStore) -> object:
    asked = outcome("record-1")
    return ingest(asked, call(asked), table.services)


def asks(request: type[RecordChange], **fields: Any) -> Callable[[TableStore], object]:
    """A caller that asks for that change of the record."""
    return lambda table: change(request(id="record-1", **fields), table.services)


RIVALS: dict[str, Callable[[TableStore], object]] = {
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

    act: Callable[[TableStore], object]
    table: TableStore
    succeeded: bool = False

    def __call__(self) -> None:
        """Refused where it comes too late, or too early."""
        with suppress(NotFound, FailedPrecondition):
            self.act(self.table)
            self.succeeded = True


def crossings(
    endpoint: str, scene: Scene, rival: Callable[[TableStore], object]
) -> Iterator[tuple[TableStore, bool]]:
    """What is stored where the rival comes at each step, and whether it succeeded."""
    beginning = Beginning.of(endpoint, scene)
    for step in count():
        table = beginning.begin(endpoint)
        other = Rival(rival, table)
        moment = Moment(step, other)
        with amid(table, moment), suppress(NotFound, FailedPrecondition):
            scene.act(table)
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
def test_what_is_changed_while_it_is_swept_is_never_lost(
    endpoint: str, scene: str, rival: str
) -> None:
    ends = Counter[bool]()
    for table, succeeded in crossings(endpoint, SCENES[scene], RIVALS[rival]):
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
    assert set(ends) == {True, False}


@pytest.mark.parametrize(
    ("scene", "rival"),
    [
        *(("prune", rival) for rival in ("deleted", "erased", "swept")),
        ("prune, and spill audit", "swept"),
    ],
)
def test_what_is_ended_while_it_is_swept_ends_once(endpoint: str, scene: str, rival: str) -> None:
    for table, _ in crossings(endpoint, SCENES[scene], RIVALS[rival]):
        held = table.records.load("record-1")
        assert held is not None
        assert held.tombstone is not None
        if isinstance(held, Remains):
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
def test_whatever_crosses_the_end_of_a_record_it_ends_whole(
    endpoint: str, scene: str, rival: str
) -> None:
    for table, succeeded in crossings(endpoint, SCENES[scene], RIVALS[rival]):
        table.clock.advance(seconds=1)
        swept(table)

        found = table.records.load("record-1")
        assert isinstance(found, Remains)
        assert found.tombstone.is_erased is ("erase" in scene or (rival == "erased" and succeeded))
        require_cleared(found, table)


def require_cleared(found: Remains, table: TableStore) -> None:
    """All is gone, once the job has come for what the one put who was late."""
    assert found.tombstone.due_s is None
    table.clock.advance(days=2)
    collect_blobs(table.services)
    require_sound(found, table)


# --- At once ------------------------------------------------------------------------------------


def deployed(table: TableStore) -> Services:
    """The services as they are deployed: with the real pause between tries."""
    return replace(table.services, back_off=wiring.back_off)


def sweeping(services: Services) -> Swept:
    return sweep_due(services, lambda: False)


def test_two_sweeps_at_once_prune_and_forget_each_record_once(dynoxide: TableStore) -> None:
    for number in range(40):
        dynoxide.records.create(stored(f"record-{number}", born_s=NOW_S - DAY_S))
    world = deployed(dynoxide)

    pruning = at_once([partial(sweeping, world)] * 2)
    pruned = [the(dynoxide, f"record-{number}") for number in range(40)]
    dynoxide.clock.advance(days=31)
    forgetting = at_once([partial(sweeping, world)] * 2)

    assert sum(each.by_type("pruned").get("episodic", 0) for each in pruning) == 40
    assert sum(each.by_type("forgotten").get("episodic", 0) for each in forgetting) == 40
    assert all(each.faults == each.failures == () for each in (*pruning, *forgetting))
    for before in pruned:
        after = dynoxide.records.load(before.id)
        assert isinstance(after, Remains)
        assert [entry.action for entry in before.trail] == ["create", "decay", "delete"]
        assert after.trail[:-1] == before.trail
        require_sound(after, dynoxide)


def test_sweeps_and_callers_at_once_lose_no_reinforcement_and_prune_what_got_none(
    dynoxide: TableStore,
) -> None:
    names = [f"record-{number}" for number in range(30)]
    for name in names:
        dynoxide.records.create(stored(name, born_s=NOW_S - DAY_S))
    world = deployed(dynoxide)

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
        found = the(dynoxide, name)
        assert (found.tombstone is None) is (name in replies)
        assert len(found.trail) == (2 if name in replies else 3)
        require_sound(found, dynoxide)


# --- An index that lags -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Lagging:
    """A DueIndex that still shows what has changed since."""

    index: DueIndex
    shown: Sequence[Due]

    @property
    def shards(self) -> int:
        """See DueIndex."""
        return self.index.shards

    def due(self, shard: int, by_s: int) -> Iterator[Due]:
        """See DueIndex."""
        mine = [due for due in self.shown if shard_of(due.record_id, self.shards) == shard]
        yield from (due for due in mine if due.due_s <= by_s)

    def put_off(self, due: Due, until_s: int | None) -> None:
        """See DueIndex."""
        self.index.put_off(due, until_s)


def pruned(table: TableStore) -> None:
    """By the sweep, when its time had come."""
    table.clock.advance(hours=6)
    sweeping(table.services)


def forgotten(table: TableStore) -> None:
    """A month after it was deleted."""
    RIVALS["deleted"](table)
    table.clock.advance(days=31)
    sweeping(table.services)


SINCE: dict[str, Callable[[TableStore], object]] = {
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
    table: TableStore, since: Callable[[TableStore], object]
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
