"""GET /v1/metrics: what there is, counted."""

from membrane.adapters.aws_lambda.entry import Context, Event, Reply
from membrane.adapters.aws_lambda.http import answer_http
from membrane.adapters.aws_lambda.metrics_routes import METRICS
from membrane.counting_wiring import counting_services


def handler(event: Event, _context: Context) -> Reply:
    """Answer one snapshot."""
    return answer_http(event, METRICS, counting_services())
