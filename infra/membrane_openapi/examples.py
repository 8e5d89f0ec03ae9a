"""Example requests of an agent, by RPC."""

from collections.abc import Mapping

from membrane.adapters.aws_lambda.http.operations import Row
from membrane.domain.language.json_text import JsonObject

_ADA: JsonObject = {"namespace": ["users", "ada"], "key": "profile"}
_FACT: JsonObject = {
    "type": "semantic",
    "sensitivity": "low",
    "payload": {
        "kind": "semantic",
        "subject": "user",
        "predicate": "prefers_language",
        "object": "Rust",
        "validity": {"mode": "global"},
        "evidence": [
            {"source_type": "message", "source_id": "msg-204", "timestamp": "2026-11-20T08:00:00Z"}
        ],
    },
}

EXAMPLES: Mapping[str, JsonObject] = {
    "IngestTopic": {
        "placement": "new_topic",
        "title": "Payment service",
        "topic_kind": "service",
        "summary": "Takes payments by card",
        "fields": [
            {"name": "region", "value": "eu-central-1", "why_changed": "First deployment"},
            {"name": "replicas", "value": 3, "field_type": "int"},
        ],
    },
    "QueryTopics": {
        "q": "Where does the payment service run?",
        "stages": ["semantic", "structural", "temporal"],
        "explain": True,
        "top_k": 5,
    },
    "CreateTopic": {"title": "Payment service", "topic_kind": "service"},
    "ChangeTopic": {"summary": "Takes payments by card and by bank transfer"},
    "DeleteTopic": {},
    "RestoreTopic": {},
    "AddRelationship": {"to_topic_id": "7f3c9b52-6a04-4e1d-9c35-0d2f4b8a1e67", "kind": "owned_by"},
    "RemoveRelationship": {},
    "AppendField": {
        "field_name": "region",
        "value": "us-east-1",
        "why_changed": "Moved closer to its users",
    },
    "DeleteField": {},
    "SetFieldRef": {"ref_topic_id": "7f3c9b52-6a04-4e1d-9c35-0d2f4b8a1e67"},
    "NestFields": {"field_names": ["region", "replicas"], "nest_key": "deployment"},
    "UnnestFields": {"nest_key": "deployment"},
    "PromoteFields": {
        "field_names": ["region", "replicas"],
        "child_title": "Deployment of the payment service",
        "relationship_kind": "has_detail",
    },
    "UndoPromotion": {"child_topic_id": "7f3c9b52-6a04-4e1d-9c35-0d2f4b8a1e67"},
    "ChangeSystemContext": {
        "system_role": "You help the payment team.",
        "runtime_context": "A repository of services on AWS.",
    },
    "UnmergeTopic": {"why": "Two services of one name"},
    "Reason": {"scope": "project", "dry_run": True},
    "PutDocument": {
        "value": {"name": "Ada", "languages": ["Go", "Rust"]},
        "index": ["languages[*]"],
        "expected_version": 0,
        "ttl_seconds": 2_592_000,
    },
    "DeleteDocument": {"rationale": "The user closed the account"},
    "AppendItems": {"items": [{"role": "user", "content": "Which tests fail?"}]},
    "BatchDocuments": {
        "operations": [
            {"op": "put", **_ADA, "value": {"name": "Ada"}},
            {"op": "get", **_ADA, "items": 10},
            {"op": "search", "namespace_prefix": ["users"], "filter": {"name": "Ada"}},
        ],
        "check_first": True,
    },
    "SearchDocuments": {
        "namespace_prefix": ["users"],
        "filter": {"kind": "note", "score": {"$gte": 3}},
        "query": "Who writes Rust?",
        "limit": 5,
    },
    "Consolidate": {"scope": "project", "dry_run": True, "quiet_minutes": 0},
    "CallTool": {"arguments": {"query": "which language does the user prefer"}},
    "Chat": {
        "messages": [{"role": "user", "content": "Which language do I prefer?"}],
        "profile": "agent",
    },
    "CreateExport": {"scope": "project"},
    "IngestEvent": {
        "source": "coding-agent",
        "event_kind": "user_input",
        "ref": "msg-001",
        "summary": "User asked to refactor auth module",
        "tags": ["refactor", "auth"],
        "scope": "project",
        "lifecycle": {"decay": {"half_life_seconds": 604_800}},
    },
    "IngestToolOutput": {
        "source": "coding-agent",
        "tool_name": "file_read",
        "args": {"path": "/src/auth.go"},
        "result": {"content": "package auth...", "lines": 142},
        "status": "success",
        "tags": ["tool", "file_read"],
    },
    "IngestObservation": {
        "source": "coding-agent",
        "subject": "user",
        "predicate": "prefers_language",
        "object": "Go",
    },
    "IngestWorkingState": {
        "source": "coding-agent",
        "thread_id": "session-42",
        "state": "executing",
        "next_actions": ["run tests", "commit changes"],
        "open_questions": ["Which test framework to use?"],
        "context_summary": "Refactoring auth module, tests passing",
        "active_constraints": [{"type": "limit", "key": "minutes", "value": 30, "required": True}],
    },
    "IngestOutcome": {
        "source": "coding-agent",
        "target_record_id": "7f3c9b52-6a04-8e1d-9c35-0d2f4b8a1e67",
        "outcome_status": "failure",
        "reason": "The tests of the auth module fail",
    },
    "IngestMessages": {
        "thread_id": "session-42",
        "messages": [
            {"role": "user", "name": "Ada", "content": "Which tests fail?"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "call-1",
                        "type": "function",
                        "function": {"name": "pytest", "arguments": '{"path": "tests/auth"}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "call-1", "content": "test_expiry: 1 failed"},
            {"role": "assistant", "content": "test_expiry, in tests/auth."},
        ],
    },
    "CaptureMemory": {
        "source": "coding-agent",
        "source_kind": "observation",
        "content": {
            "subject": "checkout-service",
            "predicate": "is_owned_by",
            "object": "Ada",
            "project": "acme/shop",
            "text": "Ada took over checkout-service from the platform team",
        },
        "reason_to_remember": "Who to ask about checkout",
        "tags": ["ownership"],
        "scope": "project",
    },
    "IngestRecord": {
        "record": {
            "type": "competence",
            "sensitivity": "low",
            "confidence": 0.9,
            "tags": ["go"],
            "payload": {
                "kind": "competence",
                "skill_name": "fix-linker-cache",
                "triggers": [{"signal": "undefined reference"}],
                "recipe": [{"step": "clear the cache", "tool": "bash"}],
            },
        }
    },
    "IngestBatch": {
        "items": [
            {
                "rpc": "IngestEvent",
                "source": "coding-agent",
                "event_kind": "build",
                "ref": "build-7",
            },
            {
                "rpc": "IngestObservation",
                "source": "coding-agent",
                "subject": "build",
                "predicate": "takes_minutes",
                "object": 4,
            },
        ]
    },
    "OpenUpload": {
        "size": 8_000_000,
        "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    },
    "PreviewDecay": {
        "trust": {"scopes": ["project"]},
        "half_life_seconds": {"episodic": 86_400},
        "threshold": 0.01,
        "instants": ["2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"],
    },
    "Retrieve": {
        "task_descriptor": "Which language does the user prefer?",
        "memory_types": ["semantic", "episodic"],
        "trust": {"max_sensitivity": "low"},
        "limit": 10,
    },
    "RetrieveGraph": {
        "task_descriptor": "Who owns the service whose pager went off on Tuesday?",
        "trust": {"max_sensitivity": "low"},
        "root_limit": 5,
        "max_hops": 2,
    },
    "Reinforce": {"rationale": "Led to the fix"},
    "Penalize": {"amount": 0.3, "rationale": "Led astray"},
    "Pin": {"rationale": "The user wants it kept"},
    "Unpin": {"rationale": "The project is over"},
    "ChangeLifecycle": {
        "decay": {"half_life_seconds": 604_800, "min_salience": 0.05},
        "deletion_policy": "manual_only",
        "rationale": "Needed for the whole release",
    },
    "DeleteRecord": {"rationale": "The user asked for it"},
    "RestoreRecord": {"rationale": "Deleted by mistake"},
    "StartErasure": {"scope": "user:alice", "dry_run": False, "reason": "request 2026-117"},
    "StartStudy": {
        "title": "Payment service",
        "source": "manuals/payment.md",
        "document": (
            "# Payment service\n\nThe payment service takes payments by card.\n\n"
            "## Deployment\n\nThe payment service runs in eu-central-1.\n"
        ),
        "scope": "project",
    },
    "CancelStudy": {},
    "ResumeStudy": {},
    "RemoveDocument": {"document_id": "7f3c9b52-6a04-8e1d-9c35-0d2f4b8a1e67", "dry_run": False},
    "Supersede": {"new_record": _FACT, "rationale": "The user said so"},
    "Fork": {
        "forked_record": {
            **_FACT,
            "payload": {
                **_FACT["payload"],
                "validity": {"mode": "conditional", "conditions": {"project": "kernel"}},
            },
        },
        "rationale": "In that project alone",
    },
    "Merge": {
        "ids": ["fact-1", "fact-2"],
        "merged_record": _FACT,
        "rationale": "Both say the same",
    },
    "MergeEntities": {
        "entity_ids": ["c1d9a3f4-58e2-8b76-a0c4-2f6e8d1b3a95"],
        "rationale": "Bob is Robert Miller",
    },
    "SplitEntity": {
        "entity_id": "c1d9a3f4-58e2-8b76-a0c4-2f6e8d1b3a95",
        "rationale": "Another Bob",
    },
    "Retract": {"rationale": "It was a joke"},
    "Contest": {"contesting_ref": "msg-305", "rationale": "The user says otherwise"},
    "Resolve": {"resolution": "keep", "rationale": "The user confirmed it"},
    "Reclassify": {
        "scope": "project",
        "sensitivity": "medium",
        "tags": ["go", "preferences"],
        "rationale": "It concerns this project alone",
    },
}
"""The bodies of requests."""

_PLACES = {
    "{id}": "7f3c9b52-6a04-8e1d-9c35-0d2f4b8a1e67",
    "{thread_id}": "session-42",
    "{name}": "region",
    "{path+}": "users/ada/profile",
}
"""By placeholder of a path a value."""

_QUERIES = {
    "RetrieveByID": "resolve=latest",
    "ReadVersions": "max_sensitivity=low",
    "ReadAudit": "verify=true",
    "ListRecords": "scope=project&type=semantic&limit=10",
    "ReadThread": "scope=project&limit=10",
    "ListEntities": "q=rob&type=Person&scope=project&limit=10",
    "ReadEntity": "max_sensitivity=low",
    "ListMentions": "scope=project&limit=10",
    "ListConsolidations": "scope=project&limit=10",
    "ReadTopic": "as_of=2026-11-20T08:00:00Z",
    "ReadField": "with_history=false",
    "ListTopics": "scope=project&limit=10",
    "ReadGraph": "topic_id=7f3c9b52-6a04-8e1d-9c35-0d2f4b8a1e67&depth=2",
    "ReadActions": "scope=project&limit=10",
    "GetMetrics": "scope=project",
    "GetDocument": "items=10&history=3",
    "ListNamespaces": "prefix=users&prefix=*&max_depth=2",
    "ReadOperation": "operation_id=import-2026-117",
}
"""By RPC without a body the query."""


def request_line(row: Row) -> str:
    """The method, the path and the query of an operation without a body."""
    line = row.route
    for place, value in _PLACES.items():
        line = line.replace(place, value)
    query = _QUERIES.get(row.rpc)
    return f"{line}?{query}" if query else line
