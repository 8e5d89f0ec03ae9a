"""Restore what one line of an export holds, into an empty place."""

from collections.abc import Callable, Mapping
from functools import partial

from membrane.domain.archive.lines import LEVELS, LineKind
from membrane.domain.archive.record_lines import (
    ArchivedRecord,
    ReceiptLine,
    ThreadLine,
    record_line,
    record_of_line,
)
from membrane.domain.language.errors import AlreadyExists, FailedPrecondition, InvalidArgument
from membrane.domain.language.json_text import JsonObject, canonical_json, compact_json, parse_json
from membrane.domain.language.violations import validate
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.archive.restore_keyed_document import restore_keyed_document
from membrane.usecases.archive.restore_topic import (
    restore_action,
    restore_document,
    restore_statement,
    restore_topic,
    restore_topic_receipt,
)
from membrane.usecases.machinery.retries import until_won
from membrane.usecases.ports.archive import DifferentItem, KeyedRecord, NextTurn
from membrane.usecases.ports.records import IdTaken, KeyUsed, Receipt
from membrane.usecases.ports.services import Services
from membrane.usecases.ports.services_archive import ArchiveServices
from membrane.usecases.revision.claimed_names import claim_names_again

_RESTORE: Mapping[str, Callable[[JsonObject, ArchiveServices], bool]] = {
    LineKind.TOPIC: restore_topic,
    LineKind.STATEMENT: restore_statement,
    LineKind.TOPIC_RECEIPT: restore_topic_receipt,
    LineKind.ACTION: restore_action,
    LineKind.SYSTEM_CONTEXT: restore_document,
    LineKind.COMMUNITIES: restore_document,
    LineKind.KEYED_DOCUMENT: restore_keyed_document,
}
"""By kind: what restores a line about topics or keyed documents."""


def parse_line(content: bytes) -> JsonObject:
    """The line as a JSON object; raises InvalidArgument."""
    line = parse_json(content, LEVELS)
    if not isinstance(line, dict):
        raise InvalidArgument("a line must be a JSON object")
    return line


def place_of_line(line: JsonObject) -> str:
    """The name of the item that a line holds; lines of one item are restored in order."""
    parts = (line.get(name) for name in ("record", "topic", "document"))
    holder = next((each for each in parts if isinstance(each, dict)), line)
    names = (holder.get(name) for name in ("id", "keyed_id", "key", "record_id", "identity"))
    return next((name for name in names if isinstance(name, str)), "")


def restore_line(line: JsonObject, services: ArchiveServices) -> bool:
    """Write the item of a parsed line; False if the equal item is there already.

    The whole line is checked before anything is written. Raises InvalidArgument for a malformed
    line, AlreadyExists if the place holds something else, and FailedPrecondition for an item that
    was damaged when the export was made.
    """
    kind = line.get("kind")
    if isinstance(kind, str) and kind in _RESTORE:
        return _RESTORE[kind](line, services)
    match kind:
        case LineKind.RECORD | LineKind.TOMBSTONE:
            return _restore_record(record_of_line(line), services)
        case LineKind.RECEIPT:
            return _restore_receipt(validate(ReceiptLine, line), services)
        case LineKind.THREAD:
            return _restore_thread(validate(ThreadLine, line), services)
        case LineKind.DAMAGED:
            raise FailedPrecondition("the item was damaged when the export was made")
        case _:
            raise InvalidArgument("a line needs a kind of this version of the format")


def _restore_record(archived: ArchivedRecord, services: Services) -> bool:
    held = archived.held
    if isinstance(held, StoredRecord):
        services.fences.require_open({held.scope})
    try:
        until_won(partial(_write_record, archived, services), services)
    except (IdTaken, KeyUsed) as error:
        existing = services.records.load(archived.held.id, whole=True)
        if existing is not None and _is_same(ArchivedRecord(existing, archived.values), archived):
            return False
        raise AlreadyExists(f"record {archived.held.id} exists and differs") from error
    return True


def _write_record(archived: ArchivedRecord, services: Services) -> None:
    """Write the record, with the names that an entity gets."""
    held = archived.held
    names = claim_names_again(held, services) if isinstance(held, StoredRecord) else ()
    services.restores.restore_record(held, archived.values, names)


def _restore_receipt(line: ReceiptLine, services: Services) -> bool:
    receipt = Receipt(line.keyed_id, bytes.fromhex(line.fingerprint))
    try:
        return services.restores.restore_receipt(KeyedRecord(receipt, line.record_id))
    except DifferentItem as error:
        raise AlreadyExists("the idempotency key was used for something else") from error


def _restore_thread(line: ThreadLine, services: Services) -> bool:
    return services.restores.restore_thread(NextTurn(bytes.fromhex(line.key), line.next_turn))


def _is_same(existing: ArchivedRecord, given: ArchivedRecord) -> bool:
    """Whether two records have the same line."""
    return _canonical(existing) == _canonical(given)


def _canonical(archived: ArchivedRecord) -> bytes:
    return canonical_json(parse_json(compact_json(record_line(archived)), LEVELS))
