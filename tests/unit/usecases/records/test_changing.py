"""What all changes of one record have in common: gates, keys, races."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from membrane.domain.access.principals import principal_of
from membrane.domain.language.errors import Aborted, AlreadyExists, NotFound, PermissionDenied
from membrane.domain.language.vocabulary import DeletionPolicy, Permission
from membrane.domain.lifecycle.requests import (
    ChangeLifecycle,
    DeleteRecord,
    Penalize,
    Pin,
    RecordChange,
    Reinforce,
    RestoreRecord,
    Unpin,
)
from membrane.domain.records import audit
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import AnyRecord, RemovedRecord
from membrane.usecases.machinery.retries import MAX_TRIES
from membrane.usecases.machinery.visibility import NOT_FOUND
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services import Services
from membrane.usecases.records.creating import REUSED
from tests.builders.ingesting import ingest
from tests.builders.requests import (
    ALPHA,
    OWNER,
    call,
    change,
    event,
    gone,
    refused,
    standing,
    written,
)
from tests.fakes.clock import BackOff, FakeClock
from tests.worlds.memory import make_services
from tests.worlds.memory_table import TableRecords

OF_THE_LIVING: dict[str, Callable[[str], RecordChange]] = {
    "reinforce": lambda record_id: Reinforce(id=record_id),
    "penalize": lambda record_id: Penalize(id=record_id, amount=0.1),
    "pin": lambda record_id: Pin(id=record_id),
    "unpin": lambda record_id: Unpin(id=record_id),
    "lifecycle": lambda record_id: ChangeLifecycle(
        id=record_id, deletion_policy=DeletionPolicy.MANUAL_ONLY
    ),
}
ERASE = {"erase": lambda record_id: DeleteRecord(id=record_id, erase=True)}
DELETE = {"delete": lambda record_id: DeleteRecord(id=record_id)}
RESTORE = {"restore": lambda record_id: RestoreRecord(id=record_id)}
ONCE = {**OF_THE_LIVING, **DELETE}
"""What a deleted record takes no more."""
EVERY = {**ONCE, **ERASE, **RESTORE}

Asking = Callable[[str], RecordChange]
Record = Callable[..., MemoryRecord]
"""A record, placed as the fields say, that the change in question can be made of."""


@pytest.fixture
def record(services: Services, asking: Asking) -> Record:
    """For a restoration it is deleted."""

    def made(**fields: str) -> MemoryRecord:
        report = event(**fields)
        record = written(ingest(report, call(report), services))
        if asking is RESTORE["restore"]:
            change(DeleteRecord(id=record.id), services)
        return record

    return made


each = pytest.mark.parametrize("asking", EVERY.values(), ids=EVERY)
each_of_the_living = pytest.mark.parametrize("asking", OF_THE_LIVING.values(), ids=OF_THE_LIVING)


# --- gates ---------------------------------------------------------------------------------------


@each
@pytest.mark.parametrize(
    "placed",
    [{"scope": "project:beta"}, {"scope": "shared", "sensitivity": "high"}],
    ids=["out of scope", "too sensitive"],
)
def test_what_may_not_be_seen_changes_as_what_was_never_made(
    services: Services,
    records: TableRecords,
    asking: Asking,
    record: Record,
    placed: dict[str, str],
) -> None:
    hidden = record(**placed)

    for record_id in (hidden.id, "never-made", "no/id"):
        with refused(records, NotFound, NOT_FOUND):
            change(asking(record_id), services, ALPHA)


@each
def test_what_may_be_seen_but_not_written_is_not_changed(
    services: Services, records: TableRecords, asking: Asking, record: Record
) -> None:
    unscoped = record()

    with refused(records, PermissionDenied):
        change(asking(unscoped.id), services, ALPHA)


@pytest.mark.parametrize("asking", ONCE.values(), ids=ONCE)
def test_what_is_deleted_changes_as_what_was_never_made(
    services: Services, records: TableRecords, asking: Asking, record: Record
) -> None:
    dead = record()
    change(DeleteRecord(id=dead.id), services)

    with refused(records, NotFound, NOT_FOUND):
        change(asking(dead.id), services)


def test_to_erase_takes_the_permission_admin(services: Services, records: TableRecords) -> None:
    curator = principal_of("curator", [Permission.REVISE], ["*"], "hyper")
    made = written(ingest(event(), call(event()), services))

    for record_id in (made.id, "never-made"):
        with refused(records, PermissionDenied, "admin"):
            change(DeleteRecord(id=record_id, erase=True), services, curator)


# --- audit ---------------------------------------------------------------------------------------


@each
def test_who_does_not_say_who_it_is_is_the_principal(
    services: Services, records: TableRecords, asking: Asking, record: Record
) -> None:
    made = record()

    change(asking(made.id), services)

    found = records.load(made.id)
    assert found is not None
    assert (found.trail[-1].actor, found.trail[-1].principal) == ("owner", "owner")


@each
def test_an_actor_is_a_claim_beside_the_principal_and_a_reason_is_kept(
    services: Services, records: TableRecords, asking: Asking, record: Record
) -> None:
    made = record()
    said = {"actor": "president", "rationale": "because"}

    change(asking(made.id).model_copy(update=said), services)

    found = records.load(made.id)
    assert found is not None
    entry = found.trail[-1]
    assert (entry.actor, entry.principal) == ("president", "owner")
    assert "because" in entry.rationale
    assert audit.first_broken(made.id, found.trail, found.written_entries) is None


# --- idempotency keys ----------------------------------------------------------------------------


@each_of_the_living
def test_a_repeat_returns_the_record_unchanged(
    services: Services, records: TableRecords, asking: Asking, record: Record
) -> None:
    made = record()
    first = written(change(asking(made.id), services, key="key-1"))
    stored = records.everything()

    again = written(change(asking(made.id), services, key="key-1"), replayed=True)

    assert again == first
    assert records.everything() == stored


@each_of_the_living
def test_a_repeat_shows_the_record_as_it_is_now(
    services: Services, clock: FakeClock, asking: Asking, record: Record
) -> None:
    made = record()
    change(asking(made.id), services, key="key-1")
    clock.advance(hours=1)
    newest = written(change(Penalize(id=made.id, amount=0.05), services))
    change(Unpin(id=made.id), services)
    clock.advance(hours=1)

    again = written(change(asking(made.id), services, key="key-1"), replayed=True)

    assert again.salience == pytest.approx(newest.salience / 2, abs=1e-9)
    assert len(again.audit_log) == 4


@each
def test_another_body_under_the_same_key_is_refused(
    services: Services, records: TableRecords, asking: Asking, record: Record
) -> None:
    made = record()
    change(asking(made.id), services, key="key-1")
    other = asking(made.id).model_copy(update={"rationale": "another"})

    with refused(records, AlreadyExists, REUSED):
        change(other, services, key="key-1")


def test_a_deletion_and_an_erasure_under_one_key_are_not_the_same(
    services: Services, records: TableRecords
) -> None:
    made = written(ingest(event(), call(event()), services))
    change(DeleteRecord(id=made.id), services, key="key-1")

    with refused(records, AlreadyExists, REUSED):
        change(DeleteRecord(id=made.id, erase=True), services, key="key-1")


@each_of_the_living
def test_the_same_key_of_another_principal_is_another_key(
    services: Services, asking: Asking, record: Record
) -> None:
    made = record()
    change(asking(made.id), services, key="key-1")

    other = OWNER._replace(actor_id="somebody")
    again = written(change(asking(made.id), services, other, key="key-1"))

    assert len(again.audit_log) == 3


@each_of_the_living
def test_a_change_repeated_after_deletion_says_when(
    services: Services, records: TableRecords, asking: Asking, record: Record
) -> None:
    made = record()
    change(asking(made.id), services, key="key-1")
    change(DeleteRecord(id=made.id), services)
    stored = records.everything()

    found = gone(change(asking(made.id), services, key="key-1"))

    assert (found.record_id, found.deleted_at) == (made.id, "2026-03-01T09:00:00.25Z")
    assert records.everything() == stored


# --- races ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class Contested(TableRecords):
    """Loses its next writes to others; of those `written`, nothing but the reply is lost."""

    races: list[str] = field(default_factory=list)

    def replace(self, before: AnyRecord, after: AnyRecord, *, due_by_s: int | None = None) -> None:
        """See DynamoRecords."""
        race = self.races.pop() if self.races else None
        if race != "lost":
            self.store.replace(before, after, due_by_s=due_by_s)
        if race is not None:
            raise LostRace

    def forget(self, before: AnyRecord, after: RemovedRecord) -> None:
        """See DynamoRecords."""
        self.replace(before, after.without_due_time())


@pytest.fixture
def records(clock: FakeClock) -> Contested:
    """A store in which other writers may come first."""
    return Contested(clock)


@each
@pytest.mark.parametrize(
    "races", [["lost"], ["lost"] * (MAX_TRIES - 1), ["written"], ["written", "lost", "lost"]]
)
def test_whatever_is_lost_on_the_way_a_change_is_made_once(
    services: Services,
    records: Contested,
    asking: Asking,
    record: Record,
    races: list[str],
) -> None:
    made = record()
    before = records.load(made.id)
    assert before is not None
    records.races = list(races)

    change(asking(made.id), services)

    after = records.load(made.id)
    assert after is not None
    assert len(after.trail) == len(before.trail) + 1
    assert after.version == before.version + 1


@each
def test_who_loses_every_race_changes_nothing(
    services: Services, records: Contested, asking: Asking, record: Record
) -> None:
    made = record()
    records.races = ["lost"] * MAX_TRIES

    with refused(records, Aborted):
        change(asking(made.id), services)


@each
def test_a_last_race_of_which_only_the_reply_is_lost_was_won(
    services: Services, records: Contested, asking: Asking, record: Record
) -> None:
    made = record()
    records.races = ["written", *["lost"] * (MAX_TRIES - 1)]

    change(asking(made.id), services)

    assert records.races == []


def test_each_try_decides_on_the_newest_version(clock: FakeClock) -> None:
    records = Contested(clock)
    back_off = BackOff()
    services = make_services(records=records, now=clock, back_off=back_off)
    made = written(ingest(event(), call(event()), services))
    records.races = ["lost"]

    clock.advance(hours=1)
    risen = written(change(Reinforce(id=made.id), services))

    assert risen.salience == pytest.approx(0.7, abs=1e-9)
    assert back_off.tries == [0]
    assert standing(made.id, records).version == 2
