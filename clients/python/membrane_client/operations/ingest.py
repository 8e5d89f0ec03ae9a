"""Reports, conversations and whole records on their way into memory. Written by `make openapi`."""

from collections.abc import Sequence
from typing import Any, Unpack

from membrane_client.core.api import Api, item_in_scope
from membrane_client.core.encoding import messages_json
from membrane_client.core.parameters import Json, Texts, Time
from membrane_client.core.protocol import Steps
from membrane_client.core.sync_and_async import operation
from membrane_client.operations.parameters import Capture, Labels, Report, Write
from membrane_client.values.records import (
    BatchReply,
    Captured,
    IngestedMessages,
    MemoryRecord,
    OpenedUpload,
)


class Ingest:
    @operation
    def capture_memory(
        api: Api, content: Any, *, reason_to_remember: str | None = None, **more: Unpack[Capture]
    ) -> Steps[Captured]:
        """Capture an event, a tool output, an observation or a working state as evidence."""
        return api.write(
            "POST /v1/capture", {**locals(), "source": more.get("source") or ""}, Captured
        )

    @operation
    def ingest_batch(api: Api, items: Sequence[Json], **more: Unpack[Write]) -> Steps[BatchReply]:
        """Perform up to 100 ingest requests, each taken or refused alone."""
        return api.write(
            "POST /v1/ingest/batch",
            {**locals(), "items": [item_in_scope(api, each, more) for each in items]},
            BatchReply,
        )

    @operation
    def ingest_event(
        api: Api,
        event_kind: str,
        ref: str,
        *,
        summary: str | None = None,
        thread_id: str | None = None,
        **more: Unpack[Report],
    ) -> Steps[MemoryRecord]:
        """Record an event as an episodic record."""
        return api.record("POST /v1/ingest/event", locals())

    @operation
    def ingest_observation(
        api: Api,
        subject: str,
        predicate: str,
        object: Any = None,
        *,
        conditions: Json | None = None,
        start: Time | None = None,
        end: Time | None = None,
        on_conflict: str | None = None,
        **more: Unpack[Report],
    ) -> Steps[MemoryRecord]:
        """Record an observed fact: subject, predicate and object."""
        return api.record("POST /v1/ingest/observation", locals())

    @operation
    def ingest_outcome(
        api: Api,
        target_record_id: str,
        outcome_status: str,
        *,
        source: str | None = None,
        timestamp: Time | None = None,
        reason: str | None = None,
        receipt_id: str | None = None,
        used_ids: Texts | None = None,
        **more: Unpack[Write],
    ) -> Steps[MemoryRecord]:
        """Record how an episode ended, in the record of the episode."""
        return api.record("POST /v1/ingest/outcome", locals())

    @operation
    def ingest_tool_output(
        api: Api,
        tool_name: str,
        *,
        args: Json | str | None = None,
        result: Any = None,
        depends_on: Texts | None = None,
        status: str | None = None,
        thread_id: str | None = None,
        **more: Unpack[Report],
    ) -> Steps[MemoryRecord]:
        """Record a tool call, with arguments and result, as an episodic record."""
        return api.record("POST /v1/ingest/tool-output", locals())

    @operation
    def ingest_working_state(
        api: Api,
        thread_id: str,
        state: str,
        *,
        next_actions: Texts | None = None,
        open_questions: Texts | None = None,
        context_summary: str | None = None,
        active_constraints: Sequence[Json] | str | None = None,
        **more: Unpack[Report],
    ) -> Steps[MemoryRecord]:
        """Record a snapshot of a task in progress as a working record."""
        return api.record("POST /v1/ingest/working-state", locals())

    @operation
    def ingest_messages(
        api: Api,
        messages: Sequence[Json],
        *,
        thread_id: str | None = None,
        session: str | None = None,
        **more: Unpack[Labels],
    ) -> Steps[IngestedMessages]:
        """Record the messages of one thread in order, all or none."""
        return api.write(
            "POST /v1/messages", {**locals(), "messages": messages_json(messages)}, IngestedMessages
        )

    @operation
    def open_upload(
        api: Api, size: int, sha256: str, *, scope: str | None = None, **more: Unpack[Write]
    ) -> Steps[OpenedUpload]:
        """Open an upload for a value that is too large for a request."""
        return api.write("POST /v1/uploads", locals(), OpenedUpload)
