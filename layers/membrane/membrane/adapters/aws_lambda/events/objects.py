"""S3's events of objects that start an import or a restore, and the hand-over to the next run."""

from datetime import datetime

from membrane.adapters.aws_lambda.invocation import Event
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.timestamps import normalise
from membrane.usecases.imports.import_lines import ObjectPut

HOP = "membrane-import-hop"
"""The count of earlier runs, in the event that hands over to the next run."""
MAX_HOPS = 96
"""Runs of 15 minutes: a day."""


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
