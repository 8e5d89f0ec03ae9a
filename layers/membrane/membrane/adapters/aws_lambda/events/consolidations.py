"""The consolidate function's events: a request, a thread that has ended, or the schedule."""

from collections.abc import Iterable

from membrane.adapters.aws_lambda.events.runs import Run
from membrane.adapters.aws_lambda.http.gateway import answer_http, is_http
from membrane.adapters.aws_lambda.http.operations import Row
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.following.consolidation_event import CONSOLIDATE
from membrane.usecases.learning.consolidate import (
    Consolidated,
    consolidate_all,
    consolidate_thread,
    measure_made,
)
from membrane.usecases.ports.world import World

MAX_HOPS = 3
"""Four runs of 15 minutes make an hour; then the schedule's next run continues."""


def answer(event: Event, context: Context, rows: Iterable[Row], world: World) -> Reply:
    """The reply to a request on a route of the rows, or to the events of `consolidate`."""
    if is_http(event):
        return answer_http(event, rows, world)
    return consolidate(event, context, world)


def consolidate(event: Event, context: Context, world: World) -> JsonObject:
    """Consolidate; if time runs out, start the function again for the rest.

    The reply has the counts. Raises InvalidArgument for an event of a different shape, and the
    errors of the store: Lambda then retries the event and finally stores the event in a queue. A
    thread or a scope that fails for a reason of its own is counted and waits for a later run.
    """
    match event:
        case {"membrane-consolidate": {"scope": str(scope), "thread_id": str(thread_id), **rest}}:
            thread: JsonObject = {"scope": scope, "thread_id": thread_id}
            run = _run(rest, context)
            done = consolidate_thread(scope, thread_id, world, run.is_out_of_time)
        case {"membrane-consolidate": {**rest}}:
            thread = {}
            run = _run(rest, context)
            done = consolidate_all(world, run.is_out_of_time)
        case _:
            raise InvalidArgument(_NOT_OURS)
    measure_made(done, world)
    if _may_go_on(done):
        run.hand_over(world, lambda hop: {CONSOLIDATE: {**thread, "hop": hop}})
    return {
        "traces": len(done.traces),
        "skills": len(done.skills),
        "plans": len(done.plans),
        "grown": len(done.grown),
        "unmatched": len(done.unmatched),
        "failed": len(done.failed),
        "left": done.is_left,
    }


def _run(rest: object, context: Context) -> Run:
    """The run of an event; raises InvalidArgument if the event names more than the hop."""
    match rest:
        case {"hop": int(hop), **others} if not others:
            return Run(context, hop, MAX_HOPS)
        case {**others} if not others:
            return Run(context, 0, MAX_HOPS)
        case _:
            raise InvalidArgument(_NOT_OURS)


def _may_go_on(done: Consolidated) -> bool:
    """Whether the next run would get further; a run of failures alone would repeat them."""
    is_progress = bool(done.traces or done.skills or done.grown or done.unmatched)
    return done.is_left and (is_progress or not done.failed)


_NOT_OURS = "not an event of the consolidate function"
