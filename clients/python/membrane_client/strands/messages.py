"""Messages of Strands as messages of the service: texts, calls of tools and results of tools."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

MAX_CHARACTERS = 100_000
"""Of a message's content; a longer content becomes several messages."""

Message: TypeAlias = dict[str, Any]


def messages_of(message: Mapping[str, Any], tools: Mapping[str, str]) -> Sequence[Message]:
    """The results of tools first, then what was said, with the calls of tools.

    Images, documents, videos and the reasoning of the model are left out. `tools` has the names of
    tools by the ids of calls.
    """
    blocks = message["content"]
    return [*_results(blocks, tools), *_messages_said(message["role"], blocks)]


def tools_of(messages: Iterable[Mapping[str, Any]]) -> Mapping[str, str]:
    """The names of the tools that the messages call, by the ids of the calls."""
    blocks = (block for message in messages for block in message["content"])
    uses = (block["toolUse"] for block in blocks if "toolUse" in block)
    return {use["toolUseId"]: use["name"] for use in uses}


def _messages_said(role: str, blocks: Sequence[Mapping[str, Any]]) -> Iterator[Message]:
    texts = [text for block in blocks for text in _texts_in(block)]
    calls = [_call(block["toolUse"]) for block in blocks if "toolUse" in block]
    parts = [*_parts("\n".join(texts))]
    yield from ({"role": role, "content": each} for each in parts[:-1])
    said = {"content": parts[-1]} if parts else {}
    if role == "assistant" and calls:
        yield {"role": role, **said, "tool_calls": calls}
    elif parts:
        yield {"role": role, **said}


def _texts_in(block: Mapping[str, Any]) -> Iterator[str]:
    """The texts of a block, also those of an answer with citations."""
    for part in (block, *block.get("citationsContent", {}).get("content", ())):
        if part.get("text"):
            yield part["text"]


def _call(use: Mapping[str, Any]) -> Message:
    given = use.get("input")
    arguments = given if isinstance(given, dict) else {"input": given}
    return {
        "id": use["toolUseId"],
        "type": "function",
        "function": {"name": use["name"], "arguments": arguments},
    }


def _results(blocks: Sequence[Mapping[str, Any]], tools: Mapping[str, str]) -> Iterator[Message]:
    for result in (block["toolResult"] for block in blocks if "toolResult" in block):
        texts = [text for part in result["content"] for text in _texts_of_result(part)]
        for each in [*_parts("\n".join(texts))] or [result.get("status", "")]:
            call_id = result["toolUseId"]
            named = {"name": tools[call_id]} if call_id in tools else {}
            yield {"role": "tool", "tool_call_id": call_id, "content": each, **named}


def _texts_of_result(part: Mapping[str, Any]) -> Iterator[str]:
    if "json" in part:
        yield json.dumps(part["json"], ensure_ascii=False)
    if part.get("text"):
        yield part["text"]


def _parts(text: str) -> Iterator[str]:
    """The text in parts that fit a message, without parts of blanks alone."""
    for start in range(0, len(text), MAX_CHARACTERS):
        part = text[start : start + MAX_CHARACTERS]
        if part.strip():
            yield part
