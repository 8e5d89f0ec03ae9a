"""The audit trail of a record, read from the HTTP API page by page."""

from collections.abc import Callable, Iterator
from urllib.parse import quote, urlencode

from membrane.domain.language.json_text import JsonObject

Get = Callable[[str], JsonObject]
"""The body of the reply to a GET of that path."""


def audit_pages(get: Get, record_id: str, *, verify: bool = False) -> Iterator[JsonObject]:
    """Every page of the trail, the oldest entries first."""
    path = f"/v1/records/{quote(record_id, safe='')}/audit"
    asked = {"verify": "true"} if verify else {}
    while True:
        page = get(f"{path}?{urlencode(asked)}" if asked else path)
        yield page
        if "next_cursor" not in page:
            return
        asked["cursor"] = page["next_cursor"]
