"""The lines of a page about topics."""

from collections.abc import Iterable, Iterator, Sequence
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
from membrane.usecases.archive.load_topic import load_whole_topic
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
    yield from _documents(page, export, services)


def _select(topic_ids: Sequence[str], export: Export, services: ArchiveServices) -> Sequence[str]:
    """The topics that the export holds."""
    if export.selection.is_everything:
        return topic_ids
    found = services.topics.load_all(topic_ids)
    return [
        topic_id
        for topic_id, topic in found.items()
        if export.selection.selects(topic.scope, topic.sensitivity)
    ]


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
    statement = services.topics.statement(record_id)
    if statement is not None and _are_selected([statement.topic_id], export, services):
        yield LineKind.STATEMENT, encode_line(statement_line(statement))


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
        if not feeds_topics(services.records.load(record_id)):
            yield from statement_lines(record_id, export, services)


def _receipts(page: ArchivePage, export: Export, services: ArchiveServices) -> Iterator[ExportLine]:
    for identity, expires_at_s in page.topic_receipts:
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
        kept = services.topics.find_document(name, scope) if is_wanted else None
        if kept is not None:
            line = document_line(KeptDocument(name, scope, kept.progress))
            yield LineKind(line["kind"]), encode_line(line)


def _are_selected(topic_ids: Iterable[str], export: Export, services: ArchiveServices) -> bool:
    """Whether the export holds every topic; an export of everything also holds lost topics."""
    if export.selection.is_everything:
        return True
    wanted = list(dict.fromkeys(topic_ids))
    found = services.topics.load_all(wanted) if wanted else {}
    return len(found) == len(wanted) > 0 and all(
        export.selection.selects(each.scope, each.sensitivity) for each in found.values()
    )
