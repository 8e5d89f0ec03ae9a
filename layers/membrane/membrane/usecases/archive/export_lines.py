"""The lines of the items of a walk. Records and topics are loaded in few requests."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from membrane.domain.archive import record_lines, topic_lines
from membrane.domain.archive.exports import Export
from membrane.domain.archive.lines import MAX_LINE_BYTES, LineKind, damaged_line, encode_line
from membrane.domain.archive.side_lines import context_line, thread_line, topic_receipt_line
from membrane.domain.archive.topic_lines import (
    ArchivedLine,
    ArchivedTopic,
    large_values_of_topic,
    topic_line,
)
from membrane.domain.ingest.turns import thread_of
from membrane.domain.language.errors import Aborted, TooLarge
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.values import LargeValue
from membrane.domain.records.standing import thread_key
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.topics.erasing import without_erasure
from membrane.domain.topics.system_context import EVERYWHERE, KEPT_AS
from membrane.domain.topics.topic import Line, LineKey, Topic, TopicStatus, key_of
from membrane.table.items import LostRace
from membrane.usecases.machinery.calls import TRANSIENT, load_undamaged, until_won
from membrane.usecases.ports.walks import ArchivedItem
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.records.store import DynamoRecords


TOO_LONG = f"the line would exceed {MAX_LINE_BYTES} bytes"

MAX_EDGES = 1_000_000
"""Edges of one topic and direction."""


def load_values(
    wanted: Collection[LargeValue], records: "DynamoRecords"
) -> dict[LargeValue, bytes]:
    """The JSON texts of the values; raises TooLarge, before any value is loaded."""
    if sum(large.size for large in wanted) > MAX_LINE_BYTES:
        raise TooLarge(TOO_LONG)
    return {large: records.value(large) for large in wanted}


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


PORTION = 100
"""Items whose records and topics are loaded in one request."""

ExportLine = tuple[LineKind, bytes]


def lines_of_items(
    items: Sequence[ArchivedItem], export: Export, world: World
) -> Iterator[Iterable[ExportLine]]:
    """The lines of each item, in the order of the items."""
    for start in range(0, len(items), PORTION):
        portion = _Portion(items[start : start + PORTION], export, world)
        for item in items[start : start + PORTION]:
            yield portion.lines_of(item)


class _Portion:
    """The records and topics of some items of a walk."""

    def __init__(self, items: Sequence[ArchivedItem], export: Export, world: World) -> None:
        def ids_of(*kinds: LineKind) -> list[str]:
            return [*dict.fromkeys(each.id for each in items if each.kind in kinds)]

        records = world.records
        self.export = export
        self.world = world
        self.threads = set[bytes]()
        """The threads of the records so far, which have a line already."""
        self.records, self.damaged = load_undamaged(
            ids_of(LineKind.RECORD),
            partial(records.load_each, whole=True),
        )
        """The records, and by id the errors of those that cannot be read."""
        self.holders, _ = load_undamaged(ids_of(LineKind.RECEIPT), records.load_own)
        """The records of receipts."""
        self.topics = _selected_topics(ids_of(LineKind.TOPIC), export, world)

    def lines_of(self, item: ArchivedItem) -> Iterator[ExportLine]:
        selection, is_everything = self.export.selection, self.export.selection.is_everything
        match item.kind:
            case LineKind.RECORD:
                yield from self._of_record(item.id)
            case LineKind.RECEIPT if _selects(self.export, self.holders.get(item.id)):
                yield as_export_line(item.line)
            case LineKind.THREAD | LineKind.DAMAGED if is_everything:
                yield as_export_line(item.line)
            case LineKind.ACTION if selection.selects_all_of(item.scope):
                yield as_export_line(item.line)  # actions have no sensitivity, the scope's whole
            case LineKind.TOPIC if item.id in self.topics:
                yield from lines_or_damage(item.id, partial(self._of_topic, item.id))
            case LineKind.TOPIC_RECEIPT:
                of_receipt = partial(self._of_topic_receipt, item)
                yield from self._or_damage("a receipt of topics", of_receipt)
            case LineKind.SYSTEM_CONTEXT if is_everything:
                yield from lines_or_damage(f"the document {KEPT_AS}", self._of_context)
            case _:
                pass  # of another selection

    def _or_damage(
        self, name: str, make: Callable[[], Iterable[JsonObject]]
    ) -> Iterator[ExportLine]:
        """A limited export does not name what it could not read."""
        return lines_or_damage(name, make, is_named=self.export.selection.is_everything)

    def _of_record(self, record_id: str) -> Iterator[ExportLine]:
        """The line of a record; in a limited export, the line of the record's thread follows."""
        is_everything = self.export.selection.is_everything
        if record_id in self.damaged and is_everything:
            yield as_export_line(damaged_line(record_id))
        held = self.records.get(record_id)
        if held is None or not _selects(self.export, held):
            return
        yield from lines_or_damage(record_id, partial(self._of_held, held))
        thread = thread_of(held.record) if isinstance(held, StoredRecord) else None
        if thread is None or is_everything:
            return
        key = thread_key(held.scope, thread)
        if key not in self.threads:
            self.threads.add(key)
            yield from self._or_damage("the thread", partial(self._of_thread, key))

    def _of_held(self, held: AnyRecord) -> Iterator[JsonObject]:
        values = load_values(record_lines.large_values_of(held), self.world.records)
        yield record_lines.record_line(record_lines.ArchivedRecord(held, values))

    def _of_thread(self, key: bytes) -> Iterator[JsonObject]:
        turn = self.world.records.next_turn(key)
        if turn > 1:
            yield thread_line(key, turn)

    def _of_topic(self, topic_id: str) -> Iterator[JsonObject]:
        archived = load_whole_topic(topic_id, self.world)
        if archived is not None:
            yield topic_line(archived)

    def _of_topic_receipt(self, item: ArchivedItem) -> Iterator[JsonObject]:
        """The line of a receipt, if the export holds every topic of the receipt."""
        receipt = self.world.topics.find_receipt(bytes.fromhex(item.id))
        if receipt and _are_selected(receipt.topic_ids, self.export, self.world):
            yield topic_receipt_line(receipt)

    def _of_context(self) -> Iterator[JsonObject]:
        kept = self.world.topics.find_document(KEPT_AS, EVERYWHERE)
        if kept is not None:
            yield context_line(kept.progress)


def as_export_line(line: JsonObject) -> ExportLine:
    return LineKind(line["kind"]), encode_line(line)


def lines_or_damage(
    name: str, make: Callable[[], Iterable[JsonObject]], *, is_named: bool = True
) -> Iterator[ExportLine]:
    """The item's lines; of damage a line, if `is_named`. Raises TRANSIENT, Aborted."""
    try:
        found = [*map(as_export_line, make())]
    except (*TRANSIENT, Aborted):
        raise
    except TooLarge as error:
        found = [as_export_line(damaged_line(name, str(error)))]
    except Exception:  # noqa: BLE001 - one damaged item must not end every run at this item
        found = [as_export_line(damaged_line(name))]
    if any(len(line) > MAX_LINE_BYTES for _, line in found):
        found = [as_export_line(damaged_line(name, TOO_LONG))]
    yield from (each for each in found if is_named or each[0] is not LineKind.DAMAGED)


def _selects(export: Export, held: AnyRecord | None) -> bool:
    return held is not None and export.selection.selects(held.scope, held.sensitivity)


def _selected_topics(topic_ids: Sequence[str], export: Export, world: World) -> frozenset[str]:
    """The topics that the export holds; a limited export leaves damaged topics out."""
    if export.selection.is_everything:
        return frozenset(topic_ids)
    found, _ = load_undamaged(topic_ids, world.topics.load_all)
    return frozenset(
        topic_id
        for topic_id, topic in found.items()
        if export.selection.selects(topic.scope, topic.sensitivity)
        and _are_selected(_keepers_of(topic, world), export, world)
    )


def _keepers_of(topic: Topic, world: World) -> Sequence[str]:
    """The topics of an alias: the target of the first merge, the target of the next, to the last.

    The line of an alias has the fields of the keeper, so a key that may not read the keeper must
    not export the alias.
    """
    keepers: list[str] = []
    while topic.merged is not None and topic.merged.into not in keepers:
        keepers.append(topic.merged.into)
        found, _ = load_undamaged(keepers[-1:], world.topics.load_all)
        topic = found.get(keepers[-1], topic)
    return keepers


def _are_selected(topic_ids: Iterable[str], export: Export, world: World) -> bool:
    """Whether the export holds every topic; an export of everything also holds lost topics."""
    if export.selection.is_everything:
        return True
    wanted = list(dict.fromkeys(topic_ids))
    found, _ = load_undamaged(wanted, world.topics.load_all)
    return len(found) == len(wanted) and all(
        export.selection.selects(each.scope, each.sensitivity) for each in found.values()
    )
