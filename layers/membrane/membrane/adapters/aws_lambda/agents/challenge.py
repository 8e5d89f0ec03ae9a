"""The refusal of a request without a valid key, and the document that such a client reads next.

The document is the metadata of a protected resource (RFC 9728).
"""

from collections.abc import Mapping
from typing import Any

from membrane.domain.language.json_text import JsonObject, compact_json

WELL_KNOWN = "/.well-known/oauth-protected-resource"
PATH = "/mcp"

UNAUTHORIZED = 401


def challenge(event: Mapping[str, Any], *, has_token: bool) -> JsonObject:
    """The reply 401; `has_token`: the request has a key that is unknown, expired or revoked."""
    where = f'resource_metadata="{_origin(event)}{WELL_KNOWN}{PATH}"'
    why = 'error="invalid_token", ' if has_token else ""
    refused = {
        "jsonrpc": "2.0",
        "error": {"code": -32600, "message": "the request needs a valid API key as bearer token"},
    }
    return {
        "statusCode": UNAUTHORIZED,
        "headers": {
            "content-type": "application/json",
            "www-authenticate": f"Bearer {why}{where}",
        },
        "body": compact_json(refused),
    }


def protected_resource(event: Mapping[str, Any]) -> JsonObject:
    """The reply with the document."""
    document = {
        "resource": f"{_origin(event)}{PATH}",
        "resource_name": "Membrane",
        "bearer_methods_supported": ["header"],
    }
    return {
        "statusCode": 200,
        "headers": {"content-type": "application/json", "cache-control": "max-age=3600"},
        "body": compact_json(document),
    }


def _origin(event: Mapping[str, Any]) -> str:
    """The scheme and the name under which the client reached the server; loopback has no TLS."""
    context = event["requestContext"]
    domain = context["domainName"]
    is_local = domain.partition(":")[0] in ("localhost", "127.0.0.1")
    return f"{'http' if is_local else 'https'}://{domain}"
