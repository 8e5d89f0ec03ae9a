"""The structured content of the tools' answers.

The types are short: every list of tools carries the schemas, and language models pay by the token.
"""

from typing import Any, NotRequired

from typing_extensions import TypedDict

from membrane.domain.language.vocabulary import MemoryType, TaskState


class Memory(TypedDict):
    """A memory, as much of the text as the answer has room for."""

    id: str
    type: MemoryType
    text: str
    when: str
    who: NotRequired[str]
    scope: NotRequired[str]
    score: NotRequired[float]
    cut: NotRequired[bool]
    """Whether the text goes on; the tool `read` shows the rest."""


class Recalled(TypedDict):
    memories: list[Memory]
    scopes: list[str]
    """The searched scopes; `*` stands for all scopes."""
    withheld: int
    """Memories that match and whose content the key may not see."""
    not_shown: NotRequired[int]
    """Memories without room in the answer."""
    receipt_id: NotRequired[str]
    next_cursor: NotRequired[str]


class Remembered(TypedDict):
    id: str
    type: MemoryType
    scope: str
    known: NotRequired[bool]
    """Whether the fact was known, so that no new memory was made."""


class OutcomeNoted(TypedDict):
    id: str
    status: str


class Corrected(TypedDict):
    id: str
    """The memory that holds now; for a retraction, the retracted memory."""
    replaced: NotRequired[str]
    retracted: NotRequired[bool]


class NotForgotten(TypedDict):
    id: str
    error: str


class Forgotten(TypedDict):
    forgotten: list[str]
    failed: NotRequired[list[NotForgotten]]
    restore: str
    """How to bring the memories back."""


class ReadMemory(TypedDict):
    id: str
    type: MemoryType
    text: str
    when: str
    scope: str
    who: str
    salience: float
    tags: list[str]
    superseded_by: NotRequired[str]
    retracted: NotRequired[bool]
    next_offset: NotRequired[int]
    """Where the text goes on."""
    versions: NotRequired[list[dict[str, Any]]]


class KnownName(TypedDict):
    id: str
    name: str


class Known(TypedDict):
    name: str
    entity: NotRequired[dict[str, Any]]
    facts: list[Memory]
    topics: list[dict[str, Any]]
    alike: NotRequired[list[KnownName]]
    """Further entities with a name that begins like the given name."""
    scopes: list[str]


class StateOfTask(TypedDict):
    thread_id: str
    id: str
    state: TaskState
    when: str
    context_summary: NotRequired[str]
    next_actions: NotRequired[list[str]]
    open_questions: NotRequired[list[str]]


class SearchResult(TypedDict):
    id: str
    title: str
    url: str


class SearchResults(TypedDict):
    results: list[SearchResult]


class FetchedMemory(TypedDict):
    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, str]


class ToolList(TypedDict):
    """The tools that a key may call."""

    tools: list[dict[str, Any]]
    """The tools in the form that the request names: name, description, schema of the arguments."""


class CalledTool(TypedDict):
    """The answer of a tool."""

    result: dict[str, Any]
    """The answer as a JSON object."""
    text: str
    """The answer as text for a language model, at most 2,000 tokens by an estimate."""
    is_error: NotRequired[bool]
    """True where the tool had no effect, as the text says; absent otherwise."""
