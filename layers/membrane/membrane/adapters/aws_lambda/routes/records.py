"""The routes of records.

Reports stand in `ingest`, so that their functions load nothing of the other routes.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from membrane.adapters.aws_lambda.http import bodies
from membrane.adapters.aws_lambda.http.operations import CREATED, Operation
from membrane.domain.ingest.full_records import IngestRecord, OpenUpload
from membrane.domain.language.json_text import MAX_RECORD_DEPTH
from membrane.domain.language.vocabulary import Permission
from membrane.domain.lifecycle.requests import (
    ChangeLifecycle,
    DeleteRecord,
    Penalize,
    Pin,
    PreviewDecay,
    RecordChange,
    Reinforce,
    RestoreRecord,
    Unpin,
)
from membrane.domain.records.requests import ReadAudit, ReadVersions, RetrieveById
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.lifecycle.change_lifecycle import change_lifecycle
from membrane.usecases.lifecycle.delete_record import delete_record
from membrane.usecases.lifecycle.penalize_record import penalize_record
from membrane.usecases.lifecycle.pin_record import pin_record
from membrane.usecases.lifecycle.reinforce_record import reinforce_record
from membrane.usecases.lifecycle.restore_record import restore_record
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.ports.services import Services
from membrane.usecases.records.open_upload import open_upload
from membrane.usecases.records.read_audit import read_audit
from membrane.usecases.records.read_history import read_versions
from membrane.usecases.records.read_record import retrieve_by_id

if TYPE_CHECKING:
    from membrane.usecases.lifecycle.preview_decay import Preview


INGEST_RECORD = Operation(
    rpc="IngestRecord",
    route="POST /v1/records",
    permission=Permission.INGEST,
    request=IngestRecord,
    run=ingest_record,
    present=bodies.written,
    assemble=bodies.record_body,
    status=CREATED,
    levels=MAX_RECORD_DEPTH,
)
OPEN_UPLOAD = Operation(
    rpc="OpenUpload",
    route="POST /v1/uploads",
    permission=Permission.INGEST,
    request=OpenUpload,
    run=open_upload,
    present=bodies.opened,
    assemble=bodies.body_alone,
    status=CREATED,
)
RETRIEVE_BY_ID = Operation(
    rpc="RetrieveByID",
    route="GET /v1/records/{id}",
    permission=Permission.READ,
    request=RetrieveById,
    run=retrieve_by_id,
    present=bodies.found,
    assemble=bodies.id_trust_and_time,
    takes_key=False,
)
READ_VERSIONS = Operation(
    rpc="ReadVersions",
    route="GET /v1/records/{id}/versions",
    permission=Permission.READ,
    request=ReadVersions,
    run=read_versions,
    present=bodies.versions,
    assemble=bodies.id_trust_and_page,
    takes_key=False,
)
READ_AUDIT = Operation(
    rpc="ReadAudit",
    route="GET /v1/records/{id}/audit",
    permission=Permission.READ,
    request=ReadAudit,
    run=read_audit,
    present=bodies.trail,
    assemble=bodies.id_trust_page_and_verify,
    takes_key=False,
)
DELETE_RECORD = Operation(
    rpc="DeleteRecord",
    route="DELETE /v1/records/{id}",
    permission=Permission.REVISE,
    request=DeleteRecord,
    run=delete_record,
    present=bodies.nothing,
    assemble=bodies.id_body_and_erase,
    status=204,
    also_for=Permission.ADMIN,
)


def _change(
    request: type[RecordChange],
    route: str,
    run: Callable[[Any, Call, Services], Result],
    permission: Permission = Permission.REVISE,
) -> Operation:
    """What changes one record takes an id and a body, and answers with the record."""
    return Operation(
        rpc=request.__name__,
        route=route,
        permission=permission,
        request=request,
        run=run,
        present=bodies.written,
        assemble=bodies.id_and_body,
    )


REINFORCE_RECORD = _change(Reinforce, "POST /v1/records/{id}/reinforce", reinforce_record)
PENALIZE_RECORD = _change(Penalize, "POST /v1/records/{id}/penalize", penalize_record)
PIN_RECORD = _change(Pin, "POST /v1/records/{id}/pin", pin_record)
UNPIN_RECORD = _change(Unpin, "POST /v1/records/{id}/unpin", pin_record)
CHANGE_LIFECYCLE = _change(ChangeLifecycle, "PATCH /v1/records/{id}/lifecycle", change_lifecycle)
RESTORE_RECORD = _change(
    RestoreRecord, "POST /v1/records/{id}/restore", restore_record, Permission.ADMIN
)


def _preview_decay(request: PreviewDecay, call: Call, services: Services) -> "Preview":
    """Imported when it is first called: only the function that previews has numpy."""
    from membrane.usecases.lifecycle.preview_decay import preview_decay

    return preview_decay(request, call, services)


PREVIEW_DECAY = Operation(
    rpc="PreviewDecay",
    route="POST /v1/decay/preview",
    permission=Permission.READ,
    request=PreviewDecay,
    run=_preview_decay,
    present=bodies.previewed,
    assemble=bodies.body_alone,
    takes_key=False,
)

SALIENCE = (REINFORCE_RECORD, PENALIZE_RECORD, PIN_RECORD, UNPIN_RECORD, CHANGE_LIFECYCLE)
READS = (RETRIEVE_BY_ID, READ_VERSIONS, READ_AUDIT)
RECORDS = (INGEST_RECORD, *READS, *SALIENCE, DELETE_RECORD, RESTORE_RECORD)
UPLOADS = (OPEN_UPLOAD,)
PREVIEWS = (PREVIEW_DECAY,)
