"""Records of natural keys in any scopes, the newest first."""

import math
from collections.abc import Iterator, Sequence
from heapq import merge
from operator import itemgetter

from membrane.usecases.machinery.side_by_side import side_by_side
from membrane.usecases.ports.indexes import NaturalIndex

PAGE = 50
"""Entries per request and key."""

Place = tuple[float, str]
"""The negated creation instant in seconds since 1970, and the id; sorts the newest first."""


def newest_first(
    keys: Sequence[bytes], natural: NaturalIndex, after: Place | None = None
) -> Iterator[Place]:
    """Every record of the keys after the place, the newest first."""
    before_s = None if after is None else -after[0]
    firsts = side_by_side(lambda key: natural.newest(key, PAGE, before_s), keys)
    several = (_pages_of(key, natural, first) for key, first in zip(keys, firsts, strict=True))
    return (place for place in merge(*several) if after is None or place > after)


def _pages_of(
    key: bytes, natural: NaturalIndex, page: Sequence[tuple[str, float]]
) -> Iterator[Place]:
    seen: set[str] = set()
    while page:
        fresh = [(-born_s, each) for each, born_s in page if each not in seen]
        yield from sorted(fresh)
        seen.update(map(itemgetter(1), fresh))
        if len(page) < PAGE:
            return
        last_s = page[-1][1]
        before_s = last_s if fresh else math.nextafter(last_s, -math.inf)
        page = natural.newest(key, PAGE, before_s)
