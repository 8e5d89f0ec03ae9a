"""Entities: listed, read, merged and split."""

from membrane_client.core.api import Api
from membrane_client.core.parameters import Opt, Texts, User
from membrane_client.core.protocol import NOT_GIVEN, Steps
from membrane_client.operations.ingest import record_of
from membrane_client.values.entities import EntityList, EntityPage, MentionList
from membrane_client.values.records import MemoryRecord, WrittenReply


def list_entities(
    api: Api,
    *,
    q: Opt[str] = NOT_GIVEN,
    type: Opt[str] = NOT_GIVEN,
    scope: Opt[str] = NOT_GIVEN,
    similar_to: Opt[str] = NOT_GIVEN,
    limit: int = 0,
    cursor: Opt[str] = NOT_GIVEN,
    user: User = NOT_GIVEN,
) -> Steps[EntityList]:
    """Entities with a name that begins with `q`; `similar_to` suggests entities for a merge."""
    return api.read("GET /v1/entities", locals(), EntityList)


def read_entity(
    api: Api,
    id: str,
    *,
    max_sensitivity: Opt[str] = NOT_GIVEN,
    scope: Opt[Texts | str] = NOT_GIVEN,
    cursor: Opt[str] = NOT_GIVEN,
    user: User = NOT_GIVEN,
) -> Steps[EntityPage]:
    """The entity, and a page of the facts about the entity, the newest first."""
    return api.read("GET /v1/entities/{id}", locals(), EntityPage)


def list_mentions(
    api: Api,
    id: str,
    *,
    max_sensitivity: Opt[str] = NOT_GIVEN,
    scope: Opt[Texts | str] = NOT_GIVEN,
    limit: int = 0,
    cursor: Opt[str] = NOT_GIVEN,
    user: User = NOT_GIVEN,
) -> Steps[MentionList]:
    """The records that mention the entity, the newest first."""
    return api.read("GET /v1/entities/{id}/mentions", locals(), MentionList)


def merge_entities(
    api: Api,
    id: str,
    entity_ids: Texts,
    actor: Opt[str] = NOT_GIVEN,
    rationale: Opt[str] = NOT_GIVEN,
    *,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[MemoryRecord]:
    """Let the entity absorb up to 10 others; returns the entity with all names."""
    return record_of(api.write("POST /v1/entities/{id}/merge", locals(), WrittenReply))


def split_entity(
    api: Api,
    id: str,
    entity_id: str,
    actor: Opt[str] = NOT_GIVEN,
    rationale: Opt[str] = NOT_GIVEN,
    *,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[MemoryRecord]:
    """Release an absorbed entity; returns the entity that had absorbed the other."""
    return record_of(api.write("POST /v1/entities/{id}/split", locals(), WrittenReply))
