"""A table that is brought back to where captures begin, as often as a test wants."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from membrane.wiring.world import World
from tests.worlds.captures import require_sound_captures
from tests.worlds.faults import SteppingBlobs, without_retries
from tests.worlds.revision import State, held_in, revising, state_in
from tests.worlds.stores import Item, Store, table_store

Act = Callable[[], object]
"""A capture or a change; what the act returns is the reply."""

Prepare = Callable[[World, Store], Sequence[Act]]
"""Puts what is there at first, and returns what is done then."""


@dataclass(frozen=True, slots=True)
class CaptureStage:
    """A table, what is in the table at first, and the acts."""

    table: Store
    acts: Sequence[Act]
    items: Sequence[Item]
    blobs: Mapping[str, bytes]

    @classmethod
    def of(cls, prepare: Prepare) -> "CaptureStage":
        blobs = SteppingBlobs()
        table = table_store(blobs)
        without_retries(table.client)
        acts = prepare(revising(table), table)
        return cls(table, acts, table.everything(), dict(blobs.blobs))

    def begin(self) -> None:
        """All is as at first."""
        found = self.table.everything()
        for item in found:
            if item not in self.items:
                self.table.remove(item)
        self.table.put_all([item for item in self.items if item not in found])
        assert isinstance(self.table.blobs, SteppingBlobs)
        self.table.blobs.blobs = dict(self.blobs)

    def state(self) -> State:
        """All that there is now, with what must hold of any state."""
        require_sound_captures(held_in(self.table))
        return state_in(self.table)
