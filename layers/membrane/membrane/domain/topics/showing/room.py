"""Room in a reply: what is of any number or size is told as far as a reply carries it."""

from dataclasses import dataclass
from typing import Any

from membrane.domain.records.limits import MAX_REPLY_BYTES, reply_bytes

BESIDE_BYTES = 64 * 1024
"""For what else a reply holds: cursors, names, counts."""


@dataclass(slots=True)
class Room:
    """So many bytes are left."""

    left: int = MAX_REPLY_BYTES - BESIDE_BYTES

    def takes(self, value: Any) -> bool:
        """Whether it fits, large values as links; then there is so much less left."""
        size = reply_bytes(value)
        if size > self.left:
            return False
        self.left -= size
        return True
