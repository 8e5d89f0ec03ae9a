"""What was read of a record's partition, kept for the write of its next version."""

from typing import NamedTuple

from membrane.adapters.dynamodb.table.attributes import Item


class Origin(NamedTuple):
    """A record's own item, and what of its trail and history the item holds."""

    item: Item
    resident: int
    """Audit entries in the item: the newest ones."""
    spilled: int
    """Audit entries in items of their own."""
    history_resident: int = 0
    """Changes of content in the item: the newest ones."""
    history_spilled: int = 0
    """Changes of content in items of their own."""
