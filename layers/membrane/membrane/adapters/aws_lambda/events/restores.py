"""Restore an export from an object of the bucket, line by line, resumably.

Only an operator may write an object under RESTORES, so no line needs a principal.
"""

from functools import partial

from membrane.adapters.aws_lambda.events.objects import process_object, refusal_of
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.archive import lines
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.archive.restore_line import (
    check_whole_file,
    parse_line,
    place_of_line,
    restore_line,
)
from membrane.usecases.imports.progress import RESTORES
from membrane.usecases.imports.work import Pass, Reader, Step, ingest
from membrane.usecases.ports.world import World

RPC = "RestoreLine"
"""The RPC in reports about lines."""


def restore_object(event: Event, context: Context, world: World) -> JsonObject:
    """Restore the object: see `process_object`.

    The whole file is read and compared with the last line before the first line is restored.
    """
    passes: list[Pass] = [check_whole_file, partial(ingest, partial(_reader, world))]
    limit = lines.MAX_LINE_BYTES
    return process_object(event, context, RESTORES, passes, world, max_line_bytes=limit)


def _reader(world: World) -> Reader:
    def step(content: bytes, _key: str) -> Step | None:
        """The first and the last line count as blank; raises InvalidArgument."""
        if lines.is_first_line(content) or lines.is_last_line(content):
            return None
        line = parse_line(content)
        names = frozenset({place_of_line(line)})
        return Step(RPC, names, lambda: not restore_line(line, world))

    return Reader(step, lambda error, _step: refusal_of(error, RPC, world))
