"""Checks of the arguments that the adapters for frameworks have in common."""

from collections.abc import Sequence

MAX_LABELS = 16
"""Of a namespace."""


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
