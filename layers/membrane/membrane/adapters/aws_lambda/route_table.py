"""The whole route table (design 4.1); no function imports it, for each serves a part."""

from membrane.adapters.aws_lambda.metrics_routes import METRICS
from membrane.adapters.aws_lambda.query_routes import QUERIES
from membrane.adapters.aws_lambda.report_routes import REPORTS
from membrane.adapters.aws_lambda.retrieval_routes import RETRIEVALS
from membrane.adapters.aws_lambda.revision_routes import REVISIONS
from membrane.adapters.aws_lambda.routes import BATCHES, PREVIEWS, RECORDS, UPLOADS
from membrane.adapters.aws_lambda.topic_routes import TOPICS

OPERATIONS = (
    *REPORTS,
    *RECORDS,
    *REVISIONS,
    *RETRIEVALS,
    *BATCHES,
    *UPLOADS,
    *PREVIEWS,
    *METRICS,
    *TOPICS,
    *QUERIES,
)
