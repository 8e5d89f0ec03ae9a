"""The index of records by natural key: the digest of a ref, fact, thread or name."""

from collections.abc import Sequence
from itertools import islice

from membrane.table import keys as table_keys
from membrane.table.dynamo import OverTable
from membrane.table.items import binary, number, read_number

INDEX = "natural"


class DynamoNatural(OverTable):
    """The index of natural keys over one table; eventually consistent.

    A natural key is a digest of a scope, a memory type and e.g. a subject and a predicate. Any
    method may raise ResourceExhausted or Unavailable.
    """

    def newest(
        self, natural_key: bytes, entries: int, before_s: float | None = None
    ) -> Sequence[tuple[str, float]]:
        """Ids and creation instants (seconds since 1970) of the newest records, the newest first.

        `before_s` is the latest creation instant to include. A deleted or pruned record is among
        the records as long as the record can be restored. One Query a megabyte, however many
        records have the key.
        """
        condition, values = "natural_pk = :key", {":key": binary(natural_key)}
        if before_s is not None:
            condition += " AND natural_sk <= :before"
            values[":before"] = number(before_s)
        found = self.query(condition, values, index=INDEX, limit=entries, backwards=True)
        return [
            (table_keys.record_id_of(item), read_number(item, "natural_sk"))
            for item in islice(found, entries)
        ]
