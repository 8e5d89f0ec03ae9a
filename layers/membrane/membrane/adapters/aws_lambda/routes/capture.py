"""The route of captures."""

from membrane.adapters.aws_lambda.routes.ingest import report_operation
from membrane.domain.capture.requests import CaptureMemory
from membrane.usecases.capture.capture_memory import capture_memory

CAPTURE = report_operation(CaptureMemory, "/v1/capture", capture_memory)
