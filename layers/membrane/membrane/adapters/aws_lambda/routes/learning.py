"""The routes of learning: consolidate, and read what was made of what."""

from typing import TYPE_CHECKING

from membrane.adapters.aws_lambda.http import bodies
from membrane.adapters.aws_lambda.http.operations import Operation
from membrane.domain.language.vocabulary import Permission
from membrane.domain.learning.requests import Consolidate, ListConsolidations
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.services import Services

if TYPE_CHECKING:
    from membrane.usecases.machinery.calls import ReplyBody
    from membrane.usecases.ports.services_search import ReadingServices


def _consolidate(request: Consolidate, call: Call, services: Services) -> "ReplyBody":
    """Import lazily: the function that lists needs none of it."""
    from membrane.usecases.learning.consolidate_by_request import consolidate

    return consolidate(request, call, services)


def _list(request: ListConsolidations, call: Call, services: "ReadingServices") -> "ReplyBody":
    """Import lazily: few retrievals list what was consolidated."""
    from membrane.usecases.learning.list_consolidations import list_consolidations

    return list_consolidations(request, call, services)


CONSOLIDATE = Operation(
    Consolidate,
    "POST /v1/consolidate",
    Permission.REVISE,
    bodies.body_alone,
    _consolidate,
)
LIST_CONSOLIDATIONS = Operation(
    ListConsolidations,
    "GET /v1/consolidations",
    Permission.READ,
    bodies.scope_and_page,
    _list,
)

CONSOLIDATIONS = (CONSOLIDATE,)
LEARNING_READS = (LIST_CONSOLIDATIONS,)
