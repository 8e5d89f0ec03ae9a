"""The index of the evidence that waits to be learned from."""

from typing import NamedTuple

from membrane.domain.records.learning_mark import Stage

LEARNING_SHARDS = 16
"""Partitions of the waiting records; may never change."""


class Waiting(NamedTuple):
    """An entry of a record that waits."""

    record_id: str
    stage: Stage
    group: bytes
    """The digest of what is worked on together: the thread of a step, the scope of a trace."""
    born_s: float
    """The creation of the record, in seconds since 1970."""


def shard_of(group: bytes) -> int:
    """The shard of the waiting records of a group."""
    return group[-1] % LEARNING_SHARDS
