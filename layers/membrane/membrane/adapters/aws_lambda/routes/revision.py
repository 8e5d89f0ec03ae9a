"""The routes of revisions, with a function of their own."""

from membrane.adapters.aws_lambda.http.bodies import (
    deep_body_alone,
    id_and_body,
    id_and_deep_body,
)
from membrane.adapters.aws_lambda.http.operations import CREATED, Operation
from membrane.domain.language.vocabulary import Permission
from membrane.domain.revision.requests import (
    Contest,
    Fork,
    Merge,
    Reclassify,
    Resolve,
    Retract,
    Supersede,
)
from membrane.usecases.revision.contests import contest_record, resolve_contest, retract_record
from membrane.usecases.revision.reclassify_record import reclassify_record
from membrane.usecases.revision.supersede_fork_merge import (
    fork_record,
    merge_records,
    supersede_record,
)

_REVISE = Permission.REVISE
_RECORD = "/v1/records/{id}"

REVISIONS = (
    Operation(
        Supersede,
        f"POST {_RECORD}/supersede",
        _REVISE,
        id_and_deep_body,
        supersede_record,
        CREATED,
    ),
    Operation(Fork, f"POST {_RECORD}/fork", _REVISE, id_and_deep_body, fork_record, CREATED),
    Operation(
        Merge,
        "POST /v1/records/merge",
        _REVISE,
        deep_body_alone,
        merge_records,
        CREATED,
    ),
    Operation(Retract, f"POST {_RECORD}/retract", _REVISE, id_and_body, retract_record),
    Operation(Contest, f"POST {_RECORD}/contest", _REVISE, id_and_body, contest_record),
    Operation(Resolve, f"POST {_RECORD}/resolve", _REVISE, id_and_body, resolve_contest),
    Operation(Reclassify, f"PATCH {_RECORD}", _REVISE, id_and_body, reclassify_record),
)
