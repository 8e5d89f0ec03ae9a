"""What a server offers through the protocol; the dispatcher knows the product by these alone.

A part that is None is not offered: its methods do not exist, and its capability is not declared.
`CallerT_contra` is the type of the authenticated caller, which the dispatcher hands on unread.
JSON objects have the form of the specification, such as a `Tool`, a `ContentBlock`, a `Resource`.
Every function may raise McpError or DomainError. DomainError becomes an error of JSON-RPC.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from membrane.domain.language.json_text import Body, JsonObject

CallerT_contra = TypeVar("CallerT_contra", contravariant=True)


class Caching(NamedTuple):
    """How long a client may keep a result, and for whom."""

    ttl_ms: int
    scope: Literal["public", "private"] = "private"


NOT_CACHED = Caching(0)


class Progress(NamedTuple):
    """A step of a tool; reported to a client that asked for progress and takes event streams."""

    progress: float
    total: float | None = None
    message: str | None = None


class Exchange(NamedTuple):
    """The part of a request that belongs to no feature in particular."""

    meta: JsonObject
    """The request's `_meta`, such as the trace context."""
    capabilities: JsonObject
    """What the client declared; empty in versions with a handshake, of which nothing is kept."""
    input_responses: Mapping[str, JsonObject]
    """The client's answers, by the names under which InputRequired asked."""
    request_state: str | None
    """The state of InputRequired, sent back by the client, who may have changed the state."""


class InputRequired(NamedTuple):
    """The client must answer first, and repeat the request with the answers.

    The dispatcher refuses requests for which the client lacks the capability. Modes of a
    capability, such as `elicitation.url`, are for the feature to read in `Exchange.capabilities`.
    """

    requests: Mapping[str, JsonObject]
    """By name: `elicitation/create`, `sampling/createMessage` or `roots/list` with params."""
    state: str | None = None


class ToolResult(NamedTuple):
    content: Sequence[JsonObject]
    structured: Body | None = None
    """The answer as a JSON object, which fits the tool's output schema."""
    is_error: bool = False
    progress: Sequence[Progress] = ()


class ResourceResult(NamedTuple):
    contents: Sequence[JsonObject]
    caching: Caching = NOT_CACHED


class PromptResult(NamedTuple):
    messages: Sequence[JsonObject]
    description: str | None = None


class Completion(NamedTuple):
    values: Sequence[str]
    """At most 100 values, the best first."""
    total: int | None = None
    has_more: bool = False


class Page(NamedTuple):
    """A part of a list."""

    items: Sequence[JsonObject]
    next_cursor: str | None = None


class Tools(Protocol[CallerT_contra]):
    def list(self, caller: CallerT_contra) -> Sequence[JsonObject]:
        """The tools that the caller may call, always in the same order.

        No input schema may have `x-mcp-header`: the dispatcher compares no headers of arguments.
        """

    def call(
        self, name: str, arguments: JsonObject, caller: CallerT_contra, exchange: Exchange
    ) -> ToolResult | InputRequired | None:
        """The answer of the tool; None without a tool of the name."""


class Resources(Protocol[CallerT_contra]):
    def list(self, caller: CallerT_contra, cursor: str | None) -> Page:
        """The resources from the cursor on, at first None."""

    def templates(self, caller: CallerT_contra) -> Sequence[JsonObject]: ...

    def read(
        self, uri: str, caller: CallerT_contra, exchange: Exchange
    ) -> ResourceResult | InputRequired | None:
        """The contents of a resource; None without a resource of the address."""


class Prompts(Protocol[CallerT_contra]):
    def list(self, caller: CallerT_contra) -> Sequence[JsonObject]: ...

    def get(
        self, name: str, arguments: Mapping[str, str], caller: CallerT_contra, exchange: Exchange
    ) -> PromptResult | InputRequired | None:
        """The messages of a prompt; None without a prompt of the name."""


class Completions(Protocol[CallerT_contra]):
    def complete(
        self,
        ref: JsonObject,
        argument: str,
        value: str,
        context: Mapping[str, str],
        caller: CallerT_contra,
    ) -> Completion:
        """Completions of the `value` of an argument of a prompt, or of a resource template."""


@dataclass(frozen=True, slots=True)
class Features(Generic[CallerT_contra]):
    identity: JsonObject
    """The server as an `Implementation`: at least name and version."""
    instructions: str | None = None
    """How a language model should use the server."""
    tools: Tools[CallerT_contra] | None = None
    resources: Resources[CallerT_contra] | None = None
    prompts: Prompts[CallerT_contra] | None = None
    completions: Completions[CallerT_contra] | None = None
    caching: Caching = NOT_CACHED
    """Of lists and of the server's description."""

    def parts(self) -> Mapping[str, Any]:
        """The offered parts, by the names of their capabilities."""
        parts = {
            "tools": self.tools,
            "resources": self.resources,
            "prompts": self.prompts,
            "completions": self.completions,
        }
        return {name: part for name, part in parts.items() if part is not None}
