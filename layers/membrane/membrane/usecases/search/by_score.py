"""Candidates in the order of the score: relevance, salience, recency, selector, usefulness.

The parts of relevance come from the search index, and bound the score: a record scores at most the
weighted parts with the best possible salience, recency and selector. Records are read in the order
of the bounds, and a candidate is final once its score exceeds every bound of an unread record. A
search therefore reads only the records that a page needs.

Usefulness lowers a score without a limit, and raises a score no higher than the bound: it makes up
for faded salience. A search of records without credit reads as many records as without the part.

A borrowed `neighbours` part must not lift a candidate above a candidate with a better match, also
when salience and recency differ. The candidate with the better match may have the higher score, and
is read first.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from heapq import heappop, heappush

from membrane.domain.access.trust import View
from membrane.domain.language.timestamps import from_epoch_seconds
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.standing import is_contested
from membrane.domain.records.stored import StoredRecord
from membrane.domain.search.entries import Entry, pack_dense
from membrane.domain.search.questions import Question, question_of
from membrane.domain.search.relevance import (
    JUST_BELOW,
    Parts,
    Relevance,
    Scale,
    relevance,
    relevance_by_scale,
)
from membrane.domain.search.score import CONTESTED, USEFULNESS, Weights, recency
from membrane.domain.search.searchable import entry_of, searchable
from membrane.domain.search.selection import SELECTABLE, contender_of
from membrane.domain.search.selector import Applicability, applicability
from membrane.usecases.ports.search import Search
from membrane.usecases.ports.world import World
from membrane.usecases.search.judging import Candidate, Judge

READ_AT_ONCE = 16

_AT_BEST = {"salience": 1.0, "recency": 1.0}
_MATCH = ("lexical", "dense")
_AT_BEST_OF_SELECTABLE = {**_AT_BEST, "selector": 1.0}


def by_score(fresh: Sequence[Candidate], judge: Judge, world: World) -> "ByScore":
    """Search for the task; `fresh` are the records that consistency tokens name.

    Raises WrongEmbedder if the index has no vectors of the question's embedder.
    """
    asked = judge.inquiry
    question = question_of(asked.task, from_epoch_seconds(judge.at_s))
    (dense,) = world.embedder.embed([question.text])
    search = Search(question, dense, asked.scopes, asked.gate.asked.ceiling, frozenset(asked.types))
    hits = _visible_entries(world.search.search(search).entries, judge)
    entries = {entry.record_id: entry for entry in hits}
    entries |= _not_indexed(fresh, entries, world)
    listed = [entry for entry in entries.values() if entry.type in asked.types]
    relevances = relevance(question, dense, listed, world.weights)
    possible = {entry.record_id: each for entry, each in zip(listed, relevances, strict=True)}
    selectable = frozenset(entry.record_id for entry in listed if entry.type in SELECTABLE)
    best = max((each.match for each in relevances), default=0.0)

    scale = cache(lambda: Scale.of(question, dense, listed, world.weights))

    def outsiders(record_ids: Sequence[str]) -> Iterable[tuple[Entry, Relevance]]:
        stored = world.search.at(record_ids, len(dense))
        return zip(stored, relevance_by_scale(scale(), stored), strict=True)

    return ByScore(question, listed, possible, selectable, best, outsiders, judge, world.weights)


def _not_indexed(
    fresh: Sequence[Candidate], found: Mapping[str, Entry], world: World
) -> Mapping[str, Entry]:
    """Entries, by id, of the fully visible records that the index does not have in this version.

    Only missing or outdated entries are embedded: tokens outlive the index's delay, so the search
    has found most of the records, and an embedding costs as much as a small search.
    """
    texts, entries = list[str](), list[Entry]()
    for record in (each.stored.record for each in fresh if each.view is View.FULL):
        found_text = searchable(record)
        entry, indexed = entry_of(record, found_text, ()), found.get(record.id)
        if indexed is None or entry != replace(indexed, dense=entry.dense):
            texts.append(found_text.text)
            entries.append(entry)
    vectors = world.embedder.embed(texts) if texts else ()
    return {
        entry.record_id: replace(entry, dense=pack_dense(vector))
        for entry, vector in zip(entries, vectors, strict=True)
    }


def _visible_entries(entries: Sequence[Entry], judge: Judge) -> list[Entry]:
    visible = []
    for entry in entries:
        view = judge.inquiry.gate.view(entry.scope, entry.sensitivity)
        judge.count(entry.record_id, view)
        if view is View.FULL:
            visible.append(entry)
    return visible


@dataclass(slots=True)
class ByScore:
    """Candidates in the order of the score; records are read when a page needs them.

    Equal scores are ordered by salience, then by creation (newer first), then by id.
    """

    question: Question
    entries: Sequence[Entry]
    """The entries of the found records."""
    relevance: dict[str, Relevance]
    """The relevance of found and of measured records, by id."""
    selectable: frozenset[str]
    best_match: float
    """The best match of a found record alone, from 0 to 1."""
    outsiders: Callable[[Sequence[str]], Iterable[tuple[Entry, Relevance]]]
    """The stored entries of records that the search did not find, with the relevance."""
    judge: Judge
    weights: Weights
    scale: float = field(init=False)
    """A factor for comparable scores of different questions: no score exceeds `best_match`."""
    bounds: dict[str, float] = field(init=False)
    """The upper bound of each score, by record id."""
    read: dict[str, Candidate | None] = field(default_factory=dict)
    """The candidate of each record that was read, by id; None for a record that does not match."""

    def __post_init__(self) -> None:
        highest = {each: self._at_best(each) for each in self.relevance}
        top = max(highest.values(), default=0.0)
        self.scale = min(1.0, self.best_match) / top if top > 0.0 else 0.0
        self.bounds = {each: self.scale * score for each, score in highest.items()}

    @property
    def below_floor(self) -> Sequence[str]:
        """Ids of records with a score below the floor, judged by the bound if not yet read."""
        floor = self.judge.inquiry.min_score
        known = {each: found.score for each, found in self.read.items() if found is not None}
        return [each for each, bound in self.bounds.items() if known.get(each, bound) < floor]

    @property
    def scored_candidates(self) -> Sequence[Candidate]:
        candidates = [candidate for candidate in self.read.values() if candidate is not None]
        return sorted(candidates, key=lambda each: each.fused_place)

    def candidates(self, at_once: int) -> Iterator[Candidate]:
        """The candidates, the best first; the first batch reads `at_once` records or READ_AT_ONCE.

        A heap holds read candidates until no unread record can have a higher score.
        """
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
        """Add the relevance of further records, from stored entries; raises WrongEmbedder."""
        missing = [each for each in record_ids if each not in self.relevance]
        for entry, measured in self.outsiders(missing) if missing else ():
            self._add(entry.record_id, entry.type, measured)

    def above_floor(self, record_id: str) -> Candidate | None:
        """The candidate with the score; None for a score below the floor and without a score.

        A record that is not yet indexed has no entry and no score, unless the request has its
        consistency token. A redacted record is never scored.
        """
        found = self._read([record_id]) if record_id in self.relevance else []
        return next((each for each in found if each.score >= self.judge.inquiry.min_score), None)

    def selectable_candidates(self) -> Sequence[Candidate]:
        return self._read(sorted(self.selectable))

    def applicability(self, record: MemoryRecord) -> Applicability:
        """How well a skill or plan fits the task."""
        similarity = self.relevance[record.id].match
        return applicability(record.payload, self.question.terms, similarity)

    def candidates_of(self, record_ids: Iterable[str]) -> Sequence[Candidate]:
        """The candidates, with scores, of those ids whose relevance is known."""
        return self._read([each for each in record_ids if each in self.relevance])

    def _read(self, record_ids: Sequence[str]) -> list[Candidate]:
        missing = [each for each in record_ids if each not in self.read]
        living = self.judge.hydration.living(missing)
        for each in missing:
            self.read[each] = self._candidate(living.get(each))
        read_ids = [*record_ids, *self._successor_ids(missing)]
        return [found for each in read_ids if (found := self.read[each]) is not None]

    def _successor_ids(self, record_ids: Sequence[str]) -> Sequence[str]:
        """Read the newest successors of superseded records, with the relevance of the records.

        The vector of a superseded record stays until the successor's vector is put. A successor
        that the search has found keeps its own relevance.
        """
        inquiry = self.judge.inquiry
        if inquiry.as_of is not None or inquiry.filters.include_retracted:
            return ()
        successor_ids = []
        for each, newest in self.judge.hydration.newest_successors(record_ids).items():
            if newest.id not in self.relevance:
                self._add(newest.id, newest.type, self.relevance[each])
                self.read[newest.id] = self._candidate(newest)
                successor_ids.append(newest.id)
        return successor_ids

    def _add(self, record_id: str, record_type: MemoryType, measured: Relevance) -> None:
        self.relevance[record_id] = measured
        if record_type in SELECTABLE:
            self.selectable |= {record_id}
        self.bounds[record_id] = self.scale * self._at_best(record_id)

    def _candidate(self, stored: StoredRecord | None) -> Candidate | None:
        candidate = None if stored is None else self.judge.candidate_of(stored)
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
            shown = stored.with_newest_entries()
            fitting = self.applicability(shown)
            parts["selector"] = contender_of(shown, at_s, fitting).score
        if stored.credit is not None:
            parts[USEFULNESS] = stored.credit.mean
        self._hold_back(parts)
        score = max(0.0, self.scale * self.weights.score(parts))
        score = min(1.0, score, self.bounds[candidate.id])
        if is_contested(stored.record.payload):
            score *= CONTESTED
        return replace(candidate, score=score, parts=parts)

    def _hold_back(self, parts: Parts) -> None:
        """Lower the `neighbours` part until no read candidate with a better match is passed."""
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
