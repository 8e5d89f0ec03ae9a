"""Records: read, listed, counted, and their history."""

from membrane_client.core.api import Api
from membrane_client.core.parameters import Opt, Texts, Time, User
from membrane_client.core.protocol import NOT_GIVEN, Steps
from membrane_client.values.records import (
    AuditTrail,
    Health,
    MemoryRecord,
    Metrics,
    RecordList,
    RecordReply,
    Snapshot,
    ThreadState,
    VersionList,
)


def health(api: Api) -> Steps[Health]:
    return api.read("GET /health", {}, Health)


def retrieve_by_id(
    api: Api,
    record_id: str,
    *,
    max_sensitivity: Opt[str] = NOT_GIVEN,
    scope: Opt[Texts | str] = NOT_GIVEN,
    as_of: Opt[Time] = NOT_GIVEN,
    resolve: Opt[str] = NOT_GIVEN,
    user: User = NOT_GIVEN,
) -> Steps[MemoryRecord]:
    """The record, in the state of `as_of`; `resolve="latest"` gives the latest successor."""
    reply = yield from api.read("GET /v1/records/{record_id}", locals(), RecordReply)
    return reply.record


def list_records(
    api: Api,
    *,
    scope: Opt[str] = NOT_GIVEN,
    type: Opt[Texts | str] = NOT_GIVEN,
    state: Opt[str] = "active",
    limit: int = 100,
    cursor: Opt[str] = NOT_GIVEN,
    view: Opt[str] = "full",
    user: User = NOT_GIVEN,
) -> Steps[RecordList]:
    """Records by salience, `limit` a page; `view="brief"` gives memories.

    The states `deleted` and `pruned` give pages with `removed_records`.
    """
    return api.read("GET /v1/records", locals(), RecordList)


def read_audit(
    api: Api,
    record_id: str,
    *,
    verify: bool = False,
    max_sensitivity: Opt[str] = NOT_GIVEN,
    scope: Opt[Texts | str] = NOT_GIVEN,
    limit: int = 0,
    cursor: Opt[str] = NOT_GIVEN,
    user: User = NOT_GIVEN,
) -> Steps[AuditTrail]:
    """The audit of a record, deleted or not, the oldest entry first."""
    return api.read("GET /v1/records/{record_id}/audit", locals(), AuditTrail)


def read_versions(
    api: Api,
    record_id: str,
    *,
    max_sensitivity: Opt[str] = NOT_GIVEN,
    scope: Opt[Texts | str] = NOT_GIVEN,
    limit: int = 0,
    cursor: Opt[str] = NOT_GIVEN,
    user: User = NOT_GIVEN,
) -> Steps[VersionList]:
    """The versions of the record, the oldest first."""
    return api.read("GET /v1/records/{record_id}/versions", locals(), VersionList)


def read_thread(
    api: Api,
    thread_id: str,
    *,
    max_sensitivity: Opt[str] = NOT_GIVEN,
    scope: Opt[Texts | str] = NOT_GIVEN,
    limit: int = 100,
    cursor: Opt[str] = NOT_GIVEN,
    user: User = NOT_GIVEN,
) -> Steps[ThreadState]:
    """The latest working state of the thread, and a page of earlier states."""
    return api.read("GET /v1/threads/{thread_id}/state", locals(), ThreadState)


def get_metrics(
    api: Api,
    *,
    max_sensitivity: Opt[str] = NOT_GIVEN,
    scope: Opt[Texts | str] = NOT_GIVEN,
    user: User = NOT_GIVEN,
) -> Steps[Snapshot]:
    """Records and their salience, counted as of now."""
    reply = yield from api.read("GET /v1/metrics", locals(), Metrics)
    return reply.snapshot
