"""Exports: a whole memory as a file."""

from membrane_client.core.api import Api
from membrane_client.core.parameters import Opt, User
from membrane_client.core.protocol import NOT_GIVEN, Steps
from membrane_client.values.exports import Export, ExportList, ExportReply


def create_export(
    api: Api,
    scope: Opt[str] = NOT_GIVEN,
    *,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[Export]:
    """Start the export of a scope, or of every scope of the key."""
    reply = yield from api.write("POST /v1/exports", locals(), ExportReply)
    return reply.export


def read_export(
    api: Api, export_id: str, *, cursor: Opt[str] = NOT_GIVEN, user: User = NOT_GIVEN
) -> Steps[ExportReply]:
    """The state of an export, with links to a page of the parts of a finished file."""
    return api.read("GET /v1/exports/{export_id}", locals(), ExportReply)


def list_exports(api: Api, *, user: User = NOT_GIVEN) -> Steps[ExportList]:
    """The exports of the key, the newest first."""
    return api.read("GET /v1/exports", locals(), ExportList)
