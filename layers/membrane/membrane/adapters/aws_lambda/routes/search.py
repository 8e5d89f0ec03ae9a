"""The routes of retrieval, with a function of their own: only this function has numpy."""

from membrane.adapters.aws_lambda.http import bodies
from membrane.adapters.aws_lambda.http.operations import Operation
from membrane.domain.graph.requests import RetrieveGraph
from membrane.domain.language.vocabulary import Permission
from membrane.domain.search.requests import ListRecords, ReadReceipt, ReadThread, Retrieve
from membrane.usecases.graph.retrieve_graph import retrieve_graph
from membrane.usecases.search.read_receipt import read_receipt
from membrane.usecases.search.read_thread import read_thread
from membrane.usecases.search.retrieve import list_records, retrieve

_READ = Permission.READ

RETRIEVE = Operation(Retrieve, "POST /v1/retrieve", _READ, bodies.body_alone, retrieve)
RETRIEVE_GRAPH = Operation(
    RetrieveGraph,
    "POST /v1/retrieve/graph",
    _READ,
    bodies.body_alone,
    retrieve_graph,
)
LIST_RECORDS = Operation(
    ListRecords,
    "GET /v1/records",
    _READ,
    bodies.scope_types_and_page,
    list_records,
)
READ_THREAD = Operation(
    ReadThread,
    "GET /v1/threads/{thread_id}/state",
    _READ,
    bodies.thread_trust_and_page,
    read_thread,
)
READ_RECEIPT = Operation(
    ReadReceipt,
    "GET /v1/receipts/{id}",
    _READ,
    bodies.id_alone,
    read_receipt,
    also_for=Permission.ADMIN,
)

RETRIEVALS = (RETRIEVE, RETRIEVE_GRAPH, LIST_RECORDS, READ_THREAD, READ_RECEIPT)
