"""Reports, conversations and whole records on their way into memory. Written by `make openapi`."""

from collections.abc import Sequence
from typing import Any, Unpack

from membrane_client.core.protocol import Json, Texts, Time
from membrane_client.core.sync_and_async import write
from membrane_client.operations.parameters import Capture, Labels, Report, Write
from membrane_client.values import records


class Ingest:
    @write("POST /v1/capture", records.Captured)
    def capture_memory(
        self, content: Any, *, reason_to_remember: str | None = None, **more: Unpack[Capture]
    ) -> None:
        """Capture an event, a tool output, an observation or a working state as evidence."""

    @write("POST /v1/ingest/batch", records.BatchReply)
    def ingest_batch(self, items: Sequence[Json], **more: Unpack[Write]) -> None:
        """Perform up to 100 ingest requests, each taken or refused alone."""

    @write("POST /v1/ingest/event", records.MemoryRecord)
    def ingest_event(
        self,
        event_kind: str,
        ref: str,
        *,
        summary: str | None = None,
        thread_id: str | None = None,
        **more: Unpack[Report],
    ) -> None:
        """Record an event as an episodic record."""

    @write("POST /v1/ingest/observation", records.MemoryRecord)
    def ingest_observation(
        self,
        subject: str,
        predicate: str,
        object: Any = None,
        *,
        conditions: Json | None = None,
        start: Time | None = None,
        end: Time | None = None,
        on_conflict: str | None = None,
        **more: Unpack[Report],
    ) -> None:
        """Record an observed fact: subject, predicate and object."""

    @write("POST /v1/ingest/outcome", records.MemoryRecord)
    def ingest_outcome(
        self,
        target_record_id: str,
        outcome_status: str,
        *,
        source: str | None = None,
        timestamp: Time | None = None,
        reason: str | None = None,
        receipt_id: str | None = None,
        used_ids: Texts | None = None,
        **more: Unpack[Write],
    ) -> None:
        """Record how an episode ended, in the record of the episode."""

    @write("POST /v1/ingest/tool-output", records.MemoryRecord)
    def ingest_tool_output(
        self,
        tool_name: str,
        *,
        args: Json | str | None = None,
        result: Any = None,
        depends_on: Texts | None = None,
        status: str | None = None,
        thread_id: str | None = None,
        **more: Unpack[Report],
    ) -> None:
        """Record a tool call, with arguments and result, as an episodic record."""

    @write("POST /v1/ingest/working-state", records.MemoryRecord)
    def ingest_working_state(
        self,
        thread_id: str,
        state: str,
        *,
        next_actions: Texts | None = None,
        open_questions: Texts | None = None,
        context_summary: str | None = None,
        active_constraints: Sequence[Json] | str | None = None,
        **more: Unpack[Report],
    ) -> None:
        """Record a snapshot of a task in progress as a working record."""

    @write("POST /v1/messages", records.IngestedMessages)
    def ingest_messages(
        self,
        messages: Sequence[Json],
        *,
        thread_id: str | None = None,
        session: str | None = None,
        **more: Unpack[Labels],
    ) -> None:
        """Record the messages of one thread in order, all or none."""

    @write("POST /v1/uploads", records.OpenedUpload)
    def open_upload(
        self, size: int, sha256: str, *, scope: str | None = None, **more: Unpack[Write]
    ) -> None:
        """Open an upload for a value that is too large for a request."""
