"""The events of the anchor function; a run out of time starts the next run."""

from collections.abc import Mapping

from membrane.adapters.aws_lambda.events.runs import Run
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.integrity.anchor_table import anchor_table
from membrane.usecases.ports.world import World

HOP = "membrane-anchor-hop"
"""The count of earlier runs, in the event that hands over to the next run."""

MAX_HOPS = 48
"""Twelve hours of runs of 15 minutes; then the schedule's next run continues."""


def anchor(event: Event, context: Context, world: World) -> JsonObject:
    """Make an anchor; if time runs out, start the function again for the rest.

    The reply has the progress. Raises InvalidArgument for an event that is no JSON object.
    """
    if not isinstance(event, Mapping):
        raise InvalidArgument("the event must be a JSON object")
    hop = event.get(HOP)
    run = Run(context, hop if isinstance(hop, int) else 0, MAX_HOPS)
    progress = anchor_table(world, run.is_out_of_time)
    if not progress.is_done:
        run.hand_over(world, lambda hop: {HOP: hop})
    return progress.as_json()
