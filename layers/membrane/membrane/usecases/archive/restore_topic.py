"""Restore a topic, or what belongs to topics, into an empty place."""

from collections.abc import Sequence
from functools import partial

from membrane.domain.archive.lines import LEVELS
from membrane.domain.archive.sound_topics import require_sound
from membrane.domain.archive.topic_lines import canonical_line, topic_of_line
from membrane.domain.archive.topic_side_lines import (
    ActionLine,
    TopicReceiptLine,
    document_of_line,
    reply_of_line,
    statement_line,
    statement_of_line,
)
from membrane.domain.language.errors import AlreadyExists
from membrane.domain.language.json_text import (
    JsonObject,
    canonical_json,
    compact_json,
    parse_json,
)
from membrane.domain.language.violations import validate
from membrane.domain.topics.topic import TopicStatus
from membrane.usecases.archive.load_topic import load_whole_topic
from membrane.usecases.machinery.retries import until_won
from membrane.usecases.ports.archive import DifferentItem, LoggedAction
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.topics import ReceiptTaken, TopicIdTaken, TopicReceipt
from membrane.usecases.ports.world import World


def restore_topic(line: JsonObject, world: World) -> bool:
    """Write the topic of a line; False if the equal topic is there already."""
    archived = topic_of_line(line)
    require_sound(archived)
    topic = archived.topic
    if topic.status is not TopicStatus.ERASED:
        world.fences.require_open({topic.scope})
    try:
        until_won(partial(world.topic_restores.restore_topic, archived), world)
    except TopicIdTaken as error:
        existing = load_whole_topic(topic.id, world)
        if existing is not None and canonical_line(existing) == canonical_line(archived):
            return False
        raise AlreadyExists(f"topic {topic.id} exists and differs") from error
    except DifferentItem as error:
        message = f"a part of topic {topic.id} exists and differs"
        raise AlreadyExists(message) from error
    return True


def restore_topic_receipt(line: JsonObject, world: World) -> bool:
    """Write a receipt of topics; False if the equal receipt is there already."""
    given = validate(TopicReceiptLine, line)
    receipt = TopicReceipt(
        bytes.fromhex(given.identity),
        bytes.fromhex(given.fingerprint),
        given.topic_ids,
        reply_of_line(given),
    )
    _require_open(given.topic_ids, world)
    write = partial(world.topic_restores.restore_receipt, receipt, given.expires_at_s)
    try:
        until_won(write, world)
    except ReceiptTaken as error:
        there = world.topics.find_receipt(receipt.identity)
        if there is not None and _canonical_receipt(there) == _canonical_receipt(receipt):
            return False
        raise AlreadyExists("the idempotency key was used for something else") from error
    return True


def restore_statement(line: JsonObject, world: World) -> bool:
    """Write a statement; False if the equal statement is there already."""
    statement = statement_of_line(line)
    _require_open([statement.topic_id], world)

    def attempt() -> bool:
        try:
            world.topic_restores.restore_statement(statement)
        except LostRace as error:
            there = world.topics.statement(statement.record_id)
            if there is None:
                raise
            if statement_line(there) == statement_line(statement):
                return False
            message = f"the statement of record {statement.record_id} exists and differs"
            raise AlreadyExists(message) from error
        return True

    return until_won(attempt, world)


def restore_action(line: JsonObject, world: World) -> bool:
    """Append an action to the log of the scope; False if the equal action is there already."""
    given = validate(ActionLine, line)
    world.fences.require_open({given.scope})
    logged = LoggedAction(given.scope, given.at, given.id, given.action)
    try:
        return until_won(partial(world.topic_restores.restore_action, logged), world)
    except DifferentItem as error:
        raise AlreadyExists(f"action {given.id} exists and differs") from error


def restore_document(line: JsonObject, world: World) -> bool:
    """Keep a document; False if the equal document is there already."""
    name, scope, document = document_of_line(line)
    world.fences.require_open({scope})

    def attempt() -> bool:
        there = world.topics.find_document(name, scope)
        if there is None:
            world.topics.keep_document(name, scope, document, None)
        elif canonical_json(there.progress) != canonical_json(document):
            raise AlreadyExists("the document exists and differs")
        return there is None

    return until_won(attempt, world)


def _require_open(topic_ids: Sequence[str], world: World) -> None:
    """Raises FailedPrecondition if a topic that there is belongs to a scope under erasure."""
    found = world.topics.load_all(list(topic_ids)) if topic_ids else {}
    world.fences.require_open({topic.scope for topic in found.values()})


def _canonical_receipt(receipt: TopicReceipt) -> tuple[bytes, tuple[str, ...], bytes]:
    reply = canonical_json(parse_json(compact_json(receipt.reply), LEVELS))
    return receipt.fingerprint, receipt.topic_ids, reply
