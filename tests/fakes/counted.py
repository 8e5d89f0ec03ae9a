"""Ids and salts by number."""

from collections.abc import Callable
from itertools import count


def counted_ids() -> Callable[[], str]:
    """UUIDs of version 4 by number: ...0001, ...0002."""
    numbers = count(1)
    return lambda: f"00000000-0000-4000-8000-{next(numbers):012d}"


def counted_salts() -> Callable[[], str]:
    """128 bits in hex, by number."""
    numbers = count(1)
    return lambda: f"{next(numbers):032x}"
