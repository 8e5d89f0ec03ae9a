"""Errors of Bedrock's client, translated into the project's errors."""

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError, IncompleteReadError

from membrane.adapters.https import seconds_in
from membrane.domain.language.errors import Unavailable
from membrane.domain.model_failures import BusyModel, NotAsked

_THROTTLED = frozenset({"ThrottlingException", "ServiceQuotaExceededException"})
_UNAVAILABLE = frozenset(
    {
        "InternalServerException",
        "ModelNotReadyException",
        "ModelTimeoutException",
        "ServiceUnavailableException",
    }
)
_AFTER_SENDING = (HTTPClientError, IncompleteReadError)
"""Errors of botocore after the question was sent, such as a time-out."""

_AFTER_READING = frozenset({"ModelErrorException", "ModelTimeoutException"})
"""Codes with a status below 500 from a model that has read the question."""

_FIRST_REFUSAL, _FIRST_FAILURE = 400, 500


@contextmanager
def translating_errors(model: str) -> Iterator[None]:
    """Translate the errors of a question to a language model, named `model` in the messages.

    Raises BusyModel for a throttled question, NotAsked for a question that took no tokens, and
    Unavailable for any other failure.
    """
    try:
        yield
    except _AFTER_SENDING as error:
        raise Unavailable(f"{model} did not answer") from error
    except BotoCoreError as error:
        raise NotAsked(f"{model} cannot be reached") from error
    except ClientError as error:
        raise _refusal(error, model) from error


def outage_in(error: ClientError, model: str) -> BusyModel | Unavailable | None:
    """The outage that the error reports, `model` in its text; None for a refusal."""
    code = error.response["Error"]["Code"]
    if code in _THROTTLED:
        return BusyModel(f"{model} is busy; try again later", _retry_after_s(error))
    if code in _UNAVAILABLE or _status(error) >= _FIRST_FAILURE:
        return Unavailable(f"{model} did not answer")
    return None


def _refusal(error: ClientError, model: str) -> BusyModel | Unavailable:
    """The error for a throttled or refused question, or a failure of Bedrock or the model."""
    outage = outage_in(error, model)
    code = error.response["Error"]["Code"]
    message = f"{model} cannot be asked: {code}"
    if isinstance(outage, BusyModel):
        return outage
    if _FIRST_REFUSAL <= _status(error) < _FIRST_FAILURE and code not in _AFTER_READING:
        return NotAsked(message)
    return outage or Unavailable(message)


def _status(error: ClientError) -> int:
    return error.response["ResponseMetadata"].get("HTTPStatusCode", 0)


def _retry_after_s(error: ClientError) -> int:
    """Seconds that Bedrock asks to wait; 0 without a number of seconds."""
    headers = error.response["ResponseMetadata"].get("HTTPHeaders", {})
    return seconds_in(headers.get("retry-after", ""))
