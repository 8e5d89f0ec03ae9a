"""The routes that merge and split entities, in the function of revisions."""

from membrane.adapters.aws_lambda.http.bodies import id_and_body
from membrane.adapters.aws_lambda.http.operations import Operation
from membrane.domain.entities.requests import MergeEntities, SplitEntity
from membrane.domain.language.vocabulary import Permission
from membrane.usecases.entities.merge_entities import merge_entities, split_entity

_ENTITY = "/v1/entities/{id}"

ENTITY_CHANGES = (
    Operation(
        MergeEntities,
        f"POST {_ENTITY}/merge",
        Permission.REVISE,
        id_and_body,
        merge_entities,
    ),
    Operation(
        SplitEntity,
        f"POST {_ENTITY}/split",
        Permission.REVISE,
        id_and_body,
        split_entity,
    ),
)
