"""Entities, and what was made of evidence. Written by `make openapi`."""

from collections.abc import Sequence
from datetime import datetime

from membrane_client.value import Page, Value
from membrane_client.values import words
from membrane_client.values.records import MemoryRecord


class MadeTrace(Value):
    id: str  # The id of the trace
    thread_id: str  # The thread of the steps
    steps: int  # The number of records that the trace was made of
    outcome: words.OutcomeStatus | str | None  # How the thread ended; null without an outcome
    why: str  # The newest reason in the audit trail of the trace


class MadeSkill(Value):
    id: str  # The id of the skill
    name: str  # The name of the skill
    traces: Sequence[str]  # The ids of the traces, the oldest first; at most 100
    successes: int  # The successful uses
    failures: int  # The failed uses
    success_rate: float  # The expected share of successful uses, from 0 to 1
    why: str  # The newest reason in the audit trail of the skill


class MadePlan(Value):
    id: str  # The id of the plan
    name: str  # The purpose of the plan, or its `plan_id`
    steps: int  # The number of operations
    traces: Sequence[str]  # The ids of the traces, the oldest first; at most 100
    why: str  # The newest reason in the audit trail of the plan


class ConsolidationResult(Value):
    dry_run: bool  # Whether nothing was written
    scope: str  # The scope of the evidence; empty for the unscoped evidence
    is_left: bool  # Whether time was up before the end; a further call does the rest
    traces: Sequence[MadeTrace]  # The new traces
    skills: Sequence[MadeSkill]  # The new skills
    plans: Sequence[MadePlan]  # The new plans
    grown: Sequence[MadeSkill]  # The known skills that gained evidence
    unmatched: Sequence[MadeTrace]  # The traces that are like no other trace and no skill so far
    failed: int  # Threads that could not be consolidated; the next run tries again


class Evidence(Value):
    id: str  # The id of the record
    outcome: words.OutcomeStatus | str | None  # The outcome of the record


class Consolidation(Value):
    id: str  # The id of the record
    type: words.MemoryType | str
    name: str  # The thread of a trace, the name of a skill, the purpose of a plan
    scope: str  # The scope; empty for an unscoped record
    outcome: words.OutcomeStatus | str | None  # How the thread of a trace ended
    created_at: datetime  # When the record was made
    updated_at: datetime  # When the record was last changed, such as by further evidence
    evidence: Sequence[Evidence]
    evidence_count: int  # The number of all records that the record was made of, up to 100
    reasons: Sequence[str]  # Why the record is as it is


class ConsolidationList(Page[Consolidation], of="consolidations"):
    consolidations: Sequence[Consolidation]  # The records, the newest first


class ListedEntity(Value):
    id: str  # The id of the entity
    name: str  # The canonical name
    type: str  # The primary type; empty where unknown
    aliases: Sequence[str]  # The further names
    scope: str  # The scope; empty for an unscoped entity
    similarity: float | None  # How much names and descriptions have in common, from 0 to 1


class TopicOfEntity(Value):
    id: str  # The id of the topic
    title: str  # The title, which is a name of the entity


class ListedTopic(TopicOfEntity):
    entity_id: str  # The id of the entity


class EntityList(Page[ListedEntity], of="entities"):
    topics: Sequence[ListedTopic]
    entities: Sequence[ListedEntity]  # The entities: by name, or the most similar first


class EntityFact(Value):
    roles: Sequence[str]  # `subject`, `object` or both: the places of the entity in the fact
    record: MemoryRecord  # The fact


class EntityPage(Page[EntityFact], of="facts"):
    entity: MemoryRecord  # The entity
    facts: Sequence[EntityFact]
    topics: Sequence[TopicOfEntity]


class EntityMention(Value):
    predicates: Sequence[str]  # How the record refers to the entity, such as `mentions_entity`
    created_at: datetime  # When the record was made
    record: MemoryRecord  # The record


class MentionList(Page[EntityMention], of="mentions"):
    mentions: Sequence[EntityMention]  # The records, the newest first
