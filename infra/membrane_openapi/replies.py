"""What the API answers: the replies of every use case, and every refusal."""

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from typing import Any

from pydantic import BaseModel

from membrane.adapters.aws_lambda.http import bodies
from membrane.adapters.aws_lambda.http.operations import CREATED, Operation
from membrane.adapters.aws_lambda.http.problems import CONTENT_TYPE, FAULT_PROBLEM, KINDS, Kind
from membrane.domain.ingest.reports import IngestObservation
from membrane.domain.language.json_text import JsonObject
from membrane.domain.metrics.snapshot import RANGES, SAMPLED
from membrane.domain.records.records import AuditEntry, MemoryRecord
from membrane.domain.search.brief import MAX_TEXT_CHARACTERS, MAX_WHO_CHARACTERS
from membrane_openapi.shapes import (
    COUNT,
    COUNTS,
    NEXT_CURSOR,
    POSITIVE,
    SHARE,
    TEXT,
    TIMESTAMP,
    TOKEN,
    Reply,
    component,
    object_of,
)
from membrane_openapi.topic_replies import TOPIC_COMPONENTS, TOPIC_REPLIES

JSON = "application/json"

MODELS: tuple[type[BaseModel], ...] = (MemoryRecord, AuditEntry)
"""Of which replies are made."""


REPLIES: Mapping[Callable[[Any], JsonObject], Reply] = {
    bodies.written: Reply("WrittenReply", "The record.", gone="GoneReply"),
    bodies.body_of: Reply("SaidReply", "The records of the messages, in the order of their turns."),
    bodies.found: Reply(
        "RecordReply",
        "The record, with its salience as of now, or of the instant asked for.",
        replays=False,
    ),
    bodies.versions: Reply(
        "VersionList", "The versions, the oldest first.", replays=False, never=(409,)
    ),
    bodies.trail: Reply(
        "AuditTrail",
        "The audit trail, the oldest entry first, 1,000 a page.",
        replays=False,
        never=(409,),
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


SHOWN: JsonObject = {
    "type": "array",
    "items": {
        "anyOf": [
            component("MemoryRecord"),
            component("RedactedRecord"),
            component("OversizedRecord"),
            component("BriefRecord"),
        ]
    },
    "description": "Whole, or with the view `brief` in brief.",
}


def _said(record: JsonObject, **before: JsonObject) -> JsonObject:
    """What messages are answered with, where a record is shown so."""
    turn = {"type": ["integer", "null"], "minimum": 1}
    unknown = "null where a repeat finds nothing but tombstones"
    return object_of(
        {
            **before,
            "thread_id": TEXT,
            "first_turn": turn | {"description": f"Of the first message; {unknown}."},
            "next_turn": turn
            | {"description": f"Of whatever is said next in the thread; {unknown}."},
            "records": {"type": "array", "minItems": 1, "items": record},
            "consistency_tokens": {
                "type": "array",
                "items": TOKEN,
                "description": "One for each record that was not deleted.",
            },
        }
    )


COMPONENTS: Mapping[str, JsonObject] = {
    **TOPIC_COMPONENTS,
    "RecordReply": object_of({"record": component("MemoryRecord")}),
    "WrittenReply": object_of({"record": component("MemoryRecord"), "consistency_token": TOKEN}),
    "SaidReply": _said({"anyOf": [component("MemoryRecord"), component("DeletedRecord")]}),
    "GoneReply": object_of({"record": component("DeletedRecord")}),
    "DeletedRecord": object_of(
        {"id": TEXT, "deleted_at": TIMESTAMP},
        description="What a repeat gets whose record was deleted since.",
    ),
    "BatchReply": object_of({"results": {"type": "array", "items": component("BatchEntry")}}),
    "BatchEntry": {
        "oneOf": [
            object_of(
                {
                    "status": {"enum": [200, CREATED]},
                    "record": component("BatchRecord"),
                    "consistency_token": TOKEN,
                },
                "consistency_token",
            ),
            _said(component("BatchRecord"), status={"enum": [200, CREATED]}),
            object_of({"status": {"type": "integer"}, "error": component("Problem")}),
        ]
    },
    "BatchRecord": {
        "description": "The id alone where the records together are too large for a reply.",
        "anyOf": [
            component("MemoryRecord"),
            component("DeletedRecord"),
            object_of({"id": TEXT}),
        ],
    },
    "AuditTrail": object_of(
        {
            "audit_log": {"type": "array", "items": component("AuditEntry")},
            "audit_count": COUNT | {"description": "How many entries the trail has in all."},
            "next_cursor": NEXT_CURSOR,
            "deleted_at": {"anyOf": [TIMESTAMP, {"type": "null"}]},
            "verified": {
                "type": "boolean",
                "description": "Whether the entries are intact; where `verify` asked for it.",
            },
            "broken_at": {
                "type": ["integer", "null"],
                "minimum": 0,
                "description": "Position in the trail of the first entry that is not intact.",
            },
            "verified_entries": COUNT
            | {
                "description": (
                    "How many entries were verified: from the trail's first one, or on a later "
                    "page from the page's first one."
                )
            },
        },
        "next_cursor",
        "verified",
        "broken_at",
        "verified_entries",
    ),
    "VersionList": object_of(
        {
            "versions": {"type": "array", "items": component("RecordVersion")},
            "next_cursor": NEXT_CURSOR,
        },
        "next_cursor",
    ),
    "RecordVersion": object_of(
        {
            "number": {"type": "integer", "minimum": 1},
            "valid_from": TIMESTAMP,
            "valid_to": TIMESTAMP | {"description": "Absent of the newest."},
            "action": component("AuditAction"),
            "actor": TEXT,
            "principal": TEXT,
            "rationale": TEXT
            | {"description": "Absent where the version before this one may not be seen."},
            "changes": {
                "type": "array",
                "items": component("FieldChange"),
                "description": (
                    "None in the first version. Absent where the version itself, or the one "
                    "before it, may not be seen."
                ),
            },
            "withheld": {
                "const": True,
                "description": "The scope or the sensitivity of then may not be seen.",
            },
            "size": COUNT
            | {
                "description": (
                    "Bytes of the version in a reply: too many, so that its rationale and its "
                    "changes are left out."
                )
            },
            "link": TEXT | {"description": "With `size`: where the record of then can be read."},
        },
        "valid_to",
        "action",
        "actor",
        "principal",
        "rationale",
        "changes",
        "withheld",
        "size",
        "link",
        description="What a record said from one change of it to the next.",
    ),
    "FieldChange": object_of(
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
    "DecayPreview": object_of(
        {
            "now": TIMESTAMP,
            "instants": {"type": "array", "items": TIMESTAMP},
            "candidates": COUNT | {"description": "The sum over all forecasts."},
            "exact": {
                "type": "boolean",
                "description": "Whether no number is an estimate.",
            },
            "forecasts": {"type": "array", "items": component("DecayForecast")},
        }
    ),
    "DecayForecast": object_of(
        {
            "scope": TEXT | {"description": "Empty for what is unscoped."},
            "type": component("MemoryType"),
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
    "Metrics": object_of({"snapshot": component("Snapshot")}),
    "Snapshot": object_of(
        {
            "collected_at": TIMESTAMP,
            "total_records": COUNT,
            "records_by_type": {
                "type": "object",
                "propertyNames": component("MemoryType"),
                "additionalProperties": COUNT,
                "description": "Types without records are left out.",
            },
            "avg_salience": POSITIVE | {"description": "As of `collected_at`."},
            "avg_confidence": SHARE,
            "salience_distribution": object_of(
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
            "error_bounds": object_of(
                {
                    "total_records": COUNT,
                    "records_by_type": {
                        "type": "object",
                        "propertyNames": component("MemoryType"),
                        "additionalProperties": COUNT,
                    },
                    "pinned_records": COUNT,
                    "avg_confidence": SHARE,
                    "avg_salience": POSITIVE,
                    "salience_distribution": {
                        "type": "object",
                        "propertyNames": {"enum": list(RANGES)},
                        "additionalProperties": COUNT,
                    },
                    "active_records": COUNT,
                    "memory_growth_rate": SHARE,
                },
                "total_records",
                "records_by_type",
                "pinned_records",
                "avg_confidence",
                "avg_salience",
                "salience_distribution",
                "active_records",
                "memory_growth_rate",
                description="By how much an estimated field may be off, by more with a chance "
                "of 1 in 100.",
            ),
            "sampled": object_of(
                dict.fromkeys(SAMPLED, COUNT),
                *SAMPLED,
                description="From how many records an estimated field without a bound was "
                "estimated. A field that neither this nor `error_bounds` has is exact.",
            ),
        },
        description="Of all records that may be seen.",
    ),
    "Answer": object_of(
        {
            "records": SHOWN,
            "prompt": component("Prompt"),
            "scores": {
                "type": "object",
                "additionalProperties": SHARE,
                "description": "How well each record that was found answers the task, by id; "
                "comparable between calls. Absent without a task.",
            },
            "selection": component("Selection"),
            "receipt_id": TEXT
            | {
                "description": "Tells for a week why the answer is so; absent where the receipt "
                "could not be kept in time."
            },
            "next_cursor": NEXT_CURSOR,
        },
        "records",
        "prompt",
        "scores",
        "selection",
        "receipt_id",
        "next_cursor",
        oneOf=[{"required": ["records"]}, {"required": ["prompt"]}],
    ),
    "BriefRecord": object_of(
        {
            "id": TEXT,
            "type": component("MemoryType"),
            "text": {
                "type": ["string", "null"],
                "maxLength": MAX_TEXT_CHARACTERS,
                "description": "What the record says; a longer text ends in an ellipsis. Null of "
                "a redacted record.",
            },
            "score": {
                **SHARE,
                "type": ["number", "null"],
                "description": "How well the record answers the task; null without a task, and of "
                "a record that no score is known of.",
            },
            "salience": POSITIVE,
            "when": TIMESTAMP
            | {"description": "When it happened; of a redacted record, when it was made."},
            "who": {
                "type": ["string", "null"],
                "maxLength": MAX_WHO_CHARACTERS,
                "description": "Who said or reported it, else who made the record. Null of a "
                "redacted record.",
            },
            "scope": TEXT,
            "tags": {"type": "array", "items": TEXT},
        },
        description="A record with the view `brief`.",
    ),
    "Prompt": object_of(
        {
            "text": TEXT
            | {
                "description": "A first line that says what follows, then a line a memory, the "
                'best first: `- date, who: "text" [id]`, the text as a JSON string. Empty where '
                "there is no memory, or no room for one."
            },
            "ids": {
                "type": "array",
                "items": TEXT,
                "description": "Of the memories in the text, in their order.",
            },
            "tokens": COUNT | {"description": "Of the text, rather too many than too few."},
        },
        description="In place of the records with the view `prompt`. A memory without room is "
        "left out; the first is cut instead. What is redacted is left out.",
    ),
    "RecordList": object_of({"records": SHOWN, "next_cursor": NEXT_CURSOR}, "next_cursor"),
    "ThreadState": object_of(
        {
            "record": {
                "anyOf": [component("MemoryRecord"), component("RedactedRecord")],
                "description": "Without what it says on a later page that it leaves no room on.",
            },
            "earlier": {
                "type": "array",
                "items": {"anyOf": [component("MemoryRecord"), component("OversizedRecord")]},
                "description": "The newest first.",
            },
            "next_cursor": NEXT_CURSOR,
        },
        "next_cursor",
    ),
    "OversizedRecord": object_of(
        {
            "id": TEXT,
            "type": component("MemoryType"),
            "size": COUNT | {"description": "Bytes of the record in a reply, without its audit."},
            "link": TEXT
            | {"description": "Where the record can be read; absent of a redacted one."},
        },
        "link",
        description="A record for which a whole page is too small.",
    ),
    "RedactedRecord": object_of(
        {
            "id": TEXT,
            "type": component("MemoryType"),
            "sensitivity": component("Sensitivity"),
            "confidence": SHARE,
            "salience": POSITIVE,
            "scope": TEXT,
            "tags": {"type": "array", "items": TEXT},
            "created_at": TIMESTAMP,
            "updated_at": TIMESTAMP,
            "lifecycle": object_of(
                {
                    "decay": object_of(
                        {"curve": {"const": "exponential"}, "half_life_seconds": {"const": 0}}
                    ),
                    "last_reinforced_at": TIMESTAMP,
                    "deletion_policy": {"const": "auto_prune"},
                }
            ),
            "provenance": object_of({"sources": {"type": "array", "maxItems": 0}}),
            "payload": {"type": "null"},
            "audit_log": {"type": "array", "maxItems": 0},
        },
        "scope",
        "tags",
        description="A record without what it says: above what may be seen, or shown before.",
    ),
    "Selection": object_of(
        {
            "selected": {"type": "array", "minItems": 1, "items": TEXT},
            "confidence": SHARE | {"description": "How far the best stands out."},
            "needs_more": {"type": "boolean", "description": "Whether that is too little."},
            "scores": {"type": "object", "additionalProperties": SHARE},
        },
        description="The ids of skills and plans, the best first.",
    ),
    "AnswerReceipt": object_of(
        {
            "id": TEXT,
            "principal": TEXT,
            "asked_at": TIMESTAMP,
            "query": {"type": "object", "description": "The request; long texts are cut."},
            "trust": object_of(
                {
                    "max_sensitivity": component("Sensitivity"),
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
                "items": object_of(
                    {
                        "id": TEXT,
                        "score": {"type": "number"},
                        "parts": {"type": "object", "additionalProperties": {"type": "number"}},
                    }
                ),
                "description": "The best first, as many as there was room for.",
            },
            "left_out": COUNT
            | {"description": "Found or let through by filters, and scored less than the floor."},
            "withheld": COUNT
            | {
                "description": "Met, shown in full by the key, and not by the request's trust: "
                "at least so many, as nothing is searched for counting."
            },
            "hidden": COUNT
            | {"description": "Met, and beyond what the key may see; for `admin` alone."},
        },
        "hidden",
    ),
    "OpenedUpload": object_of(
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
    "Health": object_of({"status": {"const": "ok"}}),
    "Problem": object_of(
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
                "items": object_of({"field": TEXT, "message": TEXT}),
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
    reply, status = _reply_of(operation), str(operation.status)
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
    return references(statuses.difference(_reply_of(operation).never))


def _reply_of(operation: Operation) -> Reply:
    """Use cases of topics answer with bodies, so that theirs are known by the RPC."""
    return TOPIC_REPLIES.get(operation.rpc) or REPLIES[operation.present]


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
        content[JSON] = {"schema": component("GatewayMessage")}
    found: JsonObject = {"description": "; ".join(dict.fromkeys(descriptions)) + "."}
    if status in RETRYABLE:
        found["headers"] = {"Retry-After": RETRY_AFTER}
    return found | {"content": content}


def _problem(status: int, kinds: list[Kind]) -> JsonObject:
    return {
        "allOf": [component("Problem")],
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
    schema = component(reply.component)
    if gone is not None:
        schema = {"anyOf": [schema, component(gone)]}
    return found | {"content": {JSON: {"schema": schema}}}
