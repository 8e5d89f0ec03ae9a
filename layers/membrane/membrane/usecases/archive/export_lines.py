"""The lines of the items of a walk. Records and topics are loaded in few requests."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from membrane.domain.archive.exports import Export
from membrane.domain.archive.lines import LineKind, encode_line
from membrane.domain.archive.record_lines import ArchivedRecord, large_values_of, record_line
from membrane.domain.ingest.turns import thread_of
from membrane.domain.records.natural_key import thread_key
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.topics.placing.statements import Statement, observed_fact
from membrane.usecases.archive.export_topics import (
    UNREADABLE,
    ExportLine,
    damaged_line,
    lines_of_action,
    lines_of_document,
    lines_of_statement,
    lines_of_topic,
    lines_of_topic_receipt,
    lines_or_damage,
    load_values,
    selected_topics,
)
from membrane.usecases.machinery.side_by_side import load_undamaged
from membrane.usecases.ports.walks import (
    ArchivedItem,
    DamagedPlace,
    DocumentPlace,
    KeyedRecord,
    LoggedAction,
    NextTurn,
    ReceiptPlace,
    RecordPlace,
    StatementPlace,
    TopicPlace,
)
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.domain.language.json_text import JsonObject


PORTION = 100
"""Items whose records and topics are loaded in one request."""


def lines_of_items(
    items: Sequence[ArchivedItem], export: Export, world: World
) -> Iterator[Iterable[ExportLine]]:
    """The lines of each item, in the order of the items."""
    for start in range(0, len(items), PORTION):
        some = items[start : start + PORTION]
        portion = _load(some, export, world)
        for item in some:
            yield portion.lines_of(item)


@dataclass(slots=True)
class _Portion:
    """The records and topics of some items of a walk."""

    export: Export
    world: World
    records: Mapping[str, AnyRecord]
    damaged: frozenset[str]
    """The ids of records that cannot be read."""
    holders: Mapping[str, AnyRecord]
    """The records of receipts and of statements."""
    statements: Mapping[str, Statement]
    """The statements to export, by record id."""
    damaged_statements: frozenset[str]
    """The ids of records whose statement cannot be read."""
    topics: frozenset[str]
    """The topics that the export holds."""
    threads: set[bytes] = field(default_factory=set)
    """The threads of the records so far, which have a line already."""

    def lines_of(self, item: ArchivedItem) -> Iterable[ExportLine]:
        export, world = self.export, self.world
        is_everything = export.selection.is_everything
        match item:
            case RecordPlace(record_id):
                return self._lines_of_record(record_id)
            case KeyedRecord(_, record_id):
                holder = self.holders.get(record_id)
                return [line_of_receipt(item)] if _selects(export, holder) else []
            case NextTurn():
                return [line_of_thread(item)] if is_everything else []
            case TopicPlace(topic_id):
                return lines_of_topic(topic_id, world) if topic_id in self.topics else []
            case StatementPlace(record_id):
                is_beside = _feeds_topics(self.holders.get(record_id))
                return [] if is_beside else self._lines_of_statement(record_id)
            case ReceiptPlace():
                return lines_of_topic_receipt(item, export, world)
            case LoggedAction():
                return lines_of_action(item, export)
            case DocumentPlace():
                return lines_of_document(item, export, world)
            case DamagedPlace(key):
                return [damaged_line(key, UNREADABLE)] if is_everything else []

    def _lines_of_statement(self, record_id: str) -> Iterator[ExportLine]:
        if record_id in self.damaged_statements and self.export.selection.is_everything:
            yield damaged_line(f"the statement of {record_id}", UNREADABLE)
        statement = self.statements.get(record_id)
        if statement is not None:
            yield from lines_of_statement(statement, self.export, self.world)

    def _lines_of_record(self, record_id: str) -> Iterator[ExportLine]:
        """The line of a record, after the line of the record's statement.

        Both are read together: a record that is restored without the statement feeds topics again.
        In a limited export, the line of the record's thread follows.
        """
        if record_id in self.damaged and self.export.selection.is_everything:
            yield damaged_line(record_id, UNREADABLE)
        held = self.records.get(record_id)
        if held is None or not _selects(self.export, held):
            return
        if _feeds_topics(held):
            yield from self._lines_of_statement(record_id)
        yield from lines_of_record(held, self.world)
        thread = thread_of(held.record) if isinstance(held, StoredRecord) else None
        if thread is None or self.export.selection.is_everything:
            return
        key = thread_key(held.scope, thread)
        if key not in self.threads:
            self.threads.add(key)
            found = partial(self._lines_of_thread, key)
            yield from lines_or_damage("the thread", found, names_damage=False)

    def _lines_of_thread(self, key: bytes) -> Iterator[ExportLine]:
        turn = self.world.records.next_turn(key)
        if turn > 1:
            yield line_of_thread(NextTurn(key, turn))


def _selects(export: Export, held: AnyRecord | None) -> bool:
    return held is not None and export.selection.selects(held.scope, held.sensitivity)


def _feeds_topics(held: AnyRecord | None) -> bool:
    """Whether the record may have a statement that stays."""
    if not isinstance(held, StoredRecord) or held.tombstone is not None:
        return False
    return observed_fact(held.record) is not None


def _load(items: Sequence[ArchivedItem], export: Export, world: World) -> _Portion:
    records, topics = world.records, world.topics
    wanted = [each.record_id for each in items if isinstance(each, RecordPlace)]
    held_by = (KeyedRecord, StatementPlace)
    holders = dict.fromkeys(each.record_id for each in items if isinstance(each, held_by))
    topic_ids = [each.topic_id for each in items if isinstance(each, TopicPlace)]
    found, damaged = load_undamaged(
        wanted, partial(records.load_each, whole=True), partial(records.load, whole=True)
    )
    held, _ = load_undamaged([*holders], records.load_own, records.load)
    stated_by = _records_with_statements(items, export, found, held)
    stated, unstated = load_undamaged(stated_by, topics.load_statements, topics.statement)
    return _Portion(
        export=export,
        world=world,
        records=found,
        damaged=frozenset(damaged),
        holders=held,
        statements=stated,
        damaged_statements=frozenset(unstated),
        topics=selected_topics(topic_ids, export, world),
    )


def _records_with_statements(
    items: Sequence[ArchivedItem],
    export: Export,
    records: Mapping[str, AnyRecord],
    holders: Mapping[str, AnyRecord],
) -> Sequence[str]:
    """The ids of records whose statements are exported with the items.

    The statement of a record that feeds topics comes with the record. Any other statement comes at
    the place of the statement; a limited export holds none of a lost record.
    """
    feeding = [
        each for each, held in records.items() if _selects(export, held) and _feeds_topics(held)
    ]
    places = [each.record_id for each in items if isinstance(each, StatementPlace)]
    old = [
        each
        for each in places
        if not _feeds_topics(holder := holders.get(each))
        and (export.selection.is_everything or _selects(export, holder))
    ]
    return list(dict.fromkeys([*feeding, *old]))


def lines_of_record(held: AnyRecord, world: World) -> Iterator[ExportLine]:
    """The line of a record that was loaded whole, with the values that are in the bucket."""

    def make() -> Iterator[ExportLine]:
        values = load_values(large_values_of(held), world.records)
        line = record_line(ArchivedRecord(held, values))
        yield LineKind(line["kind"]), encode_line(line)

    yield from lines_or_damage(held.id, make, names_damage=True)


def line_of_receipt(keyed: KeyedRecord) -> ExportLine:
    line: JsonObject = {
        "kind": LineKind.RECEIPT,
        "keyed_id": keyed.receipt.keyed_id,
        "record_id": keyed.record_id,
        "fingerprint": keyed.receipt.fingerprint.hex(),
    }
    return LineKind.RECEIPT, encode_line(line)


def line_of_thread(thread: NextTurn) -> ExportLine:
    line = {"kind": LineKind.THREAD, "key": thread.key.hex(), "next_turn": thread.turn}
    return LineKind.THREAD, encode_line(line)
