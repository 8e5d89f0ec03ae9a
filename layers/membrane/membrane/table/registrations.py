"""How long a process relies on a registration that it wrote."""

KNOWN_S = 60.0
"""Seconds; an erasure of a scope removes the scope from every registry."""


def is_still_known(registered_s: float | None, now_s: float) -> bool:
    """Whether the process registered the same lately; both by a monotonic clock."""
    return registered_s is not None and now_s - registered_s < KNOWN_S
