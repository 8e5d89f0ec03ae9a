"""The lines of an export about topics, loaded whole, and the line for a damaged item."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from membrane.domain.archive import topic_lines
from membrane.domain.archive.exports import Export
from membrane.domain.archive.lines import MAX_LINE_BYTES, LineKind, encode_line
from membrane.domain.archive.topic_lines import (
    ArchivedLine,
    ArchivedTopic,
    large_values_of_topic,
    topic_line,
)
from membrane.domain.archive.topic_side_lines import (
    KeptDocument,
    document_line,
    statement_line,
    topic_receipt_line,
)
from membrane.domain.language.errors import Aborted, TooLarge
from membrane.domain.language.values import LargeValue
from membrane.domain.topics import system_context
from membrane.domain.topics.erasing import without_erasure
from membrane.domain.topics.placing.statements import Statement
from membrane.domain.topics.topic import Line, LineKey, Topic, TopicStatus, key_of
from membrane.table.writes import LostRace
from membrane.usecases.machinery.calls import TRANSIENT, until_won
from membrane.usecases.machinery.side_by_side import load_undamaged
from membrane.usecases.ports.walks import DocumentPlace, LoggedAction, ReceiptPlace
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.records.store import DynamoRecords
    from membrane.domain.language.json_text import JsonObject


TOO_LONG = f"the line would exceed {MAX_LINE_BYTES} bytes"


def load_values(
    wanted: Collection[LargeValue], records: "DynamoRecords"
) -> dict[LargeValue, bytes]:
    """The JSON texts of the values; raises TooLarge, before any value is loaded."""
    if sum(large.size for large in wanted) > MAX_LINE_BYTES:
        raise TooLarge(TOO_LONG)
    return {large: records.value(large) for large in wanted}


ExportLine = tuple[LineKind, bytes]

UNREADABLE = "unreadable"


def damaged_line(name: str, reason: str) -> ExportLine:
    line = {"kind": LineKind.DAMAGED, "id": name, "reason": reason}
    return LineKind.DAMAGED, encode_line(line)


def lines_or_damage(
    name: str, make: Callable[[], Iterable[ExportLine]], *, names_damage: bool
) -> Iterator[ExportLine]:
    """The lines of the item with the name; of a damaged item, a line about the damage.

    Without `names_damage`, a damaged item has no line. Raises TRANSIENT errors and Aborted.
    """
    found: list[ExportLine] = []
    try:
        found = [*make()]
        reason = TOO_LONG if any(len(line) > MAX_LINE_BYTES for _, line in found) else None
    except (*TRANSIENT, Aborted):
        raise
    except TooLarge as error:
        reason = str(error)
    except Exception:  # noqa: BLE001 - one damaged item must not end every run at this item
        reason = UNREADABLE
    if reason is None:
        yield from found
    elif names_damage:
        yield damaged_line(name, reason)


MAX_EDGES = 1_000_000
"""Edges of one topic and direction."""


def load_whole_topic(topic_id: str, world: World) -> ArchivedTopic | None:
    """The topic with everything that one version has; None for an absent topic.

    Raises Aborted if other writers change the topic during every try, and TooLarge.
    """

    def attempt() -> ArchivedTopic | None:
        topic = world.topics.load(topic_id)
        if topic is None:
            return None
        archived = _load_rest(topic, world)
        newest = world.topics.load(topic_id)
        if newest is None or newest.version != topic.version:
            raise LostRace
        return archived

    return until_won(attempt, world)


def _load_rest(topic: Topic, world: World) -> ArchivedTopic:
    """An erased topic has only the audit trail; the rest is gone or about to go."""
    topics = world.topics
    whole = without_erasure(topic) if topic.status is TopicStatus.ERASED else topic
    whole = replace(whole, trail=tuple(topics.events(topic)))
    if topic.status is TopicStatus.ERASED:
        return ArchivedTopic(whole, None, (), (), {})
    lines = tuple(_archived_lines(topic, world))
    edges = (each for each in topics.edges([topic.id], MAX_EDGES) if each.from_id == topic.id)
    return ArchivedTopic(
        whole,
        topics.accesses([topic.id]).get(topic.id),
        tuple(sorted(edges, key=lambda edge: (edge.kind, edge.to_id))),
        lines,
        load_values(large_values_of_topic(topic, lines), world.records),
    )


def _archived_lines(topic: Topic, world: World) -> Iterator[ArchivedLine]:
    """Every line once; an alias may name a line in two states."""
    named: dict[LineKey, list[Line]] = {}
    for line in topic_lines.lines_of_topic(topic):
        named.setdefault(key_of(line), []).append(line)
    for key, states in sorted(named.items()):
        line = states[0]
        archives = dict.fromkeys(archive for state in states for archive in state.archives)
        yield ArchivedLine(
            key,
            tuple(world.topics.history(line)),
            tuple((each, tuple(world.topics.load_archive(line, each))) for each in archives),
        )


def selected_topics(topic_ids: Sequence[str], export: Export, world: World) -> frozenset[str]:
    """The topics that the export holds; a limited export leaves damaged topics out."""
    if export.selection.is_everything:
        return frozenset(topic_ids)
    found, _ = load_undamaged(topic_ids, world.topics.load_all, world.topics.load)
    return frozenset(
        topic_id
        for topic_id, topic in found.items()
        if export.selection.selects(topic.scope, topic.sensitivity)
        and _are_selected(_keepers_of(topic, world), export, world)
    )


def lines_of_topic(topic_id: str, world: World) -> Iterator[ExportLine]:
    """The line of a topic; no line for an absent topic."""

    def make() -> Iterator[ExportLine]:
        archived = load_whole_topic(topic_id, world)
        if archived is not None:
            yield LineKind.TOPIC, encode_line(topic_line(archived))

    yield from lines_or_damage(topic_id, make, names_damage=True)


def lines_of_statement(statement: Statement, export: Export, world: World) -> Iterator[ExportLine]:
    """The line of a record's statement, if the export holds the topic."""
    if _are_selected([statement.topic_id], export, world):
        yield LineKind.STATEMENT, encode_line(statement_line(statement))


def lines_of_topic_receipt(
    place: ReceiptPlace, export: Export, world: World
) -> Iterator[ExportLine]:
    """The line of a receipt, if the export holds every topic of the receipt."""

    def make() -> Iterator[ExportLine]:
        receipt = world.topics.find_receipt(place.identity)
        if receipt is not None and _are_selected(receipt.topic_ids, export, world):
            line = topic_receipt_line(
                place.identity,
                receipt.fingerprint,
                receipt.topic_ids,
                receipt.reply,
                place.expires_at_s,
            )
            yield LineKind.TOPIC_RECEIPT, encode_line(line)

    name, names_damage = "a receipt of topics", export.selection.is_everything
    yield from lines_or_damage(name, make, names_damage=names_damage)


def lines_of_action(logged: LoggedAction, export: Export) -> Iterator[ExportLine]:
    """Actions have no sensitivity: a key with a lower ceiling exports none."""
    if export.selection.selects_all_of(logged.scope):
        line: JsonObject = {"kind": LineKind.ACTION}
        if logged.scope:
            line["scope"] = logged.scope
        line |= {"at": logged.at, "id": logged.id, "action": logged.action}
        yield LineKind.ACTION, encode_line(line)


def lines_of_document(place: DocumentPlace, export: Export, world: World) -> Iterator[ExportLine]:
    """Communities of the selected scopes; the system context is of an export of everything."""
    is_wanted = export.selection.selects_all_of(place.scope)
    if place.name == system_context.KEPT_AS:
        is_wanted = export.selection.is_everything
    if not is_wanted:
        return

    def make() -> Iterator[ExportLine]:
        kept = world.topics.find_document(place.name, place.scope)
        if kept is not None:
            line = document_line(KeptDocument(place.name, place.scope, kept.progress))
            yield LineKind(line["kind"]), encode_line(line)

    name, names_damage = f"the document {place.name}", export.selection.is_everything
    yield from lines_or_damage(name, make, names_damage=names_damage)


def _keepers_of(topic: Topic, world: World) -> Sequence[str]:
    """The topics into which an alias was merged, one after the other.

    The line of an alias has the fields of the keeper, so a key that may not read the keeper must
    not export the alias.
    """
    keepers: list[str] = []
    while topic.merged is not None and topic.merged.into not in keepers:
        keepers.append(topic.merged.into)
        found, _ = load_undamaged(keepers[-1:], world.topics.load_all, world.topics.load)
        topic = found.get(keepers[-1], topic)
    return keepers


def _are_selected(topic_ids: Iterable[str], export: Export, world: World) -> bool:
    """Whether the export holds every topic; an export of everything also holds lost topics."""
    if export.selection.is_everything:
        return True
    wanted = list(dict.fromkeys(topic_ids))
    found, _ = load_undamaged(wanted, world.topics.load_all, world.topics.load)
    return len(found) == len(wanted) and all(
        export.selection.selects(each.scope, each.sensitivity) for each in found.values()
    )
