"""Keep the progress of a long job in one item between the steps."""

from collections.abc import Mapping
from contextlib import suppress

from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.table import items
from membrane.table.dynamo import commit, item_at


def progress_at(
    client: items.Client, table: str, key: Mapping[str, items.Value], now_s: float | None = None
) -> items.Checkpoint | None:
    """The progress; None for an absent item, and for an item that has expired by `now_s`."""
    item = item_at(client, table, key)
    if item is None or (now_s is not None and items.is_expired(item, now_s)):
        return None
    return items.Checkpoint(progress_in(item), items.read_integer(item, "version"))


def progress_in(item: items.Item) -> JsonObject:
    """The progress of an item; raises CorruptItem."""
    return items.parse_text(item, "progress", items.read_text(item, "progress"), dict)


def put_progress(
    client: items.Client,
    table: str,
    key: Mapping[str, items.Value],
    progress: JsonObject,
    before: items.Checkpoint | None,
    *,
    now_s: float | None = None,
) -> items.Checkpoint:
    """One conditional put; raises LostRace if the stored progress is no longer `before`.

    An item that has expired by `now_s` counts as absent. The client library sends a put again whose
    reply was lost; the condition then fails over the item of the first try. A job that begins is
    left to the caller, who tells a repeat from the job.
    """
    revision = 1 if before is None else before.revision + 1
    item = {
        **key,
        "progress": items.text(compact_json(progress)),
        "version": items.number(revision),
    }
    condition, values = "attribute_not_exists(pk)", {}
    if before is not None:
        condition, values = "version = :before", {":before": items.number(before.revision)}
    elif now_s is not None:
        condition += " OR expires_at <= :now"
        values = {":now": items.number(int(now_s))}

    def refusal(existing: items.Item) -> Exception:
        return _AlreadyPut() if before is not None and existing == item else items.LostRace()

    with suppress(_AlreadyPut):
        commit(client, table, [items.Write("Put", refusal, condition, item=item, values=values)])
    return items.Checkpoint(progress, revision)


class _AlreadyPut(Exception):
    """The table holds the item."""
