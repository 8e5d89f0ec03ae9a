"""Restore what one line of an export holds, into an empty place."""

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
from membrane.usecases.ports.world import World
from membrane.usecases.revision.claimed_names import claim_names_again


def parse_line(content: bytes) -> JsonObject:
    """The line as a JSON object; raises InvalidArgument."""
    line = parse_json(content, LEVELS)
    if not isinstance(line, dict):
        raise InvalidArgument("a line must be a JSON object")
    return line


def place_of_line(line: JsonObject) -> str:
    """The name of the item that a line holds; lines of one item are restored in order."""
    record = line.get("record")
    topic = line.get("topic")
    holder = next((each for each in (record, topic) if isinstance(each, dict)), line)
    names = (holder.get(name) for name in ("id", "keyed_id", "key", "record_id", "identity"))
    return next((name for name in names if isinstance(name, str)), "")


def restore_line(line: JsonObject, world: World) -> bool:
    """Write the item of a parsed line; False if the equal item is there already.

    The whole line is checked before anything is written. Raises InvalidArgument for a malformed
    line, AlreadyExists if the place holds something else, and FailedPrecondition for an item that
    was damaged when the export was made.
    """
    match line.get("kind"):
        case LineKind.RECORD | LineKind.TOMBSTONE:
            return _restore_record(record_of_line(line), world)
        case LineKind.RECEIPT:
            receipt = validate(ReceiptLine, line)
            return until_won(partial(_restore_receipt, receipt, world), world)
        case LineKind.THREAD:
            thread = validate(ThreadLine, line)
            place = NextTurn(bytes.fromhex(thread.key), thread.next_turn)
            return until_won(partial(world.restores.restore_thread, place), world)
        case LineKind.TOPIC:
            return restore_topic(line, world)
        case LineKind.STATEMENT:
            return restore_statement(line, world)
        case LineKind.TOPIC_RECEIPT:
            return restore_topic_receipt(line, world)
        case LineKind.ACTION:
            return restore_action(line, world)
        case LineKind.SYSTEM_CONTEXT | LineKind.COMMUNITIES:
            return restore_document(line, world)
        case LineKind.DAMAGED:
            raise FailedPrecondition("the item was damaged when the export was made")
        case _:
            raise InvalidArgument("a line needs a kind of this version of the format")


def _restore_record(archived: ArchivedRecord, world: World) -> bool:
    held = archived.held
    if isinstance(held, StoredRecord):
        world.fences.require_open({held.scope})
    try:
        until_won(partial(_write_record, archived, world), world)
    except (IdTaken, KeyUsed) as error:
        existing = world.records.load(archived.held.id, whole=True)
        if existing is not None and _is_same(ArchivedRecord(existing, archived.values), archived):
            return False
        raise AlreadyExists(f"record {archived.held.id} exists and differs") from error
    return True


def _write_record(archived: ArchivedRecord, world: World) -> None:
    """Write the record, with the names that an entity gets."""
    held = archived.held
    names = claim_names_again(held, world) if isinstance(held, StoredRecord) else ()
    world.restores.restore_record(held, archived.values, names)


def _restore_receipt(line: ReceiptLine, world: World) -> bool:
    receipt = Receipt(line.keyed_id, bytes.fromhex(line.fingerprint))
    try:
        return world.restores.restore_receipt(KeyedRecord(receipt, line.record_id))
    except DifferentItem as error:
        raise AlreadyExists("the idempotency key was used for something else") from error


def _is_same(existing: ArchivedRecord, given: ArchivedRecord) -> bool:
    """Whether two records have the same line."""
    return _canonical(existing) == _canonical(given)


def _canonical(archived: ArchivedRecord) -> bytes:
    return canonical_json(parse_json(compact_json(record_line(archived)), LEVELS))
