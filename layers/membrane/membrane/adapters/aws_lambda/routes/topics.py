"""The routes of topics except queries, with a function of their own."""

from collections.abc import Callable
from typing import Any

from membrane.adapters.aws_lambda.http import topic_bodies
from membrane.adapters.aws_lambda.http.bodies import (
    body_alone,
    id_and_body,
    id_body_and_erase,
    nothing_asked,
)
from membrane.adapters.aws_lambda.http.operations import Operation
from membrane.adapters.aws_lambda.http.topic_bodies import name_and_body
from membrane.domain.language.fields import Part
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.vocabulary import Permission
from membrane.domain.topics.requests.editing import (
    AddRelationship,
    AppendField,
    ChangeSystemContext,
    ChangeTopic,
    CreateTopic,
    DeleteField,
    DeleteTopic,
    NestFields,
    PromoteFields,
    Reason,
    RemoveRelationship,
    RestoreTopic,
    SetFieldRef,
    UndoPromotion,
    UnmergeTopic,
    UnnestFields,
)
from membrane.domain.topics.requests.ingest import IngestTopic
from membrane.domain.topics.requests.reading import (
    ListTopics,
    ReadActions,
    ReadField,
    ReadGraph,
    ReadSystemContext,
    ReadTopic,
)
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.editing.fields import (
    append_field,
    delete_field,
    nest_fields,
    set_field_ref,
    unnest_fields,
)
from membrane.usecases.topics.editing.links import add_relationship, remove_relationship
from membrane.usecases.topics.editing.promotion import promote_fields, undo_promotion
from membrane.usecases.topics.editing.topics import (
    change_topic,
    create_topic,
    delete_topic,
    restore_topic,
)
from membrane.usecases.topics.placing.place_topic import ingest_topic
from membrane.usecases.topics.reading.list_topics import list_topics
from membrane.usecases.topics.reading.read_actions import read_actions
from membrane.usecases.topics.reading.read_graph import read_graph
from membrane.usecases.topics.reading.read_topic import read_field, read_topic
from membrane.usecases.topics.reading.system_context import (
    change_system_context,
    read_system_context,
)
from membrane.usecases.topics.reasoning.merging import unmerge_topic
from membrane.usecases.topics.reasoning.reason import reason_on_request


def _topical(
    request: type[Part],
    route: str,
    permission: Permission,
    run: Callable[[Any, Call, TopicServices], ReplyBody],
    assemble: Callable[[Any], JsonObject] = id_and_body,
) -> Operation:
    return Operation(request, route, permission, assemble, run)


_READ, _INGEST, _REVISE = Permission.READ, Permission.INGEST, Permission.REVISE
_TOPIC = "/v1/topics/{id}"
_FIELD = f"{_TOPIC}/fields/{{name}}"

_EDITING = (
    _topical(CreateTopic, "POST /v1/topics", _INGEST, create_topic, body_alone),
    _topical(ChangeTopic, f"PATCH {_TOPIC}", _REVISE, change_topic),
    Operation(
        DeleteTopic,
        f"DELETE {_TOPIC}",
        _REVISE,
        id_body_and_erase,
        delete_topic,
        also_for=Permission.ADMIN,
    ),
    _topical(RestoreTopic, f"POST {_TOPIC}/restore", _REVISE, restore_topic),
    _topical(AddRelationship, f"POST {_TOPIC}/relationships", _INGEST, add_relationship),
    _topical(
        RemoveRelationship,
        f"DELETE {_TOPIC}/relationships",
        _REVISE,
        remove_relationship,
        topic_bodies.edge_and_body,
    ),
    _topical(AppendField, f"POST {_TOPIC}/fields", _INGEST, append_field),
    _topical(DeleteField, f"DELETE {_FIELD}", _REVISE, delete_field, name_and_body),
    _topical(SetFieldRef, f"PUT {_FIELD}/ref", _REVISE, set_field_ref, name_and_body),
    _topical(NestFields, f"POST {_TOPIC}/nest-fields", _REVISE, nest_fields),
    _topical(UnnestFields, f"POST {_TOPIC}/unnest-fields", _REVISE, unnest_fields),
    _topical(PromoteFields, f"POST {_TOPIC}/promote-nested", _REVISE, promote_fields),
    _topical(UndoPromotion, f"POST {_TOPIC}/undo-nested", _REVISE, undo_promotion),
)
READ_TOPIC = _topical(
    ReadTopic, f"GET {_TOPIC}", _READ, read_topic, topic_bodies.id_trust_and_instant
)
_READING = (
    READ_TOPIC,
    _topical(ReadField, f"GET {_FIELD}", _READ, read_field, topic_bodies.field_trust_and_history),
    _topical(
        ListTopics, "GET /v1/topics", _READ, list_topics, topic_bodies.scope_archived_and_page
    ),
    _topical(
        ReadGraph, "GET /v1/graph", _READ, read_graph, topic_bodies.scope_topic_depth_and_page
    ),
)
_SYSTEM_CONTEXT = (
    _topical(
        ReadSystemContext,
        "GET /v1/system-context",
        _READ,
        read_system_context,
        nothing_asked,
    ),
    _topical(
        ChangeSystemContext,
        "PUT /v1/system-context",
        Permission.ADMIN,
        change_system_context,
        body_alone,
    ),
)
_REASONING = (
    _topical(UnmergeTopic, f"POST {_TOPIC}/unmerge", _REVISE, unmerge_topic),
    _topical(Reason, "POST /v1/reason", _REVISE, reason_on_request, body_alone),
    _topical(
        ReadActions, "GET /v1/reason/actions", _READ, read_actions, topic_bodies.scope_and_page
    ),
)

TOPICS = (
    _topical(IngestTopic, "POST /v1/ingest", _INGEST, ingest_topic, body_alone),
    *_EDITING,
    *_READING,
    *_SYSTEM_CONTEXT,
    *_REASONING,
)
