"""Dialogues with a model of Amazon Bedrock that can use tools."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any

from membrane.adapters.models import chat_questions
from membrane.adapters.models.bedrock_outages import translating_errors
from membrane.domain.chat.turns import (
    Answer,
    ModelTurn,
    OfferedTool,
    Question,
    ResultsTurn,
    ToolCall,
    ToolResult,
    Turn,
    UserTurn,
)
from membrane.domain.model_failures import GarbledAnswer

if TYPE_CHECKING:
    from types_boto3_bedrock_runtime import BedrockRuntimeClient
    from types_boto3_bedrock_runtime.literals import ConversationRoleType
    from types_boto3_bedrock_runtime.type_defs import (
        ContentBlockTypeDef,
        ConverseRequestTypeDef,
        MessageTypeDef,
        ToolConfigurationTypeDef,
        ToolTypeDef,
    )

_CUT_OFF = frozenset({"max_tokens", "model_context_window_exceeded"})
"""Reasons for which a model stops in the middle of a block."""

_MALFORMED = frozenset({"malformed_model_output", "malformed_tool_use"})
_FILTERED = frozenset({"content_filtered", "guardrail_intervened"})


@dataclass(frozen=True, slots=True)
class BedrockChat:
    """A ChatModel by one Converse request for each question.

    No question names the choice between text and call or the status of a result unless needed:
    some models of Bedrock refuse a request with either.

    Converse refuses a dialogue with calls of tools if the question offers no tools. A question
    must therefore offer tools until the end of the dialogue.
    """

    client: "Callable[[float], BedrockRuntimeClient]"
    """Returns the client that waits for an answer as many seconds as given, or fewer."""
    model: str
    """The id of a model or of an inference profile."""

    @property
    def name(self) -> str:
        return self.model

    @property
    def provider(self) -> str:
        return "bedrock"

    def answer(self, question: Question, timeout_s: float) -> Answer:
        chat_questions.require_time(timeout_s)
        reply = self._converse(question, timeout_s)
        blocks = reply["output"]["message"]["content"]
        _require_whole_calls(reply["stopReason"], blocks)
        calls = () if reply["stopReason"] in _FILTERED else _calls_in(blocks)
        text = "\n".join(block["text"] for block in blocks if "text" in block)
        return Answer(text, calls, reply["usage"]["totalTokens"], self.model)

    def _converse(self, question: Question, timeout_s: float) -> Any:
        request = _request(self.model, question)
        with translating_errors(chat_questions.CHAT_MODEL):
            return self.client(timeout_s).converse(**request)


def _request(model: str, question: Question) -> "ConverseRequestTypeDef":
    request: ConverseRequestTypeDef = {
        "modelId": model,
        "messages": _messages(question.turns),
        "inferenceConfig": {
            "maxTokens": question.max_tokens,
            "temperature": question.temperature,
        },
    }
    if question.system:
        request["system"] = [{"text": question.system}]
    if question.tools:
        request["toolConfig"] = _offer(question)
    return request


def _messages(turns: Sequence[Turn]) -> "Sequence[MessageTypeDef]":
    """The turns as messages whose roles alternate, as Converse demands.

    Turns of the same role become one message. A turn without content becomes no message.
    """
    with_content = [turn for turn in turns if _content(turn)]
    return [
        {"role": role, "content": list(chain.from_iterable(map(_content, neighbours)))}
        for role, neighbours in groupby(with_content, _role)
    ]


def _role(turn: Turn) -> "ConversationRoleType":
    return "assistant" if isinstance(turn, ModelTurn) else "user"


def _content(turn: Turn) -> "Sequence[ContentBlockTypeDef]":
    match turn:
        case UserTurn(text):
            return [*_text_blocks(text)]
        case ModelTurn(text, calls):
            return [*_text_blocks(text), *map(_call_block, calls)]
        case ResultsTurn(results):
            return [*map(_result_block, results)]


def _text_blocks(text: str) -> "Iterator[ContentBlockTypeDef]":
    """The block of a text; no block for a blank text, which Converse refuses."""
    if text.strip():
        yield {"text": text}


def _call_block(call: ToolCall) -> "ContentBlockTypeDef":
    arguments = chat_questions.repeated_arguments(call.arguments)
    return {"toolUse": {"toolUseId": call.id, "name": call.name, "input": arguments}}


def _result_block(result: ToolResult) -> "ContentBlockTypeDef":
    return {
        "toolResult": {
            "toolUseId": result.call_id,
            "content": [{"text": result.text}] if result.text.strip() else [],
        }
    }


def _offer(question: Question) -> "ToolConfigurationTypeDef":
    offer: ToolConfigurationTypeDef = {"tools": [_specification(tool) for tool in question.tools]}
    return {**offer, "toolChoice": {"any": {}}} if question.must_call else offer


def _specification(tool: OfferedTool) -> "ToolTypeDef":
    return {
        "toolSpec": {
            "name": tool.name,
            "description": tool.description,
            "inputSchema": {"json": tool.schema},
        }
    }


def _require_whole_calls(reason: str, blocks: Sequence[Any]) -> None:
    """Raises GarbledAnswer if the model stopped in a call, or wrote an unreadable call."""
    is_call_cut_off = reason in _CUT_OFF and bool(blocks) and "toolUse" in blocks[-1]
    if is_call_cut_off or reason in _MALFORMED:
        raise GarbledAnswer(
            f"{chat_questions.CHAT_MODEL} wrote a call that cannot be read: {reason}"
        )


def _calls_in(blocks: Sequence[Any]) -> Sequence[ToolCall]:
    return tuple(_call_in(block["toolUse"]) for block in blocks if "toolUse" in block)


def _call_in(use: Any) -> ToolCall:
    """The call; botocore reads the input less strictly than `arguments_in`."""
    arguments = chat_questions.arguments_in(json.dumps(use["input"]))
    return ToolCall(use["toolUseId"], use["name"], arguments)
