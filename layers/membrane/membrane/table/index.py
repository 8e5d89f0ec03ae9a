"""The sparse indexes: the two keys of an entry, and one Query of a partition up to a bound."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from membrane.table.dynamo import OverTable
from membrane.table.items import Item, Value


class Index(NamedTuple):
    """A secondary index; an item without the two keys has no entry."""

    name: str
    keys: str
    """What the names of the keys begin with."""

    def entry(self, partition: Value, place: Value) -> dict[str, Value]:
        """The keys of an item's entry."""
        return {f"{self.keys}_pk": partition, f"{self.keys}_sk": place}

    def read(
        self,
        store: OverTable,
        partition: Value,
        most: int | None = None,
        *,
        until: Value | None = None,
        beginning: Value | None = None,
        after: Mapping[str, Value] | None = None,
        shown: str = "",
        backwards: bool = True,
    ) -> Iterator[Item]:
        """The entries of a partition, lazily; the last first, unless not `backwards`.

        `until` is the last place to include; `beginning` begins the places. Eventually consistent:
        one Query for each `most` entries or megabyte.
        """
        condition, values = f"{self.keys}_pk = :pk", {":pk": partition}
        if until is not None:
            condition += f" AND {self.keys}_sk <= :until"
            values[":until"] = until
        if beginning is not None:
            condition += f" AND begins_with({self.keys}_sk, :beginning)"
            values[":beginning"] = beginning
        found = store.query(
            condition,
            values,
            index=self.name,
            limit=most,
            after=after,
            shown=shown,
            backwards=backwards,
        )
        return islice(found, most)


RANK = Index("rank", "rank")
"""Records and topics by rank; removed records by the instant of the removal."""
DUE = Index("due", "due")
"""Records, topics and changes by the instant at which a job must visit them."""
NATURAL = Index("natural", "natural")
"""Records by the digest of a ref, fact, thread or name; topics by title; both by creation."""
LEARNING = Index("learning", "learn")
"""Evidence that waits, traces by likeness, and what was made of evidence."""
