"""Example requests about keyed documents, by RPC."""

from collections.abc import Mapping

from membrane.domain.language.json_text import JsonObject

_ADA: JsonObject = {"namespace": ["users", "ada"], "key": "profile"}

DOCUMENT_EXAMPLES: Mapping[str, JsonObject] = {
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
}
"""The bodies of requests."""
