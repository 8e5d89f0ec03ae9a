"""What a server offers to a client: tools, resources, prompts and completion, for one caller."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from membrane.domain.language.json_text import JsonObject


class Server(NamedTuple):
    """The identity of a server, and the advice for language models."""

    name: str
    version: str
    title: str
    instructions: str


class Retry(NamedTuple):
    """What a client adds to a repeated request after an `InputRequired`."""

    responses: Mapping[str, Any]
    state: str | None
    capabilities: JsonObject
    """What the client can be asked for."""
    progress_token: str | int | None = None
    """The token for notifications of progress; None = the client wants none."""


class InputRequired(NamedTuple):
    """An answer that asks the client for input, after which the client repeats the request."""

    requests: Mapping[str, JsonObject]
    state: str | None = None


class Outcome(NamedTuple):
    """The result of a request, and notifications to send before the result."""

    result: JsonObject
    notifications: Sequence[JsonObject] = ()


Result = Outcome | InputRequired


class Features(Protocol):
    """May raise ProtocolError, and InvalidParams for an unknown name."""

    @property
    def server(self) -> Server: ...
    @property
    def capabilities(self) -> JsonObject:
        """The capabilities by name, such as `{"tools": {}}`."""

    def list_tools(self) -> Sequence[JsonObject]: ...
    def call_tool(self, name: str, arguments: JsonObject, retry: Retry) -> Result: ...
    def list_resources(self) -> Sequence[JsonObject]: ...
    def list_templates(self) -> Sequence[JsonObject]: ...
    def read_resource(self, uri: str, retry: Retry) -> Result: ...
    def list_prompts(self) -> Sequence[JsonObject]: ...
    def get_prompt(self, name: str, arguments: JsonObject, retry: Retry) -> Result: ...
    def complete(self, reference: JsonObject, argument: JsonObject) -> Sequence[str]: ...
