"""Erasures, exports, studies and tools. Written by `make openapi`."""

from typing import Unpack

from membrane_client.core.api import Api, tool_arguments
from membrane_client.core.parameters import Json, Texts
from membrane_client.core.protocol import Steps
from membrane_client.core.sync_and_async import listing, operation
from membrane_client.operations.parameters import Caller, Write
from membrane_client.values.agents import CalledTool, ToolList
from membrane_client.values.erasures import Certificate, Erasure, ErasureState, Finding
from membrane_client.values.exports import Export, ExportList, ExportReply
from membrane_client.values.studies import Study


class Jobs:
    @operation
    def start_erasure(
        api: Api,
        *,
        scope: str | None = None,
        subject: str | None = None,
        ids: Texts | None = None,
        dry_run: bool = True,
        reason: str | None = None,
        **more: Unpack[Write],
    ) -> Steps[ErasureState]:
        """List what an erasure removes and why; with `dry_run: false` then remove it for good."""
        return api.write("POST /v1/erasures", locals(), ErasureState, is_scoped=ids is None)

    @listing(Finding)
    def read_erasure(
        api: Api, id: str, *, cursor: str | None = None, **more: Unpack[Caller]
    ) -> Steps[Erasure]:
        """Read an erasure, with the findings page by page."""
        return api.read("GET /v1/erasures/{id}", locals(), Erasure)

    @listing(Finding)
    def read_certificate(
        api: Api, id: str, *, cursor: str | None = None, **more: Unpack[Caller]
    ) -> Steps[Certificate]:
        """Read the signed certificate of a finished erasure, with the entries page by page."""
        return api.read("GET /v1/erasures/{id}/certificate", locals(), Certificate)

    @operation
    def create_export(api: Api, scope: str | None = None, **more: Unpack[Write]) -> Steps[Export]:
        """Write the memory of one scope, or of every scope of the key, into a file."""
        return (yield from api.write("POST /v1/exports", locals(), ExportReply)).export

    @operation
    def list_exports(api: Api, **more: Unpack[Caller]) -> Steps[ExportList]:
        """List the exports of the key, the newest first."""
        return api.read("GET /v1/exports", locals(), ExportList)

    @operation
    def read_export(
        api: Api, export_id: str, *, cursor: str | None = None, **more: Unpack[Caller]
    ) -> Steps[ExportReply]:
        """Read the state of an export of the key, with links to the parts of a finished file."""
        return api.read("GET /v1/exports/{export_id}", locals(), ExportReply)

    @operation
    def start_study(
        api: Api,
        document: str,
        title: str,
        *,
        source: str | None = None,
        scope: str | None = None,
        sensitivity: str | None = None,
        with_model: bool | None = None,
        **more: Unpack[Write],
    ) -> Steps[Study]:
        """Study a document: its sections become topics, and its paragraphs become fields."""
        return api.write("POST /v1/studies", locals(), Study)

    @operation
    def remove_document(
        api: Api, document_id: str, *, dry_run: bool = True, **more: Unpack[Write]
    ) -> Steps[Study]:
        """Take back what rests on a document alone.

        With `dry_run`, which is the default, count it.
        """
        return api.write("POST /v1/studies/remove", locals(), Study)

    @operation
    def read_study(api: Api, id: str, **more: Unpack[Caller]) -> Steps[Study]:
        """Read the state of a study or a removal: progress by unit, what was made, and the cost."""
        return api.read("GET /v1/studies/{id}", locals(), Study)

    @operation
    def cancel_study(api: Api, id: str, **more: Unpack[Caller]) -> Steps[Study]:
        """Cancel a study that is under way: everything that the job has made is removed."""
        return api.ask("POST /v1/studies/{id}/cancel", locals(), Study)

    @operation
    def resume_study(api: Api, id: str, **more: Unpack[Caller]) -> Steps[Study]:
        """Go on with a failed or interrupted job from where it stopped."""
        return api.ask("POST /v1/studies/{id}/resume", locals(), Study)

    @operation
    def list_tools(
        api: Api, *, format: str = "mcp", profile: str = "agent", **more: Unpack[Caller]
    ) -> Steps[ToolList]:
        """List the tools for agents that the key may call, as JSON schemas."""
        return api.read("GET /v1/tools", locals(), ToolList)

    @operation
    def call_tool(
        api: Api, name: str, arguments: Json | None = None, **more: Unpack[Write]
    ) -> Steps[CalledTool]:
        """Call a tool for agents."""
        return api.write(
            "POST /v1/tools/{name}",
            {**locals(), "arguments": tool_arguments(arguments)},
            CalledTool,
        )
