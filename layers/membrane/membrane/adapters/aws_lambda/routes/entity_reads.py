"""The routes that read entities; the function of retrieval has the encoder that finds likeness."""

from membrane.adapters.aws_lambda.http import bodies
from membrane.adapters.aws_lambda.http.operations import Operation
from membrane.domain.entities.requests import ListEntities, ListMentions, ReadEntity
from membrane.domain.language.vocabulary import Permission
from membrane.usecases.entities.list_entities import list_entities
from membrane.usecases.entities.list_mentions import list_mentions
from membrane.usecases.entities.read_entity import read_entity

_READ = Permission.READ

READ_ENTITY = Operation(
    ReadEntity,
    "GET /v1/entities/{id}",
    _READ,
    bodies.id_trust_and_cursor,
    read_entity,
)

ENTITY_READS = (
    Operation(
        ListEntities,
        "GET /v1/entities",
        _READ,
        bodies.entity_names_and_page,
        list_entities,
    ),
    READ_ENTITY,
    Operation(
        ListMentions,
        "GET /v1/entities/{id}/mentions",
        _READ,
        bodies.id_trust_and_page,
        list_mentions,
    ),
)
