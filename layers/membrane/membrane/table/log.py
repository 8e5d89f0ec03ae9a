"""A log of an entity: the newest entries in the head, older entries in items beside the head."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from membrane.table.items import Item, Value, number, read_integer, read_text

RESIDENT = 16
"""Entries that a head holds at most, once older entries have found room beside."""

SPILL = 8
"""Entries that move out at a time, into an item of their own."""


class Log(NamedTuple):
    """The names of one log in the items of an entity, and the form of its texts."""

    name: str
    """The attribute of the newest entries in the head, and the beginning of sort keys beside."""
    beside: str
    """The attribute of the entries of an item beside."""
    pack: Callable[[Sequence[Any]], str]
    """The text of entries."""
    unpack: Callable[[Item, str, str], list[Any]]
    """The entries of an item's attribute, from the text; raises CorruptItem."""
    is_counted: bool = False
    """Whether the head always gives the number of entries, of all and of those beside."""

    @property
    def prefix(self) -> str:
        """The beginning of the sort keys of the items beside."""
        return f"{self.name}#"

    def place(self, position: int) -> str:
        """The sort key of the item beside whose first entry has the position."""
        return f"{self.prefix}{position:010d}"

    def position_of(self, item: Item) -> int:
        """The position of the first entry of an item beside."""
        return int(read_text(item, "sk").removeprefix(self.prefix))

    def span(self, begin: int, end: int) -> tuple[str, str]:
        """The sort keys between which the entries of the positions are beside the head.

        An item of SPILL entries may begin before `begin`.
        """
        return self.place(max(0, begin - SPILL + 1)), self.place(end - 1)

    def count_beside(self, head: Item) -> int:
        """The number of entries beside the head."""
        name = f"{self.name}_spilled"
        return read_integer(head, name) if self.is_counted or name in head else 0

    def counts(self, spilled: int, resident: int) -> dict[str, Value]:
        """The attributes of a head that count the entries."""
        beside = {f"{self.name}_spilled": number(spilled)}
        if self.is_counted:
            return {**beside, f"{self.name}_count": number(spilled + resident)}
        return beside if spilled else {}


def too_many(entries: int) -> int:
    """How many of the oldest entries a head should move out, SPILL at a time."""
    return max(0, -(-(entries - RESIDENT) // SPILL) * SPILL)
