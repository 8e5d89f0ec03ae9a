"""Messages and notes of Strands as the service takes them, and records as entries of a memory."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from strands.memory import MemoryEntry

from membrane_client.values.payloads import EpisodicPayload, Payload, SemanticPayload
from membrane_client.values.records import MemoryRecord

MAX_CHARACTERS = 100_000  # Of a message's content; a longer content becomes several messages
TOOL_CALL = "tool_call"  # The kind of an event that only repeats the calls in the tool graph

Message: TypeAlias = dict[str, Any]


def note_of(content: str, metadata: Mapping[str, Any] | None) -> Any:
    """The object of the fact that keeps an entry."""
    return {"text": content, "metadata": dict(metadata)} if metadata else content


def entry_of(record: MemoryRecord, score: float | None) -> MemoryEntry | None:
    """The record as an entry; None for a record whose content the key may not see.

    The metadata of a note are as they were given, beside `record_id`, `type`, `score`, `salience`,
    `when` and `scope`.
    """
    if record.payload is None:
        return None
    text, metadata = _content(record.payload)
    about = {
        "record_id": record.id,
        "type": str(record.type),
        "score": score,
        "salience": record.salience,
        "when": record.created_at.isoformat(),
        "scope": record.scope,
    }
    return MemoryEntry(content=text, metadata={**about, **metadata})


def _content(payload: Payload) -> tuple[str, Mapping[str, Any]]:
    match payload:
        case SemanticPayload(predicate="noted", object=str(text)):
            return text, {}
        case SemanticPayload(
            predicate="noted", object={"text": str(text), "metadata": dict(metadata)}
        ):
            return text, metadata
        case SemanticPayload() as fact:
            return f"{fact.subject} {fact.predicate} {_words(fact.object)}", {}
        case EpisodicPayload() as episode:
            return "\n".join(_lines(episode)), {}
        case other:
            return _words(other.raw), {}


def _lines(episode: EpisodicPayload) -> Iterator[str]:
    for event in episode.timeline:
        if event.event_kind != TOOL_CALL or not episode.tool_graph:
            yield event.summary or f"{event.event_kind} {event.ref}"
    for node in episode.tool_graph:
        yield " ".join(filter(None, [node.tool, _words(node.args), _words(node.result)]))


def _words(value: Any) -> str:
    """The text, or the value as JSON; "" for none."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def tools_of(messages: Iterable[Mapping[str, Any]]) -> Mapping[str, str]:
    """The names of the tools that the messages call, by the ids of the calls."""
    blocks = (block for message in messages for block in message["content"])
    uses = (block["toolUse"] for block in blocks if "toolUse" in block)
    return {use["toolUseId"]: use["name"] for use in uses}


def messages_of(message: Mapping[str, Any], tools: Mapping[str, str]) -> Sequence[Message]:
    """The results of tools first, then what was said, with the calls of tools.

    Images, documents, videos and the reasoning of the model are left out. `tools` is of `tools_of`.
    """
    role, blocks = message["role"], message["content"]
    texts = [text for block in blocks for text in _texts_in(block)]
    said: list[Message] = [{"role": role, "content": each} for each in _parts(texts)]
    calls = [_call(block["toolUse"]) for block in blocks if "toolUse" in block]
    if role == "assistant" and calls:
        said = said or [{"role": role}]
        said[-1]["tool_calls"] = calls
    return [*_results(blocks, tools), *said]


def _texts_in(block: Mapping[str, Any]) -> Iterator[str]:
    """The texts of a block, also those of an answer with citations."""
    for part in (block, *block.get("citationsContent", {}).get("content", ())):
        if part.get("text"):
            yield part["text"]


def _call(use: Mapping[str, Any]) -> Message:
    given = use.get("input")
    arguments = given if isinstance(given, dict) else {"input": given}
    function = {"name": use["name"], "arguments": arguments}
    return {"id": use["toolUseId"], "type": "function", "function": function}


def _results(blocks: Sequence[Mapping[str, Any]], tools: Mapping[str, str]) -> Iterator[Message]:
    for result in (block["toolResult"] for block in blocks if "toolResult" in block):
        texts = [text for part in result["content"] for text in _texts_of_result(part)]
        for each in [*_parts(texts)] or [result.get("status", "")]:
            call_id = result["toolUseId"]
            named = {"name": tools[call_id]} if call_id in tools else {}
            yield {"role": "tool", "tool_call_id": call_id, "content": each, **named}


def _texts_of_result(part: Mapping[str, Any]) -> Iterator[str]:
    if "json" in part:
        yield json.dumps(part["json"], ensure_ascii=False)
    if part.get("text"):
        yield part["text"]


def _parts(texts: Iterable[str]) -> Iterator[str]:
    """The texts as lines, in parts that fit a message, without parts of blanks alone."""
    text = "\n".join(texts)
    for start in range(0, len(text), MAX_CHARACTERS):
        part = text[start : start + MAX_CHARACTERS]
        if part.strip():
            yield part
