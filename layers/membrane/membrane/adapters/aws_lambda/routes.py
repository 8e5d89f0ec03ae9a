"""The route table (design 4.1): every operation that a function serves."""

from functools import partial

from membrane.adapters.aws_lambda import bodies
from membrane.adapters.aws_lambda.batch import perform_batch
from membrane.adapters.aws_lambda.operations import Operation
from membrane.domain.json_text import MAX_RECORD_DEPTH
from membrane.domain.requests import (
    DeleteRecord,
    IngestBatch,
    IngestEvent,
    IngestObservation,
    IngestOutcome,
    IngestRecord,
    IngestRequest,
    IngestToolOutput,
    IngestWorkingState,
    OpenUpload,
    ReadAudit,
    RetrieveById,
)
from membrane.domain.vocabulary import Permission
from membrane.usecases.delete_record import delete_record
from membrane.usecases.ingest import ingest
from membrane.usecases.ingest_record import ingest_record
from membrane.usecases.open_upload import open_upload
from membrane.usecases.read_record import read_audit, retrieve_by_id

CREATED = 201


def _report(request: type[IngestRequest], path: str, status: int) -> Operation:
    """The five reports share one use case; what differs are the types."""
    return Operation(
        rpc=request.__name__,
        route=f"POST {path}",
        permission=Permission.INGEST,
        request=request,
        run=ingest,
        present=bodies.written,
        assemble=bodies.body_alone,
        status=status,
    )


INGEST_EVENT = _report(IngestEvent, "/v1/ingest/event", CREATED)
INGEST_TOOL_OUTPUT = _report(IngestToolOutput, "/v1/ingest/tool-output", CREATED)
INGEST_OBSERVATION = _report(IngestObservation, "/v1/ingest/observation", CREATED)
INGEST_WORKING_STATE = _report(IngestWorkingState, "/v1/ingest/working-state", CREATED)
INGEST_OUTCOME = _report(IngestOutcome, "/v1/ingest/outcome", 200)

INGEST_RECORD = Operation(
    rpc="IngestRecord",
    route="POST /v1/records",
    permission=Permission.INGEST,
    request=IngestRecord,
    run=ingest_record,
    present=bodies.written,
    assemble=bodies.record_body,
    status=CREATED,
    levels=MAX_RECORD_DEPTH,
)
OPEN_UPLOAD = Operation(
    rpc="OpenUpload",
    route="POST /v1/uploads",
    permission=Permission.INGEST,
    request=OpenUpload,
    run=open_upload,
    present=bodies.opened,
    assemble=bodies.body_alone,
    status=CREATED,
)
RETRIEVE_BY_ID = Operation(
    rpc="RetrieveByID",
    route="GET /v1/records/{id}",
    permission=Permission.READ,
    request=RetrieveById,
    run=retrieve_by_id,
    present=bodies.found,
    assemble=bodies.id_and_trust,
    takes_key=False,
)
READ_AUDIT = Operation(
    rpc="ReadAudit",
    route="GET /v1/records/{id}/audit",
    permission=Permission.READ,
    request=ReadAudit,
    run=read_audit,
    present=bodies.trail,
    assemble=bodies.id_trust_and_verify,
    takes_key=False,
)
DELETE_RECORD = Operation(
    rpc="DeleteRecord",
    route="DELETE /v1/records/{id}",
    permission=Permission.REVISE,
    request=DeleteRecord,
    run=delete_record,
    present=bodies.nothing,
    assemble=bodies.id_and_body,
    status=204,
)

REPORTS = (
    INGEST_EVENT,
    INGEST_TOOL_OUTPUT,
    INGEST_OBSERVATION,
    INGEST_OUTCOME,
    INGEST_WORKING_STATE,
)
INGESTS = {operation.rpc: operation for operation in (*REPORTS, INGEST_RECORD)}
"""What a batch or an import may ask for, by name."""

INGEST_BATCH = Operation(
    rpc="IngestBatch",
    route="POST /v1/ingest/batch",
    permission=Permission.INGEST,
    request=IngestBatch,
    run=partial(perform_batch, operations=INGESTS),
    present=bodies.as_it_is,
    assemble=bodies.batch_body,
)

RECORDS = (INGEST_RECORD, RETRIEVE_BY_ID, READ_AUDIT, DELETE_RECORD)
BATCHES = (INGEST_BATCH,)
UPLOADS = (OPEN_UPLOAD,)
OPERATIONS = (*REPORTS, *RECORDS, *BATCHES, *UPLOADS)
