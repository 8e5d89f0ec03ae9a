"""A call of a method: the request with the server's features, and the answer of the method."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from membrane.adapters.aws_lambda.mcp.errors import INVALID_PARAMS, McpError
from membrane.adapters.aws_lambda.mcp.features import Caching, Exchange, Features, Progress
from membrane.adapters.aws_lambda.mcp.params import optional_text
from membrane.adapters.aws_lambda.mcp.versions import CURRENT
from membrane.domain.language.json_text import JsonObject


class Call(NamedTuple):
    params: JsonObject
    version: str
    features: Features[Any]
    caller: Any
    """The authenticated caller, whom only the features read."""
    exchange: Exchange

    @property
    def is_current(self) -> bool:
        return self.version == CURRENT

    @property
    def cursor(self) -> str | None:
        """The place in a list; the empty text is no place. Raises McpError."""
        return optional_text(self.params, "cursor") or None

    def refuse_cursor(self) -> None:
        """Raises McpError for a cursor into a list that has one page."""
        if self.cursor is not None:
            raise McpError(INVALID_PARAMS, "params.cursor is not a cursor of this list")


class Answer(NamedTuple):
    result: JsonObject
    """The result in the form of every version."""
    caching: Caching | None = None
    """Of a result that a client of the current version may keep."""
    progress: Sequence[Progress] = ()
