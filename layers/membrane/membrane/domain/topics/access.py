"""What reading adds to a topic's salience, kept apart from the topic: reading changes no version.

Each signal is a salience that fades as the topic's own does, by the same function of time.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

MAX_ACCESS_TRAIL = 50


@dataclass(frozen=True, slots=True)
class Signal:
    """A salience, and the instant (seconds since 1970) at which it was exact."""

    salience: float = 0.0
    at_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Read:
    """A read that reinforced a topic: when (seconds since 1970), by whom, and which fields."""

    at_s: float
    principal: str
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AliasReads:
    """What a topic that was merged into another has added to how salient reading made that."""

    topic: Signal = Signal()
    fields: Mapping[str, Signal] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Access:
    topic: Signal = Signal()
    fields: Mapping[str, Signal] = field(default_factory=dict)
    """By name, of those that were asked for by name."""
    trail: tuple[Read, ...] = ()
    """The newest, the oldest first; apart from the audit, and with an end."""
    messages: tuple[str, ...] = ()
    """Of the newest queue messages that it was made from: one that comes again adds nothing."""
    given: Mapping[str, AliasReads] = field(default_factory=dict)
    """Of the signals above, by id of the merged topic: it takes that with it when it leaves."""
    version: int = 0
    """0 = it was never read."""
