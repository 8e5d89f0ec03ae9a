"""Services of keyed documents over fakes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from membrane.adapters.dynamodb.documents.document_store import DynamoDocuments
from membrane.domain.documents.document import Document, Version
from membrane.domain.language.values import LargeValue
from membrane.usecases.ports.documents import Once
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.search import Embedder
from membrane.usecases.ports.services import Clock, Services
from membrane.usecases.ports.services_documents import DocumentServices
from tests.fakes.clock import FakeClock
from tests.fakes.documents import FakeDocuments, in_own_life
from tests.fakes.records import FakeRecords
from tests.fakes.search import FakeEmbedder
from tests.fakes.world import CURSOR_KEY, make_services


@dataclass(slots=True)
class SharingDocuments(FakeDocuments):
    """Keeps the texts of large values where the records read theirs, as the bucket does."""

    values: dict[LargeValue, bytes] = field(default_factory=dict)

    def replace(
        self,
        before: Document | None,
        after: Document,
        leaving: Sequence[Version] = (),
        *,
        history_until_s: float,
        large: Mapping[LargeValue, bytes],
        once: Once | None = None,
    ) -> None:
        """See DynamoDocuments."""
        self.values.update(in_own_life(after, large))
        FakeDocuments.replace(
            self, before, after, leaving, history_until_s=history_until_s, large=large, once=once
        )


@dataclass(slots=True)
class LosingDocuments(FakeDocuments):
    """Writes, and then reports a lost race for the first `lost` writes: the reply was lost."""

    lost: int = 1

    def replace(
        self,
        before: Document | None,
        after: Document,
        leaving: Sequence[Version] = (),
        *,
        history_until_s: float,
        large: Mapping[LargeValue, bytes],
        once: Once | None = None,
    ) -> None:
        """See DynamoDocuments."""
        FakeDocuments.replace(
            self, before, after, leaving, history_until_s=history_until_s, large=large, once=once
        )
        if self.lost:
            self.lost -= 1
            raise LostRace


def keeping(
    *,
    now: Clock | None = None,
    documents: DynamoDocuments | None = None,
    embedder: Embedder | None = None,
    **others: Any,
) -> DocumentServices:
    """DocumentServices over fakes, but for the parts given."""
    clock = now or FakeClock()
    records = FakeRecords(clock)
    usual = make_services(now=clock, records=records, **others)
    present = embedder or FakeEmbedder()
    shared = SharingDocuments(usual.blobs, clock, values=records.values)
    return DocumentServices(
        **{each.name: getattr(usual, each.name) for each in fields(Services)},
        documents=documents or shared,
        embedder=lambda: present,
        cursor_key=lambda: CURSOR_KEY,
    )
