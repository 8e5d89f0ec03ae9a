"""The lines of a page about topics."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from membrane.domain.archive.exports import Export
from membrane.domain.archive.lines import MAX_LINE_BYTES, LineKind, encode_line
from membrane.domain.archive.topic_lines import topic_line
from membrane.domain.archive.topic_side_lines import (
    KeptDocument,
    document_line,
    statement_line,
    topic_receipt_line,
)
from membrane.domain.language.errors import Aborted
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.topics import system_context
from membrane.domain.topics.placing.statements import observed_fact
from membrane.domain.topics.topic import Topic
from membrane.usecases.archive.load_topic import load_whole_topic
from membrane.usecases.machinery.load_batch import load_undamaged
from membrane.usecases.machinery.retries import TRANSIENT
from membrane.usecases.ports.archive import ArchivePage, LoggedAction
from membrane.usecases.ports.services_archive import ArchiveServices

if TYPE_CHECKING:
    from membrane.domain.language.json_text import JsonObject

AT_ONCE = 100
"""Topics that are loaded in one request."""

ExportLine = tuple[LineKind, bytes]


def damaged_line(item_id: str, reason: str) -> ExportLine:
    line = {"kind": LineKind.DAMAGED, "id": item_id, "reason": reason}
    return LineKind.DAMAGED, encode_line(line)


def undamaged_lines(
    name: str, make: Callable[[], Iterable[ExportLine]], export: Export
) -> Iterator[ExportLine]:
    """The lines, or a line about the damage; a limited export does not name what is damaged."""
    try:
        found = [*make()]
    except TRANSIENT:
        raise
    except Exception:  # noqa: BLE001 - one damaged item must not end every run at this item
        found = [damaged_line(name, "unreadable")] if export.selection.is_everything else []
    yield from found


def topic_lines(
    page: ArchivePage, export: Export, services: ArchiveServices
) -> Iterator[ExportLine]:
    """The lines of topics, statements, receipts, actions and documents."""
    for start in range(0, len(page.topic_ids), AT_ONCE):
        for topic_id in _select(page.topic_ids[start : start + AT_ONCE], export, services):
            yield from _topic(topic_id, services)
    yield from _statements(page.stating_records, export, services)
    yield from _receipts(page, export, services)
    for logged in page.actions:
        yield from _action(logged, export)
    if export.selection.is_everything:
        yield from (damaged_line(each, "unreadable") for each in page.damaged)
    yield from _documents(page, export, services)


def _select(topic_ids: Sequence[str], export: Export, services: ArchiveServices) -> Sequence[str]:
    """The topics that the export holds; a limited export leaves damaged topics out."""
    if export.selection.is_everything:
        return topic_ids
    found, _ = load_undamaged(topic_ids, services.topics.load_all, services.topics.load)
    return [
        topic_id
        for topic_id, topic in found.items()
        if export.selection.selects(topic.scope, topic.sensitivity)
        and _are_selected(_keepers_of(topic, services), export, services)
    ]


def _keepers_of(topic: Topic, services: ArchiveServices) -> Sequence[str]:
    """The topics into which an alias was merged, one after the other.

    The line of an alias has the fields of the keeper, so a key that may not read the keeper must
    not export the alias.
    """
    keepers: list[str] = []
    while topic.merged is not None and topic.merged.into not in keepers:
        keepers.append(topic.merged.into)
        found = services.topics.load_all(keepers[-1:])
        topic = found.get(keepers[-1], topic)
    return keepers


def _topic(topic_id: str, services: ArchiveServices) -> Iterator[ExportLine]:
    try:
        archived = load_whole_topic(topic_id, services)
        encoded = None if archived is None else encode_line(topic_line(archived))
    except (*TRANSIENT, Aborted):
        raise
    except Exception:  # noqa: BLE001 - one damaged topic must not end every run at this topic
        yield damaged_line(topic_id, "unreadable")
        return
    if encoded is None:
        return
    if len(encoded) > MAX_LINE_BYTES:
        yield damaged_line(topic_id, f"the line would exceed {MAX_LINE_BYTES} bytes")
    else:
        yield LineKind.TOPIC, encoded


def statement_lines(
    record_id: str, export: Export, services: ArchiveServices
) -> Iterator[ExportLine]:
    """The line of a record's statement, if the record has a statement.

    The line of a record that feeds topics comes after the line of the statement: without the
    statement, a stack that restores the record would feed the record again.
    """

    def make() -> Iterator[ExportLine]:
        statement = services.topics.statement(record_id)
        if statement is not None and _are_selected([statement.topic_id], export, services):
            yield LineKind.STATEMENT, encode_line(statement_line(statement))

    yield from undamaged_lines(f"the statement of {record_id}", make, export)


def feeds_topics(held: AnyRecord | None) -> bool:
    """Whether the record may have a statement that stays."""
    if not isinstance(held, StoredRecord) or held.tombstone is not None:
        return False
    return observed_fact(held.record) is not None


def _statements(
    record_ids: Sequence[str], export: Export, services: ArchiveServices
) -> Iterator[ExportLine]:
    """The statements of records that feed no topic any more, still to be withdrawn."""
    for record_id in record_ids:
        load_all, load = services.records.load_own, services.records.load
        found, _ = load_undamaged([record_id], load_all, load)
        if not feeds_topics(found.get(record_id)):
            yield from statement_lines(record_id, export, services)


def _receipts(page: ArchivePage, export: Export, services: ArchiveServices) -> Iterator[ExportLine]:
    for identity, expires_at_s in page.topic_receipts:
        found = partial(_receipt, identity, expires_at_s, export, services)
        yield from undamaged_lines("a receipt of topics", found, export)


def _receipt(
    identity: bytes, expires_at_s: int, export: Export, services: ArchiveServices
) -> Iterator[ExportLine]:
    receipt = services.topics.find_receipt(identity)
    if receipt is not None and _are_selected(receipt.topic_ids, export, services):
        line = topic_receipt_line(
            identity, receipt.fingerprint, receipt.topic_ids, receipt.reply, expires_at_s
        )
        yield LineKind.TOPIC_RECEIPT, encode_line(line)


def _action(logged: LoggedAction, export: Export) -> Iterator[ExportLine]:
    """Actions have no sensitivity: a key with a lower ceiling exports none."""
    if export.selection.selects_all_of(logged.scope):
        line: JsonObject = {"kind": LineKind.ACTION}
        if logged.scope:
            line["scope"] = logged.scope
        line |= {"at": logged.at, "id": logged.id, "action": logged.action}
        yield LineKind.ACTION, encode_line(line)


def _documents(
    page: ArchivePage, export: Export, services: ArchiveServices
) -> Iterator[ExportLine]:
    """Communities of the selected scopes; the system context is of an export of everything."""
    for name, scope in page.documents:
        is_wanted = export.selection.selects_all_of(scope)
        if name == system_context.KEPT_AS:
            is_wanted = export.selection.is_everything
        if is_wanted:
            found = partial(_document, name, scope, services)
            yield from undamaged_lines(f"the document {name}", found, export)


def _document(name: str, scope: str, services: ArchiveServices) -> Iterator[ExportLine]:
    kept = services.topics.find_document(name, scope)
    if kept is not None:
        line = document_line(KeptDocument(name, scope, kept.progress))
        yield LineKind(line["kind"]), encode_line(line)


def _are_selected(topic_ids: Iterable[str], export: Export, services: ArchiveServices) -> bool:
    """Whether the export holds every topic; an export of everything also holds lost topics."""
    if export.selection.is_everything:
        return True
    wanted = list(dict.fromkeys(topic_ids))
    found, _ = load_undamaged(wanted, services.topics.load_all, services.topics.load)
    return len(found) == len(wanted) and all(
        export.selection.selects(each.scope, each.sensitivity) for each in found.values()
    )
