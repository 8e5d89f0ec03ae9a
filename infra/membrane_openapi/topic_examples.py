"""Example requests about topics, by RPC."""

from collections.abc import Mapping

from membrane.domain.language.json_text import JsonObject

TOPIC_EXAMPLES: Mapping[str, JsonObject] = {
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
    "AddRelationship": {
        "to_topic_id": "7f3c9b52-6a04-4e1d-9c35-0d2f4b8a1e67",
        "kind": "owned_by",
    },
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
}
