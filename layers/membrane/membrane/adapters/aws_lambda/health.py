"""A sign of life that needs no key and touches no store."""

from membrane.domain.language.json_text import JsonObject, compact_json


def alive() -> JsonObject:
    """The reply to `GET /health`."""
    return {
        "statusCode": 200,
        "headers": {"content-type": "application/json"},
        "body": compact_json({"status": "ok"}),
    }
