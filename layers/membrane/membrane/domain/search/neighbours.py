"""What entries lend to those just before and after them in their threads, in numpy.

What answers a question often does not repeat its words: it comes after the turn that does.
"""

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from membrane.domain.search.entries import HOUR_S, NEIGHBOURS, NO_POSITION, Entry, position_in

LENT_ONWARDS = np.array([0.0, 0.5, 0.3, 0.2, 0.0], np.float32)
"""What share of its own score a turn lends to the next, to that after it, and so on."""

LENT_BACK = np.array([0.0, 0.2, 0.1, 0.0, 0.0], np.float32)
"""The same to the turns before it."""

_MOST = np.float32(LENT_ONWARDS.sum() + LENT_BACK.sum())

_TOO_FAR = NEIGHBOURS + 1

NEAR_S = 600.0
"""How far apart in time neighbours without a position may be."""

Floats = NDArray[np.float32]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Who lends to whom: entries are named by their position."""

    chain: Places
    """The entries that have a thread, thread by thread, in their order."""
    links: Places
    """Where in the chain each entry stands; -1 where it has no thread."""
    threads: Places
    """A number for the thread of each entry of the chain."""
    distances: tuple[Places, ...]
    """How many turns each entry of the chain is from the first, second, ... before it."""

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> "Neighbours":
        """The neighbours of entries, as far as they are among them."""
        places = [place for place, entry in enumerate(entries) if entry.thread]
        places.sort(key=lambda place: _sort_key(entries[place]))
        chain = np.array(places, np.int64)
        links = np.full(len(entries), -1, np.int64)
        links[chain] = np.arange(len(chain))
        threads = _numbered([_thread_of(entries[place]) for place in places])
        positions = np.array([position_in(entries[place].order) for place in places], np.int64)
        happened_s = np.array([entries[place].happened_s for place in places], np.float64)
        distances = tuple(
            _distances(threads, positions, happened_s, step) for step in range(1, NEIGHBOURS + 1)
        )
        return cls(chain, links, threads, distances)

    def lent(self, scores: Floats) -> Floats:
        """What each entry is lent, as a share of the most; `scores` are their own, from 0 to 1."""
        own = scores[self.chain]
        given = np.zeros_like(own)
        for step, distances in enumerate(self.distances, 1):
            given[step:] += own[:-step] * LENT_ONWARDS[distances]
            given[:-step] += own[step:] * LENT_BACK[distances]
        lent = np.zeros_like(scores)
        lent[self.chain] = given / _MOST
        return lent


def lent_to(others: Sequence[Entry], lenders: Sequence[Entry], scores: Floats) -> Floats:
    """What each of the others is lent, as if it alone stood among the lenders.

    As a share of the most. Others lend nothing, so no share depends on which others there are.
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
            lent[place] = neighbours.lent(np.append(np.float32(0.0), scores[near]))[0]
    return lent


def _thread_of(entry: Entry) -> tuple[str, str]:
    return entry.scope, entry.thread


def _sort_key(entry: Entry) -> tuple[str, str, str, str]:
    return entry.scope, entry.thread, entry.order, entry.record_id


def _numbered(threads: Sequence[tuple[str, str]]) -> Places:
    numbers = {thread: number for number, thread in enumerate(dict.fromkeys(threads))}
    return np.array([numbers[thread] for thread in threads], np.int64)


def _distances(
    threads: Places, positions: Places, happened_s: NDArray[np.float64], step: int
) -> Places:
    """In turns, of each entry of the chain from the one so many steps before it.

    Turns without a number are taken to be two further apart than they are known to be.
    """
    earlier, later = positions[:-step], positions[step:]
    apart_s = np.abs(happened_s[step:] - happened_s[:-step])
    numbered = (earlier != NO_POSITION) & (later != NO_POSITION)
    turns = np.where(numbered, np.maximum(1, later - earlier), step + 2)
    near = apart_s <= np.where(numbered, HOUR_S, NEAR_S)
    same = threads[step:] == threads[:-step]
    return np.where(same & near, np.minimum(turns, _TOO_FAR), _TOO_FAR)
