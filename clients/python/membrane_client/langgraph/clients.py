"""The clients that the store and the nodes take."""

from membrane_client.client import AsyncMembrane, Membrane


def require_client(client: object) -> None:
    """Raises TypeError for anything but a Membrane or an AsyncMembrane."""
    if not isinstance(client, Membrane | AsyncMembrane):
        raise TypeError(
            f"client is {type(client).__name__}: expected an instance of Membrane or AsyncMembrane"
        )
