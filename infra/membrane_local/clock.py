"""A clock that can be frozen, set and advanced, to watch memories fade."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Lock

FIRST, LAST = datetime(1971, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
"""The limits of the clock: times computed from the clock must stay within the calendar."""


class DevClock:
    def __init__(self) -> None:
        self._lock = Lock()
        self._shift = timedelta()
        self._frozen_at: datetime | None = None
        self._set_back = timedelta()
        self._listeners: list[Callable[[], None]] = []

    @property
    def frozen(self) -> bool:
        return self._frozen_at is not None

    def now(self) -> datetime:
        with self._lock:
            return self._now()

    def passed_s(self) -> float:
        """Seconds since FIRST, for timers; setting the clock back does not reduce the value."""
        with self._lock:
            return (self._now() - FIRST + self._set_back).total_seconds()

    def add_listener(self, listener: Callable[[], None]) -> None:
        self._listeners.append(listener)

    def advance(self, by: timedelta) -> None:
        """Move the time; raises OverflowError or ValueError beyond FIRST and LAST."""
        with self._lock:
            self._move_to(self._now() + by)
        self._notify_listeners()

    def set_to(self, to: datetime) -> None:
        """Set the time to an instant with a zone; raises ValueError beyond FIRST and LAST."""
        with self._lock:
            self._move_to(to.astimezone(UTC))
        self._notify_listeners()

    def freeze(self, *, frozen: bool) -> None:
        """Stop the clock at the present time, or let the clock run on from the present time."""
        with self._lock:
            now = self._now()
            self._frozen_at = now if frozen else None
            self._shift = now - datetime.now(UTC)
        self._notify_listeners()

    def _notify_listeners(self) -> None:
        for listener in self._listeners:
            listener()

    def _now(self) -> datetime:
        return self._frozen_at or datetime.now(UTC) + self._shift

    def _move_to(self, instant: datetime) -> None:
        if not FIRST <= instant <= LAST:
            raise ValueError("out of range")
        self._set_back += max(timedelta(), self._now() - instant)
        self._shift = instant - datetime.now(UTC)
        if self._frozen_at is not None:
            self._frozen_at = instant
