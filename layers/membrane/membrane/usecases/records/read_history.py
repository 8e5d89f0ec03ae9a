"""Read the versions of a record: since when each held, who made it, why, and what it changed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from membrane.domain.access.trust import Trust
from membrane.domain.language.json_text import JsonObject
from membrane.domain.records.limits import MAX_REPLY_BYTES, reply_bytes
from membrane.domain.records.requests import ReadVersions
from membrane.domain.records.versions import Version, versions_of
from membrane.domain.tokens.cursors import position_in
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.visibility import load_alive, require_trust
from membrane.usecases.ports.services import Services

BESIDE_BYTES = 1_024
"""Room for what a reply holds beside its versions."""


@dataclass(frozen=True, slots=True)
class Versions:
    """Versions of a record as a reply shows them, the oldest first."""

    versions: Sequence[JsonObject]
    next_cursor: str | None


def read_versions(request: ReadVersions, call: Call, services: Services) -> Versions:
    """The next versions, as many as were asked for and a reply carries.

    A version that may not be seen says no more than when it held, and the next one neither what it
    changed nor why: either may tell what was before. Raises NotFound, PermissionDenied where only
    the request's own trust excludes the record, and InvalidArgument for a cursor that is not ours.
    """
    begin = position_in(request.cursor)
    stored = load_alive(request.id, call.principal, services, whole=True)
    require_trust(stored, call.principal, request.trust)
    trust = call.principal.trust.narrowed(request.trust)
    every = versions_of(stored)
    wanted = islice(_told(every, trust), begin, begin + request.limit if request.limit else None)
    page = list(_fitting(wanted, request.id))
    end = begin + len(page)
    return Versions(page, str(end) if end < len(every) else None)


def _told(versions: Sequence[Version], trust: Trust) -> Iterator[JsonObject]:
    """What is different, and why, is told where both states may be seen."""
    was_seen = True
    for version in versions:
        is_seen = trust.allows(version.scope, version.sensitivity)
        told = {**_times(version), **(_deed(version) if is_seen else {"withheld": True})}
        if is_seen and was_seen:
            told["rationale"] = version.entry.rationale
            told["changes"] = [change.as_json() for change in version.changes]
        yield told
        was_seen = is_seen


def _times(version: Version) -> JsonObject:
    told: JsonObject = {"number": version.number, "valid_from": version.valid_from}
    return told if version.valid_to is None else {**told, "valid_to": version.valid_to}


def _deed(version: Version) -> JsonObject:
    entry = version.entry
    return {
        "action": entry.action,
        "actor": entry.actor,
        "principal": entry.principal,
    }


def _fitting(versions: Iterator[JsonObject], record_id: str) -> Iterator[JsonObject]:
    """As many as a reply carries; the first one in any case, in short form if it is too large."""
    room = MAX_REPLY_BYTES - BESIDE_BYTES
    for position, version in enumerate(versions):
        size = reply_bytes(version)
        if size > room and position:
            return
        yield version if size <= room else _short(version, size, record_id)
        room -= size


def _short(version: JsonObject, size: int, record_id: str) -> JsonObject:
    """When the version held and who made it, with its size and the record as it was then."""
    kept = {name: told for name, told in version.items() if name not in _LONG}
    link = f"/v1/records/{record_id}?as_of={version['valid_from']}"
    return {**kept, "size": size, "link": link}


_LONG = ("rationale", "changes")
