"""Time in tests: a clock that stands still, and a wait that takes no time."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

MORNING = datetime(2026, 3, 1, 9, 0, 0, 250_000, tzinfo=UTC)
"""When a fake clock starts; with a fraction, as real clocks have."""


@dataclass(slots=True)
class FakeClock:
    """A clock that stands still until a test moves it."""

    now: datetime = MORNING

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **time: float) -> None:
        """Move on by so many `days`, `seconds` and so on."""
        self.now += timedelta(**time)


@dataclass(slots=True)
class BackOff:
    """Waits no time, and remembers after which tries it was asked to."""

    tries: list[int] = field(default_factory=list)

    def __call__(self, tries: int) -> None:
        self.tries.append(tries)
