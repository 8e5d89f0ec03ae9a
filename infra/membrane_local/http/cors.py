"""CORS as API Gateway has it, for web pages of the origins in the parameter `CorsOrigins`."""

from collections.abc import Mapping
from typing import Any

from membrane_local.http_messages import Request, Response

Configuration = Mapping[str, Any]
"""The template's CorsConfiguration; empty without origins."""


def preflight_response(configuration: Configuration, request: Request) -> Response | None:
    """The answer to a browser that asks before a page's request; None for any other request."""
    asked = {"origin", "access-control-request-method"} <= request.headers.keys()
    if not configuration or request.method != "OPTIONS" or not asked:
        return None
    headers = reply_headers(configuration, request)
    if headers:
        headers |= {
            "access-control-allow-methods": ",".join(configuration["AllowMethods"]),
            "access-control-allow-headers": ",".join(configuration["AllowHeaders"]),
            "access-control-max-age": str(configuration["MaxAge"]),
        }
    return Response(204, headers, b"")


def reply_headers(configuration: Configuration, request: Request) -> dict[str, str]:
    """The headers that let a page read the reply; empty for a caller of another origin."""
    origin = request.headers.get("origin", "")
    if origin not in configuration.get("AllowOrigins", ()):
        return {}
    return {
        "access-control-allow-origin": origin,
        "access-control-expose-headers": ",".join(configuration["ExposeHeaders"]),
    }
