"""The candidates of a search as numpy arrays, the inverted index, and BM25 over the index.

Document frequencies come from the candidates of the search alone. The reader may see all of the
candidates, so a record above the ceiling of the reader moves no score.
"""

import math
from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from membrane.domain.search.entries import HOUR_S, MARK, NEIGHBOURS, NO_POSITION, Entry, position_in
from membrane.domain.search.questions import Question

LENT_ONWARDS = np.array([0.0, 0.5, 0.3, 0.2, 0.0], np.float32)
"""The shares of a turn's score lent to the next turn, the second next turn, and so on."""

LENT_BACK = np.array([0.0, 0.2, 0.1, 0.0, 0.0], np.float32)
"""The shares of a turn's score lent to the turn before, the second turn before, and so on."""

_MOST = np.float32(LENT_ONWARDS.sum() + LENT_BACK.sum())

_TOO_FAR = NEIGHBOURS + 1

NEAR_S = 600.0
"""The most seconds between neighbours without a position."""

Floats = NDArray[np.float32]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The distances between the entries of each thread; arrays name an entry by position."""

    chain: Places
    """The entries with a thread, sorted by thread, then by order in the thread."""
    links: Places
    """The place of each entry in the chain; -1 for an entry without a thread."""
    threads: Places
    """The number of the thread of each entry of the chain."""
    distances: tuple[Places, ...]
    """For step 1, 2, ...: the distance in turns of an entry from the entry `step` before."""

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> "Neighbours":
        """The neighbours among the entries."""
        places = [place for place, entry in enumerate(entries) if entry.thread]
        places.sort(key=lambda place: _sort_key(entries[place]))
        chain = np.array(places, np.int64)
        links = np.full(len(entries), -1, np.int64)
        links[chain] = np.arange(len(chain))
        threads = _thread_numbers([_thread_of(entries[place]) for place in places])
        positions = np.array([position_in(entries[place].order) for place in places], np.int64)
        happened_s = np.array([entries[place].happened_s for place in places], np.float64)
        distances = tuple(
            _distances(threads, positions, happened_s, step) for step in range(1, NEIGHBOURS + 1)
        )
        return cls(chain, links, threads, distances)

    def borrow(self, scores: Floats) -> Floats:
        """The borrowed score of each entry, of scores from 0 to 1, as a share of the most."""
        own = scores[self.chain]
        given = np.zeros_like(own)
        for step, distances in enumerate(self.distances, 1):
            given[step:] += own[:-step] * LENT_ONWARDS[distances]
            given[:-step] += own[step:] * LENT_BACK[distances]
        lent = np.zeros_like(scores)
        lent[self.chain] = given / _MOST
        return lent


def lent_to(others: Sequence[Entry], lenders: Sequence[Entry], scores: Floats) -> Floats:
    """The borrowed score of each of `others` among the lenders, as a share of the most possible.

    `others` lend nothing, so the borrowed score of an entry depends on the lenders alone.
    """
    chain = sorted(
        (place for place, lender in enumerate(lenders) if lender.thread),
        key=lambda place: _sort_key(lenders[place]),
    )
    keys = [_sort_key(lenders[place]) for place in chain]
    lent = np.zeros(len(others), np.float32)
    for place, other in enumerate(others):
        at = bisect(keys, _sort_key(other))
        around = chain[max(0, at - NEIGHBOURS) : at + NEIGHBOURS] if other.thread else []
        near = [each for each in around if _thread_of(lenders[each]) == _thread_of(other)]
        if near:
            neighbours = Neighbours.of([other, *(lenders[each] for each in near)])
            lent[place] = neighbours.borrow(np.append(np.float32(0.0), scores[near]))[0]
    return lent


def _thread_of(entry: Entry) -> tuple[str, str]:
    return entry.scope, entry.thread


def _sort_key(entry: Entry) -> tuple[str, str, str, str]:
    return entry.scope, entry.thread, entry.order, entry.record_id


def _thread_numbers(threads: Sequence[tuple[str, str]]) -> Places:
    numbers = {thread: number for number, thread in enumerate(dict.fromkeys(threads))}
    return np.array([numbers[thread] for thread in threads], np.int64)


def _distances(
    threads: Places, positions: Places, happened_s: NDArray[np.float64], step: int
) -> Places:
    """The distance in turns of each entry of the chain from the entry `step` entries before.

    The distance of turns without a number is estimated as `step + 2`.
    """
    earlier, later = positions[:-step], positions[step:]
    apart_s = np.abs(happened_s[step:] - happened_s[:-step])
    numbered = (earlier != NO_POSITION) & (later != NO_POSITION)
    turns = np.where(numbered, np.maximum(1, later - earlier), step + 2)
    near = apart_s <= np.where(numbered, HOUR_S, NEAR_S)
    same = threads[step:] == threads[:-step]
    return np.where(same & near, np.minimum(turns, _TOO_FAR), _TOO_FAR)


K1 = 1.2
"""BM25's saturation: a smaller K1 lets repetitions of a term count less."""

B = 0.5
"""BM25's length normalisation: 0 ignores the length of a text, 1 divides by the length."""

_PACKED = np.dtype([("term", "<u4"), ("count", "u1")])  # entries.TERM


@dataclass(frozen=True, slots=True)
class Frequencies:
    """The document frequency of each term, and the average length of a document."""

    documents: int = 0
    average_length: float = 0.0
    """In words with repetitions, without marks."""
    occurrences: Mapping[int, int] = field(default_factory=dict)

    def idf(self, term: int) -> float:
        """BM25's inverse document frequency in Lucene's form: ln(1 + (N - n + 0.5) / (n + 0.5))."""
        n = max(self.occurrences.get(term, 0), min(1, self.documents))
        return math.log(1.0 + (self.documents - n + 0.5) / (n + 0.5))


@dataclass(frozen=True, slots=True)
class Postings:
    """The terms of many texts, sorted by term; a text is named by position."""

    terms: NDArray[np.uint32]
    """The distinct terms, ascending."""
    starts: Places
    """The index in `texts` at which the texts of each term begin, and a last end."""
    texts: NDArray[np.int32]
    counts: NDArray[np.uint8]
    lengths: Floats
    """The length of each text in words, without marks."""

    @classmethod
    def of(cls, packed: Sequence[bytes]) -> "Postings":
        """The postings of texts with terms packed by `entries.pack_terms`."""
        every = np.frombuffer(b"".join(packed), _PACKED)
        sizes = np.array([len(each) // _PACKED.itemsize for each in packed], np.int64)
        texts = np.repeat(np.arange(len(packed), dtype=np.int32), sizes)
        words = (every["term"] & MARK) == 0
        lengths = np.bincount(texts[words], every["count"][words], minlength=len(packed))
        order = np.argsort(every["term"], kind="stable")
        terms, starts = np.unique(every["term"][order], return_index=True)
        ends = np.append(starts, len(every))
        return cls(terms, ends, texts[order], every["count"][order], lengths.astype(np.float32))

    @property
    def frequencies(self) -> Frequencies:
        documents = len(self.lengths)
        average = float(self.lengths.mean(dtype=np.float64)) if documents else 0.0
        occurrences = zip(self.terms.tolist(), np.diff(self.starts).tolist(), strict=True)
        return Frequencies(documents, average, dict(occurrences))

    def having(self, term: int) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        """The texts with the term, and the number of occurrences in each."""
        place = int(np.searchsorted(self.terms, term))
        is_known = place < len(self.terms) and self.terms[place] == term
        found = slice(*self.starts[place : place + 2]) if is_known else slice(0)
        return self.texts[found], self.counts[found]

    def bm25(self, weights: Mapping[int, float], frequencies: Frequencies) -> Floats:
        """The BM25 score of each text for the weighted terms: Lucene's score times K1 + 1."""
        scores = np.zeros(len(self.lengths), np.float32)
        average = frequencies.average_length or float(self.lengths.mean() or 1.0)
        damping = K1 * (1.0 - B + B * self.lengths / average)
        for term in sorted(weights):
            texts, counts = self.having(term)
            gain = weights[term] * frequencies.idf(term) * (K1 + 1.0)
            scores[texts] += gain * counts / (counts + damping[texts])
        return scores

    def sums(self, weights: Mapping[int, float], frequencies: Frequencies) -> Floats:
        """The sum of weighted idf over the terms of each text; repetitions count once."""
        scores = np.zeros(len(self.lengths), np.float32)
        for term in sorted(weights):
            texts, _ = self.having(term)
            scores[texts] += weights[term] * frequencies.idf(term)
        return scores


def ideal(weights: Mapping[int, float], frequencies: Frequencies) -> float:
    """The upper bound of a BM25 score, by which scores of several corpora become comparable."""
    return sum(weight * frequencies.idf(term) * (K1 + 1.0) for term, weight in weights.items())


@dataclass(frozen=True, slots=True)
class Corpus:
    """Entries and arrays of their features; row n belongs to entry n."""

    entries: Sequence[Entry]
    postings: Postings
    dense: Floats
    happened_s: NDArray[np.float64]
    neighbours: Neighbours

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> "Corpus":
        return cls(
            entries=entries,
            postings=Postings.of([entry.terms for entry in entries]),
            dense=unit_rows([entry.dense for entry in entries]),
            happened_s=np.array([entry.happened_s for entry in entries], np.float64),
            neighbours=Neighbours.of(entries),
        )

    def words(self, question: Question, frequencies: Frequencies) -> Floats:
        """The BM25 score of each entry as a share of the best possible score, 0 to 1."""
        best = ideal(question.terms, frequencies)
        scores = self.postings.bm25(question.terms, frequencies)
        return np.minimum(scores / best, 1.0) if best > 0.0 else scores

    def meaning(self, dense: Sequence[float]) -> Floats:
        """The cosine of the vectors of each entry and of the question; 0 for a negative cosine."""
        similar: Floats = self.dense @ np.array(dense, np.float32)
        return np.clip(similar, 0.0, 1.0)

    def names(self, question: Question, frequencies: Frequencies) -> Floats:
        """The match of each entry with names in the question; rare names count more; below 1."""
        found = self.postings.sums(question.marks, frequencies)
        return found / (found + 1.0)

    def bearing(self, marks: Iterable[int]) -> Floats:
        """1 for each entry that bears at least one of the marks, 0 for any other entry."""
        bears = np.zeros(len(self.entries), np.float32)
        for each in marks:
            bears[self.postings.having(each)[0]] = 1.0
        return bears


def unit_rows(packed: Sequence[bytes]) -> Floats:
    """Packed vectors of equal dimension as rows of length 1; a zero vector stays zero."""
    dimensions = len(packed[0]) if packed else 0
    rows = np.frombuffer(b"".join(packed), np.int8).reshape(len(packed), dimensions)
    lengths = np.linalg.norm(rows.astype(np.float32), axis=1, keepdims=True)
    unit: Floats = (rows / np.where(lengths > 0.0, lengths, 1.0)).astype(np.float32)
    return unit
