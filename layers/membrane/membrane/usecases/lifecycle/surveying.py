"""Going through partitions of the rank index: all that there is to a limit, then samples."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.lifecycle.ranking import Ranked
from membrane.usecases.ports.indexes import RankPartition, Ranks
from membrane.usecases.ports.services import Services

PATIENCE_S = 20.0
"""For how long a survey may read: a function has 29 seconds, and one slow request takes some."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How much is read exactly, and how what follows is sampled."""

    exact: int = 100_000
    """Records that are all read, with what is left of a block."""
    block: int = 500
    """Entries that are read or passed over together."""
    blocks: int = 10
    """Of which one is read. So many make a stratum."""

    @property
    def stretch(self) -> int:
        return self.block * self.blocks


SAMPLING = Sampling()


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive records of a partition, of which all were read, or one block for all."""

    visible: int
    read: Sequence[Ranked]
    weight: int = 1
    """How many records each one that was read stands for."""
    span: int = 0
    """The most that an estimate made of it can be; 0 where nothing is estimated."""


@dataclass(slots=True)
class Survey:
    """Reads what may be seen; each partition once."""

    services: Services
    ceiling: Sensitivity
    sampling: Sampling
    advice: str
    """How to ask for less, to whoever asks for more than there is time for."""
    retracted: bool = False
    _read: int = field(default=0, init=False)
    _began_s: float = field(init=False)

    def __post_init__(self) -> None:
        self._began_s = self.services.elapsed_s()

    def stretches(self, partition: RankPartition) -> Iterator[Stretch]:
        """The whole partition; raises InvalidArgument where time does not suffice for that."""
        after: object = None
        while True:
            self.require_time()
            left = self.sampling.exact - self._read
            if left > 0:
                entries = min(max(left, self.sampling.block), self.sampling.stretch)
                found = self.services.ranks.read_entries(
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
        if self.services.elapsed_s() - self._began_s > PATIENCE_S:
            raise InvalidArgument(
                f"this would take more than {PATIENCE_S:g} seconds: {self.advice}"
            )

    def _sample_stratum(self, partition: RankPartition, after: object) -> tuple[Stretch, object]:
        """A stratum: one block of ten, at random, is read, and the others are counted.

        So each block is read with the same probability, also where the partition ends before ten.
        """
        size, blocks = self.sampling.block, self.sampling.blocks
        chosen = self.services.draw(blocks)
        ranks = self.services.ranks
        steps = (
            (ranks.count, chosen * size),
            (ranks.read_entries, size),
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
