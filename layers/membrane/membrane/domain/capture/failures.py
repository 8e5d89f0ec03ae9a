"""Why a try of a model to interpret a capture failed, and how long the next try waits."""

from datetime import datetime, timedelta
from math import ceil

from membrane.domain.capture.proposals import MalformedProposal
from membrane.domain.language.errors import DomainError, ResourceExhausted, Unavailable
from membrane.domain.models.failures import OutOfTokens
from membrane.domain.records.interpretation import InterpretationFailure

MAX_WAIT_S = 42_600
"""SQS hides a message for 12 hours at most, counted from the receive; a try takes minutes."""

WAITS_S = (120, 600, 3_600, 21_600)
"""The wait after the first failed try, after the second, and so on; then the last wait again."""

SPREAD_S = 900
"""Captures that wait for the tokens of the next day come back spread over this time."""

PATIENCE = timedelta(days=14)
"""How long a capture may wait for tokens, as long as SQS keeps a message."""


def failure_of(error: Exception) -> InterpretationFailure:
    """The reason code of a failed try, without a word of the model."""
    match error:
        case OutOfTokens():
            return InterpretationFailure.OUT_OF_TOKENS
        case ResourceExhausted():
            return InterpretationFailure.BUSY
        case Unavailable():
            return InterpretationFailure.UNAVAILABLE
        case MalformedProposal():
            return InterpretationFailure.MALFORMED
        case DomainError():
            return InterpretationFailure.NOT_WRITTEN
        case _:
            return InterpretationFailure.FAULT


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
