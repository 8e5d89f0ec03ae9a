"""Survey partitions of the rank index: read all records up to a limit, then sample."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.lifecycle.pruning import Ranked
from membrane.usecases.ports.indexes import RankPartition, Ranks
from membrane.usecases.ports.world import World

PATIENCE_S = 20.0
"""The longest time of reading: a function has 29 seconds, and a slow request takes several."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How many records to read exactly, and how to sample the rest."""

    exact: int = 100_000
    """The number of records to read completely, rounded up to a whole block."""
    block: int = 500
    """Entries in a block; a block is read or skipped as a whole."""
    blocks: int = 10
    """Blocks in a stratum; a single block of each stratum is read."""

    @property
    def stretch(self) -> int:
        return self.block * self.blocks


SAMPLING = Sampling()


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive records of a partition: all read, or a sample of a single block."""

    visible: int
    read: Sequence[Ranked]
    weight: int = 1
    """How many records each read record represents."""
    span: int = 0
    """The largest possible estimate from the stretch; 0 without an estimate."""


@dataclass(slots=True)
class Survey:
    """Reads the visible records of partitions, each partition once."""

    world: World
    ceiling: Sensitivity
    sampling: Sampling
    advice: str
    """Advice for the error text of a request too large for the time."""
    retracted: bool = False
    _read: int = field(default=0, init=False)
    _began_s: float = field(init=False)

    def __post_init__(self) -> None:
        self._began_s = self.world.elapsed_s()

    def stretches(self, partition: RankPartition) -> Iterator[Stretch]:
        """The stretches of a whole partition; raises InvalidArgument after PATIENCE_S."""
        after: object = None
        while True:
            self.require_time()
            left = self.sampling.exact - self._read
            if left > 0:
                entries = min(max(left, self.sampling.block), self.sampling.stretch)
                found = self.world.ranks.entries_in(
                    partition, self.ceiling, entries, after, retracted=self.retracted
                )
                self._read += found.visible
                stretch, after = Stretch(found.visible, found.records), found.after
            else:
                stretch, after = self._sample_stratum(partition, after)
            yield stretch
            if after is None:
                return

    def require_time(self) -> None:
        if self.world.elapsed_s() - self._began_s > PATIENCE_S:
            raise InvalidArgument(
                f"this would take more than {PATIENCE_S:g} seconds: {self.advice}"
            )

    def _sample_stratum(self, partition: RankPartition, after: object) -> tuple[Stretch, object]:
        """Read a random block of a stratum, each as probable as the others; count the rest."""
        size, blocks = self.sampling.block, self.sampling.blocks
        chosen = self.world.draw(blocks)
        ranks = self.world.ranks
        steps = (
            (ranks.count, chosen * size),
            (ranks.entries_in, size),
            (ranks.count, (blocks - 1 - chosen) * size),
        )
        found: list[Ranks] = []
        for go_through, entries in steps:
            if entries:
                found.append(
                    go_through(partition, self.ceiling, entries, after, retracted=self.retracted)
                )
                after = found[-1].after
                if after is None:
                    break
        visible = sum(each.visible for each in found)
        read = [record for each in found for record in each.records]
        return Stretch(visible, read, weight=blocks, span=blocks * min(size, visible)), after
