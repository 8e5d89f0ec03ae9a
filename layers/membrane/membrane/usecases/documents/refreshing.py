"""Begin the period of a document anew on a read."""

from membrane.domain.documents.changes import with_fresh_period
from membrane.domain.documents.document import Document
from membrane.usecases.documents.access import may_refresh
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World


def begin_anew(document: Document, call: Call, now_s: float, world: World) -> Document:
    """The document as the read leaves it.

    Unchanged for a principal that may not write the document, early in the period, and if a write
    came between.
    """
    if not may_refresh(document, call.principal, now_s):
        return document
    after = with_fresh_period(document, now_s)
    return after if world.documents.refresh(document, after) else document
