"""The corpora of the scopes searched last, kept until their scopes move; the best of several."""

import zlib
from bisect import bisect_left, bisect_right
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock

from membrane.adapters.dynamodb.table.keys import thread_place
from membrane.domain.search.corpus import Corpus
from membrane.domain.search.entries import Entry
from membrane.domain.search.threads import NEIGHBOURS
from membrane.usecases.ports.search import MAX_FOUND, Search

MAX_BYTES = 256 * 1024 * 1024
"""What the corpora kept may take together; the one searched last is kept whatever it takes."""

ENTRY_BYTES = 600
"""What an entry takes beside what is packed and what is in arrays: it, its texts, its places."""

_LOCKS = 64


@dataclass(frozen=True, slots=True)
class ScopeCorpus:
    """The entries of a scope as they were at some version."""

    version: int
    corpus: Corpus
    threads: Mapping[str, Sequence[Entry]]
    """The entries of each thread, in their order."""
    taken_bytes: int

    @classmethod
    def of(cls, version: int, entries: Sequence[Entry]) -> "ScopeCorpus":
        """Of all entries that the scope has."""
        threads = defaultdict(list)
        for entry in entries:
            if entry.thread:
                threads[entry.thread].append(entry)
        for turns in threads.values():
            turns.sort(key=_place)
        corpus = Corpus.of(entries)
        return cls(version, corpus, threads, corpus.nbytes + ENTRY_BYTES * len(entries))

    def beside(self, entry: Entry) -> Sequence[Entry]:
        """Those just before and just after the entry's place, which need not be taken."""
        turns = self.threads.get(entry.thread, ())
        at = bisect_left(turns, _place(entry), key=_place)
        after = bisect_right(turns, _place(entry), key=_place)
        return [*turns[max(0, at - NEIGHBOURS) : at], *turns[after : after + NEIGHBOURS]]


@dataclass(frozen=True, slots=True)
class Corpora:
    """Keeps what was used last, and lets one thread at a time load a scope."""

    max_bytes: int = MAX_BYTES
    kept: "OrderedDict[str, ScopeCorpus]" = field(default_factory=OrderedDict)
    """By scope, what was used last at the end."""
    keeping: Lock = field(default_factory=Lock)
    loading: Sequence[Lock] = field(default_factory=lambda: [Lock() for _ in range(_LOCKS)])
    """A scope has one of them, which it may share with others."""

    def at(self, scope: str, version: int, load: Callable[[], Sequence[Entry]]) -> ScopeCorpus:
        """The scope's corpus as of that version or a later one, loaded where it is not kept."""
        with self.loading[zlib.crc32(scope.encode()) % _LOCKS]:
            found = self.newest(scope)
            if found is None or found.version < version:
                self._drop(scope)  # before the next is loaded: there is room for one, maybe
                found = ScopeCorpus.of(version, load())
                self._keep(scope, found)
            return found

    def newest(self, scope: str) -> ScopeCorpus | None:
        """What is kept of the scope."""
        with self.keeping:
            if scope in self.kept:
                self.kept.move_to_end(scope)
            return self.kept.get(scope)

    def _drop(self, scope: str) -> None:
        with self.keeping:
            self.kept.pop(scope, None)

    def _keep(self, scope: str, loaded: ScopeCorpus) -> None:
        with self.keeping:
            self.kept[scope] = loaded
            while len(self.kept) > 1 and self._taken() > self.max_bytes:
                self.kept.popitem(last=False)

    def _taken(self) -> int:
        return sum(each.taken_bytes for each in self.kept.values())


def best_of(corpora: Iterable[Corpus], search: Search) -> list[Entry]:
    """The likeliest entries of several corpora, MAX_FOUND at most; ties by record id."""
    ranked = [
        (score, corpus.entries[position])
        for corpus in corpora
        for score, position in corpus.likeliest(
            search.question,
            search.dense,
            search.frequencies,
            ceiling=search.ceiling,
            types=search.types,
            limit=MAX_FOUND,
        )
    ]
    ranked.sort(key=lambda found: (-found[0], found[1].record_id))
    return [entry for _, entry in ranked[:MAX_FOUND]]


def _place(entry: Entry) -> str:
    return thread_place(entry.order, entry.record_id)
