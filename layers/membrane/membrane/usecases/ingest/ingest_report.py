"""Ingest a report of an event, of a tool's output or of a task's state as a new record."""

from membrane.domain.ingest.reports import IngestEvent, IngestToolOutput, IngestWorkingState
from membrane.usecases.ingest.accepting import Built, accept, build, create_built
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.ports.services import Services


def ingest_report(
    report: IngestEvent | IngestToolOutput | IngestWorkingState, call: Call, services: Services
) -> Result:
    """Write the record of the report.

    Raises InvalidArgument, PermissionDenied, AlreadyExists; for an upload what `claimed` does.
    """
    built = build(accept(report, call, services), call, services)
    return create_built(built, call, services) if isinstance(built, Built) else built
