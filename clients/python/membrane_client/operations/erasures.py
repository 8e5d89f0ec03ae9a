"""Erasures: started, followed to the end, and proved by a certificate."""

from collections.abc import Callable
from typing import TypeVar

from membrane_client.certificates import check_certificate
from membrane_client.core.api import Api
from membrane_client.core.parameters import Opt, Texts, User
from membrane_client.core.protocol import NOT_GIVEN, Pause, Steps
from membrane_client.errors import StillRunning
from membrane_client.values.erasures import Certificate, Erasure, ErasureState, Finding
from membrane_client.values.records import Page

FIRST_PAUSE_S, MAX_PAUSE_S = 0.25, 5.0
"""Between two looks at an erasure under way; each pause doubles the pause before."""

Watching = Callable[[ErasureState], object]

P = TypeVar("P", bound=Page[Finding])


def start_erasure(
    api: Api,
    *,
    scope: Opt[str] = NOT_GIVEN,
    subject: Opt[str] = NOT_GIVEN,
    ids: Opt[Texts] = NOT_GIVEN,
    dry_run: bool = True,
    reason: Opt[str] = NOT_GIVEN,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[ErasureState]:
    """Start to list the target, or with `dry_run=False` to erase; `forget` waits for the end.

    The service refuses `ids` beside a scope, so the scope of the client stays out.
    """
    is_scoped = ids is NOT_GIVEN
    given = {name: value for name, value in locals().items() if name != "is_scoped"}
    return api.write("POST /v1/erasures", given, ErasureState, is_scoped=is_scoped)


def read_erasure(
    api: Api, id: str, *, cursor: Opt[str] = NOT_GIVEN, user: User = NOT_GIVEN
) -> Steps[Erasure]:
    """The state of an erasure, with the listing page by page.

    An erasure that was started under a user is read under the user.
    """
    return api.read("GET /v1/erasures/{id}", locals(), Erasure)


def read_certificate(
    api: Api, id: str, *, cursor: Opt[str] = NOT_GIVEN, user: User = NOT_GIVEN
) -> Steps[Certificate]:
    """The signed certificate of an erasure that is done, with the entries page by page."""
    return api.read("GET /v1/erasures/{id}/certificate", locals(), Certificate)


def erasure(
    api: Api,
    id: str,
    *,
    user: User = NOT_GIVEN,
    wait_seconds: float = 0.0,
    on_progress: Watching | None = None,
) -> Steps[Erasure]:
    """The erasure with all findings: as of now, or with `wait_seconds` at the end.

    `on_progress` gets each state read while waiting. Raises StillRunning when the pauses add up to
    `wait_seconds`; the erasure goes on in the service.
    """
    page = yield from read_erasure(api, id, user=user)
    waited_s, pause_s = 0.0, FIRST_PAUSE_S
    while wait_seconds > 0 and not page.has_ended:
        if on_progress is not None:
            on_progress(page)
        if waited_s >= wait_seconds:
            raise StillRunning(id, waited_s)
        pause_s = min(pause_s, wait_seconds - waited_s)
        yield Pause(pause_s)
        waited_s, pause_s = waited_s + pause_s, min(2 * pause_s, MAX_PAUSE_S)
        page = yield from read_erasure(api, id, user=user)
    return (yield from _whole(page, lambda cursor: read_erasure(api, id, cursor=cursor, user=user)))


def certificate(api: Api, id: str, *, user: User = NOT_GIVEN) -> Steps[Certificate]:
    """The certificate with all entries, for a file.

    Raises Conflict before the end of the erasure and for a dry run, and InvalidCertificate for
    entries that are not the entries of the certificate.
    """
    page = yield from read_certificate(api, id, user=user)
    whole = yield from _whole(
        page, lambda cursor: read_certificate(api, id, cursor=cursor, user=user)
    )
    check_certificate(whole)
    return whole


def _whole(page: P, following: Callable[[str], Steps[P]]) -> Steps[P]:
    """The last page, with the items of all pages."""
    items = [*page.raw[page.LISTS]]
    while page.next_cursor:
        page = yield from following(page.next_cursor)
        items += page.raw[page.LISTS]
    page.raw[page.LISTS] = items
    return page
