"""Restore a keyed document into an empty place."""

from membrane.domain.archive.keyed_document_lines import (
    ArchivedDocument,
    keyed_document_line,
    keyed_document_of_line,
)
from membrane.domain.archive.lines import LEVELS
from membrane.domain.language.errors import AlreadyExists
from membrane.domain.language.json_text import (
    JsonObject,
    canonical_json,
    compact_json,
    parse_json,
)
from membrane.domain.language.timestamps import epoch_seconds
from membrane.usecases.archive.load_keyed_document import load_keyed_document
from membrane.usecases.ports.archive import DifferentItem
from membrane.usecases.ports.services_archive import ArchiveServices


def restore_keyed_document(line: JsonObject, services: ArchiveServices) -> bool:
    """Write the document of a line; False if the equal document is there already.

    Former versions are kept for the deployment's `TombstoneDays` from now on.
    """
    archived = keyed_document_of_line(line)
    place = archived.document.place
    services.fences.require_open({place.scope})
    until_s = epoch_seconds(services.now()) + services.retention.tombstone.total_seconds()
    try:
        services.document_restores.restore_document(archived, history_until_s=until_s)
    except DifferentItem as error:
        there = load_keyed_document(place, services)
        if there is not None and _canonical(there) == _canonical(archived):
            return False
        message = f"the document {place.key} or a part of the document exists and differs"
        raise AlreadyExists(message) from error
    return True


def _canonical(archived: ArchivedDocument) -> bytes:
    return canonical_json(parse_json(compact_json(keyed_document_line(archived)), LEVELS))
