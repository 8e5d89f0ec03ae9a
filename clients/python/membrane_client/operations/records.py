"""Records and entities: found, read, corrected, merged and deleted. Written by `make openapi`."""

from collections.abc import Mapping, Sequence
from typing import Unpack

from membrane_client.core.api import Api
from membrane_client.core.protocol import Json, Steps, Texts, Time
from membrane_client.core.sync_and_async import ask, operation, pages, write
from membrane_client.operations.parameters import (
    Caller,
    Claim,
    GraphSearch,
    Listing,
    Reach,
    ReachListing,
    Search,
    Write,
)
from membrane_client.value import Value
from membrane_client.values import entities, records, retrieval


class Records:
    @ask("GET /health", records.Health)
    def health(self) -> None:
        """A sign of life, without access to the store."""

    @ask("POST /v1/consolidate", entities.ConsolidationResult)
    def consolidate(
        self,
        *,
        scope: str | None = None,
        dry_run: bool = True,
        quiet_minutes: int | None = None,
        **more: Unpack[Caller],
    ) -> None:
        """Show what the evidence of a scope would become; with `dry_run: false` make it."""

    @pages("GET /v1/consolidations", entities.ConsolidationList, entities.Consolidation)
    def list_consolidations(self, **more: Unpack[Listing]) -> None:
        """List the traces, skills and plans that were made of evidence, the newest first."""

    @ask("POST /v1/decay/preview", records.DecayPreview)
    def preview_decay(
        self,
        *,
        trust: Json | None = None,
        memory_types: Texts | None = None,
        half_life_seconds: Mapping[str, int] | None = None,
        threshold: float | None = None,
        deletion_policy: str | None = None,
        instants: Sequence[Time] | None = None,
        **more: Unpack[Caller],
    ) -> None:
        """Count the records that another decay policy would prune by given instants."""

    @pages("GET /v1/entities", entities.EntityList, entities.ListedEntity)
    def list_entities(
        self,
        *,
        q: str | None = None,
        type: str | None = None,
        similar_to: str | None = None,
        **more: Unpack[Listing],
    ) -> None:
        """List entities by name, or the entities most like a given entity."""

    @ask("GET /v1/entities/{id}", entities.EntityPage)
    def read_entity(self, id: str, *, cursor: str | None = None, **more: Unpack[Reach]) -> None:
        """Read what is known of an entity: the record, and the facts about it."""

    @pages("GET /v1/entities/{id}/mentions", entities.MentionList, entities.EntityMention)
    def list_mentions(self, id: str, **more: Unpack[ReachListing]) -> None:
        """List the records that mention an entity, the newest first."""

    @write("POST /v1/entities/{id}/merge", records.MemoryRecord)
    def merge_entities(self, id: str, entity_ids: Texts, **more: Unpack[Claim]) -> None:
        """Make several entities one: the given entity absorbs entities of the same scope."""

    @write("POST /v1/entities/{id}/split", records.MemoryRecord)
    def split_entity(self, id: str, entity_id: str, **more: Unpack[Claim]) -> None:
        """Undo the merge of an entity: the absorbed entity stands by itself again."""

    @ask("GET /v1/metrics", records.Snapshot)
    def get_metrics(self, **more: Unpack[Reach]) -> None:
        """Count the records of the requested scopes, and their salience as of now."""

    @ask("GET /v1/receipts/{receipt_id}", retrieval.AnswerReceipt)
    def read_receipt(self, receipt_id: str, **more: Unpack[Caller]) -> None:
        """Read the receipt of a retrieval: the candidates and the parts of each score."""

    @pages("GET /v1/records", retrieval.RecordList, records.MemoryRecord)
    def list_records(
        self,
        *,
        type: Texts | str | None = None,
        state: str = "active",
        view: str = "full",
        **more: Unpack[Listing],
    ) -> None:
        """List records by salience, the most salient first.

        Removed records, the newest first.
        """

    @write("POST /v1/records", records.MemoryRecord)
    def ingest_record(self, record: Json, **more: Unpack[Write]) -> None:
        """Record a full record of any type."""

    @write("POST /v1/records/merge", records.MemoryRecord)
    def merge(self, ids: Texts, merged_record: Json, **more: Unpack[Claim]) -> None:
        """Replace several records by one new record."""

    @ask("GET /v1/records/{record_id}", records.MemoryRecord)
    def retrieve_by_id(
        self,
        record_id: str,
        *,
        as_of: Time | None = None,
        resolve: str | None = None,
        **more: Unpack[Reach],
    ) -> None:
        """Read one record, as of now or of an instant, or the newest successor."""

    @write("PATCH /v1/records/{record_id}", records.MemoryRecord)
    def reclassify(
        self,
        record_id: str,
        *,
        scope: str | None = None,
        sensitivity: str | None = None,
        tags: Texts | None = None,
        retracted: bool | None = None,
        **more: Unpack[Claim],
    ) -> None:
        """Change scope, sensitivity or tags of a record.

        Make a retracted record active again.
        """

    @operation
    def delete_record(
        api: Api, record_id: str, *, erase: bool = False, **more: Unpack[Claim]
    ) -> Steps[None]:
        """Delete a record; with `erase` remove the content at once and for good."""
        yield from api.write("DELETE /v1/records/{record_id}", locals(), Value, query=("erase",))

    @pages("GET /v1/records/{record_id}/audit", records.AuditTrail, records.AuditEntry)
    def read_audit(
        self, record_id: str, *, verify: bool = False, **more: Unpack[ReachListing]
    ) -> None:
        """Read the audit trail of a record, deleted or not, the oldest entry first."""

    @write("POST /v1/records/{record_id}/contest", records.MemoryRecord)
    def contest(
        self, record_id: str, contesting_ref: str | None = None, **more: Unpack[Claim]
    ) -> None:
        """Contest a record; the record stays in doubt until `resolve` decides."""

    @write("POST /v1/records/{source_id}/fork", records.MemoryRecord)
    def fork(self, source_id: str, forked_record: Json, **more: Unpack[Claim]) -> None:
        """Put a variant beside a record, which stays active."""

    @write("PATCH /v1/records/{record_id}/lifecycle", records.MemoryRecord)
    def change_lifecycle(
        self,
        record_id: str,
        *,
        decay: Json | None = None,
        deletion_policy: str | None = None,
        **more: Unpack[Claim],
    ) -> None:
        """Change the decay profile or the deletion policy of a record."""

    @write("POST /v1/records/{record_id}/penalize", records.MemoryRecord)
    def penalize(self, record_id: str, amount: float, **more: Unpack[Claim]) -> None:
        """Lower the salience of a harmful or useless record by an amount."""

    @write("POST /v1/records/{record_id}/pin", records.MemoryRecord)
    def pin(self, record_id: str, **more: Unpack[Claim]) -> None:
        """Keep the salience of a record as of now, and keep the record from being pruned."""

    @write("POST /v1/records/{record_id}/reinforce", records.MemoryRecord)
    def reinforce(self, record_id: str, **more: Unpack[Claim]) -> None:
        """Raise the salience of a useful record by its reinforcement gain."""

    @write("POST /v1/records/{record_id}/resolve", records.MemoryRecord)
    def resolve(
        self,
        record_id: str,
        resolution: str,
        *,
        superseded_by: str | None = None,
        **more: Unpack[Claim],
    ) -> None:
        """Decide the contest of a record: keep, supersede or retract the record."""

    @write("POST /v1/records/{record_id}/restore", records.MemoryRecord)
    def restore_record(self, record_id: str, **more: Unpack[Claim]) -> None:
        """Restore a deleted record."""

    @write("POST /v1/records/{record_id}/retract", records.MemoryRecord)
    def retract(self, record_id: str, **more: Unpack[Claim]) -> None:
        """Retract a record: no retrieval finds the record by default, and a read by id does."""

    @write("POST /v1/records/{old_id}/supersede", records.MemoryRecord)
    def supersede(self, old_id: str, new_record: Json, **more: Unpack[Claim]) -> None:
        """Replace a record by a new record of the same type."""

    @write("POST /v1/records/{record_id}/unpin", records.MemoryRecord)
    def unpin(self, record_id: str, **more: Unpack[Claim]) -> None:
        """Let the salience of a pinned record fade again, from now on."""

    @pages("GET /v1/records/{record_id}/versions", records.VersionList, records.RecordVersion)
    def read_versions(self, record_id: str, **more: Unpack[ReachListing]) -> None:
        """Read the versions of a record, the oldest first."""

    @ask("POST /v1/retrieve", retrieval.Answer)
    def retrieve(
        self,
        task_descriptor: str | None = None,
        *,
        limit: int = 10,
        thread_id: str | None = None,
        subject: str | None = None,
        predicate: str | None = None,
        created_after: Time | None = None,
        created_before: Time | None = None,
        include_retracted: bool | None = None,
        outcome: Texts | str | None = None,
        as_of: Time | None = None,
        view: str = "full",
        max_tokens: int = 1000,
        **more: Unpack[Search],
    ) -> None:
        """Retrieve the records that answer a task or, without a task, the most salient records."""

    @ask("POST /v1/retrieve/graph", retrieval.Graph)
    def retrieve_graph(
        self, task_descriptor: str | None = None, **more: Unpack[GraphSearch]
    ) -> None:
        """Retrieve the records for a task, and the records that relations connect with them."""

    @ask("GET /v1/threads/{thread_id}/state", retrieval.ThreadState)
    def read_thread(self, thread_id: str, **more: Unpack[ReachListing]) -> None:
        """Read the latest working state of a thread, and the earlier working states."""
