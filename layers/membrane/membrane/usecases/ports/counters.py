"""The counters of which the metrics are made, and how far a reconciliation of them has come."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from membrane.domain.language.json_text import JsonObject
from membrane.domain.metrics.amounts import Amounts
from membrane.domain.metrics.tallies import Generations, Recount, Tally
from membrane.usecases.ports.catalogue import Kept

MAX_RECOUNTS = 20
"""Records that are counted together."""

CellPage = Sequence[tuple[str, Amounts]]
"""Names of cells and what they hold."""


class Counters(Protocol):
    """Cells of counters, and tallies of records. May raise what RecordStore does."""

    def generations(self) -> Generations:
        """Which cells there are now, consistently read."""

    def tallies(self, record_ids: Sequence[str]) -> Mapping[str, Tally]:
        """By id what each record is counted as, consistently read."""

    def count(self, recounts: Sequence[Recount], generations: Generations) -> None:
        """Write tallies, each in one write with all that it adds to cells or takes off them.

        MAX_RECOUNTS at most. Raises LostRace where a tally or the generations are others by now.
        """

    def pages(self, generation: int, scope: str | None) -> Iterator[CellPage]:
        """The cells of a scope, or of all scopes together, by name from the last one back.

        Consistently read, each page when it is come to.
        """

    def build(self, before: Generations) -> Generations:
        """Begin another generation beside the current one; raises LostRace."""

    def switch(self, before: Generations) -> Generations:
        """Let the one that was built be the current one; raises LostRace."""

    def drift(self, generations: Generations, after: str | None) -> tuple[int, str | None]:
        """By how many records, all added up, the next cells differ from those that are built.

        A cell of which anything else differs is off by one at least. And where those after them
        begin; None behind the last ones. Each cell and its counterpart are read as of one moment.
        Of growth, which expires, nothing is compared.
        """

    def remove(self, generation: int) -> bool:
        """Remove some cells of a generation; whether any was there."""

    def progress(self) -> Kept | None:
        """How far the newest reconciliation has come; None where there was none yet."""

    def keep(self, progress: JsonObject, before: Kept | None) -> Kept:
        """Keep how far it is now; raises LostRace where another one has kept something since."""
