"""A fake of DynamoIntegrity over plain dicts: records alone, each a page."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from membrane.domain.integrity.anchors import SignedAnchor
from membrane.domain.integrity.leaves import leaf_of_record
from membrane.domain.language.json_text import JsonObject
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ports.catalogue import Checkpoint
from membrane.usecases.ports.integrity import LeafPage, SourcePage, StoredAnchor, WrongInverse
from membrane.usecases.ports.names import NameChange
from membrane.usecases.ports.records import Head, LostRace
from tests.fakes.records import FakeRecords, KeptReceipt
from tests.fakes.stand_in import StandIn


@dataclass(slots=True)
class FakeIntegrity(StandIn):
    """A fake of DynamoIntegrity."""

    records: FakeRecords
    kept: dict[str, SignedAnchor] = field(default_factory=dict)
    checkpoint: Checkpoint | None = None

    def leaves(self, after: str | None) -> LeafPage:
        """See DynamoIntegrity."""
        page = self.sources(after)
        places = (self.records.places[each] for each in page.record_ids)
        leaves = [leaf_of_record(each) for each in places if not isinstance(each, KeptReceipt)]
        return LeafPage(leaves, (), (), page.next)

    def sources(self, after: str | None) -> SourcePage:
        """See DynamoIntegrity."""
        places = self.records.places
        ids = sorted(each for each in places if not isinstance(places[each], KeptReceipt))
        left = [each for each in ids if after is None or each > after]
        return SourcePage(left[:1], (), (), left[0] if len(left) > 1 else None)

    def wrong_inverses(self, _records: Sequence[StoredRecord]) -> Sequence[WrongInverse]:
        """None: fake edges are read from the relations."""
        return ()

    def put_inverse(self, wrong: WrongInverse) -> None:
        """Refused: no inverse is wrong."""
        raise AssertionError(wrong)

    def put_names(self, stored: StoredRecord, names: Sequence[NameChange]) -> None:
        """See DynamoIntegrity."""
        present = self.records.places.get(stored.id)
        if not isinstance(present, StoredRecord) or present.version != stored.version:
            raise LostRace
        self.records.names.require_unchanged(names)
        self.records.names.change(names)

    def lacking_vectors(self, _record_ids: Sequence[str]) -> Sequence[str]:
        """The fakes of vectors are elsewhere."""
        return ()

    def make_stale(self, record_id: str, since: str) -> None:
        """See DynamoIntegrity."""
        self.records.stale[record_id] = since

    def put_head(self, head: Head) -> None:
        """See DynamoIntegrity."""
        if self.records.head(head.key).version != head.version:
            raise LostRace
        self.records.heads[head.key] = head._replace(version=head.version + 1)

    def anchors(self) -> Sequence[StoredAnchor]:
        """See DynamoIntegrity."""
        return [StoredAnchor(each, self.kept[each]) for each in sorted(self.kept)]

    def newest_anchors(self, count: int) -> Sequence[StoredAnchor]:
        """See DynamoIntegrity."""
        return self.anchors()[::-1][:count]

    def keep_anchor(self, signed: SignedAnchor) -> None:
        """See DynamoIntegrity."""
        instant = signed.anchor.instant
        if instant in self.kept and self.kept[instant].anchor != signed.anchor:
            raise LostRace
        self.kept[instant] = signed

    def progress(self) -> Checkpoint | None:
        """See DynamoIntegrity."""
        return self.checkpoint

    def keep_progress(self, progress: JsonObject, before: Checkpoint | None) -> Checkpoint:
        """See DynamoIntegrity."""
        if before != self.checkpoint:
            raise LostRace
        revision = 1 if before is None else before.revision + 1
        self.checkpoint = Checkpoint(progress, revision)
        return self.checkpoint
