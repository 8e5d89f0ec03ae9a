"""Perform the ingest requests of a batch."""

from typing import TYPE_CHECKING

from membrane.adapters.aws_lambda.batches.items import perform_items
from membrane.adapters.aws_lambda.rows import REPORTS, load, row_of
from membrane.domain.ingest.full_records import IngestBatch
from membrane.domain.language.errors import TooLarge
from membrane.domain.language.json_text import Body, JsonObject
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World
from membrane.usecases.records.inline_large_values import inline_large_values

if TYPE_CHECKING:
    from membrane.adapters.aws_lambda.http.replies import BatchReply

INGESTS = {row.rpc: row for row in load([*REPORTS, row_of("IngestRecord")])}
"""The rows that a batch or import may ask for, by name."""


def perform_batch(request: IngestBatch, call: Call, world: World) -> Body:
    """`{"results": [...]}`, with an entry `{"status", ...}` for every item, in order.

    Beside the status, an entry has the record, the reply to messages or to a capture, or the
    `error`. An item without a key gets one derived from the batch's key (see `_keys`). If the
    records exceed the limit of a reply, the entries have only the records' ids.
    """
    entries, known = perform_items(request.items, call, world, INGESTS)
    try:
        body: BatchReply = {"results": entries}
        return inline_large_values(body, world, known)
    except TooLarge:
        return {"results": [_short(entry) for entry in entries]}


def _short(entry: Body) -> Body:
    short = {name: _short_record(entry[name]) for name in _RECORD_FIELDS & entry.keys()}
    several = {name: [*map(_short_record, entry[name])] for name in _LIST_FIELDS & entry.keys()}
    return {**entry, **short, **several}


def _short_record(record: JsonObject) -> JsonObject:
    return {name: record[name] for name in _SHORT if name in record}


_SHORT = ("id", "deleted_at")
_RECORD_FIELDS = frozenset({"record", "primary_record"})
_LIST_FIELDS = frozenset({"records", "created_records"})
