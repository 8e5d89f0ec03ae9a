"""Exports and restores over plain dicts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.values import LargeValue
from membrane.domain.records.stored import AnyRecord
from membrane.usecases.ports.archive import ArchivePage, DifferentItem, KeyedRecord, NextTurn
from membrane.usecases.ports.catalogue import Checkpoint
from membrane.usecases.ports.records import LostRace, Receipt
from tests.fakes.records import FakeRecords, KeptReceipt


@dataclass(slots=True)
class FakeExports:
    """An ExportStore in memory over a FakeRecords; a page has `page_items` places."""

    records: FakeRecords
    page_items: int = 3
    kept: dict[tuple[str, str], tuple[Checkpoint, int]] = field(default_factory=dict)
    """By owner and id: the export, and when it goes."""
    parts: dict[str, bytes] = field(default_factory=dict)

    def page(self, after: str | None) -> ArchivePage:
        """See ExportStore."""
        places: list[str | bytes] = [*sorted(self.records.places), *sorted(self.records.turns)]
        start = 0 if after is None else int(after)
        names = list(islice(places, start, start + self.page_items))
        ids = [name for name in names if isinstance(name, str)]
        held = {each: self.records.places[each] for each in ids}
        following = start + self.page_items
        return ArchivePage(
            [each for each, place in held.items() if not isinstance(place, KeptReceipt)],
            [
                KeyedRecord(Receipt(each, place.fingerprint), place.record_id)
                for each, place in held.items()
                if isinstance(place, KeptReceipt)
            ],
            [NextTurn(key, self.records.turns[key]) for key in names if isinstance(key, bytes)],
            str(following) if following < len(places) else None,
        )

    def job(self, owner: str, export_id: str) -> Checkpoint | None:
        """See ExportStore."""
        found = self.kept.get((owner, export_id))
        return None if found is None or self._is_past(found[1]) else found[0]

    def jobs(self, owner: str) -> Sequence[JsonObject]:
        """See ExportStore."""
        return [
            kept.progress
            for (of, _), (kept, expires_at_s) in self.kept.items()
            if of == owner and not self._is_past(expires_at_s)
        ]

    def keep_job(
        self, owner: str, export: JsonObject, expires_at_s: int, before: Checkpoint | None
    ) -> Checkpoint:
        """See ExportStore."""
        there = self.kept.get((owner, export["id"]))
        if before is None and there is not None and not self._is_past(there[1]):
            raise LostRace
        if before is not None and (there is None or there[0].revision != before.revision):
            raise LostRace
        kept = Checkpoint(export, 1 if before is None else before.revision + 1)
        self.kept[owner, export["id"]] = kept, expires_at_s
        return kept

    def keep_part(self, name: str, content: bytes) -> None:
        """See ExportStore."""
        self.parts[name] = content

    def link(self, name: str) -> str:
        """See ExportStore."""
        return f"https://bucket/{name}"

    def _is_past(self, instant_s: int) -> bool:
        return instant_s <= epoch_seconds(self.records.now())


@dataclass(slots=True)
class FakeRestores:
    """A RestoreStore in memory over a FakeRecords."""

    records: FakeRecords

    def restore_record(self, held: AnyRecord, values: Mapping[LargeValue, bytes]) -> None:
        """See RestoreStore."""
        self.records.put_restored(held, values)

    def restore_receipt(self, keyed: KeyedRecord) -> bool:
        """See RestoreStore."""
        receipt, record_id = keyed
        new = KeptReceipt(record_id, receipt.fingerprint)
        there = self.records.places.setdefault(receipt.keyed_id, new)
        if there is new:
            return True
        if there == new:
            return False
        raise DifferentItem

    def restore_thread(self, thread: NextTurn) -> bool:
        """See RestoreStore."""
        is_new = thread.key not in self.records.turns
        if self.records.turns.setdefault(thread.key, thread.turn) != thread.turn:
            raise DifferentItem
        return is_new
