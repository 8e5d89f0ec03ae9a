"""The arguments of the tools for agents.

Language models read the descriptions in the JSON schemas of the tools. Models guess names and
types, so `Arguments` takes usual names for an argument, numbers as text, and a single word for a
list.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from membrane.domain.ingest.reports import MAX_USED_IDS
from membrane.domain.language.fields import (
    MAX_ID_CHARACTERS,
    MAX_TAG_CHARACTERS,
    MAX_TAGS,
    ConflictPolicyWord,
    MemoryTypeWord,
    OutcomeStatusWord,
    RecordId,
    Scope,
    TaskStateWord,
    Text,
)
from membrane.domain.language.requests import OptionalTimestamp, RequestPart
from membrane.domain.search.requests import ONE_OR_MORE
from membrane.domain.tokens.cursors import MAX_CURSOR_CHARACTERS

MAX_MEMORIES = 20
"""Memories in one answer: each has a line, even in a text of `MAX_TEXT_TOKENS`."""

MAX_THREAD_CHARACTERS = 256

MAX_FORGOTTEN = 10
"""Memories that one call may forget."""


class Arguments(RequestPart):
    """Base of the arguments; null and the empty text have the meaning of an absent argument."""

    also_named: ClassVar[Mapping[str, str]] = {}
    """Further names of arguments, which models guess, with the names in the schema."""

    @model_validator(mode="before")
    @classmethod
    def _by_known_names(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        given = {name: each for name, each in value.items() if each not in (None, "")}
        for guessed, name in cls.also_named.items():
            if guessed not in given or guessed in cls.model_fields:
                continue
            if name in given:
                message = "has {guessed}, another name for {name}: give one of them"
                context = {"guessed": guessed, "name": name}
                raise PydanticCustomError("given_twice", message, context)
            given[name] = given.pop(guessed)
        return given


def _at_most(most: int) -> AfterValidator:
    return AfterValidator(lambda value: min(value, most))


_Words = Annotated[tuple[Text, ...], Field(strict=False), ONE_OR_MORE]


class Recall(Arguments):
    also_named = {
        "q": "query",
        "search": "query",
        "text": "query",
        "question": "query",
        "top_k": "limit",
        "k": "limit",
        "n": "limit",
        "type": "types",
        "memory_types": "types",
        "namespace": "scope",
    }

    query: Annotated[Text, Field(description="In words. Absent: the most salient memories.")] = ""
    limit: Annotated[
        int,
        Field(strict=False, ge=1, description=f"1 to {MAX_MEMORIES}; 8 if absent."),
        _at_most(MAX_MEMORIES),
    ] = 8
    types: Annotated[
        tuple[MemoryTypeWord, ...],
        Field(strict=False, max_length=6, description="Absent: all."),
        ONE_OR_MORE,
    ] = ()
    scope: Scope | None = None
    subject: Annotated[Text | None, Field(description="Of facts, exactly.")] = None
    predicate: Annotated[Text | None, Field(description="Of facts, exactly.")] = None
    as_of: Annotated[
        OptionalTimestamp,
        Field(description="Facts of subject and predicate as known then, RFC 3339."),
    ] = None
    cursor: Annotated[
        str | None,
        Field(max_length=MAX_CURSOR_CHARACTERS, description="next_cursor of the last page."),
    ] = None

    @model_validator(mode="after")
    def _past_of_a_fact(self) -> "Recall":
        if self.as_of and not (self.subject and self.predicate and not self.query.strip()):
            message = "has as_of, which needs subject and predicate, and no query"
            raise PydanticCustomError("past_of_fact", message)
        return self


class Remember(Arguments):
    also_named = {
        "content": "text",
        "memory": "text",
        "note": "text",
        "message": "text",
        "value": "object",
        "relation": "predicate",
        "namespace": "scope",
    }

    text: Annotated[Text, Field(description="What to remember, in sentences.")] = ""
    subject: Annotated[Text, Field(description="Instead of text, of a fact: what it is about.")] = (
        ""
    )
    predicate: Annotated[Text, Field(description="As lives_in.")] = ""
    object: Annotated[Any, Field(description="Any JSON value.")] = None
    on_conflict: Annotated[
        ConflictPolicyWord | None,
        Field(description="What becomes of known facts that differ."),
    ] = None
    scope: Scope | None = None
    tags: Annotated[
        tuple[Annotated[str, Field(max_length=MAX_TAG_CHARACTERS)], ...],
        Field(strict=False, max_length=MAX_TAGS),
        ONE_OR_MORE,
    ] = ()

    @model_validator(mode="after")
    def _either_text_or_fact(self) -> "Remember":
        is_fact = bool(self.subject or self.predicate) or self.object is not None
        if is_fact == bool(self.text.strip()):
            message = "needs text, or subject, predicate and object of a fact, not both"
            raise PydanticCustomError("text_or_fact", message)
        if is_fact and not (self.subject and self.predicate and self.object is not None):
            message = "needs subject, predicate and object for a fact"
            raise PydanticCustomError("whole_fact", message)
        if self.on_conflict is not None and not is_fact:
            message = "has on_conflict, which is for a fact: give subject, predicate and object"
            raise PydanticCustomError("conflict_of_fact", message)
        return self


class RecordOutcome(Arguments):
    also_named = {
        "outcome": "status",
        "result": "status",
        "id": "record_id",
        "summary": "task",
        "why": "reason",
        "ids": "used_ids",
    }

    status: OutcomeStatusWord
    task: Annotated[Text, Field(description="What was done, in a sentence.")] = ""
    receipt_id: Annotated[
        str, Field(max_length=MAX_ID_CHARACTERS, description="Of the recall that helped.")
    ] = ""
    used_ids: Annotated[
        tuple[RecordId, ...],
        Field(strict=False, max_length=MAX_USED_IDS, description="Memories that helped most."),
        ONE_OR_MORE,
    ] = ()
    record_id: Annotated[
        str,
        Field(
            max_length=MAX_ID_CHARACTERS,
            description="Instead of task: the episode that ended.",
        ),
    ] = ""
    reason: Text = ""
    scope: Scope | None = None

    @model_validator(mode="after")
    def _of_an_episode(self) -> "RecordOutcome":
        if not (self.record_id or self.task.strip()):
            message = "needs task or record_id: what was done, or the episode that ended"
            raise PydanticCustomError("task_or_record", message)
        if self.record_id and (self.task or self.scope):
            message = "has task or scope of a new episode: leave them out with record_id"
            raise PydanticCustomError("task_and_record", message)
        return self


class Correct(Arguments):
    also_named = {
        "record_id": "id",
        "memory_id": "id",
        "new_object": "object",
        "value": "object",
        "new_value": "object",
        "reason": "why",
        "rationale": "why",
    }

    id: RecordId
    object: Annotated[Any, Field(description="The right value of the fact.")] = None
    retract: Annotated[
        bool, Field(strict=False, description="Withdraw the memory without a new value.")
    ] = False
    why: Annotated[Text, Field(description="For the audit trail.")] = ""

    @model_validator(mode="after")
    def _either_object_or_retract(self) -> "Correct":
        if self.retract == (self.object is not None):
            raise PydanticCustomError(
                "one_correction", "needs object, or retract as true, not both"
            )
        return self


class Forget(Arguments):
    also_named = {
        "id": "ids",
        "record_id": "ids",
        "memory_id": "ids",
        "reason": "why",
        "rationale": "why",
    }

    ids: Annotated[
        tuple[RecordId, ...],
        Field(
            strict=False,
            min_length=1,
            max_length=MAX_FORGOTTEN,
            description=f"At most {MAX_FORGOTTEN}.",
        ),
        ONE_OR_MORE,
    ]
    why: Annotated[Text, Field(description="For the audit trail.")] = ""


class Read(Arguments):
    also_named = {"record_id": "id", "memory_id": "id"}

    id: RecordId
    history: Annotated[bool, Field(strict=False, description="Show the versions, too.")] = False
    offset: Annotated[int, Field(strict=False, ge=0, description="Character to begin at.")] = 0


class About(Arguments):
    also_named = {
        "entity": "name",
        "topic": "name",
        "subject": "name",
        "id": "name",
        "query": "name",
        "q": "name",
        "namespace": "scope",
    }

    name: Annotated[
        str,
        Field(
            min_length=1,
            max_length=256,
            description="Name or id of a person, thing or topic.",
        ),
    ]
    scope: Scope | None = None


class WorkingState(Arguments):
    also_named = {
        "thread": "thread_id",
        "session_id": "thread_id",
        "summary": "context_summary",
        "status": "state",
        "next_steps": "next_actions",
    }

    thread_id: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MAX_THREAD_CHARACTERS,
            description="The same for the whole task.",
        ),
    ]
    state: Annotated[TaskStateWord | None, Field(description="To save. Absent: read.")] = None
    context_summary: Text = ""
    next_actions: _Words = ()
    open_questions: _Words = ()
    scope: Scope | None = None

    @model_validator(mode="after")
    def _state_with_content(self) -> "WorkingState":
        has_content = self.context_summary or self.next_actions or self.open_questions
        if self.state is None and has_content:
            message = "needs state to save a working state; to read, give thread_id alone"
            raise PydanticCustomError("state_to_save", message)
        return self


class Search(Arguments):
    also_named = {"q": "query", "search": "query"}

    query: Annotated[Text, Field(description="What to look for, in words.")]


class Fetch(Arguments):
    also_named = {"record_id": "id", "memory_id": "id"}

    id: Annotated[RecordId, Field(description="The id of a result of search.")]
