"""The routes of reports, with a function for each.

Observation and outcome have separate modules: functions for the remaining reports need neither the
handling of conflicts between facts nor changes of records.
"""

from collections.abc import Callable
from typing import Any

from membrane.adapters.aws_lambda.http import bodies
from membrane.adapters.aws_lambda.http.operations import CREATED, Operation
from membrane.domain.ingest.reports import (
    IngestEvent,
    IngestToolOutput,
    IngestWorkingState,
)
from membrane.domain.language.requests import Request
from membrane.domain.language.vocabulary import Permission
from membrane.usecases.ingest.ingest_report import ingest_report
from membrane.usecases.machinery.calls import Call, ReplyBody, Result
from membrane.usecases.ports.services import Services


def report_operation(
    request: type[Request],
    path: str,
    run: Callable[[Any, Call, Services], Result | ReplyBody],
    *,
    status: int = CREATED,
) -> Operation:
    return Operation(request, f"POST {path}", Permission.INGEST, bodies.body_alone, run, status)


INGEST_EVENT = report_operation(IngestEvent, "/v1/ingest/event", ingest_report)
INGEST_TOOL_OUTPUT = report_operation(IngestToolOutput, "/v1/ingest/tool-output", ingest_report)
INGEST_WORKING_STATE = report_operation(
    IngestWorkingState, "/v1/ingest/working-state", ingest_report
)
