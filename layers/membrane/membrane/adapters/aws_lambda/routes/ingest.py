"""The five reports of the route table (design 4.1), each served by a function of its own."""

from membrane.adapters.aws_lambda.http import bodies
from membrane.adapters.aws_lambda.http.operations import CREATED, Operation
from membrane.domain.ingest.reports import (
    IngestEvent,
    IngestObservation,
    IngestOutcome,
    IngestRequest,
    IngestToolOutput,
    IngestWorkingState,
)
from membrane.domain.language.vocabulary import Permission
from membrane.usecases.ingest.ingest_report import ingest


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

REPORTS = (
    INGEST_EVENT,
    INGEST_TOOL_OUTPUT,
    INGEST_OBSERVATION,
    INGEST_OUTCOME,
    INGEST_WORKING_STATE,
)
