"""POST /v1/retrieve…; GET /v1/records, /threads/…, /receipts/…, /entities…, /consolidations."""

from membrane.adapters.aws_lambda.http.gateway import answer_http
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.adapters.aws_lambda.routes.entity_reads import ENTITY_READS
from membrane.adapters.aws_lambda.routes.learning import LEARNING_READS
from membrane.adapters.aws_lambda.routes.search import RETRIEVALS
from membrane.wiring.invocations import note_request
from membrane.wiring.search import reading_services


@note_request
def handler(event: Event, _context: Context) -> Reply:
    """Answer one retrieval."""
    return answer_http(event, (*RETRIEVALS, *ENTITY_READS, *LEARNING_READS), reading_services())
