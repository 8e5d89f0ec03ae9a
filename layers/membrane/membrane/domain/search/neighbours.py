"""The `neighbours` part of a score: entries lend part of their scores to adjacent turns.

The turn that answers a question often repeats no word of the question, and follows a turn that
does. So a turn lends shares of a score to the turns after and before it in the thread.
"""

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from membrane.domain.search.entries import HOUR_S, NEIGHBOURS, NO_POSITION, Entry, position_in

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
        """The borrowed score of each entry, as a share of the most possible.

        `scores` are the entries' own scores, from 0 to 1.
        """
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
