"""The validity of a fact: the time window in which the fact holds."""

from typing import NamedTuple

from membrane.domain.language.errors import InvalidArgument, Violation
from membrane.domain.language.timestamps import NOT_GIVEN, is_before
from membrane.domain.records.payloads import Payload, SemanticPayload, Validity


class Window(NamedTuple):
    """The time from `start` (inclusive) to `end` (exclusive); None means open on that side."""

    start: str | None
    end: str | None

    def is_open(self, now: str) -> bool:
        has_begun = self.start is None or not is_before(now, self.start)
        return has_begun and (self.end is None or is_before(now, self.end))

    def overlaps(self, other: "Window") -> bool:
        return _starts_before_end_of(self, other) and _starts_before_end_of(other, self)

    def covers(self, other: "Window") -> bool:
        from_then_on = self.start is None or (
            other.start is not None and not is_before(other.start, self.start)
        )
        until_then = self.end is None or (
            other.end is not None and not is_before(self.end, other.end)
        )
        return from_then_on and until_then


def window_of(validity: Validity) -> Window:
    """The window of a validity of any mode."""
    return Window(given_timestamp(validity.start), given_timestamp(validity.end))


def holds_at(payload: Payload, now: str) -> bool:
    """Whether the window of a fact is open, in any mode; true for payloads other than facts."""
    return not isinstance(payload, SemanticPayload) or window_of(payload.validity).is_open(now)


def require_window(payload: Payload) -> None:
    """Raises InvalidArgument for a fact whose window does not end after its start."""
    if not isinstance(payload, SemanticPayload):
        return
    start, end = window_of(payload.validity)
    if start is not None and end is not None and not is_before(start, end):
        message = "validation error for validity: end must be after start"
        raise InvalidArgument(message, [Violation("end", "must be after start")])


def given_timestamp(timestamp: str | None) -> str | None:
    return None if timestamp == NOT_GIVEN else timestamp


def _starts_before_end_of(one: Window, other: Window) -> bool:
    return one.start is None or other.end is None or is_before(one.start, other.end)
