"""The scheduled sweep; a run out of time starts the next run with an event of its own."""

from collections.abc import Mapping

from membrane.adapters.aws_lambda.events.runs import Run
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.lifecycle.sweep_due import sweep_due
from membrane.usecases.ports.services import Services

HOP = "membrane-decay-hop"
"""The count of earlier runs, in the event that hands over to the next run."""
MAX_HOPS = 3
"""Four runs of 15 minutes make an hour; then the schedule's next run continues."""


def sweep(event: Event, context: Context, services: Services) -> JsonObject:
    """Sweep the due records; if time runs out, start the function again for the rest.

    The reply has the counts. Raises the failure of a shard: Lambda then retries the event and
    finally stores the event in a queue.
    """
    run = Run(context, _hop(event), MAX_HOPS)
    swept = sweep_due(services, run.is_out_of_time)
    if swept.failures:
        raise swept.failures[0]
    is_left = swept.oldest_left is not None
    if is_left:
        run.hand_over(services, lambda hop: {HOP: hop})
    return {
        "pruned": swept.by_type("pruned"),
        "forgotten": swept.by_type("forgotten"),
        "passed_over": swept.passed_over,
        "failed": len(swept.faults),
        "left": is_left,
        "oldest_due_age_seconds": swept.oldest_age_s(services),
    }


def _hop(event: Event) -> int:
    """The count of earlier runs; 0 for a foreign event. Raises InvalidArgument for a non-object."""
    if not isinstance(event, Mapping):
        raise InvalidArgument("the event must be a JSON object")
    hop = event.get(HOP)
    return hop if isinstance(hop, int) else 0
