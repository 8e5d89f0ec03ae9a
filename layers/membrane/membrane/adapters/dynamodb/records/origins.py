"""What was read of a record's partition, kept for the write of its next version."""

from dataclasses import dataclass

from membrane.adapters.dynamodb.table.attributes import Item


@dataclass(frozen=True, slots=True)
class Beside:
    """An edge, older audit entries or changes, or what TTL left of an earlier record of the id."""

    item: Item
    entries: int
    """How many audit entries it holds."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What was read of a record: its own item, and what of its trail and history that holds."""

    item: Item
    resident: int
    spilled: int
    history_spilled: int = 0
    """Changes of content that lie in items of their own."""
    beside: tuple[Beside, ...] = ()
    """The other items of its partition that were read with it."""
