"""S3's events of objects that start an import or a restore, and the hand-over to the next run."""

from collections.abc import Callable, Sequence
from datetime import datetime

from membrane.adapters.aws_lambda.events.runs import Run
from membrane.adapters.aws_lambda.http.problems import FAULT_PROBLEM, kind_of
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.language.errors import DomainError, InvalidArgument
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import normalise
from membrane.usecases.imports.import_lines import ObjectPut, import_lines
from membrane.usecases.imports.work import MAX_LINE_BYTES, Pass
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.world import World

HOP = "membrane-import-hop"
"""The count of earlier runs, in the event that hands over to the next run."""
MAX_HOPS = 96
"""Runs of 15 minutes: a day."""


def process_object(
    event: Event,
    context: Context,
    prefix: str,
    passes: Sequence[Pass],
    world: World,
    *,
    max_line_bytes: int = MAX_LINE_BYTES,
) -> JsonObject:
    """Process the object pass by pass; if time runs out, start the function again for the rest.

    The reply is the result without refusals. Raises the failure: Lambda then retries the event and
    finally stores the event in a queue.
    """
    hop = event.get(HOP, 0)
    run = Run(context, world, hop if isinstance(hop, int) else 0, MAX_HOPS)
    progress = import_lines(
        object_put(event, prefix),
        passes,
        world,
        is_out_of_time=run.is_out_of_time,
        hand_over=run.start_of_next({**event, HOP: run.hop + 1}),
        max_line_bytes=max_line_bytes,
    )
    if progress is None:
        return {"status": "superseded"}
    return progress.counts()


def object_put(event: Event, prefix: str) -> ObjectPut:
    """The object under a prefix that S3 reports; raises InvalidArgument for any other event."""
    match event:
        case {
            "time": str(time),
            "detail": {
                "object": {"key": str(key), "etag": str(etag), "sequencer": str(sequencer)},
            },
        } if key.startswith(prefix):
            return ObjectPut(key, etag, sequencer, _instant(time))
        case _:
            raise InvalidArgument(f"not an event of an object under {prefix}")


def _instant(time: str) -> datetime:
    try:
        return datetime.fromisoformat(normalise(time))
    except ValueError as error:
        raise InvalidArgument(f"the event's time: {error}") from error


def refusal_of(
    error: Exception, rpc: str, world: World, words: Callable[[DomainError], str] = str
) -> tuple[str, str]:
    """Code and detail of a refused line as in a reply of the API; any other error is a fault."""
    if isinstance(error, DomainError):
        return kind_of(error).code, words(error)
    world.report(rpc, FAULT, error)
    return FAULT_PROBLEM["code"], FAULT_PROBLEM["detail"]
