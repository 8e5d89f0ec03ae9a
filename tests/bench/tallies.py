"""Counts of what was expected and returned, with precision and recall."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Tally:
    """What was expected and returned, and what of both has no counterpart; tallies add up."""

    expected: int = 0
    missing: Sequence[str] = ()
    """The expected that was not returned, each with the key of the capture."""
    returned: int = 0
    needless: Sequence[str] = ()
    """The returned that was not expected, likewise."""

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.expected + other.expected,
            (*self.missing, *other.missing),
            self.returned + other.returned,
            (*self.needless, *other.needless),
        )

    @property
    def precision(self) -> float:
        """The share of the returned that was expected; 1 where nothing is returned."""
        return 1 - len(self.needless) / self.returned if self.returned else 1.0

    @property
    def recall(self) -> float:
        """The share of the expected that was returned; 1 where nothing is expected."""
        return 1 - len(self.missing) / self.expected if self.expected else 1.0


class Findings(NamedTuple):
    """The tallies of one capture, or of several."""

    mentions: Tally = Tally()
    links: Tally = Tally()
    facts: Tally = Tally()

    def plus(self, other: "Findings") -> "Findings":
        return Findings(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))
