"""Erasures, exports, studies and tools. Written by `make openapi`."""

from typing import Unpack

from membrane_client.core.protocol import Json, Texts
from membrane_client.core.sync_and_async import ask, pages, write
from membrane_client.operations.parameters import Caller, Write
from membrane_client.values import jobs


class Jobs:
    @write("POST /v1/erasures", jobs.ErasureState)
    def start_erasure(
        self,
        *,
        scope: str | None = None,
        subject: str | None = None,
        spellings: Texts | None = None,
        ids: Texts | None = None,
        dry_run: bool = True,
        reason: str | None = None,
        **more: Unpack[Write],
    ) -> None:
        """List what an erasure removes and why; with `dry_run: false` then remove it for good."""

    @pages("GET /v1/erasures/{id}", jobs.Erasure, jobs.Finding)
    def read_erasure(self, id: str, *, cursor: str | None = None, **more: Unpack[Caller]) -> None:
        """Read an erasure, with the findings page by page."""

    @pages("GET /v1/erasures/{id}/certificate", jobs.Certificate, jobs.Finding)
    def read_certificate(
        self, id: str, *, cursor: str | None = None, **more: Unpack[Caller]
    ) -> None:
        """Read the signed certificate of a finished erasure, with the entries page by page."""

    @write("POST /v1/exports", jobs.Export)
    def create_export(self, scope: str | None = None, **more: Unpack[Write]) -> None:
        """Write the memory of one scope, or of every scope of the key, into a file."""

    @ask("GET /v1/exports", jobs.ExportList)
    def list_exports(self, **more: Unpack[Caller]) -> None:
        """List the exports of the key, the newest first."""

    @ask("GET /v1/exports/{export_id}", jobs.ExportReply)
    def read_export(
        self, export_id: str, *, cursor: str | None = None, **more: Unpack[Caller]
    ) -> None:
        """Read the state of an export of the key, with links to the parts of a finished file."""

    @write("POST /v1/studies", jobs.Study)
    def start_study(
        self,
        document: str,
        title: str,
        *,
        source: str | None = None,
        scope: str | None = None,
        sensitivity: str | None = None,
        with_model: bool | None = None,
        **more: Unpack[Write],
    ) -> None:
        """Study a document: its sections become topics, and its paragraphs become fields."""

    @write("POST /v1/studies/remove", jobs.Study)
    def remove_document(
        self, document_id: str, *, dry_run: bool = True, **more: Unpack[Write]
    ) -> None:
        """Take back what rests on a document alone.

        With `dry_run`, which is the default, count it.
        """

    @ask("GET /v1/studies/{id}", jobs.Study)
    def read_study(self, id: str, **more: Unpack[Caller]) -> None:
        """Read the state of a study or a removal: progress by unit, what was made, and the cost."""

    @ask("POST /v1/studies/{id}/cancel", jobs.Study)
    def cancel_study(self, id: str, **more: Unpack[Caller]) -> None:
        """Cancel a study that is under way: everything that the job has made is removed."""

    @ask("POST /v1/studies/{id}/resume", jobs.Study)
    def resume_study(self, id: str, **more: Unpack[Caller]) -> None:
        """Go on with a failed or interrupted job from where it stopped."""

    @ask("GET /v1/tools", jobs.ToolList)
    def list_tools(
        self, *, format: str = "mcp", profile: str = "agent", **more: Unpack[Caller]
    ) -> None:
        """List the tools for agents that the key may call, as JSON schemas."""

    @write("POST /v1/tools/{name}", jobs.CalledTool)
    def call_tool(self, name: str, arguments: Json | None = None, **more: Unpack[Write]) -> None:
        """Call a tool for agents."""
