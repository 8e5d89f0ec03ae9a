"""Search over the fake store of vectors, and receipts of its answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np

from membrane.domain.access.trust import MAX_SCOPES
from membrane.domain.language.errors import WrongEmbedder
from membrane.domain.search.answer_receipts import AnswerReceipt
from membrane.domain.search.entries import Entry, unpack_dense, unpack_terms
from membrane.domain.search.vectors import hybrid, hybrid_question
from membrane.usecases.ports.search import MAX_FOUND, RECEIPT_PERIOD, Search, SearchResult
from membrane.usecases.ports.services import Clock
from tests.fakes.clock import FakeClock
from tests.fakes.hashing import HashingEmbedder
from tests.fakes.stand_in import StandIn
from tests.fakes.vectors import FakeVectors, KeptVector


@dataclass(slots=True)
class FakeSearch(StandIn):
    """A fake of VectorSearch over a FakeVectors: it compares every vector with the question's."""

    vectors: FakeVectors

    def scopes(self, prefix: str = "") -> Sequence[str]:
        """See VectorSearch."""
        known = [scope for scope in self.vectors.levels if scope.startswith(prefix)]
        return known[: MAX_SCOPES + 1]

    def search(self, search: Search) -> SearchResult:
        """See VectorSearch."""
        question = np.array(hybrid_question(search.question, search.dense))
        if not question.any():
            return SearchResult((), 0)
        asked = [
            each
            for each in self.vectors.living
            if each.entry.scope in search.scopes
            and each.entry.sensitivity.level <= search.ceiling.level
            and each.entry.type in search.types
        ]
        self._require_embedder(asked)
        entries = [each.of(len(search.dense)) for each in asked]
        compared = [(_cosine(question, each), each) for each in entries]
        near = [found for found in compared if found[0] is not None]
        near.sort(key=lambda found: (-(found[0] or 0.0), found[1].record_id))
        return SearchResult([entry for _, entry in near[:MAX_FOUND]], 0)

    def at(self, source_ids: Sequence[str], dimensions: int) -> Sequence[Entry]:
        """See VectorSearch."""
        superseded = self.vectors.superseded
        found = [
            each
            for each in self.vectors.living
            if each.entry.record_id in source_ids
            and each.version > superseded.get(each.entry.record_id, -1)
        ]
        self._require_embedder(found)
        return [each.of(dimensions) for each in found]

    def _require_embedder(self, found: Sequence[KeptVector]) -> None:
        for each in found:
            if each.embedder != self.vectors.embedder:
                raise WrongEmbedder(f"made with {each.embedder}: run `membrane reindex`")


def _cosine(question: "np.ndarray[Any, Any]", entry: Entry) -> float | None:
    """None where the entry's text has nothing in it, so that the index does not have it."""
    vector = np.array(hybrid(unpack_dense(entry.dense), unpack_terms(entry.terms)))
    if not vector.any():
        return None
    return float(question @ vector / np.linalg.norm(question) / np.linalg.norm(vector))


@dataclass(slots=True)
class FakeAnswers(StandIn):
    """A fake of DynamoReceipts; `failing` is raised where it is set."""

    now: Clock = field(default_factory=FakeClock)
    kept: dict[str, tuple[AnswerReceipt, datetime]] = field(default_factory=dict)
    """With when each is over."""
    failing: Exception | None = None

    def keep(self, receipt: AnswerReceipt) -> None:
        """See DynamoReceipts."""
        if self.failing is not None:
            raise self.failing
        self.kept.setdefault(receipt.id, (receipt, self.now() + RECEIPT_PERIOD))

    def find(self, receipt_id: str) -> AnswerReceipt | None:
        """See DynamoReceipts."""
        receipt, end = self.kept.get(receipt_id, (None, self.now()))
        return receipt if end > self.now() else None


@dataclass(slots=True)
class FakeEmbedder:
    """The hashing embedder under some name, which remembers what it was asked."""

    name: str = "lexical"
    dimensions: int = 64
    concurrency: int | None = None
    asked: list[Sequence[str]] = field(default_factory=list)
    failing: Callable[[Sequence[str]], None] = lambda _: None
    """Asked first; raises what the embedder shall raise."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """See Embedder."""
        self.failing(texts)
        self.asked.append(texts)
        return HashingEmbedder(self.dimensions).embed(texts)
