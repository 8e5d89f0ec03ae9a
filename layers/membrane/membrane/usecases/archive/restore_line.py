"""Restore what the lines of a whole export hold, each into an empty place."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, replace
from functools import partial

from membrane.domain.archive import record_lines, side_lines
from membrane.domain.archive.lines import (
    LEVELS,
    OF_DOCUMENTS,
    Frame,
    FrameCheck,
    LineKind,
    is_first_line,
    require_version,
)
from membrane.domain.archive.topic_lines import topic_line, topic_of_line
from membrane.domain.imports import Line
from membrane.domain.language.errors import AlreadyExists, FailedPrecondition, InvalidArgument
from membrane.domain.language.json_text import JsonObject, canonical_json, compact_json, parse_json
from membrane.domain.language.requests import validate
from membrane.domain.records.stored import StoredRecord
from membrane.domain.topics.system_context import EVERYWHERE, KEPT_AS
from membrane.domain.topics.topic import TopicStatus
from membrane.table.items import IdTaken, KeyUsed
from membrane.usecases.archive.export_lines import load_whole_topic
from membrane.usecases.archive.keyed_documents import restore_document_line
from membrane.usecases.imports.import_lines import RefusedObject
from membrane.usecases.imports.progress import Progress
from membrane.usecases.imports.work import Advance, ObjectLines
from membrane.usecases.machinery.calls import until_won
from membrane.usecases.ports.topics import ReceiptTaken, TopicChange, TopicIdTaken
from membrane.usecases.ports.walks import DifferentItem
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
    at = line.get("at")
    if isinstance(at, dict):
        return compact_json([at.get(name) for name in ("scope", "namespace", "key")])
    holder = next((each for each in (record, topic) if isinstance(each, dict)), line)
    names = (holder.get(name) for name in ("id", "keyed_id", "key", "record_id", "identity"))
    return next((name for name in names if isinstance(name, str)), "")


def restore_line(line: JsonObject, world: World) -> bool:
    """Write the item of a parsed line; False if the equal item is there already.

    The whole line is checked before anything is written. Raises InvalidArgument for a malformed
    line, AlreadyExists if the place holds something else, and FailedPrecondition for an item that
    was damaged when the export was made.
    """
    kind = line.get("kind")
    if kind == LineKind.DAMAGED:
        raise FailedPrecondition("the item was damaged when the export was made")
    if not isinstance(kind, str) or kind not in _RESTORES:
        raise InvalidArgument("a line needs a kind of this version of the format")
    return _RESTORES[kind](line, world)


def _restore_record(line: JsonObject, world: World) -> bool:
    """Write a record or tombstone, with the names that an entity gets."""
    archived = record_lines.record_of_line(line)
    held, values = archived
    if isinstance(held, StoredRecord):
        world.fences.require_open({held.scope})

    def attempt() -> None:
        names = claim_names_again(held, world) if isinstance(held, StoredRecord) else ()
        world.restores.restore_record(held, values, names)

    try:
        until_won(attempt, world)
    except (IdTaken, KeyUsed) as error:
        there = world.records.load(held.id, whole=True)
        if there is not None:
            kept = record_lines.ArchivedRecord(there, values)
            if _is_same(record_lines.record_line(kept), record_lines.record_line(archived)):
                return False
        raise AlreadyExists(f"record {held.id} exists and differs") from error
    return True


def _restore_receipt(line: JsonObject, world: World) -> bool:
    receipt = validate(side_lines.ReceiptLine, line)
    try:
        return until_won(partial(world.restores.restore_receipt, receipt), world)
    except DifferentItem as error:
        raise AlreadyExists(_KEY_USED) from error


def _restore_thread(line: JsonObject, world: World) -> bool:
    thread = validate(side_lines.ThreadLine, line)
    return until_won(partial(world.restores.restore_thread, thread), world)


def _restore_topic(line: JsonObject, world: World) -> bool:
    archived = topic_of_line(line)
    topic = archived.topic
    if topic.status is not TopicStatus.ERASED:
        world.fences.require_open({topic.scope})
    try:
        until_won(partial(world.topic_restores.restore_topic, archived), world)
    except TopicIdTaken as error:
        existing = load_whole_topic(topic.id, world)
        if existing is not None and _is_same(topic_line(existing), line):
            return False
        raise AlreadyExists(f"topic {topic.id} exists and differs") from error
    except DifferentItem as error:
        message = f"a part of topic {topic.id} exists and differs"
        raise AlreadyExists(message) from error
    return True


def _restore_topic_receipt(line: JsonObject, world: World) -> bool:
    receipt = side_lines.topic_receipt_of_line(line)
    _require_open(receipt.topic_ids, world)
    write = partial(world.topics.apply, TopicChange(topics=(), receipt=receipt))
    try:
        until_won(write, world)
    except ReceiptTaken as error:
        there = world.topics.find_receipt(receipt.identity)
        if there is not None:
            kept = replace(there, expires_at_s=receipt.expires_at_s)
            if _is_same(
                side_lines.topic_receipt_line(kept), side_lines.topic_receipt_line(receipt)
            ):
                return False
        raise AlreadyExists(_KEY_USED) from error
    return True


def _pass_over(_line: JsonObject, _world: World) -> bool:
    """Write nothing for a line of a kind that former versions alone export."""
    return False


def _restore_action(line: JsonObject, world: World) -> bool:
    action = validate(side_lines.ActionLine, line)
    world.fences.require_open({action.scope})
    try:
        return until_won(partial(world.topic_restores.restore_action, action), world)
    except DifferentItem as error:
        raise AlreadyExists(f"action {action.id} exists and differs") from error


def _restore_context(line: JsonObject, world: World) -> bool:
    document = side_lines.context_of_line(line)
    world.fences.require_open({EVERYWHERE})

    def attempt() -> bool:
        there = world.topics.find_document(KEPT_AS, EVERYWHERE)
        if there is None:
            world.topics.keep_document(KEPT_AS, EVERYWHERE, document, None)
        elif canonical_json(there.progress) != canonical_json(document):
            raise AlreadyExists("the document exists and differs")
        return there is None

    return until_won(attempt, world)


_RESTORES: Mapping[str, Callable[[JsonObject, World], bool]] = {
    **dict.fromkeys(OF_DOCUMENTS, restore_document_line),
    LineKind.RECORD: _restore_record,
    LineKind.TOMBSTONE: _restore_record,
    LineKind.RECEIPT: _restore_receipt,
    LineKind.THREAD: _restore_thread,
    LineKind.TOPIC: _restore_topic,
    LineKind.STATEMENT: _pass_over,
    LineKind.TOPIC_RECEIPT: _restore_topic_receipt,
    LineKind.ACTION: _restore_action,
    LineKind.SYSTEM_CONTEXT: _restore_context,
    LineKind.COMMUNITIES: _pass_over,
}

_KEY_USED = "the idempotency key was used for something else"


def _require_open(topic_ids: Sequence[str], world: World) -> None:
    """Raises FailedPrecondition if a topic that there is belongs to a scope under erasure."""
    found = world.topics.load_all(list(topic_ids)) if topic_ids else {}
    world.fences.require_open({topic.scope for topic in found.values()})


def _is_same(line: JsonObject, other: JsonObject) -> bool:
    one, two = (canonical_json(parse_json(compact_json(each), LEVELS)) for each in (line, other))
    return one == two


NO_EXPORT = "the first line is not the first line of an export"
PART_BYTES = 64 * 1024 * 1024
"""The bytes between two checkpoints."""


def check_whole_file(lines: ObjectLines, done: Progress, _pool: Executor) -> Iterator[Advance]:
    """The pass that compares every line with the last line; raises RefusedObject and OutOfTime.

    A place without a frame is of a former version of the service; the check begins anew.
    """
    try:
        begin = done if done.frame else replace(done, bytes_done=0, lines=0)
        yield from _checked_parts(lines, begin)
    except InvalidArgument as error:
        raise RefusedObject(str(error)) from error


def _checked_parts(lines: ObjectLines, done: Progress) -> Iterator[Advance]:
    """Each part ends before a line: the next run reads the line again, which may be the last."""
    check, kept, before = FrameCheck(Frame(**done.frame)), done.bytes_done, done.bytes_done
    for line in lines.after(done):
        check.add(_content_of(line, lines.max_line_bytes))
        if before - kept >= PART_BYTES:
            kept = before
            number = line.number - 1
            yield partial(_after, bytes_done=before, lines=number, frame=check.frame)
        before = line.end
    check.require_end()


def _after(done: Progress, *, bytes_done: int, lines: int, frame: Frame) -> Progress:
    return replace(done, bytes_done=bytes_done, lines=lines, frame=asdict(frame))


def _content_of(line: Line, longest: int) -> bytes:
    """The line, which must begin an export of this version if it is the first."""
    if line.content is None:
        raise RefusedObject(f"line {line.number} is longer than {longest} bytes")
    if line.number == 1:
        if not is_first_line(line.content):
            raise RefusedObject(NO_EXPORT)
        require_version(line.content)
    return line.content
