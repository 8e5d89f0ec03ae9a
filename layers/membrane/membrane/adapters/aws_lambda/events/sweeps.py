"""The scheduled sweep: of all shards, then a run for each shard that still has due items."""

from collections.abc import Mapping
from functools import partial

from membrane.adapters.aws_lambda.events.runs import RESERVE_MS, Run
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.lifecycle.sweep_due import sweep_due
from membrane.usecases.ports.world import World

SHARD = "membrane-decay-shard"
"""The number of the only shard to sweep, in the event that hands over to a run."""
HOP = "membrane-decay-hop"
"""The count of earlier runs, in the same event."""
MAX_HOPS = 3
"""A minute and three runs of 15 minutes; then the schedule's next run continues."""
TOGETHER_S = 60
"""How long one process sweeps all shards: long enough for most stacks, which pay for no more."""


def sweep(event: Event, context: Context, world: World) -> JsonObject:
    """Sweep the due records; start the function again for each shard that still has due items.

    The run of a schedule sweeps all shards for a minute; a run of a single shard goes on until its
    time runs out. The reply has the counts. A shard that fails has a run of its own, too, so that
    it holds up no other. That run raises the failure: Lambda then retries the event of the shard
    and finally stores the event in a queue.
    """
    shard, hop = _number(event, SHARD), _number(event, HOP)
    run = Run(context, hop or 0, MAX_HOPS)
    if shard is None:
        swept = sweep_due(world, partial(run.is_out_of_time, _beyond_a_minute_s(context)))
    else:
        swept = sweep_due(world, run.is_out_of_time, (shard,))
    if swept.failures and shard is not None:
        raise swept.failures[0]
    for left in swept.left:
        run.hand_over(world, partial(_next_run, left))
    return {
        "pruned": swept.by_type("pruned"),
        "forgotten": swept.by_type("forgotten"),
        "passed_over": swept.passed_over,
        "failed": len(swept.faults),
        "left": bool(swept.left),
        "oldest_due_age_seconds": swept.oldest_age_s(world),
    }


def _beyond_a_minute_s(context: Context) -> float:
    remaining_s = (context.get_remaining_time_in_millis() - RESERVE_MS) / 1_000
    return max(0.0, remaining_s - TOGETHER_S)


def _next_run(shard: int, hop: int) -> JsonObject:
    return {SHARD: shard, HOP: hop}


def _number(event: Event, name: str) -> int | None:
    """A number of an event of this module; None of a foreign event.

    Raises InvalidArgument for a non-object.
    """
    if not isinstance(event, Mapping):
        raise InvalidArgument("the event must be a JSON object")
    found = event.get(name)
    return found if isinstance(found, int) else None
