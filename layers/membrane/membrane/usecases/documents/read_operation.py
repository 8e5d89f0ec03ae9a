"""Read what a write with an operation id did."""

from typing import TYPE_CHECKING

from membrane.domain.documents.requests import ReadOperation
from membrane.domain.language.errors import NotFound
from membrane.usecases.documents.keyed_writes import proven_mark
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.ports.services_documents import DocumentServices

if TYPE_CHECKING:
    from membrane.domain.documents.replies import OperationReceipt

NOT_FOUND = "operation not found"


def read_operation(request: ReadOperation, call: Call, services: DocumentServices) -> ReplyBody:
    """The receipt of the caller's write; raises NotFound for a write that did not take place.

    The note says where the write went; the document itself proves that it took place. A document
    remembers its 16 newest writes with a key.
    """
    identity, operation_id = call.principal.identity, request.operation_id
    noted = services.documents.find_receipt(identity, operation_id)
    if noted is None:
        raise NotFound(NOT_FOUND)
    mark = proven_mark(noted, identity, operation_id, services)
    if mark is None:
        raise NotFound(NOT_FOUND)
    receipt: OperationReceipt = {
        "namespace": [*noted.place.namespace],
        "key": noted.place.key,
        "scope": noted.place.scope,
        "version": mark.version,
        "existed": mark.existed,
    }
    return ReplyBody(receipt)
