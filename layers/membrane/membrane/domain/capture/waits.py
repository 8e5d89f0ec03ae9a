"""How long a capture waits for the next try of a model."""

from datetime import datetime, timedelta
from math import ceil

MAX_WAIT_S = 42_600
"""SQS hides a message for 12 hours at most, counted from the receive; a try takes minutes."""

WAITS_S = (120, 600, 3_600, 21_600)
"""The wait after the first failed try, after the second, and so on; then the last wait again."""

SPREAD_S = 900
"""Captures that wait for the tokens of the next day come back spread over this time."""

PATIENCE = timedelta(days=14)
"""How long a capture may wait for tokens, as long as SQS keeps a message."""


def wait_after(tries: int, asked_s: int = 0) -> int:
    """Seconds to wait after `tries` failed tries, at least `asked_s` within MAX_WAIT_S."""
    usual_s = WAITS_S[min(tries, len(WAITS_S)) - 1]
    return min(max(usual_s, asked_s), MAX_WAIT_S)


def wait_for_tokens(now: datetime, spread_s: int) -> int:
    """Seconds until `spread_s` after the next midnight (UTC), within MAX_WAIT_S.

    A longer way to midnight takes a further wait.
    """
    next_day = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    return min(ceil((next_day - now).total_seconds()) + spread_s, MAX_WAIT_S)
