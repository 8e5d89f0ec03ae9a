"""The whole route table; no function imports the module, since a function serves only a part."""

from itertools import chain

from membrane.adapters.aws_lambda.routes.chat import CHATS
from membrane.adapters.aws_lambda.routes.documents import DOCUMENTS
from membrane.adapters.aws_lambda.routes.entity_changes import ENTITY_CHANGES
from membrane.adapters.aws_lambda.routes.entity_reads import ENTITY_READS
from membrane.adapters.aws_lambda.routes.erasures import ERASURES
from membrane.adapters.aws_lambda.routes.exports import EXPORTS
from membrane.adapters.aws_lambda.routes.ingest_batch import BATCHES, REPORTS
from membrane.adapters.aws_lambda.routes.learning import CONSOLIDATIONS, LEARNING_READS
from membrane.adapters.aws_lambda.routes.metrics import METRICS
from membrane.adapters.aws_lambda.routes.records import FULL_RECORDS, PREVIEWS, SALIENCE, UPLOADS
from membrane.adapters.aws_lambda.routes.revision import REVISIONS
from membrane.adapters.aws_lambda.routes.search import RETRIEVALS
from membrane.adapters.aws_lambda.routes.studies import STUDIES
from membrane.adapters.aws_lambda.routes.tools import TOOLS
from membrane.adapters.aws_lambda.routes.topic_queries import QUERIES
from membrane.adapters.aws_lambda.routes.topics import TOPICS

GROUPS = {
    "ingest": (*REPORTS, *BATCHES, *UPLOADS),
    "retrieval": RETRIEVALS,
    "records": FULL_RECORDS,
    "revision": REVISIONS,
    "entities": (*ENTITY_READS, *ENTITY_CHANGES),
    "salience": (*SALIENCE, *PREVIEWS),
    "learning": (*CONSOLIDATIONS, *LEARNING_READS),
    "topics": (*TOPICS, *QUERIES),
    "documents": DOCUMENTS,
    "studies": STUDIES,
    "agents": (*TOOLS, *CHATS),
    "erasure": ERASURES,
    "metrics": METRICS,
    "exports": EXPORTS,
}
"""Operations by the group under which the OpenAPI document lists the operations."""

OPERATIONS = tuple(chain.from_iterable(GROUPS.values()))
