"""Embed the searchable texts of a document."""

from typing import Any

from membrane.domain.documents.document import Passage
from membrane.domain.documents.texts import texts_of
from membrane.usecases.ports.services_documents import DocumentServices


def passages_of(
    value: Any, paths: tuple[str, ...], services: DocumentServices
) -> tuple[tuple[Passage, ...], str]:
    """A vector for each text at the paths, and the name of the vector space; empty without texts.

    The embedder is loaded for the first text.
    """
    texts = texts_of(value, paths) if paths else ()
    if not texts:
        return (), ""
    # A put without `index` need not load numpy.
    from membrane.domain.documents.likeness import pack  # noqa: PLC0415

    embedder = services.embedder()
    vectors = embedder.embed(texts)
    return tuple(Passage(pack(vector)) for vector in vectors), embedder.name
