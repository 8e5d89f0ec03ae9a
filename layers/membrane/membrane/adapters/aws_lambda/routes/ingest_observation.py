"""The route of observed facts."""

from membrane.adapters.aws_lambda.routes.ingest import report_operation
from membrane.domain.ingest.reports import IngestObservation
from membrane.usecases.ingest.ingest_observation import ingest_observation

INGEST_OBSERVATION = report_operation(
    IngestObservation, "/v1/ingest/observation", ingest_observation
)
