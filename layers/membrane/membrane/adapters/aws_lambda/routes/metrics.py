"""The route of the metrics, served by a function of its own."""

from typing import TYPE_CHECKING

from membrane.adapters.aws_lambda.http import bodies
from membrane.adapters.aws_lambda.http.operations import Operation
from membrane.domain.language.vocabulary import Permission
from membrane.domain.metrics.requests import GetMetrics
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.services import Services

if TYPE_CHECKING:
    from membrane.domain.metrics.snapshot import Snapshot


def _read_metrics(request: GetMetrics, call: Call, services: Services) -> "Snapshot":
    """Imported when it is first called: only its own function has what it needs."""
    from membrane.usecases.metrics.read_metrics import read_metrics

    return read_metrics(request, call, services)


GET_METRICS = Operation(
    rpc="GetMetrics",
    route="GET /v1/metrics",
    permission=Permission.READ,
    request=GetMetrics,
    run=_read_metrics,
    present=bodies.measured,
    assemble=bodies.trust_alone,
    also_for=Permission.ADMIN,
    takes_key=False,
)

METRICS = (GET_METRICS,)
