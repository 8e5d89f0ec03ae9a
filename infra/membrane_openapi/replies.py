"""What the API answers: the reply of every operation, and every refusal, by HTTP status."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from membrane.adapters.aws_lambda.http.operations import ACCEPTED, CREATED, Operation
from membrane.adapters.aws_lambda.http.problems import (
    CONTENT_TYPE,
    FAULT_PROBLEM,
    KINDS,
    PRECONDITION_FAILED,
    Kind,
)
from membrane.adapters.aws_lambda.http.replies import BatchReply, Health, Problem
from membrane.domain.archive.replies import ExportList, ExportReply
from membrane.domain.capture.replies import CaptureReply
from membrane.domain.chat.replies import ChatReply
from membrane.domain.documents.replies import (
    AppendedItems,
    BatchedDocuments,
    DeletedDocument,
    DocumentReply,
    FoundDocuments,
    NamespaceList,
    OperationReceipt,
    WrittenDocument,
)
from membrane.domain.entities.replies import EntityList, EntityPage, MentionList
from membrane.domain.erasure.replies import CertificateReply, ErasureReply, ErasureState
from membrane.domain.graph.replies import Graph
from membrane.domain.ingest.replies import MessagesReply
from membrane.domain.ingest.reports import IngestObservation
from membrane.domain.language.errors import VersionMismatch
from membrane.domain.language.json_text import JsonObject
from membrane.domain.learning.replies import ConsolidationList, ConsolidationReply
from membrane.domain.lifecycle.replies import DecayPreview
from membrane.domain.metrics.snapshot import Metrics
from membrane.domain.records.replies import (
    AuditTrail,
    GoneReply,
    OpenedUpload,
    RecordReply,
    VersionList,
    WrittenReply,
)
from membrane.domain.search.replies import Answer, AnswerReceipt, RecordList, ThreadState
from membrane.domain.study.replies import StudyReply
from membrane.domain.tools.replies import CalledTool, ToolList
from membrane.domain.topics.replies.editing import (
    ActionList,
    AppendedField,
    ChangedTopic,
    DeletedField,
    DeletedTopic,
    NestedFields,
    PromotedFields,
    ReasoningReply,
    TopicLinked,
    UndonePromotion,
    UnmergedTopic,
    UnnestedFields,
)
from membrane.domain.topics.replies.ingest import IngestedTopic
from membrane.domain.topics.replies.query import FoundTopics
from membrane.domain.topics.replies.reading import (
    SystemContextReply,
    TopicField,
    TopicGraph,
    TopicList,
    TopicReply,
)
from membrane_openapi.parameters import CONDITIONAL

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Reply:
    """The type of the body of a success, and how else the operation may end."""

    body: type[Any] | None
    """None: the reply has no body."""
    description: str
    gone: type[Any] | None = None
    """The type of the body of a repeat whose record was deleted since."""
    replays: bool = True
    """Whether the reply to a repeat has the header `Idempotency-Replayed`."""
    never: tuple[int, ...] = ()
    """Statuses of refusals that the operation has no cause for."""
    has_version: bool = False
    """Whether the reply has the header `ETag`."""


def _read_reply(body: type[Any], description: str, *never: int) -> Reply:
    return Reply(body, description, replays=False, never=never)


_WRITTEN = Reply(WrittenReply, "The record.", gone=GoneReply)
_CHANGED_TOPIC = Reply(ChangedTopic, "The id of the topic.")
_LINKED = Reply(TopicLinked, "Done.")
_STARTED_STUDY = Reply(StudyReply, "The state of the job.")
_CHANGED_STUDY = Reply(StudyReply, "The state of the job after the change.", replays=False)

_REPLIES: Mapping[str, Reply] = {
    "RetrieveByID": _read_reply(
        RecordReply, "The record, with the salience as of now, or as of the instant asked for."
    ),
    "ReadVersions": _read_reply(VersionList, "The versions, the oldest first.", 409),
    "ReadAudit": _read_reply(
        AuditTrail, "The audit trail, the oldest entry first, 1,000 a page.", 409
    ),
    "DeleteRecord": Reply(None, "Done."),
    "PreviewDecay": _read_reply(
        DecayPreview, "How many records would be pruned, by instant.", 404, 409
    ),
    "GetMetrics": _read_reply(Metrics, "The metrics.", 404, 409),
    "Retrieve": _read_reply(Answer, "The records, the best first.", 404),
    "RetrieveGraph": _read_reply(
        Graph, "The roots, and the records that relations connect with the roots.", 404
    ),
    "ListRecords": _read_reply(RecordList, "The records, the most salient first.", 404, 409),
    "ReadThread": _read_reply(ThreadState, "The latest state of the thread.", 409),
    "ReadReceipt": _read_reply(AnswerReceipt, "Why the answer was as it was.", 409),
    "OpenUpload": Reply(OpenedUpload, "Where to put the value.", never=(404,)),
    "IngestBatch": _read_reply(BatchReply, "An entry for each item, in order.", 404, 409),
    "IngestMessages": Reply(
        MessagesReply, "The records of the messages, in the order of their turns."
    ),
    "CaptureMemory": Reply(
        CaptureReply, "The evidence with the interpretation, the new records, and the edges."
    ),
    "IngestTopic": Reply(IngestedTopic, "What was written, and where.", never=(404,)),
    "QueryTopics": _read_reply(FoundTopics, "The topics, the likeliest first.", 404),
    "CreateTopic": _CHANGED_TOPIC,
    "ChangeTopic": _CHANGED_TOPIC,
    "DeleteTopic": Reply(DeletedTopic, "The id of the topic."),
    "RestoreTopic": _CHANGED_TOPIC,
    "AddRelationship": _LINKED,
    "RemoveRelationship": _LINKED,
    "AppendField": Reply(AppendedField, "The id of the revision."),
    "DeleteField": Reply(DeletedField, "The name of the field."),
    "SetFieldRef": _LINKED,
    "NestFields": Reply(NestedFields, "The fields that are shown as a group from now on."),
    "UnnestFields": Reply(UnnestedFields, "The fields that are shown alone again."),
    "PromoteFields": Reply(PromotedFields, "The new topic, and the fields of the new topic."),
    "UndoPromotion": Reply(UndonePromotion, "The fields that are back."),
    "ReadTopic": _read_reply(TopicReply, "The topic with fields and audit trail.", 409),
    "ReadField": _read_reply(TopicField, "The field, the newest revision first.", 409),
    "ListTopics": _read_reply(TopicList, "The topics, the most salient first.", 404, 409),
    "ReadGraph": _read_reply(TopicGraph, "Topics, and the links between topics.", 409),
    "ReadSystemContext": _read_reply(SystemContextReply, "The system context.", 404, 409),
    "ChangeSystemContext": Reply(SystemContextReply, "The new system context.", never=(404,)),
    "UnmergeTopic": Reply(UnmergedTopic, "The topic, and the topic that kept both until now."),
    "ListEntities": _read_reply(
        EntityList, "The entities: by name, or the most similar first.", 409
    ),
    "ReadEntity": _read_reply(EntityPage, "The entity, and the newest facts about it.", 409),
    "ListMentions": _read_reply(MentionList, "The mentions, the newest first.", 409),
    "Consolidate": Reply(
        ConsolidationReply, "What was made, or would be made.", replays=False, never=(404,)
    ),
    "ListConsolidations": _read_reply(
        ConsolidationList, "What was made of what, the newest first.", 404, 409
    ),
    "StartErasure": Reply(ErasureState, "The state of the erasure."),
    "ReadErasure": _read_reply(
        ErasureReply,
        "The state of the erasure, with findings of the listing, 100 or more a page.",
        409,
    ),
    "ReadCertificate": _read_reply(
        CertificateReply, "The signed certificate, with entries, 100 or more a page."
    ),
    "PutDocument": Reply(WrittenDocument, "The document without its value.", has_version=True),
    "GetDocument": Reply(
        DocumentReply, "The document.", replays=False, never=(409,), has_version=True
    ),
    "DeleteDocument": Reply(DeletedDocument, "Whether there was a document."),
    "AppendItems": Reply(AppendedItems, "The document, and the end of its list."),
    "BatchDocuments": _read_reply(BatchedDocuments, "An entry for each operation, in order."),
    "SearchDocuments": _read_reply(FoundDocuments, "The documents.", 404),
    "ListNamespaces": _read_reply(NamespaceList, "The namespaces, sorted.", 404, 409),
    "ReadOperation": _read_reply(OperationReceipt, "What the write did.", 409),
    "StartStudy": _STARTED_STUDY,
    "ReadStudy": _read_reply(StudyReply, "The state of the job.", 409),
    "CancelStudy": _CHANGED_STUDY,
    "ResumeStudy": _CHANGED_STUDY,
    "RemoveDocument": _STARTED_STUDY,
    "Reason": _read_reply(ReasoningReply, "The actions, planned or done."),
    "ListTools": _read_reply(ToolList, "The tools that the key may call.", 404, 409),
    "Chat": Reply(ChatReply, "The end of the conversation.", never=(404, 409), replays=False),
    "CallTool": Reply(CalledTool, "The answer of the tool.", replays=False),
    "CreateExport": Reply(ExportReply, "The export.", never=(404,)),
    "ReadExport": _read_reply(ExportReply, "The export, with links when done.", 409),
    "ListExports": _read_reply(ExportList, "The exports, the newest first.", 404, 409),
    "ReadActions": _read_reply(ActionList, "The newest actions first.", 404, 409),
}
"""By RPC; every other RPC answers the record that it has written."""

_BODIES = (
    body
    for reply in (_WRITTEN, *_REPLIES.values())
    for body in (reply.body, reply.gone)
    if body is not None
)
BODIES: tuple[type[Any], ...] = (*dict.fromkeys(_BODIES), Health, Problem)
"""The types of all bodies of this service."""

GATEWAY_MESSAGE: JsonObject = {
    "type": "object",
    "properties": {
        "message": {
            "type": ["string", "null"],
            "description": "What happened, in the words of the gateway.",
        }
    },
    "required": ["message"],
    "description": "A refusal or a failure that the gateway answers without the service.",
}

CODES = sorted({FAULT_PROBLEM["code"], *(kind.code for kind in KINDS.values())})

_GATEWAY: Mapping[int, str] = {
    401: "No API key",
    403: "An API key that is unknown, expired or revoked",
    413: "The request or the reply passes a limit",
    429: "Too many requests",
    500: "A fault, which raises the alarm of the operator",
    503: "The function did not answer in time",
}
"""Why the gateway answers with a body of its own, by status."""

_OF_HEADERS = KINDS[VersionMismatch]._replace(status=PRECONDITION_FAILED)
"""The refusal of a write whose header demands another version."""

_ETAG: JsonObject = {
    "description": "The version of the document, for `If-Match`.",
    "schema": {"type": "string", "pattern": '^"[0-9]+"$'},
}

_RETRYABLE = (429, 503)

_REPLAYED: JsonObject = {
    "description": "The idempotency key was seen before, and nothing was changed.",
    "schema": {"const": "true"},
}
_REPEAT = "A repeat under the same idempotency key: the earlier result, as of now."
_REINFORCED = " Or, without the header, the record that says the same and was reinforced."
_RETRY_AFTER: JsonObject = {
    "description": "Seconds.",
    "schema": {"type": "integer", "minimum": 1},
}


def component(name: str) -> JsonObject:
    """A reference to a schema of the document, by name."""
    return {"$ref": f"#/components/schemas/{name}"}


def successes(operation: Operation) -> JsonObject:
    """The replies to an operation that succeeds now, or succeeded before under the same key."""
    reply, status = _reply_of(operation), str(operation.status)
    etag = {"ETag": _ETAG} if reply.has_version else {}
    if not reply.replays:
        return {status: _success(reply) | ({"headers": etag} if etag else {})}
    if operation.status not in (CREATED, ACCEPTED):
        headers = {"Idempotency-Replayed": _REPLAYED, **etag}
        return {status: _success(reply, gone=reply.gone) | {"headers": headers}}
    reinforces = operation.request is IngestObservation
    replayed = _REPLAYED if reinforces else {**_REPLAYED, "required": True}
    repeat = _success(reply, gone=reply.gone) | {
        "description": _REPEAT + _REINFORCED if reinforces else _REPEAT,
        "headers": {"Idempotency-Replayed": replayed},
    }
    return {"200": repeat, status: _success(reply)}


def refusals(operation: Operation) -> JsonObject:
    """References to all replies that are no success."""
    statuses = {*_GATEWAY, *(kind.status for kind in KINDS.values())}
    if operation.assemble in CONDITIONAL:
        statuses.add(PRECONDITION_FAILED)
    return references(statuses.difference(_reply_of(operation).never))


def references(statuses: Iterable[int]) -> JsonObject:
    """References to the shared replies of these statuses, by status."""
    return {
        str(status): {"$ref": f"#/components/responses/{status}"} for status in sorted(statuses)
    }


def responses() -> JsonObject:
    """The shared replies: a problem of the service, a message of the gateway, or either."""
    by_status = sorted(dict.fromkeys([*KINDS.values(), _OF_HEADERS]), key=lambda kind: kind.status)
    kinds = {
        status: list(several)
        for status, several in groupby(by_status, key=lambda kind: kind.status)
    }
    return {
        str(status): _refusal(status, kinds.get(status, []))
        for status in sorted({*kinds, *_GATEWAY})
    }


def _reply_of(operation: Operation) -> Reply:
    return _REPLIES.get(operation.rpc, _WRITTEN)


def _refusal(status: int, kinds: list[Kind]) -> JsonObject:
    descriptions = [kind.title for kind in kinds]
    content: JsonObject = {}
    if kinds:
        content[CONTENT_TYPE] = {"schema": _problem(status, kinds)}
    if status in _GATEWAY:
        descriptions.append(_GATEWAY[status])
        content[JSON] = {"schema": component("GatewayMessage")}
    found: JsonObject = {"description": "; ".join(dict.fromkeys(descriptions)) + "."}
    if status in _RETRYABLE:
        found["headers"] = {"Retry-After": _RETRY_AFTER}
    return found | {"content": content}


def _problem(status: int, kinds: list[Kind]) -> JsonObject:
    return {
        "allOf": [component("Problem")],
        "properties": {
            "status": {"const": status},
            "code": {"enum": list(dict.fromkeys(kind.code for kind in kinds))},
            "title": {"enum": list(dict.fromkeys(kind.title for kind in kinds))},
        },
    }


def _success(reply: Reply, gone: type[Any] | None = None) -> JsonObject:
    found: JsonObject = {"description": reply.description}
    if reply.body is None:
        return found
    schema = component(reply.body.__name__)
    if gone is not None:
        schema = {"anyOf": [schema, component(gone.__name__)]}
    return found | {"content": {JSON: {"schema": schema}}}
