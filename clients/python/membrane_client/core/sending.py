"""Attempts at a request: the failures worth a retry, and the pauses."""

import random
from http import HTTPStatus

from membrane_client import errors
from membrane_client.core.addresses import with_proxy
from membrane_client.core.protocol import Pause, Reply, Request, Steps

FIRST_DELAY_S = 0.5
MAX_DELAY_S = 8.0
MAX_RETRY_AFTER_S = 60.0
"""After a longer `Retry-After`, a call makes no further attempt."""


def send(request: Request, max_retries: int) -> Steps[Reply]:
    """The reply to the request; raises MembraneError after the last attempt.

    A repeatable request is sent again after every failure that may pass: a read, or a write under
    an idempotency key. Any further request is sent again only after a refusal without effects.
    """
    attempts = 0
    while True:
        answer = yield request
        if (
            isinstance(answer, Reply)
            and HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES
        ):
            return answer
        error = _error(answer)
        is_repeatable = request.is_repeatable or _is_without_effects(error)
        if attempts >= max_retries or not is_repeatable or not _passes(error):
            raise with_proxy(error, request.url)
        yield Pause(_delay_s(attempts, error))
        attempts += 1


def _error(answer: Reply | errors.MembraneError | None) -> errors.MembraneError:
    if isinstance(answer, Reply) and answer.status < HTTPStatus.BAD_REQUEST:
        place = answer.headers.get("location")
        return errors.UnexpectedReply(
            f"the reply has the status {answer.status}"
            + (f", and leads to {place}: is `url` right?" if place else "")
        )
    if isinstance(answer, Reply):
        return errors.error_of(answer.status, answer.headers, answer.body)
    assert answer is not None  # noqa: S101 - a driver answers every request
    return answer


def _passes(error: errors.MembraneError) -> bool:
    if isinstance(error, errors.APIError):
        is_soon = (error.retry_after_s or 0.0) <= MAX_RETRY_AFTER_S
        return is_soon and (
            error.status in {408, 429} or error.status >= HTTPStatus.INTERNAL_SERVER_ERROR
        )
    return isinstance(error, errors.ConnectionFailed | errors.TimedOut)


def _is_without_effects(error: errors.MembraneError) -> bool:
    """Whether the request was throttled, or the service itself asks for a later attempt.

    A refusal of the gateway has no code: the function behind the gateway may have done its work.
    """
    if not isinstance(error, errors.APIError):
        return False
    is_asked_for = bool(error.code) and error.retry_after_s is not None
    return is_asked_for or error.status == HTTPStatus.TOO_MANY_REQUESTS


def _delay_s(attempts: int, error: errors.MembraneError) -> float:
    """Full jitter up to a doubling bound; at least `Retry-After`."""
    jitter = random.uniform(0.0, min(MAX_DELAY_S, FIRST_DELAY_S * 2**attempts))
    asked = error.retry_after_s if isinstance(error, errors.APIError) else None
    return jitter if asked is None else asked + jitter
