"""What the table's stream tells of records: which may have to be counted or indexed anew.

A stream tells of every item that changes, with its image before and after. Most changes of a record
touch its salience alone; they are told from those that the search needs here, without a request.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from membrane.adapters.dynamodb import table_keys
from membrane.adapters.dynamodb.attributes import Item, read_integer, read_number, read_text
from membrane.adapters.dynamodb.receipts import is_receipt
from membrane.usecases.indexing import Changed, index_version

Image = Mapping[str, Any]

_TELLING = ("document", "scope", "sensitivity", "type", "deleted_at")
"""What an entry is made from; where none of it changes, the entry stays."""

_RECORDS = table_keys.record_partition("")


def changed_in(records: Iterable[Mapping[str, Any]]) -> Iterator[Changed]:
    """What these records of a stream tell, in their order; a record may come several times."""
    for record in records:
        told = record["dynamodb"]
        if not _is_record(told["Keys"]):
            continue
        images = [told[name] for name in ("OldImage", "NewImage") if told.get(name)]
        own = [image for image in images if not is_receipt(image)]
        old, new = told.get("OldImage"), told.get("NewImage")
        is_searched = _tells(old, new)
        if own and (is_searched or _is_counted(old, new)):
            yield Changed(
                table_keys.record_id_of(told["Keys"]),
                tuple(dict.fromkeys(map(_scope, own))),
                max(map(_version, own)) + (not new),  # it is gone, and was there until then
                is_searched,
            )


def _is_record(keys: Item) -> bool:
    """Whether it is a record's own item; other items have the same sort key by chance."""
    return read_text(keys, "sk") == table_keys.RECORD and read_text(keys, "pk").startswith(_RECORDS)


def _tells(old: Image | None, new: Image | None) -> bool:
    """What TTL removes was deleted long before, and then its entry was."""
    if not new:
        return bool(old) and "deleted_at" not in (old or {})
    return not old or any(old.get(name) != new.get(name) for name in _TELLING)


def _is_counted(old: Image | None, new: Image | None) -> bool:
    """Any next version; what stands elsewhere in an index by now is none."""
    return bool(old and new) and (old or {}).get("version") != (new or {}).get("version")


def _scope(image: Image) -> str:
    return read_text(image, "scope") if "scope" in image else ""


def _version(image: Image) -> int:
    return index_version(read_number(image, "created_at"), read_integer(image, "version"))
