"""The vectors of a document's texts, and their cosine with the vector of a query; needs numpy.

A vector is packed as one signed byte a component, scaled so that the largest component is 127: a
text of 384 dimensions takes 384 bytes instead of 1,536. The scale itself is not kept, because a
cosine does not depend on the length of a vector. The loss: rounding moves a component by at most
1/254 of the largest component, and a cosine of all-MiniLM-L6-v2 vectors by at most 0.002 (measured
by tests/bench/document_search.py).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

LARGEST = 127
"""The largest component of a packed vector."""


def pack(vector: Sequence[float]) -> bytes:
    """The vector as signed bytes; all zeros for a text without content."""
    components = np.asarray(vector, np.float64)
    largest = float(np.abs(components).max(initial=0.0))
    scaled = components * (LARGEST / largest) if largest > 0.0 else components
    return np.rint(scaled).astype(np.int8).tobytes()


def best_cosines(
    query: Sequence[float], documents: Sequence[Sequence[bytes]]
) -> list[float | None]:
    """The highest cosine of the query with a packed vector of each document, in their order.

    None for a document without a vector of the query's dimensions, or with all zeros.
    """
    rows = [
        (number, vector)
        for number, vectors in enumerate(documents)
        for vector in vectors
        if len(vector) == len(query)
    ]
    found: list[float | None] = [None] * len(documents)
    if not rows:
        return found
    cosines = _cosines(np.asarray(query, np.float32), [vector for _, vector in rows])
    for (number, _), cosine in zip(rows, cosines.tolist(), strict=True):
        before = found[number]
        if cosine == cosine and (before is None or cosine > before):  # noqa: PLR0124 - not NaN
            found[number] = cosine
    return found


def _cosines(query: NDArray[np.float32], vectors: Sequence[bytes]) -> NDArray[np.float32]:
    """NaN where the query or a vector is all zeros."""
    matrix = np.frombuffer(b"".join(vectors), np.int8).reshape(len(vectors), -1)
    matrix = matrix.astype(np.float32)
    lengths = np.linalg.norm(matrix, axis=1) * np.linalg.norm(query)
    with np.errstate(divide="ignore", invalid="ignore"):
        cosines: NDArray[np.float32] = np.clip((matrix @ query) / lengths, -1.0, 1.0)
    return cosines
