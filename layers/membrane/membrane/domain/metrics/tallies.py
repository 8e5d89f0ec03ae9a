"""Tallies: what each record is counted as, so that it can be taken off again, once and no more."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from membrane.domain.metrics.amounts import Amounts, Cells, added

EVERY_SCOPE = None
"""Stands for all scopes together, whose cells are kept beside those of each."""


@dataclass(frozen=True, slots=True)
class Generations:
    """Which cells are read, and which are built beside them from the beginning, if any.

    A generation is a whole set of cells. While one is built, whatever changes is counted in both.
    """

    current: int = 1
    building: int | None = None

    @property
    def newest(self) -> int:
        """To which every tally comes at last."""
        return self.current if self.building is None else self.building


@dataclass(frozen=True, slots=True)
class Tally:
    """What a record is counted as."""

    record_id: str
    version: int
    """The `index_version` of the record that was looked at."""
    generation: int
    """The newest that it is counted in."""
    scope: str
    cells: Cells = field(default_factory=dict)
    """What it has added, in its scope and in all scopes together."""
    revision: int = 0
    """How often it was written; nothing but that tells a later one."""

    def is_counted_up_to(self, generation: int) -> bool:
        """Whether it stands in all cells that there are; what counts as nothing does anywhere."""
        return not self.cells or self.generation == generation


@dataclass(frozen=True, slots=True)
class Recount:
    """A tally before, if there was one, and what it is to become."""

    before: Tally | None
    after: Tally

    @property
    def is_needed(self) -> bool:
        """Whether anything is counted otherwise, or somewhere else."""
        before, after = self.before, self.after
        return before is None or (
            not before.is_counted_up_to(after.generation)
            or (before.version, before.cells) != (after.version, after.cells)
            or before.scope != after.scope
        )


Place = tuple[int, str | None]
"""A generation, and a scope or EVERY_SCOPE."""

Moves = Mapping[Place, Cells]
"""By place and cell what is added."""


def moves_of(recounts: Iterable[Recount], generations: Generations) -> Moves:
    """All that they add to cells and take off them, together; nothing that comes to naught.

    In a generation in which a tally was not yet, what it was before is not taken off.
    """
    moves: dict[Place, dict[str, dict[str, int]]] = {}
    for recount in recounts:
        before, after = recount.before, recount.after
        for generation in {generations.current, generations.newest}:
            if before is not None and _was_in(before, generation, generations):
                _add(moves, (generation, before.scope), before.cells, -1)
            _add(moves, (generation, after.scope), after.cells, 1)
    return {
        place: cells
        for place, every in moves.items()
        if (cells := {name: left for name, each in every.items() if (left := _without_zeros(each))})
    }


def _was_in(tally: Tally, generation: int, generations: Generations) -> bool:
    """A tally of the one that is built is in the current one, too."""
    return tally.generation in (generation, generations.building)


def _add(
    moves: dict[Place, dict[str, dict[str, int]]], place: Place, cells: Cells, sign: int
) -> None:
    generation, _ = place
    for each in (place, (generation, EVERY_SCOPE)):
        moves[each] = added(moves.get(each, {}), cells, sign)


def _without_zeros(amounts: Amounts) -> dict[str, int]:
    return {name: value for name, value in amounts.items() if value}
