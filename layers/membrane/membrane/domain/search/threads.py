"""Where an entry stands in its thread: its place as a text that sorts.

A place is (hour, position, when it happened, when it was recorded). The hour comes first because
what numbers turns often begins anew with each session; the position comes before the time because
many turns carry the time of their session.
"""

from math import floor

HOUR_S = 3_600

NEIGHBOURS = 3
"""How far a turn looks around itself in its thread, to either side."""

NO_POSITION = 0
"""Of what has no number of its own."""

_MAX_POSITION = 10**9 - 2
_HOURS_BEFORE_1970 = 20_000_000  # the year 1 is 17,259,888 hours earlier


def order_of(happened_s: float, created_s: float, position: int | None) -> str:
    """The place in the thread; `position` counts from 0."""
    hour = floor(happened_s / HOUR_S)
    number = NO_POSITION if position is None else min(position, _MAX_POSITION) + 1
    within_s = abs(happened_s - hour * HOUR_S)  # where it is 0, it has no sign
    return f"{hour + _HOURS_BEFORE_1970:08d}.{number:09d}.{within_s:011.6f}.{created_s:019.6f}"


def position_in(order: str) -> int:
    """The position in an order text, from 1 on; or NO_POSITION."""
    return int(order[9:18])
