"""The due index: the records that the sweep must visit, by shard."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from membrane.table import keys as table_keys
from membrane.table.dynamo import OverTable
from membrane.table.items import number, read_integer, text
from membrane.table.writes import LostRace, Write, lost_race
from membrane.usecases.ports.indexes import Due

INDEX = "due"

_DONE = "REMOVE due_pk, due_sk, stale"
_LATER = "SET due_sk = :until REMOVE stale"


@dataclass(frozen=True, slots=True)
class DynamoDue(OverTable):
    """The order of due times over one table; eventually consistent.

    Any method may raise ResourceExhausted or Unavailable.
    """

    shards: int

    def due(self, shard: int, by_s: int) -> Iterator[Due]:
        """Entries due at `by_s` or earlier, the earliest first; pages are read on demand.

        A Query a megabyte; a single Query if nothing is due, however large the table is.
        """
        values = {":shard": text(table_keys.due_partition(shard)), ":by": number(by_s)}
        for item in self.query("due_pk = :shard AND due_sk <= :by", values, index=INDEX):
            yield Due(table_keys.record_id_of(item), read_integer(item, "due_sk"))

    def put_off(self, due: Due, until_s: int | None) -> None:
        """Move the entry to `until_s`, or remove the entry; do nothing if the entry has changed."""
        values = {":read": number(due.due_s)}
        if until_s is not None:
            values[":until"] = number(until_s)
        move = Write(
            "Update",
            lost_race,
            "due_sk = :read",
            key=table_keys.own_key(due.record_id),
            update=_DONE if until_s is None else _LATER,
            values=values,
        )
        with suppress(LostRace):
            self.commit_all(move)
