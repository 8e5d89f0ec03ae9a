"""Jobs of the service, followed to the end: erasures with their certificates, and studies."""

from collections.abc import Callable
from typing import TypeVar, Unpack

from membrane_client.certificates import check_certificate
from membrane_client.core.pages import Page
from membrane_client.core.protocol import Pause, Series, Steps
from membrane_client.errors import InvalidCall, StillRunning
from membrane_client.operations import Routes
from membrane_client.operations.parameters import Caller
from membrane_client.values.erasures import Certificate, Erasure, ErasureState, Finding
from membrane_client.values.studies import Study

FIRST_PAUSE_S, MAX_PAUSE_S = 0.25, 5.0
"""Between two looks at an erasure under way; each pause doubles the pause before."""

Watching = Callable[[ErasureState], object]

P = TypeVar("P", bound=Page[Finding])


def erasure(
    api: Routes,
    id: str,
    *,
    wait_seconds: float = 0.0,
    on_progress: Watching | None = None,
    **more: Unpack[Caller],
) -> Steps[Erasure]:
    """The erasure with all findings: as of now, or with `wait_seconds` at the end.

    `on_progress` gets each state read while waiting. Raises StillRunning when the pauses add up to
    `wait_seconds`; the erasure goes on in the service.
    """
    page = yield from api.read_erasure(id, **more)
    waited_s, pause_s = 0.0, FIRST_PAUSE_S
    while wait_seconds > 0 and not page.has_ended:
        if on_progress is not None:
            on_progress(page)
        if waited_s >= wait_seconds:
            raise StillRunning(id, waited_s)
        pause_s = min(pause_s, wait_seconds - waited_s)
        yield Pause(pause_s)
        waited_s, pause_s = waited_s + pause_s, min(2 * pause_s, MAX_PAUSE_S)
        page = yield from api.read_erasure(id, **more)
    return (yield from _whole(page, lambda cursor: api.read_erasure(id, cursor=cursor, **more)))


def certificate(api: Routes, id: str, **more: Unpack[Caller]) -> Steps[Certificate]:
    """The certificate with all entries, for a file.

    Raises Conflict before the end of the erasure and for a dry run, and InvalidCertificate for
    entries that are not the entries of the certificate.
    """
    page = yield from api.read_certificate(id, **more)
    whole = yield from _whole(page, lambda cursor: api.read_certificate(id, cursor=cursor, **more))
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


def study_steps(
    api: Routes, id: str, *, every_s: float = 1.0, **more: Unpack[Caller]
) -> Series[Study]:
    """The states of a study or of a removal, each as the state changes; the last has ended.

    `every_s` is the pause between two looks at the job. A failed job is a state, no error.
    """
    if not every_s > 0:
        raise InvalidCall(f"every_s is {every_s}: expected seconds, more than 0")

    def next_state(before: Study | None) -> Steps[Study | None]:
        if before is None:
            return (yield from api.read_study(id, **more))
        if before.has_ended:
            return None
        state = before
        while state == before:
            yield Pause(every_s)
            state = yield from api.read_study(id, **more)
        return state

    return Series(next_state)
