"""Which paragraph of a new edition is which paragraph of the edition before.

Paragraphs with equal texts that occur once in both editions are anchors. Between two anchors, the
first paragraphs are taken for each other, in order. The time grows with n log n.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

Pair = tuple[int, int]
"""A position in the edition before, and a position in the new edition."""


def align(before: Sequence[str], after: Sequence[str]) -> Iterator[Pair]:
    """The paragraphs of two editions that belong together, in order: both positions grow."""
    at_old = at_new = 0
    for old, new in [*_anchors(before, after), (len(before), len(after))]:
        yield from _pairs_between(before, after, range(at_old, old), range(at_new, new))
        if old < len(before) and new < len(after):
            yield old, new
        at_old, at_new = old + 1, new + 1


def _pairs_between(
    before: Sequence[str], after: Sequence[str], old: range, new: range
) -> Iterator[Pair]:
    """Equal texts at the beginning and at the end, then the others in order."""
    first = 0
    while first < min(len(old), len(new)) and before[old[first]] == after[new[first]]:
        first += 1
    last = 0
    while (
        last < min(len(old), len(new)) - first and before[old[-1 - last]] == after[new[-1 - last]]
    ):
        last += 1
    paired = min(len(old), len(new)) - last
    yield from zip(old[:paired], new[:paired], strict=True)
    yield from zip(old[len(old) - last :], new[len(new) - last :], strict=True)


def _anchors(before: Sequence[str], after: Sequence[str]) -> Sequence[Pair]:
    """The longest growing sequence of pairs of texts that occur once in each edition."""
    once_old, once_new = _single(before), _single(after)
    common = [(once_old[text], at) for text, at in once_new.items() if text in once_old]
    return _longest_growing(common)


def _single(texts: Sequence[str]) -> dict[str, int]:
    times = Counter(texts)
    return {text: at for at, text in enumerate(texts) if times[text] == 1}


def _longest_growing(pairs: Sequence[Pair]) -> Sequence[Pair]:
    """The longest subsequence whose first positions grow; the second positions grow already."""
    ends: list[int] = []
    """The least first position at which a growing sequence of each length ends."""
    places: list[int] = []
    """By length, the index of the pair at which that sequence ends."""
    before: list[int] = []
    for index, (old, _) in enumerate(pairs):
        length = bisect_left(ends, old)
        before.append(places[length - 1] if length else -1)
        ends[length : length + 1] = [old]
        places[length : length + 1] = [index]
    chosen: list[Pair] = []
    at = places[-1] if places else -1
    while at >= 0:
        chosen.append(pairs[at])
        at = before[at]
    return chosen[::-1]
