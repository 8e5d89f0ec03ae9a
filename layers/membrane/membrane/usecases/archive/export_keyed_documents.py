"""The lines of an export about keyed documents."""

from collections.abc import Iterator

from membrane.domain.archive.exports import Export
from membrane.domain.archive.keyed_document_lines import keyed_document_line
from membrane.domain.archive.lines import LineKind, encode_line
from membrane.usecases.archive.damaged_lines import ExportLine, lines_or_damage
from membrane.usecases.archive.load_keyed_document import load_keyed_document
from membrane.usecases.ports.archive import KeyedDocumentPlace
from membrane.usecases.ports.services_archive import ArchiveServices


def lines_of_keyed_document(
    found: KeyedDocumentPlace, export: Export, services: ArchiveServices
) -> Iterator[ExportLine]:
    """The line of a document that the export holds; no line for an absent or expired document."""
    place = found.place
    if not export.selection.covers(place.scope):
        return

    def make() -> Iterator[ExportLine]:
        archived = load_keyed_document(place, services)
        if archived is not None and export.selection.selects(
            place.scope, archived.document.sensitivity
        ):
            yield LineKind.KEYED_DOCUMENT, encode_line(keyed_document_line(archived))

    name = f"the document {place.key} in {'/'.join(place.namespace)}"
    yield from lines_or_damage(name, make, names_damage=export.selection.is_everything)
