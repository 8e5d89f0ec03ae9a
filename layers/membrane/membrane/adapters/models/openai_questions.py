"""A question to a chat model as a request in the form of chat completions."""

from collections.abc import Iterator, Sequence
from itertools import chain

from membrane.adapters.models.chat_questions import repeated_arguments
from membrane.domain.chat.turns import (
    ModelTurn,
    OfferedTool,
    Question,
    ResultsTurn,
    ToolCall,
    Turn,
    UserTurn,
)
from membrane.domain.language.json_text import JsonObject, compact_json


def request_of(model: str, question: Question, *, is_newer: bool = False) -> JsonObject:
    """The request, for a newer endpoint without a temperature and by the newer name of the limit.

    Reasoning models of OpenAI refuse the older form.
    """
    if is_newer:
        limits: JsonObject = {"max_completion_tokens": question.max_tokens}
    else:
        limits = {"temperature": question.temperature, "max_tokens": question.max_tokens}
    return {
        "model": model,
        "messages": [*_messages(question)],
        **limits,
        **(_offer(question) if question.tools else {}),
    }


def _offer(question: Question) -> JsonObject:
    """The tools, one call of a tool at a time."""
    return {
        "tools": [_function(tool) for tool in question.tools],
        "tool_choice": "required" if question.must_call else "auto",
        "parallel_tool_calls": False,
    }


def _function(tool: OfferedTool) -> JsonObject:
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.schema,
        },
    }


def _messages(question: Question) -> Iterator[JsonObject]:
    if question.system:
        yield {"role": "system", "content": question.system}
    yield from chain.from_iterable(map(_messages_of, question.turns))


def _messages_of(turn: Turn) -> Sequence[JsonObject]:
    """The messages of a turn; the form has no mark for the result of a failed call."""
    match turn:
        case UserTurn(text):
            return [{"role": "user", "content": text}]
        case ModelTurn(text, calls):
            return [_assistant(text, calls)]
        case ResultsTurn(results):
            return [
                {"role": "tool", "tool_call_id": result.call_id, "content": result.text}
                for result in results
            ]


def _assistant(text: str, calls: Sequence[ToolCall]) -> JsonObject:
    if not calls:
        return {"role": "assistant", "content": text}
    return {
        "role": "assistant",
        "content": text or None,
        "tool_calls": [_repeated_call(call) for call in calls],
    }


def _repeated_call(call: ToolCall) -> JsonObject:
    arguments = compact_json(repeated_arguments(call.arguments))
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": arguments},
    }
