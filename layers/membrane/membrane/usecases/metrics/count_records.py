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
from membrane.domain.records.stored import Held
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

BUSY = "too many count the same records; try again"


@dataclass(slots=True)
class Counted:
    """What came of a batch."""

    counted: int = 0
    unchanged: int = 0
    failed: list[Failed] = field(default_factory=list)


def count_records(
    changed: Iterable[Changed], services: CountingServices, *, anew: bool = False
) -> Counted:
    """Make the tallies of these records what they must be, and the counters with them.

    Records whose tally is of their version are not looked at, but where they are counted `anew`.
    A record that fails by a fault of its own is reported, and is in the result. Raises
    ResourceExhausted and Unavailable; then the batch is to be repeated.
    """
    counted, every = Counted(), merged(changed)
    for start in range(0, len(every), MAX_RECOUNTS):
        _count(every[start : start + MAX_RECOUNTS], counted, services, anew=anew)
    for failed in counted.failed:
        services.report(COUNT, FAULT, failed.error)
    return counted


def _count(
    changed: Sequence[Changed], counted: Counted, services: CountingServices, *, anew: bool
) -> None:
    """Together; where that fails each alone, which tells the one that it is about."""
    try:
        _count_together(changed, counted, services, anew=anew)
    except TRANSIENT:
        raise
    except Exception as error:  # noqa: BLE001 - raised, it would keep back the others
        if len(changed) == 1:
            counted.failed.append(Failed(changed[0], error))
            return
        for each in changed:
            _count([each], counted, services, anew=anew)


def _count_together(
    changed: Sequence[Changed], counted: Counted, services: CountingServices, *, anew: bool
) -> None:
    """Read, decide, write; again where others came first."""
    for tries in range(MAX_TRIES):
        if tries:
            services.back_off(tries - 1)
        generations = services.counters.generations()
        look = _Look(services, generations, services.counters.tallies(_ids(changed)))
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

    services: CountingServices
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
        held = self.services.records.load_all(_ids(several), whole=True) if several else {}
        found = [self._recount(each, held.get(each.record_id)) for each in several]
        return [recount for recount in found if recount.is_needed]

    def at_all(self, changed: Iterable[Changed]) -> list[Recount]:
        """The same; what was never counted and counts as nothing is left as it is."""
        return [each for each in self.at(changed) if each.before is not None or each.after.cells]

    def _recount(self, changed: Changed, held: Held | None) -> Recount:
        before = self.tallies.get(changed.record_id)
        generation = self.generations.newest
        if held is None:
            # gone for good; what is told of it later is not news
            version = max(changed.version, 0 if before is None else before.version)
            return Recount(before, Tally(changed.record_id, version, generation, ""))
        version = index_version(held.born_s, held.version)
        cells = cells_of(held, self.services.policy.custom_curves)
        return Recount(before, Tally(held.id, version, generation, held.scope, cells))


def _ids(changed: Iterable[Changed]) -> list[str]:
    return [each.record_id for each in changed]
