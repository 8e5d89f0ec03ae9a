"""Salience and the end of records."""

from collections.abc import Mapping, Sequence

from membrane_client.core.api import Api
from membrane_client.core.parameters import Json, Opt, Texts, Time, User
from membrane_client.core.protocol import NOT_GIVEN, Steps
from membrane_client.operations.ingest import record_of
from membrane_client.values.records import DecayPreview, MemoryRecord, WrittenReply
from membrane_client.values.value import Value


def reinforce(
    api: Api,
    record_id: str,
    actor: Opt[str] = NOT_GIVEN,
    rationale: Opt[str] = NOT_GIVEN,
    *,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[MemoryRecord]:
    """Raise the record's salience by the record's gain."""
    return record_of(api.write("POST /v1/records/{record_id}/reinforce", locals(), WrittenReply))


def penalize(
    api: Api,
    record_id: str,
    amount: float,
    actor: Opt[str] = NOT_GIVEN,
    rationale: Opt[str] = NOT_GIVEN,
    *,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[MemoryRecord]:
    """Lower the record's salience by the amount."""
    return record_of(api.write("POST /v1/records/{record_id}/penalize", locals(), WrittenReply))


def pin(
    api: Api,
    record_id: str,
    actor: Opt[str] = NOT_GIVEN,
    rationale: Opt[str] = NOT_GIVEN,
    *,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[MemoryRecord]:
    """Keep the record from fading."""
    return record_of(api.write("POST /v1/records/{record_id}/pin", locals(), WrittenReply))


def unpin(
    api: Api,
    record_id: str,
    actor: Opt[str] = NOT_GIVEN,
    rationale: Opt[str] = NOT_GIVEN,
    *,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[MemoryRecord]:
    return record_of(api.write("POST /v1/records/{record_id}/unpin", locals(), WrittenReply))


def change_lifecycle(
    api: Api,
    record_id: str,
    *,
    decay: Opt[Json] = NOT_GIVEN,
    deletion_policy: Opt[str] = NOT_GIVEN,
    actor: Opt[str] = NOT_GIVEN,
    rationale: Opt[str] = NOT_GIVEN,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[MemoryRecord]:
    """Change how the record fades; `decay` may be partial."""
    return record_of(api.write("PATCH /v1/records/{record_id}/lifecycle", locals(), WrittenReply))


def delete_record(
    api: Api,
    record_id: str,
    actor: Opt[str] = NOT_GIVEN,
    rationale: Opt[str] = NOT_GIVEN,
    *,
    erase: bool = False,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[None]:
    """Delete the record; `erase` removes the content for good, and needs admin."""
    yield from api.write("DELETE /v1/records/{record_id}", locals(), Value, query=("erase",))


def restore_record(
    api: Api,
    record_id: str,
    actor: Opt[str] = NOT_GIVEN,
    rationale: Opt[str] = NOT_GIVEN,
    *,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[MemoryRecord]:
    """Bring a deleted or pruned record back."""
    return record_of(api.write("POST /v1/records/{record_id}/restore", locals(), WrittenReply))


def preview_decay(
    api: Api,
    *,
    trust: Opt[Json] = NOT_GIVEN,
    memory_types: Opt[Texts] = NOT_GIVEN,
    half_life_seconds: Opt[Mapping[str, int]] = NOT_GIVEN,
    threshold: Opt[float] = NOT_GIVEN,
    deletion_policy: Opt[str] = NOT_GIVEN,
    instants: Opt[Sequence[Time]] = NOT_GIVEN,
    user: User = NOT_GIVEN,
) -> Steps[DecayPreview]:
    """How many records would be pruned by when; nothing changes."""
    return api.ask("POST /v1/decay/preview", locals(), DecayPreview)
