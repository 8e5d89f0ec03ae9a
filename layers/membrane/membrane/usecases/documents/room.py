"""Room in a reply with a number of documents or namespaces."""

from dataclasses import dataclass
from typing import Any

from membrane.domain.records.sizes import reply_bytes

ROOM_BYTES = 5 * 1024 * 1024
"""For a page; `MAX_BODY_BYTES` then has room for large values that fit, and for the cursor."""


@dataclass(slots=True)
class Room:
    left: int = ROOM_BYTES

    def takes(self, value: Any) -> bool:
        """Whether the value fits, with large values as links; reserves the room if so.

        A first value always fits: no value in place is as large as the room.
        """
        size = reply_bytes(value)
        if size > self.left:
            return False
        self.left -= size
        return True
