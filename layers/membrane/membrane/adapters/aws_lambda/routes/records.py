"""The routes of records.

Reports are in `ingest`: functions for reports load no code of the routes here.
"""

from typing import TYPE_CHECKING

from membrane.adapters.aws_lambda.http import bodies
from membrane.adapters.aws_lambda.http.bodies import id_and_body
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
    Reinforce,
    RestoreRecord,
    Unpin,
)
from membrane.domain.records.requests import ReadAudit, ReadVersions, RetrieveById
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.lifecycle.change_fading import (
    change_lifecycle,
    penalize_record,
    pin_record,
    reinforce_record,
)
from membrane.usecases.lifecycle.delete_and_restore import delete_record, restore_record
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.services import Services
from membrane.usecases.records.open_upload import open_upload
from membrane.usecases.records.read_history import read_audit, read_versions
from membrane.usecases.records.read_record import read_record

if TYPE_CHECKING:
    from membrane.domain.lifecycle.replies import DecayPreview

_READ, _INGEST, _REVISE = Permission.READ, Permission.INGEST, Permission.REVISE
_RECORD = "/v1/records/{id}"

INGEST_RECORD = Operation(
    IngestRecord,
    "POST /v1/records",
    _INGEST,
    bodies.record_body,
    ingest_record,
    status=CREATED,
    levels=MAX_RECORD_DEPTH,
)
OPEN_UPLOAD = Operation(
    OpenUpload,
    "POST /v1/uploads",
    _INGEST,
    bodies.body_alone,
    open_upload,
    status=CREATED,
)
RETRIEVE_BY_ID = Operation(
    RetrieveById,
    f"GET {_RECORD}",
    _READ,
    bodies.id_trust_and_time,
    read_record,
    name="RetrieveByID",
)
READ_VERSIONS = Operation(
    ReadVersions,
    f"GET {_RECORD}/versions",
    _READ,
    bodies.id_trust_and_page,
    read_versions,
)
READ_AUDIT = Operation(
    ReadAudit,
    f"GET {_RECORD}/audit",
    _READ,
    bodies.id_trust_page_and_verify,
    read_audit,
)
DELETE_RECORD = Operation(
    DeleteRecord,
    f"DELETE {_RECORD}",
    _REVISE,
    bodies.id_body_and_erase,
    delete_record,
    status=204,
    also_for=Permission.ADMIN,
)
REINFORCE_RECORD = Operation(
    Reinforce, f"POST {_RECORD}/reinforce", _REVISE, id_and_body, reinforce_record
)
PENALIZE_RECORD = Operation(
    Penalize, f"POST {_RECORD}/penalize", _REVISE, id_and_body, penalize_record
)
PIN_RECORD = Operation(Pin, f"POST {_RECORD}/pin", _REVISE, id_and_body, pin_record)
UNPIN_RECORD = Operation(Unpin, f"POST {_RECORD}/unpin", _REVISE, id_and_body, pin_record)
CHANGE_LIFECYCLE = Operation(
    ChangeLifecycle,
    f"PATCH {_RECORD}/lifecycle",
    _REVISE,
    id_and_body,
    change_lifecycle,
)
RESTORE_RECORD = Operation(
    RestoreRecord,
    f"POST {_RECORD}/restore",
    Permission.ADMIN,
    id_and_body,
    restore_record,
)


def _preview_decay(request: PreviewDecay, call: Call, services: Services) -> "DecayPreview":
    """Import lazily: only the function for previews has numpy."""
    from membrane.usecases.lifecycle.preview_decay import preview_decay

    return preview_decay(request, call, services)


PREVIEW_DECAY = Operation(
    PreviewDecay,
    "POST /v1/decay/preview",
    _READ,
    bodies.body_alone,
    _preview_decay,
)

FULL_RECORDS = (INGEST_RECORD, RETRIEVE_BY_ID, READ_VERSIONS, READ_AUDIT)
SALIENCE = (
    REINFORCE_RECORD,
    PENALIZE_RECORD,
    PIN_RECORD,
    UNPIN_RECORD,
    CHANGE_LIFECYCLE,
    DELETE_RECORD,
    RESTORE_RECORD,
)
RECORDS = (*FULL_RECORDS, *SALIENCE)
UPLOADS = (OPEN_UPLOAD,)
PREVIEWS = (PREVIEW_DECAY,)
