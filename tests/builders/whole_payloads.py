"""One payload of every type with every field that the contract knows."""

from typing import Any

WHOLE: dict[str, dict[str, Any]] = {
    "episodic": {
        "kind": "episodic",
        "timeline": [
            {
                "t": "2025-01-15T10:30:00Z",
                "event_kind": "user_input",
                "ref": "msg-001",
                "summary": "User asked to refactor auth module",
            }
        ],
        "tool_graph": [
            {
                "id": "node-1",
                "tool": "file_read",
                "args": {"path": "/src/auth.go"},
                "result": {"lines": 142},
                "timestamp": "2025-01-15T10:30:05.5Z",
                "depends_on": ["node-0"],
            }
        ],
        "environment": {
            "os": "linux",
            "os_version": "6.1",
            "tool_versions": {"go": "1.22"},
            "working_directory": "/src",
            "context": {"branch": "main"},
        },
        "outcome": "success",
        "outcome_reason": "the tests pass",
        "artifacts": ["patch-1"],
        "tool_graph_ref": "graph-1",
    },
    "working": {
        "kind": "working",
        "thread_id": "session-42",
        "state": "executing",
        "active_constraints": [
            {"type": "resource", "key": "max_file_edits", "value": 5, "required": True}
        ],
        "next_actions": ["run tests"],
        "open_questions": ["Which framework?"],
        "context_summary": "Refactoring",
    },
    "semantic": {
        "kind": "semantic",
        "subject": "user",
        "predicate": "prefers_language",
        "object": {"name": "Go"},
        "validity": {
            "mode": "timeboxed",
            "conditions": {"team": "core"},
            "start": "2025-01-01T00:00:00Z",
            "end": "2026-01-01T00:00:00Z",
        },
        "evidence": [
            {
                "source_type": "human",
                "source_id": "user-7",
                "timestamp": "2025-01-15T10:30:00Z",
            }
        ],
        "revision_policy": "replace",
        "revision": {"supersedes": "rec-0", "superseded_by": "rec-2", "status": "retracted"},
    },
    "competence": {
        "kind": "competence",
        "skill_name": "fix_go_compilation_error",
        "triggers": [{"signal": "compilation_error", "conditions": {"language": "go"}}],
        "recipe": [
            {
                "step": "Read the error message",
                "tool": "file_read",
                "args_schema": {"path": "string"},
                "validation": "File contents loaded",
            }
        ],
        "required_tools": ["file_read"],
        "failure_modes": ["File not found"],
        "fallbacks": ["Ask"],
        "performance": {
            "success_count": 12,
            "failure_count": 2,
            "success_rate": 0.857,
            "avg_latency_ms": 12.5,
            "last_used_at": "2025-01-15T10:30:00Z",
        },
        "version": "2",
    },
    "plan_graph": {
        "kind": "plan_graph",
        "plan_id": "setup-go-project",
        "version": "1.0.0",
        "nodes": [
            {"id": "n1", "op": "mkdir", "params": {"path": "cmd/"}, "guards": {"empty": True}},
            {"id": "n2", "op": "go_mod_init"},
        ],
        "edges": [{"from": "n1", "to": "n2", "kind": "control"}],
        "intent": "setup_project",
        "constraints": {"language": "go"},
        "inputs_schema": {"name": "string"},
        "outputs_schema": {"path": "string"},
        "metrics": {
            "avg_latency_ms": 900.5,
            "failure_rate": 0.1,
            "execution_count": 3,
            "last_executed_at": "2025-01-15T10:30:00Z",
        },
    },
    "entity": {
        "kind": "entity",
        "canonical_name": "Project Orion",
        "primary_type": "Project",
        "types": ["Repository"],
        "aliases": ["Orion", {"value": "Projekt Orion", "kind": "name", "locale": "de"}],
        "identifiers": [{"namespace": "github", "value": "acme/orion"}],
        "summary": "A project",
    },
}
