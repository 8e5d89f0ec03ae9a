"""Similar topics, by the dense vectors of the search index; needs numpy."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from membrane.domain.search.corpus import unit_rows

LEAST = 0.48
"""The least cosine at which two topics are similar, as in MemState."""

NEAREST = 8
"""The most similar topics considered for one topic, as in MemState."""

_AT_ONCE = 512
"""Topics compared with all topics in one matrix product."""


def alike(vectors: Sequence[bytes]) -> Iterator[tuple[int, int, float]]:
    """Pairs of positions with their cosine: every vector with its nearest, lower position first.

    The vectors are packed as in an `Entry` and have one dimension. Ties go to the lower position; a
    pair may occur twice.
    """
    if not vectors:
        return
    matrix = unit_rows(vectors)
    for start in range(0, len(vectors), _AT_ONCE):
        block = matrix[start : start + _AT_ONCE] @ matrix.T
        rows = np.arange(len(block))
        block[rows, rows + start] = -1.0  # no topic is its own neighbour
        for row, column, cosine in _nearest(block):
            position = start + row
            yield min(position, column), max(position, column), cosine


def _nearest(block: NDArray[np.float32]) -> Iterator[tuple[int, int, float]]:
    for row in range(len(block)):
        cosines = block[row]
        near = np.flatnonzero(cosines >= LEAST)
        if len(near) > NEAREST:
            least = np.partition(cosines[near], -NEAREST)[-NEAREST]
            near = near[cosines[near] >= least]
            near = near[np.argsort(-cosines[near], kind="stable")[:NEAREST]]
        yield from ((row, int(column), float(cosines[column])) for column in near)
