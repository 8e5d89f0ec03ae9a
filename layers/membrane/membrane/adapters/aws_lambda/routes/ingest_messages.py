"""The route of conversations."""

from membrane.adapters.aws_lambda.routes.ingest import report_operation
from membrane.domain.ingest.messages import IngestMessages
from membrane.usecases.ingest.ingest_messages import ingest_messages

INGEST_MESSAGES = report_operation(IngestMessages, "/v1/messages", ingest_messages)
