"""One record's audit trail and its state, read from the HTTP API."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from membrane.domain.language.errors import InvalidArgument, NotFound, Unavailable
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.violations import validate
from membrane.domain.language.vocabulary import DecayCurve
from membrane.domain.records.records import AuditEntry
from membrane.domain.salience.function import Curves
from membrane.domain.salience.lifecycle import Lifecycle
from membrane_cli.api_clock import now_s
from membrane_cli.http_client import HttpClient
from membrane_cli.salience.history import Present
from membrane_cli.salience.marks import instant_s


@dataclass(frozen=True, slots=True)
class Deleted:
    """The state of a deleted record."""

    at_s: float


def read_salience(
    client: HttpClient, record_id: str, curves: Curves
) -> tuple[Sequence[AuditEntry], Present | Deleted]:
    """The audit trail, oldest entry first, and the record's state; raises DomainError.

    Raises NotFound where the record and the audit are both absent, InvalidArgument where the record
    fades along a custom curve that is not in `curves`.
    """
    path = f"/v1/records/{quote(record_id, safe='')}"
    record = _record(client, path)
    pages = list(_audit_pages(client, f"{path}/audit"))
    trail = [validate(AuditEntry, entry) for page in pages for entry in _within(page, "audit_log")]
    if record is not None:
        return trail, _present(client, record, curves)
    deleted_at = _within(pages[-1], "deleted_at")
    if deleted_at is None:
        raise Unavailable("the record was restored while it was read")
    return trail, Deleted(instant_s(deleted_at))


def _record(client: HttpClient, path: str) -> JsonObject | None:
    """The record; None for a record that is deleted or absent."""
    try:
        return dict(_within(client.ask("GET", path), "record"))
    except NotFound:
        return None


def _audit_pages(client: HttpClient, path: str) -> Iterator[JsonObject]:
    """The pages of the audit, oldest entries first."""
    page = client.ask("GET", path)
    yield page
    while "next_cursor" in page:
        page = client.ask("GET", f"{path}?{urlencode({'cursor': page['next_cursor']})}")
        yield page


def _present(client: HttpClient, record: JsonObject, curves: Curves) -> Present:
    lifecycle = validate(Lifecycle, record["lifecycle"])
    profile = lifecycle.decay
    if profile.curve is DecayCurve.CUSTOM and profile.custom_curve not in curves:
        raise InvalidArgument(
            f"the record fades by the curve {profile.custom_curve}: give it with --custom-curves"
        )
    return Present(now_s(client), record["salience"], lifecycle, record["type"])


def _within(body: Any, name: str) -> Any:
    if not isinstance(body, dict) or name not in body:
        raise Unavailable(f"the answer has no {name}: is that the API?")
    return body[name]
