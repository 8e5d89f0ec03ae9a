"""The routes of the function that retrieves; its use cases are imported when one is called.

Only that function has what they need, numpy above all, and only it is served by ReadingServices.
"""

from typing import TYPE_CHECKING, cast

from membrane.adapters.aws_lambda.http import bodies
from membrane.adapters.aws_lambda.http.operations import Operation
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.vocabulary import Permission
from membrane.domain.search.requests import ListRecords, ReadReceipt, ReadThread, Retrieve
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.services import Services

if TYPE_CHECKING:
    from membrane.usecases.ports.services_search import ReadingServices
    from membrane.usecases.search.read_thread import ThreadState
    from membrane.usecases.search.retrieve import Answer


def _retrieve(request: Retrieve, call: Call, services: Services) -> "Answer":
    from membrane.usecases.search.retrieve import retrieve

    return retrieve(request, call, _reading(services))


def _list_records(request: ListRecords, call: Call, services: Services) -> "Answer":
    from membrane.usecases.search.retrieve import list_records

    return list_records(request, call, _reading(services))


def _read_thread(request: ReadThread, call: Call, services: Services) -> "ThreadState":
    from membrane.usecases.search.read_thread import read_thread

    return read_thread(request, call, _reading(services))


def _read_receipt(request: ReadReceipt, call: Call, services: Services) -> JsonObject:
    from membrane.usecases.search.read_receipt import read_receipt

    return read_receipt(request, call, _reading(services))


def _reading(services: Services) -> "ReadingServices":
    """The handler gives no others."""
    return cast("ReadingServices", services)


RETRIEVE = Operation(
    rpc="Retrieve",
    route="POST /v1/retrieve",
    permission=Permission.READ,
    request=Retrieve,
    run=_retrieve,
    present=bodies.answered,
    assemble=bodies.body_alone,
    takes_key=False,
)
LIST_RECORDS = Operation(
    rpc="ListRecords",
    route="GET /v1/records",
    permission=Permission.READ,
    request=ListRecords,
    run=_list_records,
    present=bodies.listed,
    assemble=bodies.scope_types_and_page,
    takes_key=False,
)
READ_THREAD = Operation(
    rpc="ReadThread",
    route="GET /v1/threads/{thread_id}/state",
    permission=Permission.READ,
    request=ReadThread,
    run=_read_thread,
    present=bodies.thread,
    assemble=bodies.thread_trust_and_page,
    takes_key=False,
)
READ_RECEIPT = Operation(
    rpc="ReadReceipt",
    route="GET /v1/receipts/{id}",
    permission=Permission.READ,
    request=ReadReceipt,
    run=_read_receipt,
    present=bodies.receipt,
    assemble=bodies.id_alone,
    also_for=Permission.ADMIN,
    takes_key=False,
)

RETRIEVALS = (RETRIEVE, LIST_RECORDS, READ_THREAD, READ_RECEIPT)
