"""The erase function's events: one erasure to go on with, or the schedule's look at all."""

from datetime import timedelta

from membrane.adapters.aws_lambda.events.runs import Run
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import epoch_seconds
from membrane.usecases.erasure.run_erasure import run_erasure
from membrane.usecases.ports.world import World

ERASE = "membrane-erase"
"""Names the event of one erasure, `{"id": str, "hop": int}`, or of the schedule, `{}`."""

LONGEST_RUN = timedelta(minutes=15)
"""A job without progress for longer has lost its run."""

MAX_HOPS = 96
"""Runs of 15 minutes: a day; then the schedule's next run goes on."""


def erase(event: Event, context: Context, world: World) -> JsonObject:
    """Go on with an erasure; if time runs out, start the function again for the rest.

    The event of the schedule has no erasure: every erasure that has lost its run goes on by an
    event of its own. Raises InvalidArgument for an event of a different shape, and the failure of
    the run: Lambda then retries the event, and the schedule does so later.
    """
    match event:
        case {"membrane-erase": {"id": str(erasure_id), **rest}}:
            return _run(erasure_id, rest.get("hop"), context, world)
        case {"membrane-erase": {**rest}} if not rest:
            kept_by_s = epoch_seconds(world.now() - LONGEST_RUN)
            erasure_ids = world.erasures.open_erasures(kept_by_s)
            for each in erasure_ids:
                world.invoke_later(context.invoked_function_arn, {ERASE: {"id": each}})
            return {"started": len(erasure_ids)}
        case _:
            raise InvalidArgument("not an event of the erase function")


def _run(erasure_id: str, hop: object, context: Context, world: World) -> JsonObject:
    run = Run(context, hop if isinstance(hop, int) else 0, MAX_HOPS)
    is_left = run_erasure(erasure_id, world, run.is_out_of_time)
    if is_left:
        run.hand_over(world, lambda hop: {ERASE: {"id": erasure_id, "hop": hop}})
    return {"left": is_left}
