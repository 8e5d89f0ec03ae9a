"""A tool: name, description, arguments, answer, permission, function, and the scopes of a read."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from membrane.domain.access.principals import Principal
from membrane.domain.access.requests import TrustInput
from membrane.domain.access.trust import ALL_SCOPES
from membrane.domain.language.errors import PermissionDenied
from membrane.domain.language.fields import Part
from membrane.domain.language.json_text import Body
from membrane.domain.language.vocabulary import Permission
from membrane.domain.tools.texts import scope_words
from membrane.usecases.machinery.calls import Call, Gone
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.domain.tools.replies import CalledTool


class ToolAnswer(NamedTuple):
    """The answer of a tool, twice: as a JSON object, and as text for a language model."""

    reply: Body
    """The structured content, which fits the tool's output schema."""
    text: str
    """The text, at most `MAX_TEXT_TOKENS` tokens."""
    written: tuple[str, ...] = ()
    """The consistency tokens of the records that the tool wrote."""
    is_error: bool = False
    """Whether the tool had no effect; then `reply` need not fit the output schema, and an answer
    of MCP has the text alone."""

    @property
    def body(self) -> "CalledTool":
        body: CalledTool = {"result": {**self.reply}, "text": self.text}
        return {**body, "is_error": True} if self.is_error else body


class Effect(NamedTuple):
    """What a tool does to memory, as hints for a client: the annotations of MCP."""

    read_only: bool = False
    destructive: bool = False
    """Whether the tool may change or remove what memory holds; for a tool that is not read-only."""
    idempotent: bool = False
    """Whether a repeated call changes nothing more; for a tool that is not read-only."""


READS = Effect(read_only=True)
ADDS = Effect()
CHANGES = Effect(destructive=True)


class Tool(NamedTuple):
    """One row of the table of tools."""

    name: str
    title: str
    """The name for people."""
    description: str
    """What the tool does, and when an agent should call the tool unasked."""
    arguments: type[Part]
    reply: type
    """The TypedDict of the structured content."""
    permission: Permission
    run: Callable[[Any, Call, World], ToolAnswer]
    """Takes validated `arguments`, the call, and the world; raises DomainError."""
    effect: Effect
    also_for: Permission | None = None
    """A permission that opens the tool, too; `run` checks which permission the arguments need."""
    takes_text: bool = False
    """Whether the arguments may be a JSON text; any text but an object counts as no arguments."""

    def is_open_to(self, principal: Principal) -> bool:
        permissions = principal.permissions
        return self.permission in permissions or self.also_for in permissions


def answer_of_gone(gone: Gone) -> ToolAnswer:
    """The answer to a repeat under an idempotency key whose memory was deleted in between."""
    text = f"A repeat: the memory {gone.record_id} of the first call was deleted {gone.deleted_at}."
    return ToolAnswer({**gone.as_json()}, text, is_error=True)


def searched_scopes(principal: Principal, asked: str | None) -> Sequence[str]:
    """The scopes in the spelling of a key; raises PermissionDenied for a foreign scope.

    A retrieval ignores a foreign scope. To an agent, an empty answer looks like an empty memory.
    """
    if asked is None:
        return [ALL_SCOPES] if ALL_SCOPES in principal.scopes else list(principal.scopes)
    if not principal.trust.covers(asked):
        own = scope_words(principal.scopes)
        raise PermissionDenied(f"scope is not one of the key, which has {own}")
    return [asked]


def trust_of(asked: str | None) -> TrustInput:
    return TrustInput(scopes=() if asked is None else (asked,))
