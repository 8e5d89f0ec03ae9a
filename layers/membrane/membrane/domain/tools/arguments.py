"""The arguments of the tools for agents, and the requests that list the tools and call one.

Language models read the descriptions in the JSON schemas of the tools. Models guess names and
types, so `Arguments` takes usual names for an argument, numbers as text, and a single word for a
list.
"""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator, AliasChoices, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from membrane.domain.ingest.reports import MAX_USED_IDS
from membrane.domain.language import fields, requests
from membrane.domain.language.cursors import MAX_CURSOR_CHARACTERS
from membrane.domain.language.names import is_blank
from membrane.domain.search.requests import ONE_OR_MORE
from membrane.domain.tools.schemas import AS_TEXT, container_in

MAX_MEMORIES = 20
"""Memories in one answer: each has a line, even in a text of `MAX_TEXT_TOKENS`."""

MAX_THREAD_CHARACTERS = 256

MAX_FORGOTTEN = 10
"""Memories that one call may forget."""


class Arguments(requests.RequestPart):
    """Base of the arguments; null and the empty text have the meaning of an absent argument.

    The aliases of a field are names that models guess; the JSON schema has the first alias alone.
    """

    @model_validator(mode="before")
    @classmethod
    def _given_once(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        given = {name: each for name, each in value.items() if each not in (None, "")}
        for field in cls.model_fields.values():
            names = field.validation_alias
            if not isinstance(names, AliasChoices):
                continue
            present = [name for name in names.choices if name in given]
            if len(present) > 1:
                message = "has {guessed}, another name for {name}: give one of them"
                context = {"guessed": present[1], "name": present[0]}
                raise PydanticCustomError("given_twice", message, context)
        return given


def _is_absent(value: object) -> bool:
    return value is None or is_blank(value)


def _at_most(most: int) -> AfterValidator:
    return AfterValidator(lambda value: min(value, most))


def _field(names: str, **rules: Any) -> Any:
    return Field(validation_alias=AliasChoices(*names.split()), **rules)


_Scope = Annotated[fields.Scope | None, _field("scope namespace")]

_Id = Annotated[fields.RecordId, _field("id record_id memory_id")]

_Why = Annotated[fields.Text, _field("why reason rationale", description="For the audit trail.")]

_AnyValue = Annotated[Any, AS_TEXT, BeforeValidator(container_in)]

_Words = Annotated[tuple[fields.Text, ...], Field(strict=False), ONE_OR_MORE]


class Recall(Arguments):
    query: Annotated[
        fields.Text,
        _field(
            "query q search text question",
            description="In words. Absent: the most salient memories.",
        ),
    ] = ""
    limit: Annotated[
        int,
        _field(
            "limit top_k k n", strict=False, ge=1, description=f"1 to {MAX_MEMORIES}; 8 if absent."
        ),
        _at_most(MAX_MEMORIES),
    ] = 8
    types: Annotated[
        tuple[fields.MemoryTypeWord, ...],
        _field("types type memory_types", strict=False, max_length=6, description="Absent: all."),
        ONE_OR_MORE,
    ] = ()
    scope: _Scope = None
    subject: Annotated[fields.Text | None, Field(description="Of facts, in any spelling.")] = None
    predicate: Annotated[fields.Text | None, Field(description="Of facts, in any spelling.")] = None
    as_of: Annotated[
        requests.OptionalTimestamp,
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
    text: Annotated[
        fields.Text,
        _field("text content memory note message", description="What to remember, in sentences."),
    ] = ""
    subject: Annotated[
        fields.Text, Field(description="Instead of text, of a fact: what it is about.")
    ] = ""
    predicate: Annotated[fields.Text, _field("predicate relation", description="As lives_in.")] = ""
    object: Annotated[
        _AnyValue, _field("object value", description="A text; JSON for a list or an object.")
    ] = None
    on_conflict: Annotated[
        fields.ConflictPolicyWord | None,
        Field(description="What becomes of known facts that differ."),
    ] = None
    scope: _Scope = None
    tags: Annotated[
        tuple[Annotated[str, Field(max_length=fields.MAX_TAG_CHARACTERS)], ...],
        Field(strict=False, max_length=fields.MAX_TAGS),
        ONE_OR_MORE,
    ] = ()

    @model_validator(mode="after")
    def _either_text_or_fact(self) -> "Remember":
        is_fact = bool(self.subject or self.predicate) or self.object is not None
        if is_fact != is_blank(self.text):
            message = "needs text, or subject, predicate and object of a fact, not both"
            raise PydanticCustomError("text_or_fact", message)
        if is_fact and (not (self.subject and self.predicate) or _is_absent(self.object)):
            message = "needs subject, predicate and object for a fact"
            raise PydanticCustomError("whole_fact", message)
        if self.on_conflict is not None and not is_fact:
            message = "has on_conflict, which is for a fact: give subject, predicate and object"
            raise PydanticCustomError("conflict_of_fact", message)
        return self


class RecordOutcome(Arguments):
    status: Annotated[fields.OutcomeStatusWord, _field("status outcome result")]
    task: Annotated[
        fields.Text, _field("task summary", description="What was done, in a sentence.")
    ] = ""
    receipt_id: Annotated[
        str, Field(max_length=fields.MAX_ID_CHARACTERS, description="Of the recall that helped.")
    ] = ""
    used_ids: Annotated[
        tuple[fields.RecordId, ...],
        _field(
            "used_ids ids",
            strict=False,
            max_length=MAX_USED_IDS,
            description="Memories that helped most.",
        ),
        ONE_OR_MORE,
    ] = ()
    record_id: Annotated[
        str,
        _field(
            "record_id id",
            max_length=fields.MAX_ID_CHARACTERS,
            description="Instead of task: the episode that ended.",
        ),
    ] = ""
    reason: Annotated[fields.Text, _field("reason why")] = ""
    scope: fields.Scope | None = None

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
    id: _Id
    object: Annotated[
        _AnyValue,
        _field(
            "object new_object value new_value",
            description="The right value of the fact: a text; JSON for a list or an object.",
        ),
    ] = None
    retract: Annotated[
        bool, Field(strict=False, description="Withdraw the memory without a new value.")
    ] = False
    why: _Why = ""

    @model_validator(mode="after")
    def _either_object_or_retract(self) -> "Correct":
        if self.retract != _is_absent(self.object):
            raise PydanticCustomError(
                "one_correction", "needs object, or retract as true, not both"
            )
        return self


class Forget(Arguments):
    ids: Annotated[
        tuple[fields.RecordId, ...],
        _field(
            "ids id record_id memory_id",
            strict=False,
            min_length=1,
            max_length=MAX_FORGOTTEN,
            description=f"At most {MAX_FORGOTTEN}.",
        ),
        ONE_OR_MORE,
    ]
    why: _Why = ""


class Read(Arguments):
    id: _Id
    history: Annotated[bool, Field(strict=False, description="Show the versions, too.")] = False
    offset: Annotated[int, Field(strict=False, ge=0, description="Character to begin at.")] = 0


class About(Arguments):
    name: Annotated[
        str,
        _field(
            "name entity topic subject id query q",
            min_length=1,
            max_length=256,
            description="Name or id of a person, thing or topic.",
        ),
    ]
    scope: _Scope = None


class WorkingState(Arguments):
    thread_id: Annotated[
        str,
        _field(
            "thread_id thread session_id",
            min_length=1,
            max_length=MAX_THREAD_CHARACTERS,
            description="The same for the whole task.",
        ),
    ]
    state: Annotated[
        fields.TaskStateWord | None, _field("state status", description="To save. Absent: read.")
    ] = None
    context_summary: Annotated[fields.Text, _field("context_summary summary")] = ""
    next_actions: Annotated[_Words, _field("next_actions next_steps")] = ()
    open_questions: _Words = ()
    scope: fields.Scope | None = None

    @model_validator(mode="after")
    def _state_with_content(self) -> "WorkingState":
        has_content = self.context_summary or self.next_actions or self.open_questions
        if self.state is None and has_content:
            message = "needs state to save a working state; to read, give thread_id alone"
            raise PydanticCustomError("state_to_save", message)
        return self


class Search(Arguments):
    query: Annotated[
        fields.Text, _field("query q search", description="What to look for, in words.")
    ]


class Fetch(Arguments):
    id: Annotated[
        fields.RecordId,
        _field("id record_id memory_id", description="The id of a result of search."),
    ]


class Profile(StrEnum):
    """A set of tools under one switch."""

    AGENT = "agent"
    """The eight tools of Membrane."""
    SEARCH = "search"
    """`search` and `fetch`, for clients that know only the two names."""
    MEMSTATE = "memstate"
    """The tools of MemState, by name and argument, over topics."""


class ToolFormat(StrEnum):
    """The API for whose calls a list of tools is made."""

    MCP = "mcp"
    ANTHROPIC = "anthropic"
    OPENAI = "openai"
    BEDROCK = "bedrock"


class ListTools(requests.RequestPart):
    """List the tools for agents that the key may call, as JSON schemas."""

    format: requests.FromQuery[Annotated[ToolFormat, Field(strict=False)]] = ToolFormat.MCP
    """Whose form the descriptions have: `mcp`, `anthropic` (Messages), `openai` (Chat Completions)
    or `bedrock` (Converse). Absent or empty: `mcp`, the only form with the schema of the answer."""
    profile: requests.FromQuery[Annotated[Profile, Field(strict=False)]] = Profile.AGENT
    """Set of tools: `agent`; `search` for `search` and `fetch` alone; `memstate` for the tools of
    MemState over topics. Absent or empty: `agent`."""


class CallTool(requests.Request):
    """Call a tool for agents."""

    name: requests.FromPath[str]
    """Name of the tool, of any profile."""
    arguments: dict[str, Any] = {}
    """Arguments of the tool, as the tool's schema describes the object. Absent: no arguments."""
