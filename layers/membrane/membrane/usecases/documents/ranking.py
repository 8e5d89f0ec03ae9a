"""Rank the documents that a search by query examines; needs numpy."""

from collections.abc import Sequence
from itertools import repeat
from typing import TYPE_CHECKING

from membrane.domain.documents.document import Document
from membrane.domain.documents.likeness import best_cosines
from membrane.domain.documents.matching import found_stems, query_stems, score, word_shares
from membrane.domain.documents.texts import texts_of
from membrane.usecases.documents.examining import MAX_EXAMINED, Examination, Found
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.usecases.ports.search import Embedder

MAX_PAGES = 16
"""Requests to the store of a search by query."""


def rank(walk: Examination) -> list[Found]:
    """The examined documents, the best first; documents without searchable texts follow in order.

    A document whose vectors were made by a different embedder is ranked by its words alone.
    """
    stems = query_stems(walk.request.query)
    documents: list[Document] = []
    stems_found: list[frozenset[str]] = []
    others: list[Found] = []
    for candidate in walk.candidates(repeat(MAX_EXAMINED, MAX_PAGES)):
        texts = texts_of(candidate.value, candidate.document.index)
        if texts:
            documents.append(candidate.document)
            stems_found.append(found_stems(stems, texts))
        else:
            others.append(Found(candidate.document))
    words = word_shares(stems, stems_found)
    meanings = _meanings(walk.request.query, documents, walk.world)
    found = [
        Found(document, score(meaning, share))
        for document, meaning, share in zip(documents, meanings, words, strict=True)
    ]
    return [*sorted(found, key=lambda each: -(each.score or 0.0)), *others]


def _meanings(query: str, documents: Sequence[Document], world: World) -> Sequence[float | None]:
    """The best cosine of each document; the query is embedded if a document has vectors."""
    if not any(document.passages for document in documents):
        return [None] * len(documents)
    embedder = world.embedders[0]
    vectors = [_vectors(document, embedder) for document in documents]
    if not any(vectors):
        return [None] * len(documents)
    return best_cosines(embedder.embed([query])[0], vectors)


def _vectors(document: Document, embedder: "Embedder") -> Sequence[bytes]:
    """The vectors of the document; none if a different embedder made the vectors."""
    if document.embedder != embedder.name:
        return ()
    return [passage.packed for passage in document.passages]
