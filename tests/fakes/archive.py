"""Exports and restores over plain dicts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from membrane.domain.archive.topic_lines import ArchivedTopic, with_archive_names
from membrane.domain.archive.topic_side_lines import DOCUMENT_KINDS
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.values import LargeValue
from membrane.domain.records.stored import AnyRecord
from membrane.domain.topics.events import MAX_RESIDENT_EVENTS
from membrane.domain.topics.placing.statements import Statement
from membrane.domain.topics.revisions import Revision
from membrane.domain.topics.topic import Line
from membrane.usecases.ports.archive import (
    ArchivedItem,
    ArchivePage,
    DifferentItem,
    DocumentPlace,
    KeyedRecord,
    LoggedAction,
    NextTurn,
    ReceiptPlace,
    RecordPlace,
    StatementPlace,
    TopicPlace,
    WalkedItem,
)
from membrane.usecases.ports.catalogue import Checkpoint
from membrane.usecases.ports.names import NameChange
from membrane.usecases.ports.records import LostRace, Receipt
from membrane.usecases.ports.topics import ReceiptTaken, TopicIdTaken, TopicReceipt
from tests.fakes.records import FakeRecords, KeptReceipt
from tests.fakes.stand_in import StandIn
from tests.fakes.topics import FakeTopics


@dataclass(slots=True)
class FakeExports(StandIn):
    """A fake of DynamoExports over a FakeRecords; a page has `page_items` places."""

    records: FakeRecords
    topics: FakeTopics | None = None
    page_items: int = 3
    kept: dict[tuple[str, str], tuple[Checkpoint, int]] = field(default_factory=dict)
    """By owner and id: the export, and when it goes."""
    parts: dict[str, bytes] = field(default_factory=dict)

    def page(self, after: str | None) -> ArchivePage:
        """See DynamoExports."""
        topics = self.topics or FakeTopics(self.records)
        items: list[ArchivedItem] = [
            *(_record_or_receipt(each, held) for each, held in sorted(self.records.places.items())),
            *(NextTurn(each, turn) for each, turn in sorted(self.records.turns.items())),
            *map(TopicPlace, sorted(topics.topics)),
            *map(StatementPlace, sorted(topics.statements)),
            *(ReceiptPlace(each, int(end)) for each, (_, end) in sorted(topics.receipts.items())),
            *_logged_actions(topics),
            *(
                DocumentPlace(name, scope)
                for name, scope in sorted(topics.documents)
                if name in DOCUMENT_KINDS
            ),
        ]
        start = 0 if after is None else int(after)
        end = start + self.page_items
        walked = [WalkedItem(item, str(place)) for place, item in enumerate(items, 1)]
        return ArchivePage(walked[start:end], str(end) if end < len(items) else None)

    def job(self, owner: str, export_id: str) -> Checkpoint | None:
        """See DynamoExports."""
        found = self.kept.get((owner, export_id))
        return None if found is None or self._is_past(found[1]) else found[0]

    def jobs(self, owner: str) -> Sequence[JsonObject]:
        """See DynamoExports."""
        return [
            kept.progress
            for (of, _), (kept, expires_at_s) in self.kept.items()
            if of == owner and not self._is_past(expires_at_s)
        ]

    def keep_job(
        self, owner: str, export: JsonObject, expires_at_s: int, before: Checkpoint | None
    ) -> Checkpoint:
        """See DynamoExports."""
        there = self.kept.get((owner, export["id"]))
        if before is None and there is not None and not self._is_past(there[1]):
            raise LostRace
        if before is not None and (there is None or there[0].revision != before.revision):
            raise LostRace
        kept = Checkpoint(export, 1 if before is None else before.revision + 1)
        self.kept[owner, export["id"]] = kept, expires_at_s
        return kept

    def keep_part(self, name: str, content: bytes) -> None:
        """See DynamoExports."""
        self.parts[name] = content

    def link(self, name: str) -> str:
        """See DynamoExports."""
        return f"https://bucket/{name}"

    def _is_past(self, instant_s: int) -> bool:
        return instant_s <= epoch_seconds(self.records.now())


@dataclass(slots=True)
class FakeRestores(StandIn):
    """A fake of DynamoRestores over a FakeRecords."""

    records: FakeRecords

    def restore_record(
        self,
        held: AnyRecord,
        values: Mapping[LargeValue, bytes],
        names: Sequence[NameChange] = (),
    ) -> None:
        """See DynamoRestores."""
        self.records.names.require_unchanged(names)
        self.records.put_restored(held, values)
        self.records.names.change(names)

    def restore_receipt(self, keyed: KeyedRecord) -> bool:
        """See DynamoRestores."""
        receipt, record_id = keyed
        new = KeptReceipt(record_id, receipt.fingerprint)
        there = self.records.places.setdefault(receipt.keyed_id, new)
        if there is new:
            return True
        if there == new:
            return False
        raise DifferentItem

    def restore_thread(self, thread: NextTurn) -> bool:
        """See DynamoRestores."""
        is_later = thread.turn > self.records.turns.get(thread.key, 0)
        if is_later:
            self.records.turns[thread.key] = thread.turn
        return is_later


def _record_or_receipt(name: str, held: AnyRecord | KeptReceipt) -> RecordPlace | KeyedRecord:
    if isinstance(held, KeptReceipt):
        return KeyedRecord(Receipt(name, held.fingerprint), held.record_id)
    return RecordPlace(name)


def _logged_actions(topics: FakeTopics) -> list[LoggedAction]:
    found = []
    for scope, actions in sorted(topics.actions.items()):
        for place, action in sorted(actions.items()):
            at, _, action_id = place.partition("#")
            found.append(LoggedAction(scope, f"{at}Z", action_id, dict(action)))
    return found


@dataclass(slots=True)
class FakeTopicRestores(StandIn):
    """A fake of DynamoTopicRestores over a FakeTopics."""

    topics: FakeTopics

    def restore_topic(self, archived: ArchivedTopic) -> None:
        """See DynamoTopicRestores."""
        topic, topics = archived.topic, self.topics
        if topic.id in topics.topics:
            raise TopicIdTaken
        self._require_places(archived)
        names = {}
        for line in archived.lines:
            _add_missing(topics.revisions.setdefault(line.key, []), line.revisions)
            for archive, revisions in line.archives:
                stored = topics.archive(Line(*line.key), revisions)
                names[line.key, archive.sha256] = stored.sha256
        topics.records.values |= archived.values
        topics.links |= {(each.from_id, each.to_id, each.kind): each for each in archived.edges}
        if archived.access is not None:
            topics.reads[topic.id] = archived.access
        topics.trails[topic.id] = topic.trail
        topics.topics[topic.id] = with_archive_names(
            replace(topic, trail=topic.trail[-MAX_RESIDENT_EVENTS:]), names
        )

    def restore_receipt(self, receipt: TopicReceipt, expires_at_s: int) -> None:
        """See DynamoTopicRestores."""
        if self.topics.find_receipt(receipt.identity) is not None:
            raise ReceiptTaken
        self.topics.receipts[receipt.identity] = receipt, expires_at_s

    def restore_statement(self, statement: Statement) -> None:
        """See DynamoTopicRestores."""
        if self.topics.statements.setdefault(statement.record_id, statement) is not statement:
            raise LostRace

    def restore_action(self, logged: LoggedAction) -> bool:
        """See DynamoTopicRestores."""
        place = f"{logged.at.removesuffix('Z')}#{logged.id}"
        if (logged.scope, logged.id) not in self.topics.logged:
            self.topics.log(logged.scope, logged.action, logged.at, logged.id)
            return True
        if self.topics.actions.get(logged.scope, {}).get(place) != logged.action:
            raise DifferentItem
        return False

    def _require_places(self, archived: ArchivedTopic) -> None:
        for line in archived.lines:
            there = self.topics.revisions.get(line.key, [])
            holder = self.topics.topics.get(line.key[0])
            is_shown = holder is not None and line.key in holder.lines
            if any(each not in line.revisions for each in there) or (
                is_shown and any(each not in there for each in line.revisions)
            ):
                raise DifferentItem
        for edge in archived.edges:
            if self.topics.links.get((edge.from_id, edge.to_id, edge.kind), edge) != edge:
                raise DifferentItem
        there_access = self.topics.reads.get(archived.topic.id)
        if there_access is not None and there_access != archived.access:
            raise DifferentItem


def _add_missing(known: list[Revision], given: Sequence[Revision]) -> None:
    known.extend(each for each in given if each not in known)


@dataclass(slots=True)
class FakeWalks(StandIn):
    """A fake of DynamoWalks."""

    kept: dict[tuple[str, str], Checkpoint] = field(default_factory=dict)

    def find(self, about: str, which: str) -> Checkpoint | None:
        """See DynamoWalks."""
        return self.kept.get((about, which))

    def keep(self, about: str, which: str, kept: JsonObject, before: Checkpoint | None) -> None:
        """See DynamoWalks."""
        if self.kept.get((about, which)) != before:
            raise LostRace
        revision = 1 if before is None else before.revision + 1
        self.kept[about, which] = Checkpoint(kept, revision)
