"""A run of a job that may need several: the time limit, and the hand-over to the next run."""

from collections.abc import Callable
from dataclasses import dataclass

from membrane.adapters.aws_lambda.invocation import Context
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.ports.world import World

RESERVE_MS = 20_000
"""Milliseconds before Lambda's timeout at which a run starts no further item.

The reserve is for finishing the items in progress and for the hand-over.
"""


@dataclass(frozen=True, slots=True)
class Run:
    """An invocation; `hop` counts the runs that handed over before."""

    context: Context
    hop: int
    max_hops: int
    """After `max_hops` runs the schedule's next run continues."""

    def is_out_of_time(self, needed_s: float = 0.0) -> bool:
        """Whether there is no time for an item that takes `needed_s` seconds longer than most."""
        return self.context.get_remaining_time_in_millis() < RESERVE_MS + needed_s * 1_000

    @property
    def may_hand_over(self) -> bool:
        return self.hop < self.max_hops

    def hand_over(self, world: World, event: Callable[[int], JsonObject]) -> None:
        """Start this function again with `event` of the next hop, unless `max_hops` is reached."""
        if self.may_hand_over:
            world.invoke_later(self.context.invoked_function_arn, event(self.hop + 1))
