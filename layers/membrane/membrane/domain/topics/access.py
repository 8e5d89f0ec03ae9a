"""The salience that reads add to a topic, stored apart: a read makes no new version of a topic.

Each signal is a salience that fades along the decay curve of the topic.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

MAX_ACCESS_TRAIL = 50


@dataclass(frozen=True, slots=True)
class Signal:
    """A salience, exact at the instant `at_s` (seconds since 1970)."""

    salience: float = 0.0
    at_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Read:
    """A reinforcing read of a topic: the instant (seconds since 1970), the reader, the fields."""

    at_s: float
    principal: str
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AliasReads:
    """The salience added to a keeper by the reads of an alias."""

    topic: Signal = Signal()
    fields: Mapping[str, Signal] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Access:
    topic: Signal = Signal()
    fields: Mapping[str, Signal] = field(default_factory=dict)
    """By name, for fields that a request named."""
    trail: tuple[Read, ...] = ()
    """The newest reads, the oldest first; bounded, and no part of the audit trail."""
    messages: tuple[str, ...] = ()
    """Ids of the newest queue messages counted: a message delivered twice adds nothing."""
    given: Mapping[str, AliasReads] = field(default_factory=dict)
    """The shares of the signals above that came from aliases, by topic id.

    An unmerged alias takes its share back.
    """
    version: int = 0
    """0 = never read."""
