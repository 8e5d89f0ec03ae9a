"""A clock that can be frozen, set and advanced, so that forgetting can be watched."""

from datetime import UTC, datetime, timedelta
from threading import Lock

FIRST, LAST = datetime(1971, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
"""Where the clock may stand: what is computed from it must stay within the calendar."""


class DevClock:
    """The machine's time, shifted; or one instant, while frozen."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._shift = timedelta()
        self._frozen_at: datetime | None = None

    @property
    def frozen(self) -> bool:
        """Whether time stands still."""
        return self._frozen_at is not None

    def now(self) -> datetime:
        """The time, in UTC."""
        with self._lock:
            return self._now()

    def advance(self, by: timedelta) -> None:
        """Move the time; raises OverflowError or ValueError beyond FIRST and LAST."""
        with self._lock:
            self._move_to(self._now() + by)

    def set(self, to: datetime) -> None:
        """Set the time to an instant with a zone; raises ValueError beyond FIRST and LAST."""
        with self._lock:
            self._move_to(to.astimezone(UTC))

    def freeze(self, *, frozen: bool) -> None:
        """Stop the time where it is, or let it run on from there."""
        with self._lock:
            now = self._now()
            self._frozen_at = now if frozen else None
            self._shift = now - datetime.now(UTC)

    def _now(self) -> datetime:
        return self._frozen_at or datetime.now(UTC) + self._shift

    def _move_to(self, instant: datetime) -> None:
        if not FIRST <= instant <= LAST:
            raise ValueError("out of range")
        self._shift = instant - datetime.now(UTC)
        if self._frozen_at is not None:
            self._frozen_at = instant
