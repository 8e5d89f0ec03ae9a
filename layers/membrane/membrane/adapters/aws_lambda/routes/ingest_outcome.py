"""The route of outcomes."""

from membrane.adapters.aws_lambda.routes.ingest import report_operation
from membrane.domain.ingest.reports import IngestOutcome
from membrane.usecases.ingest.ingest_outcome import ingest_outcome

INGEST_OUTCOME = report_operation(IngestOutcome, "/v1/ingest/outcome", ingest_outcome, status=200)
