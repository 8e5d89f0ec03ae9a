"""`GET /docs`: the OpenAPI document as a page, shown by the vendored Swagger UI; needs no key."""

from collections.abc import Mapping
from importlib.resources import files

from membrane_local.http_messages import Response

_FILES: Mapping[str, tuple[str, str]] = {
    "/docs": ("page.html", "text/html; charset=utf-8"),
    "/docs/start.js": ("start.js", "text/javascript; charset=utf-8"),
    "/docs/swagger-ui-bundle.js": ("swagger-ui-bundle.js", "text/javascript; charset=utf-8"),
    "/docs/swagger-ui.css": ("swagger-ui.css", "text/css; charset=utf-8"),
}

ROUTES = frozenset(("GET", path) for path in ("/", *_FILES))
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def docs_file(path: str) -> Response:
    """The page, a file of the page, or the way to the page; `("GET", path)` is one of ROUTES."""
    if path == "/":
        return Response(302, {"location": "/docs"}, b"")
    name, content_type = _FILES[path]
    headers = {"content-type": content_type, "content-security-policy": _POLICY}
    return Response(200, headers, (files("membrane_local") / "swagger_ui" / name).read_bytes())
