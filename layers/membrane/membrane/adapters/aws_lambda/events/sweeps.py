"""The scheduled sweep: an event starts it, and one of its own goes on where time ran out."""

from collections.abc import Mapping

from membrane.adapters.aws_lambda.events.runs import Run
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.lifecycle.sweep_due import sweep_due
from membrane.usecases.ports.services import Services

HOP = "membrane-decay-hop"
"""In the event with which a run hands over: how many runs came before."""
MAX_HOPS = 3
"""Four runs of 15 minutes: an hour, after which the schedule's next run goes on."""


def sweep(event: Event, context: Context, services: Services) -> JsonObject:
    """Sweep what is due; where time runs out, this function is started again for the rest.

    The reply has the counts. Raises what a shard failed of, so that the event is retried and then
    kept.
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
    """0 for what is no event of our own; raises InvalidArgument for what is no event at all."""
    if not isinstance(event, Mapping):
        raise InvalidArgument("the event must be a JSON object")
    hop = event.get(HOP)
    return hop if isinstance(hop, int) else 0
