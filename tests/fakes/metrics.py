"""The counters behind the metrics, over plain dicts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from membrane.domain.language.json_text import JsonObject
from membrane.domain.metrics.amounts import Cells, added, drift_between
from membrane.domain.metrics.cells import GROWTH
from membrane.domain.metrics.tallies import Generations, Place, Recount, Tally, moves_of
from membrane.usecases.ports.catalogue import Kept as Progress
from membrane.usecases.ports.counters import CellPage
from membrane.usecases.ports.records import LostRace


@dataclass(slots=True)
class FakeCounters:
    """The Counters in memory, some cells at a time."""

    at_a_time: int = 3
    kept_generations: Generations = field(default_factory=Generations)
    kept_tallies: dict[str, Tally] = field(default_factory=dict)
    cells: dict[Place, Cells] = field(default_factory=dict)
    """By generation, and scope or None."""
    kept: Progress | None = None

    def generations(self) -> Generations:
        """See Counters."""
        return self.kept_generations

    def tallies(self, record_ids: Sequence[str]) -> Mapping[str, Tally]:
        """See Counters."""
        return {each: self.kept_tallies[each] for each in record_ids if each in self.kept_tallies}

    def count(self, recounts: Sequence[Recount], generations: Generations) -> None:
        """See Counters."""
        if generations != self.kept_generations:
            raise LostRace
        for recount in recounts:
            if self.kept_tallies.get(recount.after.record_id) != recount.before:
                raise LostRace
        for place, moves in moves_of(recounts, generations).items():
            self.cells[place] = added(self.cells.get(place, {}), moves)
        for recount in recounts:
            before, after = recount.before, recount.after
            revision = 1 if before is None else before.revision + 1
            self.kept_tallies[after.record_id] = replace(after, revision=revision)

    def pages(self, generation: int, scope: str | None) -> Iterator[CellPage]:
        """See Counters."""
        cells = sorted(self.cells.get((generation, scope), {}).items(), reverse=True)
        for start in range(0, max(1, len(cells)), self.at_a_time):
            yield cells[start : start + self.at_a_time]

    def build(self, before: Generations) -> Generations:
        """See Counters."""
        return self._become(before, Generations(before.current, before.current + 1))

    def switch(self, before: Generations) -> Generations:
        """See Counters."""
        return self._become(before, Generations(before.newest))

    def drift(self, generations: Generations, after: str | None) -> tuple[int, str | None]:
        """See Counters."""
        old, new = (
            {
                f"{scope!r}#{name}": amounts
                for (of, scope), cells in self.cells.items()
                if of == generation
                for name, amounts in cells.items()
                if not name.startswith(GROWTH)
            }
            for generation in (generations.current, generations.newest)
        )
        left = sorted(each for each in {**old, **new} if after is None or each > after)
        some = left[: self.at_a_time]
        off = sum(drift_between(old.get(each, {}), new.get(each, {})) for each in some)
        return off, some[-1] if len(left) > self.at_a_time else None

    def remove(self, generation: int) -> bool:
        """See Counters."""
        place = next((each for each in self.cells if each[0] == generation), None)
        if place is not None:
            del self.cells[place]
        return place is not None

    def progress(self) -> Progress | None:
        """See Counters."""
        return self.kept

    def keep(self, progress: JsonObject, before: Progress | None) -> Progress:
        """See Counters."""
        if self.kept != before:
            raise LostRace
        self.kept = Progress(dict(progress), 1 if before is None else before.revision + 1)
        return self.kept

    def _become(self, before: Generations, after: Generations) -> Generations:
        if self.kept_generations != before:
            raise LostRace
        self.kept_generations = after
        return after
