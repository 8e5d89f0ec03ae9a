"""Counting all records from the beginning, step by step, while others write.

Another generation of cells is built beside the one that is read. While it is, whoever counts a
record counts it in both, so that in the end both must be alike: by what they are not, the counters
had drifted. Then the new one is read, and the old one is removed. A step may be ended anywhere:
progress is kept page by page, and whatever is done again changes nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from membrane.domain.language.errors import Aborted
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.metrics.tallies import Generations
from membrane.usecases.machinery.long_jobs import IsOutOfTime, go_on, unrivalled
from membrane.usecases.metrics.count_records import count_records
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.search.indexing.batch import Changed

DRIFT = "CounterDrift"
"""The metric: by how many records, all added up, counters differed from what they should have.

A counter whose sums alone differ is as much as one record.
"""

OTHERS = "another reconciliation goes on at the same time"


class Stage(StrEnum):
    """How far a reconciliation is."""

    BEGUN = "begun"
    RECORDS = "records"
    """It goes through records, and counts each."""
    COMPARING = "comparing"
    """All are counted; it compares both generations."""
    SWITCHING = "switching"
    """They were compared; it lets the new one be read."""
    REMOVING = "removing"
    """It removes the old one."""
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What a reconciliation has done so far; JSON has the same names."""

    started_at: str
    stage: Stage = Stage.BEGUN
    replaced: int = 0
    """The generation that was read when it began."""
    after: str | None = None
    """Where the stage goes on."""
    records: int = 0
    """Looked at."""
    failed: int = 0
    """Of those, set aside."""
    drift: int = 0
    done_at: str | None = None

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do."""
        return self.stage is Stage.DONE

    def as_json(self) -> JsonObject:
        """As it is kept and shown."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def of_json(cls, kept: JsonObject) -> "Reconciled":
        """The inverse of `as_json`."""
        return cls(**{**kept, "stage": Stage(kept["stage"])})


def reconcile(services: ReadingServices, is_out_of_time: IsOutOfTime) -> Reconciled:
    """Go on until all is done or time is up, from where an earlier step was ended.

    Begins anew where an earlier one has come to its end. Raises Aborted where another one goes on
    at the same time; ResourceExhausted, Unavailable.
    """
    keep = unrivalled(services.counters.keep, OTHERS)
    kept = services.counters.progress()
    if kept is None or Reconciled.of_json(kept.progress).is_done:
        kept = keep(Reconciled(rfc3339(services.now())).as_json(), kept)
    progress = Reconciled.of_json(kept.progress)
    return go_on(progress, kept, lambda now: _next(now, services), keep, is_out_of_time)


def _next(progress: Reconciled, services: ReadingServices) -> Reconciled:
    """After one page more, or one write."""
    match progress.stage:
        case Stage.BEGUN:
            generations = _begun(services)
            return replace(progress, stage=Stage.RECORDS, replaced=generations.current)
        case Stage.RECORDS:
            return _through(progress, services)
        case Stage.COMPARING:
            return _compared(progress, services)
        case Stage.SWITCHING:
            return _switched(progress, services)
        case Stage.REMOVING | Stage.DONE:
            if services.counters.remove(progress.replaced):
                return progress
            return replace(progress, stage=Stage.DONE, done_at=rfc3339(services.now()))


def _begun(services: ReadingServices) -> Generations:
    """With a generation to build; one that an earlier try began is taken."""
    generations = services.counters.generations()
    if generations.building is not None:
        return generations
    return _unrivalled(lambda: services.counters.build(generations))


def _through(progress: Reconciled, services: ReadingServices) -> Reconciled:
    """What fails alone is set aside, and is counted once it can be."""
    page = services.catalogue.page(progress.after)
    changed = [Changed(record_id, (scope,)) for record_id, scope in page.records]
    counted = count_records(changed, services, anew=True)
    for failed in counted.failed:
        services.set_aside(failed.changed.record_id, failed.changed.scopes)
    return replace(
        progress,
        stage=Stage.RECORDS if page.next is not None else Stage.COMPARING,
        after=page.next,
        records=progress.records + len(changed),
        failed=progress.failed + len(counted.failed),
    )


def _compared(progress: Reconciled, services: ReadingServices) -> Reconciled:
    generations = services.counters.generations()
    if not _is_built_by(progress, generations):
        raise Aborted(OTHERS)
    drift, after = services.counters.drift(generations, progress.after)
    drift += progress.drift
    if after is not None:
        return replace(progress, after=after, drift=drift)
    services.measure(DRIFT, drift, "Count")
    return replace(progress, stage=Stage.SWITCHING, after=None, drift=drift)


def _switched(progress: Reconciled, services: ReadingServices) -> Reconciled:
    """Once: a step that was ended behind the switch finds it made, or another one begun since."""
    generations = services.counters.generations()
    if _is_built_by(progress, generations):
        _unrivalled(lambda: services.counters.switch(generations))
    return replace(progress, stage=Stage.REMOVING)


def _is_built_by(progress: Reconciled, generations: Generations) -> bool:
    """Whether what is built now is to take the place of what this one replaces."""
    return generations.building is not None and generations.current == progress.replaced


def _unrivalled(change: Callable[[], Generations]) -> Generations:
    try:
        return change()
    except LostRace as error:
        raise Aborted(OTHERS) from error
