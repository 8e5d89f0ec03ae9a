"""The index of the evidence that waits to be learned from."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

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


class LearningIndex(Protocol):
    """Evidence by stage; eventually consistent. May raise ResourceExhausted or Unavailable."""

    def waiting(self, shard: int) -> Iterator[Waiting]:
        """The waiting records of a shard, those of a group together, the oldest of a group first.

        `shard` is from 0 up to, and without, LEARNING_SHARDS.
        """

    def steps_of_scope(self, scope: str, shard: int) -> Iterator[Waiting]:
        """The waiting steps of a scope in a shard, in the order of `waiting`."""

    def steps_of_thread(self, scope: str, thread_id: str) -> Iterator[Waiting]:
        """The waiting steps of a thread, the oldest first."""

    def traces_of_scope(self, scope: str) -> Iterator[Waiting]:
        """The waiting traces of a scope, the oldest first."""

    def alike(self, lookup: bytes, entries: int) -> Sequence[str]:
        """Ids of at most `entries` records under the digest: skills, then the newest traces."""

    def made_records(
        self, scope: str, entries: int, before_s: float | None = None
    ) -> Sequence[tuple[str, float]]:
        """Ids and creation instants (seconds since 1970) of what was made of evidence of a scope.

        Traces, skills and plans, the newest first; a trace that waits is not among them. `before_s`
        is the latest creation instant to include.
        """
