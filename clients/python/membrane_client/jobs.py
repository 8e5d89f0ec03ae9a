"""Jobs of the service, followed to the end: erasures with their certificates, and studies."""

from collections.abc import Callable
from typing import TypeVar, Unpack

from membrane_client.certificates import check_certificate
from membrane_client.core.api import require_scope
from membrane_client.core.parameters import Texts
from membrane_client.core.protocol import NOT_GIVEN, Pause, Series, Steps
from membrane_client.errors import InvalidCall, StillRunning
from membrane_client.operations import Routes
from membrane_client.operations.parameters import Caller, Write
from membrane_client.pages import Page
from membrane_client.values.erasures import Certificate, Erasure, ErasureState, Finding
from membrane_client.values.studies import Study

FIRST_PAUSE_S, MAX_PAUSE_S = 0.25, 5.0
"""Between two looks at an erasure under way; each pause doubles the pause before."""

Watching = Callable[[ErasureState], object]

P = TypeVar("P", bound=Page[Finding])

WAIT_S = 900.0
"""The pauses of `forget` between looks at an erasure, in all."""


class Target(Write, total=False):
    """What `forget` erases, apart from a record; `user` is a target, too."""

    scope: str | None
    subject: str | None
    ids: Texts | None
    dry_run: bool
    reason: str | None


def forget(
    api: Routes,
    record_id: str | None = None,
    *,
    why: str | None = None,
    erase: bool = False,
    wait_seconds: float = WAIT_S,
    on_progress: Watching | None = None,
    **more: Unpack[Target],
) -> Steps[Erasure | None]:
    """Delete one record, `forget(record_id, why=…)`, or erase a target, `forget(user=…)`.

    Of a record, `erase` removes the content for good, and needs admin. A target is `scope`, `user`,
    `subject` or `ids`; `subject` may come with `scope` or `user`. The erasure of a target only
    lists unless `dry_run=False`. The result is the ended erasure with all findings. `reason` goes
    into the certificate, so name no person there. Raises StillRunning when the pauses between looks
    at the erasure add up to `wait_seconds`, and TypeError for a record and a target at once.
    """
    user = more.get("user", NOT_GIVEN)
    target = [more.get("scope"), more.get("subject"), more.get("ids")]
    if record_id is not None:
        of_target = [*target, more.get("reason"), more.get("dry_run")]
        if why is None or any(each is not None for each in of_target):
            raise TypeError("forget takes a record_id and why, or a target without a record_id")
        key = more.get("idempotency_key")
        return api.delete_record(
            record_id, rationale=why, erase=erase, user=user, idempotency_key=key
        )
    if why is not None or erase:
        raise TypeError("why and erase need a record_id; a target has reason and dry_run")
    if user is NOT_GIVEN and all(each is None for each in target):
        raise TypeError("forget takes a record_id, or scope, user, subject or ids")
    _require_target(more)
    return _erase_target(api, more, wait_seconds, on_progress)


def _require_target(target: Target) -> None:
    """Raises InvalidCall for an empty part, without which the service would erase a whole scope."""
    require_scope(target.get("scope"))
    subject, ids = target.get("subject"), target.get("ids")
    if isinstance(subject, str) and not subject.strip():
        raise InvalidCall("subject is empty: leave it out, or name one")
    if ids is not None and not ids:
        raise InvalidCall("ids is empty: leave it out, or name records and topics")


def _erase_target(
    api: Routes, target: Target, wait_seconds: float, on_progress: Watching | None
) -> Steps[Erasure]:
    asked: Target = {**target, "dry_run": target.get("dry_run") is not False}
    started = yield from api.start_erasure(**asked)
    user = target.get("user", NOT_GIVEN)
    return (
        yield from erasure(
            api, started.id, user=user, wait_seconds=wait_seconds, on_progress=on_progress
        )
    )


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
