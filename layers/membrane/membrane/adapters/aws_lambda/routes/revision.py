"""The revisions of the route table (design 4.1): served by a function that serves nothing else."""

from collections.abc import Callable
from typing import Any

from membrane.adapters.aws_lambda.http import bodies
from membrane.adapters.aws_lambda.http.operations import CREATED, Operation
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.vocabulary import Permission
from membrane.domain.lifecycle.requests import Reasoned
from membrane.domain.revision.requests import (
    Contest,
    Fork,
    Merge,
    Reclassify,
    Resolve,
    Retract,
    Supersede,
)
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.ports.services import Services
from membrane.usecases.revision.contest_record import contest_record
from membrane.usecases.revision.fork_record import fork_record
from membrane.usecases.revision.merge_records import merge_records
from membrane.usecases.revision.reclassify_record import reclassify_record
from membrane.usecases.revision.resolve_contest import resolve_contest
from membrane.usecases.revision.retract_record import retract_record
from membrane.usecases.revision.supersede_record import supersede_record


def _revision(
    request: type[Reasoned],
    route: str,
    run: Callable[[Any, Call, Services], Result],
    assemble: Callable[[Any], JsonObject] = bodies.id_and_body,
    status: int = 200,
) -> Operation:
    """Each is answered with the record that it made, or changed."""
    return Operation(
        rpc=request.__name__,
        route=route,
        permission=Permission.REVISE,
        request=request,
        run=run,
        present=bodies.written,
        assemble=assemble,
        status=status,
    )


REVISIONS = (
    _revision(
        Supersede,
        "POST /v1/records/{id}/supersede",
        supersede_record,
        bodies.id_and_deep_body,
        CREATED,
    ),
    _revision(Fork, "POST /v1/records/{id}/fork", fork_record, bodies.id_and_deep_body, CREATED),
    _revision(Merge, "POST /v1/records/merge", merge_records, bodies.deep_body_alone, CREATED),
    _revision(Retract, "POST /v1/records/{id}/retract", retract_record),
    _revision(Contest, "POST /v1/records/{id}/contest", contest_record),
    _revision(Resolve, "POST /v1/records/{id}/resolve", resolve_contest),
    _revision(Reclassify, "PATCH /v1/records/{id}", reclassify_record),
)
