"""Records: corrected, strengthened, weakened and deleted. Written by `make openapi`."""

from collections.abc import Mapping, Sequence
from typing import Unpack

from membrane_client.core.api import Api
from membrane_client.core.parameters import Json, Texts, Time
from membrane_client.core.protocol import Steps
from membrane_client.core.sync_and_async import operation
from membrane_client.operations.parameters import Caller, Claim
from membrane_client.value import Value
from membrane_client.values.records import DecayPreview, MemoryRecord


class Revision:
    @operation
    def preview_decay(
        api: Api,
        *,
        trust: Json | None = None,
        memory_types: Texts | None = None,
        half_life_seconds: Mapping[str, int] | None = None,
        threshold: float | None = None,
        deletion_policy: str | None = None,
        instants: Sequence[Time] | None = None,
        **more: Unpack[Caller],
    ) -> Steps[DecayPreview]:
        """Count the records that another decay policy would prune by given instants."""
        return api.ask("POST /v1/decay/preview", locals(), DecayPreview)

    @operation
    def merge(
        api: Api, ids: Texts, merged_record: Json, **more: Unpack[Claim]
    ) -> Steps[MemoryRecord]:
        """Replace several records by one new record."""
        return api.record("POST /v1/records/merge", locals())

    @operation
    def reclassify(
        api: Api,
        record_id: str,
        *,
        scope: str | None = None,
        sensitivity: str | None = None,
        tags: Texts | None = None,
        retracted: bool | None = None,
        **more: Unpack[Claim],
    ) -> Steps[MemoryRecord]:
        """Change scope, sensitivity or tags of a record.

        Make a retracted record active again.
        """
        return api.record("PATCH /v1/records/{record_id}", locals(), is_scoped=False)

    @operation
    def delete_record(
        api: Api, record_id: str, *, erase: bool = False, **more: Unpack[Claim]
    ) -> Steps[None]:
        """Delete a record; with `erase` remove the content at once and for good."""
        yield from api.write("DELETE /v1/records/{record_id}", locals(), Value, query=("erase",))

    @operation
    def contest(
        api: Api, record_id: str, contesting_ref: str | None = None, **more: Unpack[Claim]
    ) -> Steps[MemoryRecord]:
        """Contest a record; the record stays in doubt until `resolve` decides."""
        return api.record("POST /v1/records/{record_id}/contest", locals())

    @operation
    def fork(
        api: Api, source_id: str, forked_record: Json, **more: Unpack[Claim]
    ) -> Steps[MemoryRecord]:
        """Put a variant beside a record, which stays active."""
        return api.record("POST /v1/records/{source_id}/fork", locals())

    @operation
    def change_lifecycle(
        api: Api,
        record_id: str,
        *,
        decay: Json | None = None,
        deletion_policy: str | None = None,
        **more: Unpack[Claim],
    ) -> Steps[MemoryRecord]:
        """Change the decay profile or the deletion policy of a record."""
        return api.record("PATCH /v1/records/{record_id}/lifecycle", locals())

    @operation
    def penalize(
        api: Api, record_id: str, amount: float, **more: Unpack[Claim]
    ) -> Steps[MemoryRecord]:
        """Lower the salience of a harmful or useless record by an amount."""
        return api.record("POST /v1/records/{record_id}/penalize", locals())

    @operation
    def pin(api: Api, record_id: str, **more: Unpack[Claim]) -> Steps[MemoryRecord]:
        """Keep the salience of a record as of now, and keep the record from being pruned."""
        return api.record("POST /v1/records/{record_id}/pin", locals())

    @operation
    def reinforce(api: Api, record_id: str, **more: Unpack[Claim]) -> Steps[MemoryRecord]:
        """Raise the salience of a useful record by its reinforcement gain."""
        return api.record("POST /v1/records/{record_id}/reinforce", locals())

    @operation
    def resolve(
        api: Api,
        record_id: str,
        resolution: str,
        *,
        superseded_by: str | None = None,
        **more: Unpack[Claim],
    ) -> Steps[MemoryRecord]:
        """Decide the contest of a record: keep, supersede or retract the record."""
        return api.record("POST /v1/records/{record_id}/resolve", locals())

    @operation
    def restore_record(api: Api, record_id: str, **more: Unpack[Claim]) -> Steps[MemoryRecord]:
        """Restore a deleted record."""
        return api.record("POST /v1/records/{record_id}/restore", locals())

    @operation
    def retract(api: Api, record_id: str, **more: Unpack[Claim]) -> Steps[MemoryRecord]:
        """Retract a record: no retrieval finds the record by default, and a read by id does."""
        return api.record("POST /v1/records/{record_id}/retract", locals())

    @operation
    def supersede(
        api: Api, old_id: str, new_record: Json, **more: Unpack[Claim]
    ) -> Steps[MemoryRecord]:
        """Replace a record by a new record of the same type."""
        return api.record("POST /v1/records/{old_id}/supersede", locals())

    @operation
    def unpin(api: Api, record_id: str, **more: Unpack[Claim]) -> Steps[MemoryRecord]:
        """Let the salience of a pinned record fade again, from now on."""
        return api.record("POST /v1/records/{record_id}/unpin", locals())
