"""The route of batches, and the operations that a batch or import may request."""

from functools import partial

from membrane.adapters.aws_lambda.http import bodies
from membrane.adapters.aws_lambda.http.batch import perform_batch
from membrane.adapters.aws_lambda.http.operations import Operation
from membrane.adapters.aws_lambda.routes.capture import CAPTURE
from membrane.adapters.aws_lambda.routes.ingest import (
    INGEST_EVENT,
    INGEST_TOOL_OUTPUT,
    INGEST_WORKING_STATE,
)
from membrane.adapters.aws_lambda.routes.ingest_messages import INGEST_MESSAGES
from membrane.adapters.aws_lambda.routes.ingest_observation import INGEST_OBSERVATION
from membrane.adapters.aws_lambda.routes.ingest_outcome import INGEST_OUTCOME
from membrane.adapters.aws_lambda.routes.records import INGEST_RECORD
from membrane.domain.ingest.full_records import IngestBatch
from membrane.domain.language.vocabulary import Permission

REPORTS = (
    INGEST_EVENT,
    INGEST_TOOL_OUTPUT,
    INGEST_OBSERVATION,
    INGEST_OUTCOME,
    INGEST_WORKING_STATE,
    INGEST_MESSAGES,
    CAPTURE,
)

INGESTS = {operation.rpc: operation for operation in (*REPORTS, INGEST_RECORD)}
"""The operations that a batch or import may request, by name."""

INGEST_BATCH = Operation(
    IngestBatch,
    "POST /v1/ingest/batch",
    Permission.INGEST,
    bodies.batch_body,
    partial(perform_batch, operations=INGESTS),
    has_users_within=True,
)

BATCHES = (INGEST_BATCH,)
