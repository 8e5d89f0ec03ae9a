"""What the API answers: the replies of every use case, and every refusal."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from pydantic import BaseModel

from membrane.adapters.aws_lambda import bodies
from membrane.adapters.aws_lambda.operations import CREATED, Operation
from membrane.adapters.aws_lambda.problems import CONTENT_TYPE, FAULT_PROBLEM, KINDS, Kind
from membrane.domain.json_text import JsonObject
from membrane.domain.metrics.estimates import RANGES
from membrane.domain.records import AuditEntry, MemoryRecord
from membrane.domain.requests.reports import IngestObservation

JSON = "application/json"

MODELS: tuple[type[BaseModel], ...] = (MemoryRecord, AuditEntry)
"""Of which replies are made."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The body that a use case's result becomes, and how else the operation may end."""

    component: str | None
    description: str
    gone: str | None = None
    """The body of a repeat whose record was deleted since."""
    replays: bool = True
    """Whether the reply itself says that it is a repeat's."""
    never: tuple[int, ...] = ()
    """Statuses of refusals that it has no cause for."""


REPLIES: Mapping[Callable[[Any], JsonObject], Reply] = {
    bodies.written: Reply("WrittenReply", "The record.", gone="GoneReply"),
    bodies.found: Reply(
        "RecordReply",
        "The record, with its salience as of now, or of the instant asked for.",
        replays=False,
    ),
    bodies.versions: Reply(
        "VersionList", "The versions, the oldest first.", replays=False, never=(409,)
    ),
    bodies.trail: Reply(
        "AuditTrail", "The audit trail, the oldest entry first.", replays=False, never=(409,)
    ),
    bodies.nothing: Reply(None, "Done."),
    bodies.previewed: Reply(
        "DecayPreview", "How many would be pruned by when.", replays=False, never=(404, 409)
    ),
    bodies.measured: Reply("Metrics", "What there is, counted.", replays=False, never=(404, 409)),
    bodies.answered: Reply("Answer", "The records, the best first.", replays=False, never=(404,)),
    bodies.listed: Reply(
        "RecordList", "The records, the most salient first.", replays=False, never=(404, 409)
    ),
    bodies.thread: Reply("ThreadState", "The thread's latest state.", replays=False, never=(409,)),
    bodies.receipt: Reply(
        "AnswerReceipt", "Why the answer was as it was.", replays=False, never=(409,)
    ),
    bodies.opened: Reply("OpenedUpload", "Where to put the value.", never=(404,)),
    bodies.as_it_is: Reply(
        "BatchReply", "An entry for each item, in order.", replays=False, never=(404, 409)
    ),
}
"""By the function that presents the result."""


def _object(properties: JsonObject, *optional: str, **more: Any) -> JsonObject:
    required = [name for name in properties if name not in optional]
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
        **more,
    }


def _component(name: str) -> JsonObject:
    return {"$ref": f"#/components/schemas/{name}"}


FAULT_CODE = FAULT_PROBLEM["code"]
TEXT: JsonObject = {"type": "string"}
COUNT: JsonObject = {"type": "integer", "minimum": 0}
COUNTS: JsonObject = {"type": "array", "items": COUNT}
TIMESTAMP = _component("Timestamp-Output")
SHARE: JsonObject = {"type": "number", "minimum": 0, "maximum": 1}
POSITIVE: JsonObject = {"type": "number", "minimum": 0}
TOKEN = TEXT | {"description": "A retrieval that carries it sees this write."}
NEXT_CURSOR = TEXT | {"description": "Where the next page begins; absent on the last one."}
SHOWN: JsonObject = {
    "type": "array",
    "items": {"anyOf": [_component("MemoryRecord"), _component("RedactedRecord")]},
}

COMPONENTS: Mapping[str, JsonObject] = {
    "RecordReply": _object({"record": _component("MemoryRecord")}),
    "WrittenReply": _object({"record": _component("MemoryRecord"), "consistency_token": TOKEN}),
    "GoneReply": _object({"record": _component("DeletedRecord")}),
    "DeletedRecord": _object(
        {"id": TEXT, "deleted_at": TIMESTAMP},
        description="What a repeat gets whose record was deleted since.",
    ),
    "BatchReply": _object({"results": {"type": "array", "items": _component("BatchEntry")}}),
    "BatchEntry": {
        "oneOf": [
            _object(
                {
                    "status": {"enum": [200, CREATED]},
                    "record": _component("BatchRecord"),
                    "consistency_token": TOKEN,
                },
                "consistency_token",
            ),
            _object({"status": {"type": "integer"}, "error": _component("Problem")}),
        ]
    },
    "BatchRecord": {
        "description": "The id alone where the records together are too large for a reply.",
        "anyOf": [
            _component("MemoryRecord"),
            _component("DeletedRecord"),
            _object({"id": TEXT}),
        ],
    },
    "AuditTrail": _object(
        {
            "audit_log": {"type": "array", "items": _component("AuditEntry")},
            "deleted_at": {"anyOf": [TIMESTAMP, {"type": "null"}]},
            "verified": {
                "type": "boolean",
                "description": "Whether the chain is intact; where `verify` asked for it.",
            },
            "broken_at": {
                "type": ["integer", "null"],
                "minimum": 0,
                "description": "Index of the first entry that is not intact.",
            },
        },
        "verified",
        "broken_at",
    ),
    "VersionList": _object(
        {
            "versions": {"type": "array", "items": _component("RecordVersion")},
            "next_cursor": NEXT_CURSOR,
        },
        "next_cursor",
    ),
    "RecordVersion": _object(
        {
            "number": {"type": "integer", "minimum": 1},
            "valid_from": TIMESTAMP,
            "valid_to": TIMESTAMP | {"description": "Absent of the newest."},
            "action": _component("AuditAction"),
            "actor": TEXT,
            "principal": TEXT,
            "rationale": TEXT
            | {"description": "Absent where the version before this one may not be seen."},
            "changes": {
                "type": "array",
                "items": _component("FieldChange"),
                "description": (
                    "None in the first version. Absent where the version itself, or the one "
                    "before it, may not be seen."
                ),
            },
            "withheld": {
                "const": True,
                "description": "The scope or the sensitivity of then may not be seen.",
            },
        },
        "valid_to",
        "action",
        "actor",
        "principal",
        "rationale",
        "changes",
        "withheld",
        description="What a record said from one change of it to the next.",
    ),
    "FieldChange": _object(
        {
            "field": TEXT | {"description": "From the record down: `payload.revision.status`."},
            "before": {"description": "Absent where there was none."},
            "after": {"description": "Absent where there is none."},
            "added": {
                "type": "array",
                "minItems": 1,
                "items": {},
                "description": "Of a list that only grew: what is new at its end.",
            },
        },
        "before",
        "after",
        "added",
    ),
    "DecayPreview": _object(
        {
            "now": TIMESTAMP,
            "instants": {"type": "array", "items": TIMESTAMP},
            "candidates": COUNT | {"description": "The sum over all forecasts."},
            "exact": {
                "type": "boolean",
                "description": "Whether no number is an estimate.",
            },
            "forecasts": {"type": "array", "items": _component("DecayForecast")},
        }
    ),
    "DecayForecast": _object(
        {
            "scope": TEXT | {"description": "Empty for what is unscoped."},
            "type": _component("MemoryType"),
            "candidates": COUNT | {"description": "Records that are not pinned."},
            "today": COUNTS | {"description": "Of them pruned by each instant as things stand."},
            "preview": COUNTS | {"description": "The same under what the request asks for."},
            "error_bound": COUNT
            | {
                "description": (
                    "By how much each number may be off; by more with a probability of at most 1 %."
                )
            },
        },
        description="Of the records of one scope and type that may be seen.",
    ),
    "Metrics": _object({"snapshot": _component("Snapshot")}),
    "Snapshot": _object(
        {
            "collected_at": TIMESTAMP,
            "total_records": COUNT,
            "records_by_type": {
                "type": "object",
                "propertyNames": _component("MemoryType"),
                "additionalProperties": COUNT,
                "description": "Types without records are left out.",
            },
            "avg_salience": POSITIVE | {"description": "As of `collected_at`."},
            "avg_confidence": SHARE,
            "salience_distribution": _object(
                dict.fromkeys(RANGES, COUNT),
                description="As of `collected_at`; the last range has all above 1, too.",
            ),
            "active_records": COUNT | {"description": "With any salience at all."},
            "pinned_records": COUNT,
            "total_audit_entries": COUNT,
            "memory_growth_rate": SHARE | {"description": "Records made within the last day."},
            "retrieval_usefulness": SHARE | {"description": "Reinforcements of all audit entries."},
            "competence_success_rate": SHARE,
            "plan_reuse_frequency": POSITIVE,
            "revision_rate": SHARE | {"description": "Revisions of all audit entries."},
            "error_bounds": _object(
                {
                    "avg_salience": POSITIVE,
                    "salience_distribution": {
                        "type": "object",
                        "propertyNames": {"enum": list(RANGES)},
                        "additionalProperties": COUNT,
                    },
                    "active_records": COUNT,
                    "memory_growth_rate": SHARE,
                },
                "avg_salience",
                "salience_distribution",
                "active_records",
                "memory_growth_rate",
                description="By how much a field may be off; one that is left out is exact.",
            ),
        },
        description="Of all records that may be seen.",
    ),
    "Answer": _object(
        {
            "records": SHOWN,
            "selection": _component("Selection"),
            "receipt_id": TEXT | {"description": "Tells for a week why the answer is so."},
            "next_cursor": NEXT_CURSOR,
        },
        "selection",
        "next_cursor",
    ),
    "RecordList": _object({"records": SHOWN, "next_cursor": NEXT_CURSOR}, "next_cursor"),
    "ThreadState": _object(
        {
            "record": {
                "anyOf": [_component("MemoryRecord"), _component("RedactedRecord")],
                "description": "Without what it says on a later page that it leaves no room on.",
            },
            "earlier": {
                "type": "array",
                "items": _component("MemoryRecord"),
                "description": "The newest first.",
            },
            "next_cursor": NEXT_CURSOR,
        },
        "next_cursor",
    ),
    "RedactedRecord": _object(
        {
            "id": TEXT,
            "type": _component("MemoryType"),
            "sensitivity": _component("Sensitivity"),
            "confidence": SHARE,
            "salience": POSITIVE,
            "scope": TEXT,
            "tags": {"type": "array", "items": TEXT},
            "created_at": TIMESTAMP,
            "updated_at": TIMESTAMP,
            "lifecycle": _object(
                {
                    "decay": _object(
                        {"curve": {"const": "exponential"}, "half_life_seconds": {"const": 0}}
                    ),
                    "last_reinforced_at": TIMESTAMP,
                    "deletion_policy": {"const": "auto_prune"},
                }
            ),
            "provenance": _object({"sources": {"type": "array", "maxItems": 0}}),
            "payload": {"type": "null"},
            "audit_log": {"type": "array", "maxItems": 0},
        },
        "scope",
        "tags",
        description="A record without what it says: above what may be seen, or shown before.",
    ),
    "Selection": _object(
        {
            "selected": {"type": "array", "minItems": 1, "items": TEXT},
            "confidence": SHARE | {"description": "How far the best stands out."},
            "needs_more": {"type": "boolean", "description": "Whether that is too little."},
            "scores": {"type": "object", "additionalProperties": SHARE},
        },
        description="The ids of skills and plans, the best first.",
    ),
    "AnswerReceipt": _object(
        {
            "id": TEXT,
            "principal": TEXT,
            "asked_at": TIMESTAMP,
            "query": {"type": "object", "description": "The request; long texts are cut."},
            "trust": _object(
                {
                    "max_sensitivity": _component("Sensitivity"),
                    "scopes": {
                        "type": ["array", "null"],
                        "items": TEXT,
                        "description": "null for every scope.",
                    },
                },
                description="What the answer could hold at most.",
            ),
            "returned": COUNT | {"description": "Records on the page."},
            "considered": COUNT | {"description": "Candidates, explained or not."},
            "candidates": {
                "type": "array",
                "items": _object(
                    {
                        "id": TEXT,
                        "score": {"type": "number"},
                        "parts": {"type": "object", "additionalProperties": {"type": "number"}},
                    }
                ),
                "description": "The best first, as many as there was room for.",
            },
            "withheld": COUNT
            | {"description": "Met, shown in full by the key, and not by the request's trust."},
            "hidden": COUNT
            | {"description": "Met, and beyond what the key may see; for `admin` alone."},
        },
        "hidden",
    ),
    "OpenedUpload": _object(
        {
            "upload_id": TEXT,
            "url": {"type": "string", "format": "uri"},
            "method": {"const": "PUT"},
            "headers": {
                "type": "object",
                "additionalProperties": TEXT,
                "description": "To be sent with the value, exactly so: they are signed.",
            },
            "expires_at": TIMESTAMP,
        }
    ),
    "Health": _object({"status": {"const": "ok"}}),
    "Problem": _object(
        {
            "title": TEXT,
            "status": {"type": "integer"},
            "code": {
                "enum": sorted({FAULT_PROBLEM["code"], *(kind.code for kind in KINDS.values())})
            },
            "detail": {"type": "string", "description": "A sentence for the caller."},
            "errors": {
                "type": "array",
                "minItems": 1,
                "items": _object({"field": TEXT, "message": TEXT}),
                "description": "By field; no message repeats the value.",
            },
        },
        "errors",
        description="A refusal of ours.",
    ),
    "GatewayMessage": {
        "type": "object",
        "properties": {"message": {"type": ["string", "null"]}},
        "required": ["message"],
        "description": "A refusal or a failure that the gateway answers by itself.",
    },
}
"""Schemas of bodies that no model describes."""

GATEWAY: Mapping[int, str] = {
    401: "No API key",
    403: "An API key that is unknown, expired or revoked",
    413: "The request, or the reply that it needs, passes a limit",
    429: "Too many requests",
    500: "A fault, which the operator's alarm sees",
    503: "The function did not answer in time",
}
"""What the gateway answers with a body of its own."""

RETRYABLE = (429, 503)

REPLAYED: JsonObject = {
    "description": "The idempotency key was seen before, and nothing was changed.",
    "schema": {"const": "true"},
}
AGAIN = "A repeat under the same idempotency key: what it made, as it is now."
MET = " Or, without the header, the record that says the same and was reinforced."
RETRY_AFTER: JsonObject = {
    "description": "Seconds.",
    "schema": {"type": "integer", "minimum": 1},
}


def successes(operation: Operation) -> JsonObject:
    """The replies to an operation that succeeds, or that succeeded before under the same key."""
    reply, status = REPLIES[operation.present], str(operation.status)
    if not reply.replays:
        return {status: _success(reply)}
    if operation.status != CREATED:
        header = {"Idempotency-Replayed": REPLAYED}
        return {status: _success(reply, gone=reply.gone) | {"headers": header}}
    meets = operation.request is IngestObservation
    again = _success(reply, gone=reply.gone) | {
        "description": AGAIN + MET if meets else AGAIN,
        "headers": {"Idempotency-Replayed": REPLAYED if meets else {**REPLAYED, "required": True}},
    }
    return {"200": again, status: _success(reply)}


def refusals(operation: Operation) -> JsonObject:
    """References to every other reply."""
    statuses = {*GATEWAY, *(kind.status for kind in KINDS.values())}
    return references(statuses.difference(REPLIES[operation.present].never))


def references(statuses: Iterable[int]) -> JsonObject:
    """The shared replies of these statuses, by status."""
    return {
        str(status): {"$ref": f"#/components/responses/{status}"} for status in sorted(statuses)
    }


def responses() -> JsonObject:
    """The shared replies: a problem of ours, the gateway's own message, or either."""
    ours = {
        status: list(kinds)
        for status, kinds in groupby(
            sorted(dict.fromkeys(KINDS.values()), key=lambda kind: kind.status),
            key=lambda kind: kind.status,
        )
    }
    return {
        str(status): _refusal(status, ours.get(status, [])) for status in sorted({*ours, *GATEWAY})
    }


def _refusal(status: int, kinds: list[Kind]) -> JsonObject:
    descriptions = [kind.title for kind in kinds]
    content: JsonObject = {}
    if kinds:
        content[CONTENT_TYPE] = {"schema": _problem(status, kinds)}
    if status in GATEWAY:
        descriptions.append(GATEWAY[status])
        content[JSON] = {"schema": _component("GatewayMessage")}
    found: JsonObject = {"description": "; ".join(dict.fromkeys(descriptions)) + "."}
    if status in RETRYABLE:
        found["headers"] = {"Retry-After": RETRY_AFTER}
    return found | {"content": content}


def _problem(status: int, kinds: list[Kind]) -> JsonObject:
    return {
        "allOf": [_component("Problem")],
        "properties": {
            "status": {"const": status},
            "code": {"enum": [kind.code for kind in kinds]},
            "title": {"enum": [kind.title for kind in kinds]},
        },
    }


def _success(reply: Reply, gone: str | None = None) -> JsonObject:
    found: JsonObject = {"description": reply.description}
    if reply.component is None:
        return found
    schema = _component(reply.component)
    if gone is not None:
        schema = {"anyOf": [schema, _component(gone)]}
    return found | {"content": {JSON: {"schema": schema}}}
