"""Numbers and names of the layers on which template, manual and programs agree."""

from membrane.adapters.aws_lambda.chat import HTTP_API_S
from membrane.adapters.aws_lambda.events import jobs, objects, queues
from membrane.adapters.aws_lambda.events.runs import RESERVE_MS
from membrane.adapters.aws_lambda.events.studies import RESERVE_S, STEP_S
from membrane.adapters.aws_lambda.http import problems
from membrane.adapters.aws_lambda.http.problems import FAULT_PROBLEM, KINDS
from membrane.adapters.aws_lambda.invocation import WARM_UP
from membrane.adapters.aws_lambda.rows import ROWS
from membrane.adapters.dynamodb.archive.exports import ATTRIBUTES
from membrane.adapters.dynamodb.documents.items import head_key
from membrane.adapters.dynamodb.erasure.fences import FENCE_PERIOD_S
from membrane.adapters.dynamodb.indexes.learning import waiting_keys
from membrane.adapters.dynamodb.indexes.orders import READ
from membrane.adapters.dynamodb.records.beside import edge_item
from membrane.adapters.dynamodb.records.queues import LINE
from membrane.adapters.dynamodb.search.vector_items import Encoding, vector_attributes, vector_item
from membrane.domain.access.trust import MAX_SCOPES
from membrane.domain.archive.exports import EXPORTS
from membrane.domain.archive.lines import OF_DOCUMENTS, LineKind
from membrane.domain.capture.additions import MAX_WAIT_S, PATIENCE, SPREAD_S, WAITS_S
from membrane.domain.chat import requests as chat
from membrane.domain.chat.tool_log import MAX_LOG_BYTES, PREVIEW_CHARACTERS
from membrane.domain.chat.turns import MAX_QUESTION_TOKENS, Question
from membrane.domain.documents import filters, places
from membrane.domain.documents import requests as documents
from membrane.domain.documents.places import Place
from membrane.domain.ingest.full_records import MAX_ITEMS, MAX_RELATIONS
from membrane.domain.ingest.messages import MAX_CALLS, MAX_MESSAGES, MAX_NAME_CHARACTERS
from membrane.domain.integrity.anchors import FOLDER as ANCHORS
from membrane.domain.integrity.anchors import PORTIONS
from membrane.domain.language import errors
from membrane.domain.language.fields import (
    MAX_TAG_CHARACTERS,
    MAX_TAGS,
    MAX_TEXT_CHARACTERS,
    MAX_TOKENS,
)
from membrane.domain.language.json_text import MAX_DEPTH
from membrane.domain.language.timestamps import normalise, rfc3339
from membrane.domain.language.values import (
    GROWTH_BYTES,
    LARGE_VALUE_BYTES,
    MAX_PAYLOAD_BYTES,
    MAX_REPLY_BYTES,
    MAX_VALUE_BYTES,
    reply_bytes,
)
from membrane.domain.learning.policy import CONSOLIDATE
from membrane.domain.records.learning_mark import LearningMark, Stage
from membrane.domain.records.records import Relation
from membrane.domain.records.sizes import CLAIM_PERIOD, MAX_CLAIMS
from membrane.domain.records.stored import SHOWN_ENTRIES
from membrane.domain.revision.changes import MAX_SOURCES
from membrane.domain.salience.profiles import MAX_CLASSES
from membrane.domain.search.entries import MAX_TERMS
from membrane.domain.search.rendering import MAX_SEARCHED_CHARACTERS
from membrane.domain.study.jobs import STUDIES
from membrane.domain.topics.form import MAX_CURRENT_BYTES
from membrane.domain.topics.requests.reading import DEFAULT_TOP_K, MAX_TOP_K
from membrane.table import keys
from membrane.table.dynamo import THROTTLED
from membrane.table.items import LostRace
from membrane.table.keys import CHANGE, FENCES
from membrane.table.keys import RECORDS as SEARCHED
from membrane.usecases.capture.interpret_capture import CLAIM_S
from membrane.usecases.documents import search as document_search
from membrane.usecases.imports import progress as import_progress
from membrane.usecases.imports import work as import_work
from membrane.usecases.imports.progress import IMPORTS, RESTORES, RESULTS
from membrane.usecases.learning.consolidate_by_request import TIME_LIMIT_S
from membrane.usecases.lifecycle import surveying
from membrane.usecases.lifecycle.surveying import PATIENCE_S
from membrane.usecases.lifecycle.sweep_due import SweepResult
from membrane.usecases.machinery.calls import FIRST_PAUSE_S, longest_pause
from membrane.usecases.ports.bucket import DOWNLOAD_LINK_PERIOD, UPLOAD_LINK_PERIOD
from membrane.usecases.ports.search import MAX_FOUND, RECEIPT_PERIOD
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.topics import MAX_MARKED
from membrane.usecases.records.read_record import MAX_PAGE, MAX_STEPS, MAX_VERIFIED
from membrane.usecases.revision.heads import MAX_HOLDERS
from membrane.wiring.settings import LEAST_CHAT_TOKENS, tuned_names, usual_tuning

__all__ = [
    "ANCHORS", "ATTRIBUTES", "CHANGE", "CLAIM_PERIOD", "CLAIM_S", "CONSOLIDATE", "DEFAULT_TOP_K",
    "DOWNLOAD_LINK_PERIOD", "EXPORTS", "FAULT", "FAULT_PROBLEM", "FENCES", "FENCE_PERIOD_S",
    "FIRST_PAUSE_S", "GROWTH_BYTES", "HTTP_API_S", "IMPORTS", "KINDS", "LARGE_VALUE_BYTES",
    "LEAST_CHAT_TOKENS", "LINE", "MAX_CALLS", "MAX_CLAIMS", "MAX_CLASSES", "MAX_CURRENT_BYTES",
    "MAX_DEPTH", "MAX_FOUND", "MAX_HOLDERS", "MAX_ITEMS", "MAX_LOG_BYTES", "MAX_MARKED",
    "MAX_MESSAGES", "MAX_NAME_CHARACTERS", "MAX_PAGE", "MAX_PAYLOAD_BYTES", "MAX_QUESTION_TOKENS",
    "MAX_RELATIONS", "MAX_REPLY_BYTES", "MAX_SCOPES", "MAX_SEARCHED_CHARACTERS", "MAX_SOURCES",
    "MAX_STEPS", "MAX_TAGS", "MAX_TAG_CHARACTERS", "MAX_TERMS", "MAX_TEXT_CHARACTERS", "MAX_TOKENS",
    "MAX_TOP_K", "MAX_VALUE_BYTES", "MAX_VERIFIED", "MAX_WAIT_S", "OF_DOCUMENTS", "PATIENCE",
    "PATIENCE_S", "PORTIONS", "PREVIEW_CHARACTERS", "READ", "RECEIPT_PERIOD", "RESERVE_MS",
    "RESERVE_S", "RESTORES", "RESULTS", "ROWS", "SEARCHED", "SHOWN_ENTRIES", "SPREAD_S", "STEP_S",
    "STUDIES", "THROTTLED", "TIME_LIMIT_S", "UPLOAD_LINK_PERIOD", "WAITS_S", "WARM_UP", "Encoding",
    "LearningMark", "LineKind", "LostRace", "Place", "Question", "Relation", "Stage", "SweepResult",
    "chat", "document_search", "documents", "edge_item", "errors", "filters", "head_key",
    "import_progress", "import_work", "jobs", "keys", "longest_pause", "normalise", "objects",
    "places", "problems", "queues", "reply_bytes", "rfc3339", "surveying", "tuned_names",
    "usual_tuning", "vector_attributes", "vector_item", "waiting_keys",
]  # fmt: skip
