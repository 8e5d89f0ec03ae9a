"""Keep the progress of a long job in one item between the steps."""

from collections.abc import Mapping

from membrane.adapters.dynamodb.table.attributes import (
    Client,
    Value,
    number,
    read_integer,
    read_text,
    text,
)
from membrane.adapters.dynamodb.table.batches import item_at
from membrane.adapters.dynamodb.table.texts import parse_text
from membrane.adapters.dynamodb.table.writes import Write, commit, lost_race
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.usecases.ports.catalogue import Checkpoint


def progress_at(client: Client, table: str, key: Mapping[str, Value]) -> Checkpoint | None:
    item = item_at(client, table, key)
    if item is None:
        return None
    progress = parse_text(item, "progress", read_text(item, "progress"), dict)
    return Checkpoint(progress, read_integer(item, "version"))


def put_progress(
    client: Client,
    table: str,
    key: Mapping[str, Value],
    progress: JsonObject,
    before: Checkpoint | None,
) -> Checkpoint:
    """One conditional put; raises LostRace if the stored progress is no longer `before`."""
    revision = 1 if before is None else before.revision + 1
    item = {**key, "progress": text(compact_json(progress)), "version": number(revision)}
    condition = "attribute_not_exists(pk)" if before is None else "version = :before"
    values = {} if before is None else {":before": number(before.revision)}
    commit(client, table, [Write("Put", lost_race, condition, item=item, values=values)])
    return Checkpoint(progress, revision)
