"""Bring the counters up to date with records that have changed.

What changed is only a hint where to look: each record is loaded after its tally was read, so it is
never older than what it is counted as. A tally and what it adds are one write, conditional on the
tally that was read. So it does not matter in which order, how late or how often changes are told.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from membrane.domain.language.errors import Unavailable
from membrane.domain.metrics.cells import cells_of
from membrane.domain.metrics.tallies import Generations, Recount, Tally
from membrane.domain.records.stored import Held, StoredRecord
from membrane.usecases.machinery.long_jobs import IsOutOfTime, OutOfTime, never
from membrane.usecases.machinery.retries import TRANSIENT
from membrane.usecases.ports.counters import MAX_RECOUNTS
from membrane.usecases.ports.operators import FAULT
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services_metrics import CountingServices
from membrane.usecases.search.indexing.batch import Changed, Failed, index_version, merged

COUNT = "Count"
"""How faults are reported."""

MAX_TRIES = 16
"""Of records that others count at the same time."""

MAX_COUNTED_ENTRIES = 1_000
"""Audit entries of the longest trail that is read to count a record.

Each has a text of up to 100,000 characters, so that 1,000 entries are 100 pages of the table. A
longer trail could take all the time that the batch has, and the records behind would wait.
"""

BUSY = "too many count the same records; try again"


@dataclass(slots=True)
class Counted:
    """What came of a batch."""

    counted: int = 0
    unchanged: int = 0
    failed: list[Failed] = field(default_factory=list)


def count_records(
    changed: Iterable[Changed],
    services: CountingServices,
    is_out_of_time: IsOutOfTime = never,
    *,
    anew: bool = False,
) -> Counted:
    """Make the tallies of these records what they must be, and the counters with them.

    Records whose tally is of their version are not looked at, but where they are counted `anew`.
    A record that fails by a fault of its own is reported, and is in the result; so is a record
    whose older audit entries would be read after the time is over. Of a record with more than
    MAX_COUNTED_ENTRIES the older entries are not read: all its entries are counted, but only the
    newest ones as reinforcements and revisions. Raises ResourceExhausted and Unavailable; then the
    batch is to be repeated.
    """
    counted, every = Counted(), merged(changed)
    world = _World(services, is_out_of_time)
    for start in range(0, len(every), MAX_RECOUNTS):
        _count(every[start : start + MAX_RECOUNTS], counted, world, anew=anew)
    for failed in counted.failed:
        services.report(COUNT, FAULT, failed.error)
    return counted


@dataclass(frozen=True, slots=True)
class _World:
    """The services, and whether the time for reading long trails is over."""

    services: CountingServices
    is_out_of_time: IsOutOfTime


def _count(changed: Sequence[Changed], counted: Counted, world: _World, *, anew: bool) -> None:
    """Together; where that fails each alone, which tells the one that it is about."""
    try:
        _count_together(changed, counted, world, anew=anew)
    except TRANSIENT:
        raise
    except Exception as error:  # noqa: BLE001 - raised, it would keep back the others
        if len(changed) == 1:
            counted.failed.append(Failed(changed[0], error))
            return
        for each in changed:
            _count([each], counted, world, anew=anew)


def _count_together(
    changed: Sequence[Changed], counted: Counted, world: _World, *, anew: bool
) -> None:
    """Read, decide, write; again where others came first."""
    services = world.services
    for tries in range(MAX_TRIES):
        if tries:
            services.back_off(tries - 1)
        generations = services.counters.generations()
        look = _Look(world, generations, services.counters.tallies(_ids(changed)))
        recounts = look.at_all(changed) if anew else look.at(filter(look.is_behind, changed))
        try:
            if recounts:
                services.counters.count(recounts, generations)
        except LostRace:
            continue
        counted.counted += len(recounts)
        counted.unchanged += len(changed) - len(recounts)
        return
    raise Unavailable(BUSY)


@dataclass(frozen=True, slots=True)
class _Look:
    """At records whose tallies were read just before."""

    world: _World
    generations: Generations
    tallies: Mapping[str, Tally]

    def is_behind(self, changed: Changed) -> bool:
        """Whether the record may have to be counted otherwise."""
        tally = self.tallies.get(changed.record_id)
        return (
            tally is None
            or not changed.version
            or tally.version < changed.version
            or not tally.is_counted_up_to(self.generations.newest)
        )

    def at(self, changed: Iterable[Changed]) -> list[Recount]:
        """What is to be counted otherwise."""
        several = list(changed)
        held = self.world.services.records.load_own(_ids(several)) if several else {}
        found = [
            self._recount(each, self._with_trail(held.get(each.record_id))) for each in several
        ]
        return [recount for recount in found if recount.is_needed]

    def at_all(self, changed: Iterable[Changed]) -> list[Recount]:
        """The same; what was never counted and counts as nothing is left as it is."""
        return [each for each in self.at(changed) if each.before is not None or each.after.cells]

    def _with_trail(self, held: Held | None) -> Held | None:
        """The record with all its audit entries, unless they are more than MAX_COUNTED_ENTRIES.

        Trails are read one after the other, so that one at a time is in memory. Raises OutOfTime.
        """
        if not isinstance(held, StoredRecord):
            return held
        if not len(held.trail) < held.written_entries <= MAX_COUNTED_ENTRIES:
            return held
        if self.world.is_out_of_time():
            raise OutOfTime
        return self.world.services.records.load(held.id, whole=True)

    def _recount(self, changed: Changed, held: Held | None) -> Recount:
        before = self.tallies.get(changed.record_id)
        generation = self.generations.newest
        if held is None:
            # gone for good; what is told of it later is not news
            version = max(changed.version, 0 if before is None else before.version)
            return Recount(before, Tally(changed.record_id, version, generation, ""))
        version = index_version(held.born_s, held.version)
        cells = cells_of(held, self.world.services.policy.custom_curves)
        return Recount(before, Tally(held.id, version, generation, held.scope, cells))


def _ids(changed: Iterable[Changed]) -> list[str]:
    return [each.record_id for each in changed]
