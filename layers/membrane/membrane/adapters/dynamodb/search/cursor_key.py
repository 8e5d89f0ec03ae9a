"""The key that seals cursors: made once for a table, and stored in the table."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from membrane.table import keys as table_keys
from membrane.table.dynamo import OverTable
from membrane.table.items import binary, read_binary
from membrane.table.writes import LostRace, Write, lost_race

_KEY = table_keys.primary_key("cursors", "key")


@dataclass(frozen=True, slots=True)
class CursorKey(OverTable):
    """The table's key; without the key, no earlier cursor can be opened."""

    new_key: Callable[[], bytes]
    known: list[bytes] = field(default_factory=list)

    def __call__(self) -> bytes:
        """A strongly consistent GetItem at the first call; a conditional put for an absent key."""
        if not self.known:
            found = self._stored_key()
            if found is None:
                write = Write(
                    "Put",
                    lost_race,
                    "attribute_not_exists(pk)",
                    item={**_KEY, "key": binary(self.new_key())},
                )
                with suppress(LostRace):  # a concurrent environment came first
                    self.commit_all(write)
                found = self._stored_key()
            if found is not None:
                self.known.append(found)
        return self.known[0]

    def _stored_key(self) -> bytes | None:
        item = self.item_at(_KEY)
        return None if item is None else read_binary(item, "key")
