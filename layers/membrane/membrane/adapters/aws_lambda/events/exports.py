"""Runs of the export function: each event names one export."""

from membrane.adapters.aws_lambda.events.runs import Run
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.archive.exports import EXPORT
from membrane.usecases.archive.write_export import write_export
from membrane.usecases.ports.world import World

MAX_HOPS = 96
"""Runs of 15 minutes: a day."""


def export_memory(event: Event, context: Context, world: World) -> JsonObject:
    """Continue the export; if time runs out, start the function again for the rest.

    The reply has the state and the counts. Raises the failure of the export: Lambda then retries
    the event and finally stores the event in a queue.
    """
    match event:
        case {"membrane-export": {"owner": str(owner), "id": str(export_id), "hop": int(hop)}}:
            run = Run(context, hop, MAX_HOPS)
        case _:
            raise InvalidArgument("not an event of the export function")

    def hand_over() -> None:
        run.hand_over(world, lambda hop: {EXPORT: {"owner": owner, "id": export_id, "hop": hop}})

    export = write_export(
        owner,
        export_id,
        world,
        is_out_of_time=run.is_out_of_time,
        hand_over=hand_over if run.may_hand_over else None,
    )
    if export is None:
        return {"state": "superseded"}
    return {"state": export.state, "lines": export.frame.lines, "counts": export.frame.counts}
