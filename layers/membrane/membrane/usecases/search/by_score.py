"""Candidates by what they have to do with the task, fused with what else speaks for them.

The parts of relevance come from the search index. A record is read when it may be next: its score
is at most what its parts and the best of salience, recency and selector would give. So of all that
a search finds, those are read that are needed.

Salience and recency, too, must not carry a candidate that its neighbours lift past one that matches
better by itself. The better one is read first, since it may have the higher score.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from heapq import heappop, heappush

from membrane.domain.access.trust import View
from membrane.domain.language.timestamps import from_epoch_seconds
from membrane.domain.records.states import is_contested
from membrane.domain.records.stored import StoredRecord
from membrane.domain.search.entries import Entry, pack_dense
from membrane.domain.search.fusion import CONTESTED, Weights, recency
from membrane.domain.search.questions import question_of
from membrane.domain.search.relevance import (
    JUST_BELOW,
    Parts,
    Relevance,
    Scale,
    relevance,
    relevance_by_scale,
)
from membrane.domain.search.searchable import entry_of, searchable
from membrane.domain.search.selection import SELECTABLE, selector_score
from membrane.usecases.ports.search import Search
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.search.judging import Candidate, Judge

READ_AT_ONCE = 16

_AT_BEST = {"salience": 1.0, "recency": 1.0}
_MATCH = ("lexical", "dense")
_AT_BEST_OF_SELECTABLE = {**_AT_BEST, "selector": 1.0}


def by_score(told: Sequence[Candidate], judge: Judge, services: ReadingServices) -> "ByScore":
    """What the index finds for the task, and what tokens name of what is seen in full.

    Raises WrongEmbedder.
    """
    asked = judge.inquiry
    question = question_of(asked.task, from_epoch_seconds(judge.at_s))
    (dense,) = services.embedder.embed([question.text])
    search = Search(question, dense, asked.scopes, asked.gate.asked.ceiling, frozenset(asked.types))
    hits = _seen(services.search.search(search).entries, judge)
    entries = {entry.record_id: entry for entry in hits}
    entries |= _not_indexed(told, entries, services)
    listed = [entry for entry in entries.values() if entry.type in asked.types]
    relevances = relevance(question, dense, listed, services.weights)
    possible = {entry.record_id: its for entry, its in zip(listed, relevances, strict=True)}
    selectable = frozenset(entry.record_id for entry in listed if entry.type in SELECTABLE)
    best = max((its.match for its in relevances), default=0.0)

    scale = cache(lambda: Scale.of(question, dense, listed, services.weights))

    def beside(record_ids: Sequence[str]) -> Iterable[tuple[Entry, Relevance]]:
        stored = services.search.at(record_ids, len(dense))
        return zip(stored, relevance_by_scale(scale(), stored), strict=True)

    return ByScore(possible, selectable, best, beside, judge, services.weights)


def _not_indexed(
    told: Sequence[Candidate], found: Mapping[str, Entry], services: ReadingServices
) -> Mapping[str, Entry]:
    """By record id, entries of records seen in full that the search did not find as they are.

    A token lives longer than the index takes: most of the records were found, and an embedding
    costs as much as a small search.
    """
    texts, entries = list[str](), list[Entry]()
    for record in (each.stored.record for each in told if each.view is View.FULL):
        its = searchable(record)
        entry, indexed = entry_of(record, its, ()), found.get(record.id)
        if indexed is None or entry != replace(indexed, dense=entry.dense):
            texts.append(its.text)
            entries.append(entry)
    vectors = services.embedder.embed(texts) if texts else ()
    return {
        entry.record_id: replace(entry, dense=pack_dense(vector))
        for entry, vector in zip(entries, vectors, strict=True)
    }


def _seen(entries: Sequence[Entry], judge: Judge) -> list[Entry]:
    """Those that are seen in full, as far as the index knows; the others are counted."""
    seen = []
    for entry in entries:
        view = judge.inquiry.gate.view(entry.scope, entry.sensitivity)
        judge.count(entry.record_id, view)
        if view is View.FULL:
            seen.append(entry)
    return seen


@dataclass(slots=True)
class ByScore:
    """Candidates by their fused score, read from the store as they are needed.

    Ties go by salience, then the newer comes first, then by id.
    """

    relevance: dict[str, Relevance]
    """Of all that was found, and of what was measured beside it, by record id."""
    selectable: frozenset[str]
    best_match: float
    """How well the best that was found matches by itself, from 0 to 1."""
    beside: Callable[[Sequence[str]], Iterable[tuple[Entry, Relevance]]]
    """The stored entries of records that were not found, each with its relevance."""
    judge: Judge
    weights: Weights
    scale: float = field(init=False)
    """Makes scores of different questions comparable: the best has `best_match` at most."""
    bounds: dict[str, float] = field(init=False)
    """The most that each can score, by record id."""
    read: dict[str, Candidate | None] = field(default_factory=dict)
    """What became of each that was read, by record id."""

    def __post_init__(self) -> None:
        highest = {each: self._at_best(each) for each in self.relevance}
        top = max(highest.values(), default=0.0)
        self.scale = min(1.0, self.best_match) / top if top > 0.0 else 0.0
        self.bounds = {each: self.scale * weighed for each, weighed in highest.items()}

    @property
    def below_floor(self) -> Sequence[str]:
        """Ids of what scores less than the floor, as far as can be told without reading."""
        floor = self.judge.inquiry.min_score
        known = {each: found.score for each, found in self.read.items() if found is not None}
        return [each for each, bound in self.bounds.items() if known.get(each, bound) < floor]

    @property
    def scored(self) -> Sequence[Candidate]:
        there = [candidate for candidate in self.read.values() if candidate is not None]
        return sorted(there, key=lambda each: each.fused_place)

    def candidates(self, at_once: int) -> Iterator[Candidate]:
        """The best first; so many records are read at first, or READ_AT_ONCE."""
        at_once = max(at_once, READ_AT_ONCE)
        floor, bounds = self.judge.inquiry.min_score, self.bounds
        possible = [each for each, bound in bounds.items() if bound >= floor]
        unread = sorted(possible, key=lambda each: (-bounds[each], each))
        waiting: list[tuple[tuple[float, float, float, str], Candidate]] = []
        while unread or waiting:
            if waiting and (not unread or waiting[0][1].score > bounds[unread[0]]):
                candidate = heappop(waiting)[1]
                if candidate.score >= floor:
                    yield candidate
            else:
                for candidate in self._read(unread[:at_once]):
                    heappush(waiting, (candidate.fused_place, candidate))
                unread, at_once = unread[at_once:], READ_AT_ONCE

    def measure(self, record_ids: Iterable[str]) -> None:
        """Take in further records by their stored entries; raises WrongEmbedder."""
        missing = [each for each in record_ids if each not in self.relevance]
        for entry, its in self.beside(missing) if missing else ():
            record_id = entry.record_id
            self.relevance[record_id] = its
            if entry.type in SELECTABLE:
                self.selectable |= {record_id}
            self.bounds[record_id] = self.scale * self._at_best(record_id)

    def above_floor(self, record_id: str) -> Candidate | None:
        """The record with its score; None where that is below the floor, or unknown.

        A record has no entry before it is indexed: it comes a moment later or, at once, to who
        names its consistency token. A redacted record is never scored.
        """
        found = self._read([record_id]) if record_id in self.relevance else []
        return next((each for each in found if each.score >= self.judge.inquiry.min_score), None)

    def selectable_ones(self) -> Sequence[Candidate]:
        return self._read(sorted(self.selectable))

    def _read(self, record_ids: Sequence[str]) -> list[Candidate]:
        missing = [each for each in record_ids if each not in self.read]
        living = self.judge.hydration.living(missing)
        for each in missing:
            self.read[each] = self._judged(living.get(each))
        return [found for each in record_ids if (found := self.read[each]) is not None]

    def _judged(self, stored: StoredRecord | None) -> Candidate | None:
        candidate = None if stored is None else self.judge.judged(stored)
        if candidate is None or candidate.view is not View.FULL:
            return None
        return self._with_score(candidate)

    def _at_best(self, record_id: str) -> float:
        best = _AT_BEST_OF_SELECTABLE if record_id in self.selectable else _AT_BEST
        return self.weights.score({**self.relevance[record_id].parts, **best})

    def _with_score(self, candidate: Candidate) -> Candidate:
        stored, at_s = candidate.stored, self.judge.at_s
        parts = {
            **self.relevance[candidate.id].parts,
            "salience": min(1.0, candidate.salience),
            "recency": recency(at_s - stored.born_s),
        }
        if stored.type in SELECTABLE:
            parts["selector"] = selector_score(stored.record, at_s)
        self._defer(parts)
        score = min(1.0, self.scale * self.weights.score(parts))
        if is_contested(stored.record.payload):
            score *= CONTESTED
        return replace(candidate, score=score, parts=parts)

    def _defer(self, parts: Parts) -> None:
        """Lower what neighbours lend to where it lifts past nothing that matches better."""
        if not (parts["neighbours"] and self.weights.neighbours and self.scale):
            return
        better = [
            each.score / self.scale
            for each in self.read.values()
            if each is not None and all(each.parts[name] > parts[name] for name in _MATCH)
        ]
        if better:
            room = min(better) - JUST_BELOW - self.weights.score({**parts, "neighbours": 0.0})
            most = max(0.0, room / self.weights.neighbours)
            parts["neighbours"] = min(parts["neighbours"], most)
