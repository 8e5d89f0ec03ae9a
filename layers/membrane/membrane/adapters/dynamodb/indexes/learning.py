"""The index of learning: evidence that waits, traces by likeness, and what was made of evidence."""

import struct
from collections.abc import Iterator, Sequence

from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records import learning_mark
from membrane.domain.records.stored import StoredRecord
from membrane.table import keys as table_keys
from membrane.table.dynamo import OverTable
from membrane.table.index import LEARNING
from membrane.table.items import (
    BORN,
    KEY_ATTRIBUTES,
    Value,
    Write,
    lost_race,
    number,
    read_text,
    text,
)
from membrane.usecases.ports.indexes import Waiting, shard_of

LOOKUP = "lookup#"
"""The prefix of the sort keys of the items under which a trace or a skill is found."""

LOOKUPS = "lookups"
"""The attribute of the own item with the digests of the items beside."""

MICROSECONDS = 1_000_000
"""Microseconds in a second."""

_BITS = struct.Struct(">d")

_LASTING = "~"
"""Sorts the lookup of a skill after the lookup of any trace."""


class DynamoLearning(OverTable):
    """The index of waiting evidence over one table; eventually consistent.

    Any method may raise ResourceExhausted or Unavailable.
    """

    def waiting(self, shard: int, beginning: str = "") -> Iterator[Waiting]:
        """The waiting records of a shard, those of a group together, the oldest of a group first.

        `shard` is from 0 up to, and without, LEARNING_SHARDS. A Query a megabyte; a single Query if
        nothing waits.
        """
        partition = text(_waiting_partition(shard))
        begun = text(beginning) if beginning else None
        for item in LEARNING.read(self, partition, beginning=begun, backwards=False):
            stage, group, born_us = read_text(item, "learn_sk").split("#")
            born_s = int(born_us) / MICROSECONDS
            record_id = table_keys.record_id_of(item)
            yield Waiting(record_id, learning_mark.Stage(stage), bytes.fromhex(group), born_s)

    def steps_of_scope(self, scope: str, shard: int) -> Iterator[Waiting]:
        """The waiting steps of a scope in a shard, as `waiting` does. A Query a megabyte."""
        return self.waiting(
            shard, f"{learning_mark.Stage.STEP}#{learning_mark.scope_digest(scope).hex()}"
        )

    def steps_of_thread(self, scope: str, thread_id: str) -> Iterator[Waiting]:
        """The waiting steps of a thread, the oldest first. A Query a megabyte."""
        group = learning_mark.thread_group(scope, thread_id)
        return self.waiting(shard_of(group), _place(learning_mark.Stage.STEP, group))

    def traces_of_scope(self, scope: str) -> Iterator[Waiting]:
        """The waiting traces of a scope, the oldest first. A Query a megabyte."""
        group = learning_mark.trace_group(scope)
        return self.waiting(shard_of(group), _place(learning_mark.Stage.TRACE, group))

    def alike(self, lookup: bytes, entries: int) -> Sequence[str]:
        """Ids of at most `entries` records of the digest: skills, then new traces. A Query."""
        found = LEARNING.read(self, text(_lookup_partition(lookup)), entries)
        return [table_keys.record_id_of(item) for item in found]

    def made_records(
        self, scope: str, entries: int, before_s: float | None = None
    ) -> Sequence[tuple[str, float]]:
        """Ids and creation instants (seconds since 1970) of what was made of evidence of a scope.

        Traces, skills and plans, the newest first; a trace that waits is not among them. `before_s`
        is the latest creation instant to include. One Query.
        """
        until = None if before_s is None else text(_sortable(before_s))
        found = LEARNING.read(self, text(_made_partition(scope)), entries, until=until)
        return [
            (table_keys.record_id_of(item), _number_in(read_text(item, "learn_sk")))
            for item in found
        ]


def waiting_keys(stored: StoredRecord) -> dict[str, Value]:
    """The keys of a living record that waits; none for any other record."""
    awaits = stored.learning.awaits
    if awaits is None:
        return {}
    group = learning_mark.waiting_group(stored.scope, stored.record.payload, awaits)
    partition, place = _waiting_partition(shard_of(group)), _place(awaits, group) + _born(stored)
    return LEARNING.entry(text(partition), text(place))


def made_keys(stored: StoredRecord) -> dict[str, Value]:
    """The keys of a living record that was made of evidence and waits no longer; else none."""
    if stored.learning.awaits is not None or not learning_mark.is_made(stored.record):
        return {}
    partition, place = _made_partition(stored.scope), _sortable(stored.born_s)
    return LEARNING.entry(text(partition), text(place))


def lookup_items(stored: StoredRecord) -> Iterator[dict[str, Value]]:
    """The items under which a trace or a skill is found by its likeness."""
    place = _born(stored)
    if stored.type is MemoryType.COMPETENCE:
        place = _LASTING + place
    for index, lookup in enumerate(stored.learning.lookups):
        yield {
            **table_keys.primary_key(table_keys.record_partition(stored.id), f"{LOOKUP}{index}"),
            **LEARNING.entry(text(_lookup_partition(lookup)), text(place)),
            BORN: number(stored.born_s),
        }


def lookup_changes(before: StoredRecord, after: StoredRecord) -> Iterator[Write]:
    """Put the changed lookups of the next version, and delete those that are left over."""
    standing, wanted = [*lookup_items(before)], [*lookup_items(after)]
    for item in wanted:
        if item not in standing:
            yield Write("Put", lost_race, item=item)
    for item in standing[len(wanted) :]:
        yield Write("Delete", lost_race, key={name: item[name] for name in KEY_ATTRIBUTES})


def _waiting_partition(shard: int) -> str:
    return f"waiting#{shard:02d}"


def _place(stage: learning_mark.Stage, group: bytes) -> str:
    return f"{stage}#{group.hex()}#"


def _made_partition(scope: str) -> str:
    return f"made#{learning_mark.scope_digest(scope).hex()}"


def _born(stored: StoredRecord) -> str:
    return f"{round(stored.born_s * MICROSECONDS):020d}"


def _sortable(number: float) -> str:
    """The bits of a number that is not negative, as text that sorts like the number."""
    return _BITS.pack(number).hex()


def _number_in(sortable: str) -> float:
    (number,) = _BITS.unpack(bytes.fromhex(sortable))
    return float(number)


def _lookup_partition(lookup: bytes) -> str:
    return f"alike#{lookup.hex()}"
