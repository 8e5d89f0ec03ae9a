"""Retry writes that lost a race, with a random pause before each retry.

Repeats of a request under an idempotency key are the matter of `usecases.records.creating` and
`usecases.records.changing`.
"""

from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from membrane.domain.language.errors import Aborted, ResourceExhausted, Unavailable
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import AnyRecord
from membrane.table.writes import LostRace
from membrane.usecases.ports.world import World

MAX_TRIES = 16
"""Tries of a write, with full jitter between tries."""

FIRST_PAUSE_S = 0.02
"""The limit of the first pause."""

LONGEST_PAUSE = 100
"""The limit of the longest pause, as a multiple of FIRST_PAUSE_S, at which doubling ends."""

TRANSIENT = (ResourceExhausted, Unavailable)
"""Errors of a busy or silent store: no fault of an item, hence worth a retry."""

Result = TypeVar("Result")


def until_won(attempt: Callable[[], Result], world: World, max_tries: int = MAX_TRIES) -> Result:
    """The result of the first attempt without LostRace; raises Aborted after `max_tries`."""
    for tries in range(max_tries):
        if tries:
            world.back_off(tries - 1)
        with suppress(LostRace):
            return attempt()
    raise Aborted("other writers came first every time; nothing was changed")


def longest_pause(tries: int) -> int:
    """The limit of the pause after a number of tries, as a multiple of FIRST_PAUSE_S.

    `World.back_off(tries)` draws the pause from 0 up to the limit (full jitter).
    """
    return min(1 << tries, LONGEST_PAUSE)


@dataclass(frozen=True, slots=True)
class Attempts:
    """The audit entries that a call tried to write."""

    tried: defaultdict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    """The position in the trail, by record id and hash of the entry."""

    def note(self, after: AnyRecord) -> None:
        self.tried[after.id][after.trail[-1].hash] = after.written_entries - 1

    def note_first(self, record: MemoryRecord) -> None:
        self.tried[record.id][record.audit_log[0].hash] = 0

    def were_written(self, held: AnyRecord, world: World) -> bool:
        """Whether the trail of the record has a tried entry; older entries are read singly."""
        positions = self.tried.get(held.id, {})
        if any(entry.hash in positions for entry in held.trail):
            return True
        loaded_from = held.written_entries - len(held.trail)
        return any(
            entry.hash in positions
            for position in positions.values()
            if position < loaded_from
            for _, entry in world.records.entries(held, position, position + 1)
        )

    def find_written(self, world: World) -> AnyRecord | None:
        """The present state of the record that an attempt wrote; None if no attempt succeeded."""
        for record_id in self.tried:
            held = world.records.load(record_id)
            if held is not None and self.were_written(held, world):
                return held
        return None
