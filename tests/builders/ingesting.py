"""Reports on their way into the store, each through the use case of its type."""

from membrane.domain.ingest.reports import IngestObservation, IngestOutcome, Report
from membrane.usecases.ingest.ingest_observation import ingest_observation
from membrane.usecases.ingest.ingest_outcome import ingest_outcome
from membrane.usecases.ingest.ingest_report import ingest_report
from membrane.usecases.machinery.calls import Call, Result
from membrane.wiring.world import World


def ingest(report: Report | IngestOutcome, call: Call, services: World) -> Result:
    """Ingest one report of any type."""
    match report:
        case IngestObservation():
            return ingest_observation(report, call, services)
        case IngestOutcome():
            return ingest_outcome(report, call, services)
        case _:
            return ingest_report(report, call, services)
