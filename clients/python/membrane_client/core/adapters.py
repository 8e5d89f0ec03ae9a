"""Parts that the adapters for frameworks have in common: arguments, places, batches, refusals."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from membrane_client.errors import APIError, error_of
from membrane_client.values.documents import DocumentResult
from membrane_client.values.records import BatchEntry

T = TypeVar("T")

MAX_LABELS = 16
"""Of a namespace."""

MAX_LABEL_BYTES = 128

MAX_PAGE = 1_000
"""Documents, or namespaces, of a page."""

MAX_OPERATIONS = 100
"""Of a batch."""


class Place(NamedTuple):
    """Where a document lies."""

    namespace: tuple[str, ...]
    key: str


def require_client(client: object, *expected: type) -> None:
    """Raises TypeError for an object of none of the classes."""
    if not isinstance(client, expected):
        names = " or ".join(each.__name__ for each in expected)
        raise TypeError(f"client is of the class {type(client).__name__}: expected {names}")


def labels_in(name: str, labels: Sequence[str]) -> tuple[str, ...]:
    """The labels; raises TypeError for a text, whose characters would each be a label."""
    if isinstance(labels, str):
        raise TypeError(f"{name} is {labels!r}: expected a sequence of labels")
    return tuple(labels)


def batches(
    items: Iterable[T], size_of: Callable[[T], int], most: int, room: int
) -> Iterator[list[T]]:
    """The items in order, in parts of `most` items and of sizes that add up to `room` at most.

    A larger item is a part by itself.
    """
    part: list[T] = []
    left = room
    for item in items:
        size = size_of(item)
        if part and (size > left or len(part) == most):
            yield part
            part, left = [], room
        part.append(item)
        left -= size
    if part:
        yield part


def refusal_of(entry: DocumentResult | BatchEntry) -> APIError | None:
    """The error of one operation in a batch; None for an operation that took place."""
    if entry.error is None:
        return None
    return error_of(entry.status, {}, json.dumps(entry.error.raw).encode())


def is_mismatch(error: APIError) -> bool:
    """Whether a document exists that must not exist, or the reverse."""
    return error.code == "FAILED_PRECONDITION"
