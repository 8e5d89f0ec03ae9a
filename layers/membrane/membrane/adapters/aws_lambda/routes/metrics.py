"""The route of the metrics, with a function of its own."""

from membrane.adapters.aws_lambda.http import bodies
from membrane.adapters.aws_lambda.http.operations import Operation
from membrane.domain.language.vocabulary import Permission
from membrane.domain.metrics.requests import GetMetrics
from membrane.usecases.metrics.read_metrics import read_metrics

GET_METRICS = Operation(
    GetMetrics,
    "GET /v1/metrics",
    Permission.READ,
    bodies.trust_alone,
    read_metrics,
    also_for=Permission.ADMIN,
)

METRICS = (GET_METRICS,)
