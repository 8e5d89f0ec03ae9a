"""How far a long job has come, kept in one item between its steps."""

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
from membrane.adapters.dynamodb.table.texts import parsed
from membrane.adapters.dynamodb.table.writes import Write, commit, lost
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.usecases.ports.catalogue import Checkpoint


def kept_at(client: Client, table: str, key: Mapping[str, Value]) -> Checkpoint | None:
    item = item_at(client, table, key)
    if item is None:
        return None
    progress = parsed(item, "progress", read_text(item, "progress"), dict)
    return Checkpoint(progress, read_integer(item, "version"))


def keep_at(
    client: Client,
    table: str,
    key: Mapping[str, Value],
    progress: JsonObject,
    before: Checkpoint | None,
) -> Checkpoint:
    """One conditional put; raises LostRace where `before` is no longer what is kept."""
    revision = 1 if before is None else before.revision + 1
    item = {**key, "progress": text(compact_json(progress)), "version": number(revision)}
    condition = "attribute_not_exists(pk)" if before is None else "version = :before"
    values = {} if before is None else {":before": number(before.revision)}
    commit(client, table, [Write("Put", lost, condition, item=item, values=values)])
    return Checkpoint(progress, revision)
