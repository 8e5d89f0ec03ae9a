"""What the API answers: the reply of every operation, and every refusal, by HTTP status."""

from collections.abc import Iterable, Mapping
from typing import Any

from membrane.adapters.aws_lambda.http import problems
from membrane.adapters.aws_lambda.http.assembling import is_conditional
from membrane.adapters.aws_lambda.http.operations import ACCEPTED, CREATED, Row
from membrane.adapters.aws_lambda.http.problems import KINDS, PRECONDITION_FAILED, Kind
from membrane.adapters.aws_lambda.http.replies import Health, Problem
from membrane.adapters.aws_lambda.rows import ROWS
from membrane.domain.language.errors import VersionMismatch
from membrane.domain.language.json_text import JsonObject
from membrane.domain.records.replies import GoneReply, WrittenReply

JSON = "application/json"

_DESCRIPTIONS = {
    **dict.fromkeys(("AddRelationship", "RemoveRelationship", "SetFieldRef"), "Done."),
    "DeleteRecord": "Done.",
    **dict.fromkeys(
        ("CreateTopic", "ChangeTopic", "DeleteTopic", "RestoreTopic"), "The id of the topic."
    ),
    **dict.fromkeys(("StartStudy", "ReadStudy", "RemoveDocument"), "The state of the job."),
    **dict.fromkeys(("CancelStudy", "ResumeStudy"), "The state of the job after the change."),
    "IngestMessages": "The records of the messages, in the order of their turns.",
    "CaptureMemory": "The evidence with the interpretation, the new records, and the edges.",
    "IngestBatch": "An entry for each item, in order.",
    "OpenUpload": "Where to put the value.",
    "Retrieve": "The records, the best first.",
    "RetrieveGraph": "The roots, and the records that relations connect with the roots.",
    "ListRecords": "The records, the most salient first.",
    "ReadThread": "The latest state of the thread.",
    "ReadReceipt": "Why the answer was as it was.",
    "RetrieveByID": "The record, with the salience as of now, or as of the instant asked for.",
    "ReadVersions": "The versions, the oldest first.",
    "ReadAudit": "The audit trail, the oldest entry first, 1,000 a page.",
    "ListEntities": "The entities: by name, or the most similar first.",
    "ReadEntity": "The entity, and the newest facts about it.",
    "ListMentions": "The mentions, the newest first.",
    "PreviewDecay": "How many records would be pruned, by instant.",
    "Consolidate": "What was made, or would be made.",
    "ListConsolidations": "What was made of what, the newest first.",
    "IngestTopic": "What was written, and where.",
    "AppendField": "The id of the revision.",
    "DeleteField": "The name of the field.",
    "NestFields": "The fields that are shown as a group from now on.",
    "UnnestFields": "The fields that are shown alone again.",
    "PromoteFields": "The new topic, and the fields of the new topic.",
    "UndoPromotion": "The fields that are back.",
    "ReadTopic": "The topic with fields and audit trail.",
    "ReadField": "The field, the newest revision first.",
    "ListTopics": "The topics, the most salient first.",
    "ReadGraph": "Topics, and the links between topics.",
    "ReadSystemContext": "The system context.",
    "ChangeSystemContext": "The new system context.",
    "UnmergeTopic": "The topic, and the topic that kept both until now.",
    "Reason": "The actions, planned or done.",
    "ReadActions": "The newest actions first.",
    "QueryTopics": "The topics, the likeliest first.",
    "PutDocument": "The document without its value.",
    "GetDocument": "The document.",
    "DeleteDocument": "Whether there was a document.",
    "AppendItems": "The document, and the end of its list.",
    "SearchDocuments": "The documents.",
    "ListNamespaces": "The namespaces, sorted.",
    "ReadOperation": "What the write did.",
    "BatchDocuments": "An entry for each operation, in order.",
    "ListTools": "The tools that the key may call.",
    "CallTool": "The answer of the tool.",
    "Chat": "The end of the conversation.",
    "StartErasure": "The state of the erasure.",
    "ReadErasure": "The state of the erasure, with findings of the listing, 100 or more a page.",
    "ReadCertificate": "The signed certificate, with entries, 100 or more a page.",
    "GetMetrics": "The metrics.",
    "CreateExport": "The export.",
    "ReadExport": "The export, with links when done.",
    "ListExports": "The exports, the newest first.",
}
"""By RPC what a success answers; of every other RPC the record."""

_WITHOUT_REPLAY = ("BatchDocuments", "CallTool", "Chat", "IngestBatch", "Reason")
"""RPCs with a key whose reply does not say that the request was a repeat."""

_FINDS_SOMETHING = (
    *("Chat", "Consolidate", "CreateExport", "GetMetrics", "IngestBatch", "IngestTopic"),
    *("ListConsolidations", "ListExports", "ListNamespaces", "ListRecords", "ListTools"),
    *("ListTopics", "OpenUpload", "PreviewDecay", "QueryTopics", "ReadActions"),
    *("ReadSystemContext", "ChangeSystemContext", "Retrieve", "RetrieveGraph", "SearchDocuments"),
)
"""RPCs that never answer 404."""

_MEETS_OTHERS = ("ReadCertificate", "RetrieveByID")
"""RPCs by GET that may answer 409."""

_MEETS_NOBODY = ("Chat", "IngestBatch", "PreviewDecay")
"""Further RPCs that never answer 409."""

_REPLIES = [row.reply_type for row in ROWS if row.reply]
BODIES: tuple[type[Any], ...] = (*dict.fromkeys(_REPLIES), GoneReply, Health, Problem)
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

CODES = sorted({problems.FAULT_PROBLEM["code"], *(kind.code for kind in KINDS.values())})

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

_REPLAYED: JsonObject = {
    "description": "The idempotency key was seen before, and nothing was changed.",
    "schema": {"const": "true"},
}
_REPEAT = "A repeat under the same idempotency key: the earlier result, as of now."
_REINFORCED = " Or, without the header, the record that says the same and was reinforced."
_RETRY_AFTER: JsonObject = {"description": "Seconds.", "schema": {"type": "integer", "minimum": 1}}


def component(name: str) -> JsonObject:
    """A reference to a schema of the document, by name."""
    return {"$ref": f"#/components/schemas/{name}"}


def successes(row: Row) -> JsonObject:
    """The replies to a request that succeeds now, or succeeded before under the same key."""
    reply, status = _success(row), str(row.status)
    etag = {"ETag": _ETAG} if row.rpc in ("GetDocument", "PutDocument") else {}
    if not row.takes_key or row.rpc in _WITHOUT_REPLAY:
        return {status: reply | ({"headers": etag} if etag else {})}
    repeat = _success(row, is_repeat=True)
    if row.status not in (CREATED, ACCEPTED):
        return {status: repeat | {"headers": {"Idempotency-Replayed": _REPLAYED, **etag}}}
    reinforces = row.rpc == "IngestObservation"
    replayed = _REPLAYED if reinforces else {**_REPLAYED, "required": True}
    repeat |= {
        "description": _REPEAT + _REINFORCED if reinforces else _REPEAT,
        "headers": {"Idempotency-Replayed": replayed},
    }
    return {"200": repeat, status: reply}


def refusals(row: Row) -> JsonObject:
    """References to all replies that are no success."""
    statuses = {*_GATEWAY, *(kind.status for kind in KINDS.values())}
    if is_conditional(row.request_type):
        statuses.add(PRECONDITION_FAILED)
    if row.rpc in _FINDS_SOMETHING:
        statuses.discard(404)
    if row.rpc in _MEETS_NOBODY or (row.method == "GET" and row.rpc not in _MEETS_OTHERS):
        statuses.discard(409)
    return references(statuses)


def references(statuses: Iterable[int]) -> JsonObject:
    """References to the shared replies of these statuses, by status."""
    return {str(each): {"$ref": f"#/components/responses/{each}"} for each in sorted(statuses)}


def responses() -> JsonObject:
    """The shared replies: a problem of the service, a message of the gateway, or either."""
    kinds: dict[int, list[Kind]] = {status: [] for status in _GATEWAY}
    for kind in dict.fromkeys([*KINDS.values(), _OF_HEADERS]):
        kinds.setdefault(kind.status, []).append(kind)
    return {str(status): _refusal(status, kinds[status]) for status in sorted(kinds)}


def _refusal(status: int, kinds: list[Kind]) -> JsonObject:
    descriptions = [kind.title for kind in kinds]
    content: JsonObject = {}
    if kinds:
        content[problems.CONTENT_TYPE] = {"schema": _problem(status, kinds)}
    if status in _GATEWAY:
        descriptions.append(_GATEWAY[status])
        content[JSON] = {"schema": component("GatewayMessage")}
    found: JsonObject = {"description": "; ".join(dict.fromkeys(descriptions)) + "."}
    if status in (429, 503):
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


def _success(row: Row, *, is_repeat: bool = False) -> JsonObject:
    found: JsonObject = {"description": _DESCRIPTIONS.get(row.rpc, "The record.")}
    if not row.reply:
        return found
    schema = component(row.reply_type.__name__)
    if is_repeat and row.reply_type is WrittenReply:  # the record may have been deleted since
        schema = {"anyOf": [schema, component(GoneReply.__name__)]}
    return found | {"content": {JSON: {"schema": schema}}}
