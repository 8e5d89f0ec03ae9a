"""Search over the fake store of entries, and receipts of its answers."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from membrane.adapters.embedders.lexical import LexicalEmbedder
from membrane.domain.access.trust import MAX_SCOPES
from membrane.domain.language.errors import WrongEmbedder
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.search.answer_receipts import AnswerReceipt
from membrane.domain.search.corpus import Corpus
from membrane.domain.search.entries import Entry
from membrane.domain.search.frequencies import Frequencies, together
from membrane.domain.search.threads import NEIGHBOURS
from membrane.usecases.ports.search import MAX_FOUND, Found, Search
from membrane.usecases.ports.search_receipts import RECEIPT_PERIOD
from membrane.usecases.ports.services import Clock
from tests.fakes.clock import FakeClock
from tests.fakes.entries import FakeEntries, FakeScope


@dataclass(slots=True)
class FakeSearch:
    """The SearchIndex over a FakeEntries: it looks at every entry, each time."""

    entries: FakeEntries

    def scopes(self) -> Sequence[str]:
        """See SearchIndex."""
        return list(self.entries.scopes)[: MAX_SCOPES + 1]

    def frequencies(self, scopes: Sequence[str], ceiling: Sensitivity) -> Frequencies:
        """See SearchIndex."""
        return together((self._scope(scope).snapshot for scope in scopes), ceiling)

    def search(self, search: Search) -> Found:
        """See SearchIndex."""
        ranked: list[tuple[float, Entry]] = []
        for scope in search.scopes:
            self._require_embedder(self._scope(scope).embedders)
            corpus = Corpus.of(self.entries.entries(scope))
            likeliest = corpus.likeliest(
                search.question,
                search.dense,
                search.frequencies,
                ceiling=search.ceiling,
                types=search.types,
                limit=MAX_FOUND,
            )
            ranked += [(score, corpus.entries[position]) for score, position in likeliest]
        ranked.sort(key=lambda found: (-found[0], found[1].record_id))
        return Found([entry for _, entry in ranked[:MAX_FOUND]])

    def at(self, places: Sequence[tuple[str, str]]) -> Sequence[Entry]:
        """See SearchIndex."""
        asked = dict.fromkeys(places)
        kept = [self.entries.places[place] for place in asked if place in self.entries.places]
        found = [each for each in kept if each.entry is not None]
        self._require_embedder({each.embedder for each in found})
        return [each.entry for each in found if each.entry is not None]

    def beside(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        """See SearchIndex."""
        known = {(each.scope, each.record_id) for each in entries}
        near = {
            (each.scope, each.record_id): each
            for entry in entries
            if entry.thread
            for each in self._near(entry)
        }
        return [each for place, each in near.items() if place not in known]

    def _near(self, entry: Entry) -> Sequence[Entry]:
        turns = sorted(
            (each for each in self.entries.entries(entry.scope) if each.thread == entry.thread),
            key=_place_in_thread,
        )
        before = [each for each in turns if _place_in_thread(each) < _place_in_thread(entry)]
        after = [each for each in turns if _place_in_thread(each) > _place_in_thread(entry)]
        return [*before[-NEIGHBOURS:], *after[:NEIGHBOURS]]

    def _scope(self, scope: str) -> FakeScope:
        return self.entries.scopes.get(scope, FakeScope())

    def _require_embedder(self, embedders: Collection[str]) -> None:
        for other in sorted(set(embedders) - {self.entries.embedder_name}):
            raise WrongEmbedder(f"made with {other}: run `membrane reindex`")


def _place_in_thread(entry: Entry) -> tuple[str, str]:
    return entry.order, entry.record_id


@dataclass(slots=True)
class FakeAnswers:
    """The AnswerReceipts in memory; `failing` is raised where it is set."""

    now: Clock = field(default_factory=FakeClock)
    kept: dict[str, tuple[AnswerReceipt, datetime]] = field(default_factory=dict)
    """With when each is over."""
    failing: Exception | None = None

    def keep(self, receipt: AnswerReceipt) -> None:
        """See AnswerReceipts."""
        if self.failing is not None:
            raise self.failing
        self.kept.setdefault(receipt.id, (receipt, self.now() + RECEIPT_PERIOD))

    def find(self, receipt_id: str) -> AnswerReceipt | None:
        """See AnswerReceipts."""
        receipt, end = self.kept.get(receipt_id, (None, self.now()))
        return receipt if end > self.now() else None


@dataclass(slots=True)
class FakeEmbedder:
    """The lexical embedder under some name, which remembers what it was asked."""

    name: str = "lexical"
    dimensions: int = 64
    asked: list[Sequence[str]] = field(default_factory=list)
    failing: Callable[[Sequence[str]], None] = lambda _: None
    """Asked first; raises what the embedder shall raise."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """See Embedder."""
        self.failing(texts)
        self.asked.append(texts)
        return LexicalEmbedder(self.dimensions).embed(texts)
