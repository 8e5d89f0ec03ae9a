"""Records of keys of an index, such as natural keys in any scopes, the newest first."""

import math
from collections.abc import Callable, Iterator, Sequence
from heapq import merge
from operator import itemgetter
from typing import TYPE_CHECKING, TypeVar

from membrane.usecases.machinery.side_by_side import side_by_side

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.indexes.orders import DynamoNatural


PAGE = 50
"""Entries per request and key."""

Place = tuple[float, str]
"""The negated instant of an entry in seconds since 1970, and the id; sorts the newest first."""

Key = TypeVar("Key")

Newest = Callable[[Key, int, float | None], Sequence[tuple[str, float]]]
"""Ids and instants of at most so many entries of a key, up to an instant, the newest first."""


def newest_first(
    keys: Sequence[bytes], natural: "DynamoNatural", after: Place | None = None
) -> Iterator[Place]:
    """Every record of the natural keys after the place, the newest first."""
    return places_newest_first(keys, natural.newest, after, PAGE)


def places_newest_first(
    keys: Sequence[Key], newest: Newest[Key], after: Place | None, page_size: int
) -> Iterator[Place]:
    """Every entry of the keys after the place, the newest first."""
    before_s = None if after is None else -after[0]
    firsts = side_by_side(lambda key: newest(key, page_size, before_s), keys)
    several = (
        _pages_of(key, newest, first, page_size) for key, first in zip(keys, firsts, strict=True)
    )
    return (place for place in merge(*several) if after is None or place > after)


def _pages_of(
    key: Key, newest: Newest[Key], page: Sequence[tuple[str, float]], page_size: int
) -> Iterator[Place]:
    seen: set[str] = set()
    while page:
        fresh = [(-instant_s, each) for each, instant_s in page if each not in seen]
        yield from sorted(fresh)
        seen.update(map(itemgetter(1), fresh))
        if len(page) < page_size:
            return
        last_s = page[-1][1]
        before_s = last_s if fresh else math.nextafter(last_s, -math.inf)
        page = newest(key, page_size, before_s)
