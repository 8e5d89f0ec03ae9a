"""Values too large for a request or a reply: replaced by uploads, and by links."""

import json
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

from membrane_client.core.encoding import json_text
from membrane_client.core.protocol import Steps
from membrane_client.errors import UnexpectedReply
from membrane_client.value import JsonObject, Value, linked_places
from membrane_client.values.records import MemoryRecord

UPLOAD_FROM_BYTES = 3 * 1024 * 1024
"""A request carries 6 MB; escaping may take half."""

MAX_UPLOADS = 4
"""As many as a request takes."""

_IN_REPORTS = (
    *("args", "result", "object", "conditions", "active_constraints"),
    *("content", "context"),
    "document",
)
_RECORDS = ("record", "new_record", "forked_record", "merged_record")


def upload_large_values(
    content: bytes, upload: Callable[[bytes, int, str | None], Steps[str]], *, of_documents: bool
) -> Steps[bytes]:
    """The request's body with the largest values uploaded, until the body fits.

    `upload` gets a value, the place of the value among the largest, and the scope of the new record
    if the body names the scope; equal bodies have equal places.
    """
    body = json.loads(content)
    places = _places_in_documents(body) if of_documents else _places_in_reports(body)
    values = [
        (json_text(holder[key]), holder, key, _scope_of(part)) for holder, key, part in places
    ]
    values.sort(key=lambda each: len(each[0]), reverse=True)
    for at, (data, holder, key, scope) in enumerate(values[:MAX_UPLOADS]):
        upload_id = yield from upload(data, at, scope)
        holder[key] = {"$upload": upload_id}
        content = json_text(body)
        if len(content) <= UPLOAD_FROM_BYTES:
            break
    return content


def follow_links(raw: Any, kind: type[Value], fetch: Callable[[str], Steps[bytes]]) -> Steps[None]:
    """Replace the links of a reply by the linked values.

    Raises UnexpectedReply for content without the link's digest.
    """
    for holder, key in [*linked_places(raw, kind)]:
        match holder[key]:
            case {"$blob": {"sha256": digest, "url": url}}:
                data = yield from fetch(url)
                if sha256(data).hexdigest() != digest:
                    raise UnexpectedReply(f"the content of {key!r} is not what its link names")
                holder[key] = json.loads(data)
            case _:
                pass


def _places_in_documents(body: JsonObject) -> Iterator[tuple[JsonObject, str, JsonObject]]:
    """The values of keyed documents; the items of a list cannot be uploaded."""
    for part in (body, *body.get("operations", ())):
        if "value" in part:
            yield part, "value", part


def _places_in_reports(body: JsonObject) -> Iterator[tuple[JsonObject, str, JsonObject]]:
    """The free values of reports and records: container, key, and part with the scope."""
    for part in (body, *body.get("items", ())):
        for key in _IN_REPORTS:
            if key in part:
                yield part, key, part
        for name in _RECORDS:
            for holder, key in linked_places(part.get(name), MemoryRecord):
                yield holder, key, part


def _scope_of(part: JsonObject) -> str | None:
    """The scope of the new record of a report or full record; None without one."""
    named = part.get("record") if isinstance(part.get("record"), dict) else part
    scope = named.get("scope") if named else None
    return scope if isinstance(scope, str) and scope else None
