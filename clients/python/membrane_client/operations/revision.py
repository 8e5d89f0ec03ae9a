"""Revision: a fact is not edited, but replaced, varied, merged, doubted or taken back."""

from membrane_client.core.api import Api
from membrane_client.core.parameters import Json, Opt, Texts, User
from membrane_client.core.protocol import NOT_GIVEN, Steps
from membrane_client.operations.ingest import record_of
from membrane_client.values.records import MemoryRecord, WrittenReply


def supersede(
    api: Api,
    old_id: str,
    new_record: Json,
    actor: Opt[str] = NOT_GIVEN,
    rationale: Opt[str] = NOT_GIVEN,
    *,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[MemoryRecord]:
    """Replace a record; returns the new record."""
    return record_of(api.write("POST /v1/records/{old_id}/supersede", locals(), WrittenReply))


def fork(
    api: Api,
    source_id: str,
    forked_record: Json,
    actor: Opt[str] = NOT_GIVEN,
    rationale: Opt[str] = NOT_GIVEN,
    *,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[MemoryRecord]:
    """Put a variant beside a record; the variant."""
    return record_of(api.write("POST /v1/records/{source_id}/fork", locals(), WrittenReply))


def merge(
    api: Api,
    ids: Texts,
    merged_record: Json,
    actor: Opt[str] = NOT_GIVEN,
    rationale: Opt[str] = NOT_GIVEN,
    *,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[MemoryRecord]:
    """Replace several records; returns the new record."""
    return record_of(api.write("POST /v1/records/merge", locals(), WrittenReply))


def retract(
    api: Api,
    record_id: str,
    actor: Opt[str] = NOT_GIVEN,
    rationale: Opt[str] = NOT_GIVEN,
    *,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[MemoryRecord]:
    """Take a record back, out of retrieval."""
    return record_of(api.write("POST /v1/records/{record_id}/retract", locals(), WrittenReply))


def contest(
    api: Api,
    record_id: str,
    contesting_ref: Opt[str] = NOT_GIVEN,
    actor: Opt[str] = NOT_GIVEN,
    rationale: Opt[str] = NOT_GIVEN,
    *,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[MemoryRecord]:
    """Leave a record in doubt, until `resolve` decides."""
    return record_of(api.write("POST /v1/records/{record_id}/contest", locals(), WrittenReply))


def resolve(
    api: Api,
    record_id: str,
    resolution: str,
    *,
    superseded_by: Opt[str] = NOT_GIVEN,
    actor: Opt[str] = NOT_GIVEN,
    rationale: Opt[str] = NOT_GIVEN,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[MemoryRecord]:
    """Decide about a contested record: keep, supersede (by `superseded_by`) or retract."""
    return record_of(api.write("POST /v1/records/{record_id}/resolve", locals(), WrittenReply))


def reclassify(
    api: Api,
    record_id: str,
    *,
    scope: Opt[str] = NOT_GIVEN,
    sensitivity: Opt[str] = NOT_GIVEN,
    tags: Opt[Texts] = NOT_GIVEN,
    retracted: Opt[bool] = NOT_GIVEN,
    actor: Opt[str] = NOT_GIVEN,
    rationale: Opt[str] = NOT_GIVEN,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[MemoryRecord]:
    """Change scope, sensitivity or tags; `retracted=False` undoes a retraction."""
    return record_of(
        api.write("PATCH /v1/records/{record_id}", locals(), WrittenReply, is_scoped=False)
    )
