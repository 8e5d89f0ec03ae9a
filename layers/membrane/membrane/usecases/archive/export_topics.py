"""The lines of an export about topics."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from membrane.domain.archive.exports import Export
from membrane.domain.archive.lines import LineKind, encode_line
from membrane.domain.archive.topic_lines import topic_line
from membrane.domain.archive.topic_side_lines import (
    KeptDocument,
    document_line,
    statement_line,
    topic_receipt_line,
)
from membrane.domain.topics import system_context
from membrane.domain.topics.placing.statements import Statement
from membrane.domain.topics.topic import Topic
from membrane.usecases.archive.damaged_lines import ExportLine, lines_or_damage
from membrane.usecases.archive.load_topic import load_whole_topic
from membrane.usecases.machinery.load_batch import load_undamaged
from membrane.usecases.ports.archive import DocumentPlace, LoggedAction, ReceiptPlace
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.domain.language.json_text import JsonObject


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
