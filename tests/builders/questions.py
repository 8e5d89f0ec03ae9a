"""Questions to a chat model."""

from typing import Any

from membrane.domain.chat.turns import (
    ModelTurn,
    OfferedTool,
    Question,
    ResultsTurn,
    ToolCall,
    ToolResult,
    Turn,
    UserTurn,
)

SCHEMA = {"type": "object", "properties": {"key": {"type": "string"}}}
READ = OfferedTool("read", "Reads a topic.", SCHEMA)


def question(*turns: Turn, **changes: Any) -> Question:
    """A question with rules and a tool; without turns, the user asks something."""
    usual = Question("rules", turns or (UserTurn("What do I like?"),), (READ,))
    return usual._replace(**changes)


def used_tool(
    arguments: dict[str, Any] | str, text: str = "", *, fails: bool = False
) -> list[Turn]:
    """A call of the tool, and the result."""
    call = ToolCall("t-1", "read", arguments)
    return [ModelTurn(text, [call]), ResultsTurn([ToolResult("t-1", '{"found": 1}', fails)])]
