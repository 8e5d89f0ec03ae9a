"""Read what a write with an operation id did."""

from typing import TYPE_CHECKING

from membrane.domain.documents.requests import ReadOperation
from membrane.domain.language.errors import NotFound
from membrane.usecases.documents.keyed_writes import noted_write
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.ports.services_documents import DocumentServices

if TYPE_CHECKING:
    from membrane.domain.documents.replies import OperationReceipt

NOT_FOUND = "operation not found"


def read_operation(request: ReadOperation, call: Call, services: DocumentServices) -> ReplyBody:
    """The receipt of the caller's write; raises NotFound for a write that did not take place.

    The note says where the write went, and comes before the write.
    """
    identity, operation_id = call.principal.identity, request.operation_id
    noted = services.documents.find_receipt(identity, operation_id)
    if noted is None:
        raise NotFound(NOT_FOUND)
    write = noted_write(noted, identity, operation_id, services)
    if write is None:
        raise NotFound(NOT_FOUND)
    receipt: OperationReceipt = {
        "namespace": [*noted.place.namespace],
        "key": noted.place.key,
        "scope": noted.place.scope,
        "version": write.number,
        "existed": write.existed,
    }
    return ReplyBody(receipt)
