"""Jobs of the service, followed to the end: erasures with their certificates, and studies."""

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, TypeVar, Unpack

from membrane_client.core.protocol import NOT_GIVEN, Pause, Series, Steps, Texts, require_scope
from membrane_client.errors import InvalidCall, InvalidCertificate, StillRunning
from membrane_client.operations import Routes
from membrane_client.operations.parameters import Caller, Write
from membrane_client.value import Page, Value
from membrane_client.values.jobs import Certificate, Erasure, ErasureState, Finding, Study

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
    spellings: Texts | None
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
    `subject` or `ids`; `subject` may come with `scope` or `user`, and with further `spellings` to
    erase. The erasure of a target only lists unless `dry_run=False`. The result is the ended
    erasure with all findings. `reason` goes into the certificate, so name no person there. Raises
    StillRunning when the pauses between looks at the erasure add up to `wait_seconds`, and
    TypeError for a record and a target at once.
    """
    user = more.get("user", NOT_GIVEN)
    scope, subject, ids = more.get("scope"), more.get("subject"), more.get("ids")
    is_bare = scope is None and subject is None and ids is None
    if record_id is not None:
        names = ("reason", "dry_run", "spellings")
        is_of_target = any(more.get(name) is not None for name in names)
        if why is None or is_of_target or not is_bare:
            raise TypeError("forget takes a record_id and why, or a target without a record_id")
        key = more.get("idempotency_key")
        yield from api.delete_record(
            record_id, rationale=why, erase=erase, user=user, idempotency_key=key
        )
        return None
    if why is not None or erase:
        raise TypeError("why and erase need a record_id; a target has reason and dry_run")
    if user is NOT_GIVEN and is_bare:
        raise TypeError("forget takes a record_id, or scope, user, subject or ids")
    # without an empty part, the service would erase a whole scope
    require_scope(scope)
    if isinstance(subject, str) and not subject.strip():
        raise InvalidCall("subject is empty: leave it out, or name one")
    if ids is not None and not ids:
        raise InvalidCall("ids is empty: leave it out, or name records and topics")
    more["dry_run"] = more.get("dry_run") is not False
    id = (yield from api.start_erasure(**more)).id
    ended = erasure(api, id, user=user, wait_seconds=wait_seconds, on_progress=on_progress)
    return (yield from ended)


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


def check_certificate(saved: Mapping[str, Any] | Value) -> None:
    """Raises InvalidCertificate unless the entries have the number and SHA-256 of the certificate.

    `saved` is a certificate with all entries: the result of `certificate`, or the JSON of the file.
    """
    whole = saved.raw if isinstance(saved, Value) else saved
    try:
        entries, signed = whole["entries"], whole["certificate"]
        expected, digest = signed["entries"], signed["entries_sha256"]
        lines = b"".join(_canonical_json(entry) + b"\n" for entry in entries)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidCertificate("a part of the certificate is missing or malformed") from error
    if len(entries) != expected:
        raise InvalidCertificate(f"the certificate has {len(entries)} entries of {expected}")
    if sha256(lines).hexdigest() != digest:
        raise InvalidCertificate("the entries differ from the entries that the certificate names")


def signed_bytes(saved: Mapping[str, Any] | Value) -> bytes:
    """The bytes that the signature covers: the certificate without entries, as canonical JSON.

    AWS KMS, or OpenSSL with the public key, checks the signature. Raises InvalidCertificate for a
    value without a certificate.
    """
    whole = saved.raw if isinstance(saved, Value) else saved
    try:
        return _canonical_json(whole["certificate"])
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidCertificate("a part of the certificate is missing or malformed") from error


def _canonical_json(value: Any) -> bytes:
    return json.dumps(
        value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    ).encode()


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
