"""Fences: scopes that take no writes while an erasure of the scope is under way."""

from collections.abc import Collection
from typing import Protocol


class Fences(Protocol):
    """Any method may raise ResourceExhausted or Unavailable."""

    def require_open(self, scopes: Collection[str]) -> None:
        """Raise ScopeFenced if a scope has a fence; a new fence is seen after FENCE_PERIOD_S."""

    def put(self, scope: str, erasure_id: str) -> None:
        """Fence the scope for the erasure; repeatable. Raises LostRace if the erasure is done."""

    def remove(self, erasure_id: str) -> None:
        """Remove the fence of the erasure; the fence of a second erasure of the scope stays."""


FENCE_PERIOD_S = 5.0
"""Seconds for which a writer may rely on the fences that it read."""
