"""Entities, and what was learned. Written by `make openapi`."""

from typing import Unpack

from membrane_client.core.api import Api
from membrane_client.core.parameters import Texts
from membrane_client.core.protocol import Steps
from membrane_client.core.sync_and_async import listing, operation
from membrane_client.operations.parameters import Caller, Claim, Listing, Reach, ReachListing
from membrane_client.values.entities import (
    EntityList,
    EntityMention,
    EntityPage,
    ListedEntity,
    MentionList,
)
from membrane_client.values.learning import Consolidation, ConsolidationList, ConsolidationResult
from membrane_client.values.records import MemoryRecord


class Entities:
    @operation
    def consolidate(
        api: Api,
        *,
        scope: str | None = None,
        dry_run: bool = True,
        quiet_minutes: int | None = None,
        **more: Unpack[Caller],
    ) -> Steps[ConsolidationResult]:
        """Show what the evidence of a scope would become; with `dry_run: false` make it."""
        return api.ask("POST /v1/consolidate", locals(), ConsolidationResult)

    @listing(Consolidation)
    def list_consolidations(api: Api, **more: Unpack[Listing]) -> Steps[ConsolidationList]:
        """List the traces, skills and plans that were made of evidence, the newest first."""
        return api.read("GET /v1/consolidations", locals(), ConsolidationList)

    @listing(ListedEntity)
    def list_entities(
        api: Api,
        *,
        q: str | None = None,
        type: str | None = None,
        similar_to: str | None = None,
        **more: Unpack[Listing],
    ) -> Steps[EntityList]:
        """List entities by name, or the entities most like a given entity."""
        return api.read("GET /v1/entities", locals(), EntityList)

    @operation
    def read_entity(
        api: Api, id: str, *, cursor: str | None = None, **more: Unpack[Reach]
    ) -> Steps[EntityPage]:
        """Read what is known of an entity: the record, and the facts about it."""
        return api.read("GET /v1/entities/{id}", locals(), EntityPage)

    @listing(EntityMention)
    def list_mentions(api: Api, id: str, **more: Unpack[ReachListing]) -> Steps[MentionList]:
        """List the records that mention an entity, the newest first."""
        return api.read("GET /v1/entities/{id}/mentions", locals(), MentionList)

    @operation
    def merge_entities(
        api: Api, id: str, entity_ids: Texts, **more: Unpack[Claim]
    ) -> Steps[MemoryRecord]:
        """Make several entities one: the given entity absorbs entities of the same scope."""
        return api.record("POST /v1/entities/{id}/merge", locals())

    @operation
    def split_entity(
        api: Api, id: str, entity_id: str, **more: Unpack[Claim]
    ) -> Steps[MemoryRecord]:
        """Undo the merge of an entity: the absorbed entity stands by itself again."""
        return api.record("POST /v1/entities/{id}/split", locals())
