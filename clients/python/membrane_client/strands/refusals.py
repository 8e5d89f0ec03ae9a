"""The errors within the replies to batches, and the error of an unmet condition."""

import json

from membrane_client.errors import APIError, error_of
from membrane_client.values.documents import DocumentResult
from membrane_client.values.records import BatchEntry


def refusal_of(entry: DocumentResult | BatchEntry) -> APIError | None:
    """The error of one operation in a batch; None for an operation that took place."""
    if entry.error is None:
        return None
    return error_of(entry.status, {}, json.dumps(entry.error.raw).encode())


def is_mismatch(error: APIError) -> bool:
    """Whether a document exists that must not exist, or the reverse."""
    return error.code == "FAILED_PRECONDITION"
