"""Records: found, read, listed and counted. Written by `make openapi`."""

from typing import Unpack

from membrane_client.core.api import Api, in_scope
from membrane_client.core.parameters import Json, Texts, Time
from membrane_client.core.protocol import Steps
from membrane_client.core.sync_and_async import listing, operation
from membrane_client.operations.parameters import (
    Caller,
    GraphSearch,
    Listing,
    Reach,
    ReachListing,
    Search,
    Write,
)
from membrane_client.values.records import (
    AuditEntry,
    AuditTrail,
    Health,
    MemoryRecord,
    Metrics,
    RecordReply,
    RecordVersion,
    Snapshot,
    VersionList,
)
from membrane_client.values.retrieval import Answer, AnswerReceipt, Graph, RecordList, ThreadState


class Records:
    @operation
    def health(api: Api) -> Steps[Health]:
        """A sign of life, without access to the store."""
        return api.read("GET /health", locals(), Health)

    @operation
    def get_metrics(api: Api, **more: Unpack[Reach]) -> Steps[Snapshot]:
        """Count the records of the requested scopes, and their salience as of now."""
        return (yield from api.read("GET /v1/metrics", locals(), Metrics)).snapshot

    @operation
    def read_receipt(api: Api, receipt_id: str, **more: Unpack[Caller]) -> Steps[AnswerReceipt]:
        """Read the receipt of a retrieval: the candidates and the parts of each score."""
        return api.read("GET /v1/receipts/{receipt_id}", locals(), AnswerReceipt)

    @listing(MemoryRecord)
    def list_records(
        api: Api,
        *,
        type: Texts | str | None = None,
        state: str = "active",
        view: str = "full",
        **more: Unpack[Listing],
    ) -> Steps[RecordList]:
        """List records by salience, the most salient first.

        Removed records, the newest first.
        """
        return api.read("GET /v1/records", locals(), RecordList)

    @operation
    def ingest_record(api: Api, record: Json, **more: Unpack[Write]) -> Steps[MemoryRecord]:
        """Record a full record of any type."""
        return api.record("POST /v1/records", {**locals(), "record": in_scope(api, record, more)})

    @operation
    def retrieve_by_id(
        api: Api,
        record_id: str,
        *,
        as_of: Time | None = None,
        resolve: str | None = None,
        **more: Unpack[Reach],
    ) -> Steps[MemoryRecord]:
        """Read one record, as of now or of an instant, or the newest successor."""
        return (yield from api.read("GET /v1/records/{record_id}", locals(), RecordReply)).record

    @listing(AuditEntry)
    def read_audit(
        api: Api, record_id: str, *, verify: bool = False, **more: Unpack[ReachListing]
    ) -> Steps[AuditTrail]:
        """Read the audit trail of a record, deleted or not, the oldest entry first."""
        return api.read("GET /v1/records/{record_id}/audit", locals(), AuditTrail)

    @listing(RecordVersion)
    def read_versions(api: Api, record_id: str, **more: Unpack[ReachListing]) -> Steps[VersionList]:
        """Read the versions of a record, the oldest first."""
        return api.read("GET /v1/records/{record_id}/versions", locals(), VersionList)

    @operation
    def retrieve(
        api: Api,
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
    ) -> Steps[Answer]:
        """Retrieve the records that answer a task or, without a task, the most salient records."""
        return api.ask("POST /v1/retrieve", locals(), Answer)

    @operation
    def retrieve_graph(
        api: Api, task_descriptor: str | None = None, **more: Unpack[GraphSearch]
    ) -> Steps[Graph]:
        """Retrieve the records for a task, and the records that relations connect with them."""
        return api.ask("POST /v1/retrieve/graph", locals(), Graph)

    @operation
    def read_thread(api: Api, thread_id: str, **more: Unpack[ReachListing]) -> Steps[ThreadState]:
        """Read the latest working state of a thread, and the earlier working states."""
        return api.read("GET /v1/threads/{thread_id}/state", locals(), ThreadState)
