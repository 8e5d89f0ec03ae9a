"""Translate DynamoDB's errors into the errors of the use cases."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NoConnection

from membrane.adapters.dynamodb.table.attributes import Client
from membrane.domain.language.errors import ResourceExhausted, Unavailable
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.surroundings import Measure

_THROTTLED = frozenset(
    {
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ThrottlingError",
        "ThrottlingException",
        "ProvisionedThroughputExceeded",
    }
)
_UNAVAILABLE = frozenset(
    {
        "InternalServerError",
        "ServiceUnavailable",
        "TransactionInProgressException",
    }
)
_SERVER_FAILURE = 500
_INDEX_NOT_READY = (
    "Cannot search backfilling vector index",
    "The table does not have the specified index",
)
"""Refusals by SearchVectors of an index under construction or not yet known to the endpoint.

Both have the code ValidationException (DynamoDB's guide, "Troubleshooting vector indexes").
"""

_LOST = frozenset({"TransactionConflict", "TransactionConflictException"})


THROTTLED = "Throttled"
"""The metric of attempts that DynamoDB throttled, also before a successful retry."""


def measure_throttles(client: Client, measure: Measure) -> None:
    """Measure every throttled attempt of the client from now on."""

    def count_throttles(response: tuple[Any, Mapping[str, Any]] | None = None, **_: object) -> None:
        if response is None or "Error" not in response[1]:
            return
        refusal = response[1]
        reasons = [each.get("Code") for each in refusal.get("CancellationReasons", ())]
        if not _THROTTLED.isdisjoint((refusal["Error"].get("Code"), *reasons)):
            measure(THROTTLED, 1, "Count")

    client.meta.events.register("needs-retry.dynamodb", count_throttles)


@contextmanager
def translating_errors() -> Iterator[None]:
    """Raise ResourceExhausted, Unavailable or LostRace for errors of DynamoDB."""
    try:
        yield
    except (NoConnection, HTTPClientError) as error:
        raise Unavailable("the store did not answer") from error
    except ClientError as error:
        if error.response["ResponseMetadata"].get("HTTPStatusCode", 0) >= _SERVER_FAILURE:
            raise Unavailable("the store did not answer") from error
        for code in (error.response["Error"]["Code"], *cancellation_codes(error)):
            if code in _THROTTLED:
                raise ResourceExhausted("the store is busy; try again later") from error
            if code in _UNAVAILABLE:
                raise Unavailable("the store did not answer") from error
            if code in _LOST:
                raise LostRace from error
        raise


@contextmanager
def waiting_for_index() -> Iterator[None]:
    """Raise Unavailable for a vector index that cannot be searched yet."""
    try:
        yield
    except ClientError as error:
        refusal = error.response["Error"]
        is_refused = refusal["Code"] == "ValidationException"
        if is_refused and refusal["Message"].startswith(_INDEX_NOT_READY):
            raise Unavailable(
                "the vector index is still being built; try again in a few minutes"
            ) from error
        raise


def cancellation_codes(error: ClientError) -> list[str]:
    """The codes of a cancelled transaction, by position; empty for any other failure."""
    return [reason.get("Code", "None") for reason in error.response.get("CancellationReasons", [])]
