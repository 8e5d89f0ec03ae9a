"""Checks of the arguments that the three adapters have in common."""

from collections.abc import Sequence

from membrane_client.client import Membrane


def require_client(client: object) -> None:
    """Raises TypeError for an AsyncMembrane, and for any other object than a Membrane."""
    if not isinstance(client, Membrane):
        raise TypeError(f"client is of the class {type(client).__name__}: expected a Membrane")


def labels_in(name: str, labels: Sequence[str]) -> tuple[str, ...]:
    """The labels; raises TypeError for a text, whose characters would each be a label."""
    if isinstance(labels, str):
        raise TypeError(f"{name} is {labels!r}: expected a sequence of labels")
    return tuple(labels)
