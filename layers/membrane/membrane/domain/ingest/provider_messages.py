"""Messages in the forms of model providers, read as the fields of a message.

The forms are those of OpenAI (Chat Completions and Responses), Anthropic, Google, Bedrock, Ollama,
LiteLLM, LangChain and Vercel's AI SDK, as their clients dump them: with null for an absent field,
and with a list of parts as content.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from membrane.domain.ingest.named_files import NAMES, first, named_file
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.timestamps import normalise
from membrane.domain.language.vocabulary import Role

_ROLES = {"human": "user", "ai": "assistant", "model": "assistant", "function": "tool"}

_SPEAKERS = ("human", "ai", "system", "tool", "function")
"""LangChain's words for who speaks, as the type of a message."""
_MESSAGE_CLASS = re.compile(r"(\w+?)(Message)?(Chunk)?")
"""LangChain's class for who speaks, as `AIMessageChunk`, which may stand for the type."""

INSTRUCTIONS = (Role.SYSTEM, Role.DEVELOPER)
"""Roles whose messages are skipped at the beginning of a conversation, and refused elsewhere."""

LEFT_OUT = (
    *("annotations", "container", "id", "model", "phase", "prefix", "status"),
    *("stop_details", "stop_reason", "stop_sequence", "usage"),
    *("reasoning", "reasoning_content", "reasoning_details", "thinking"),
    *("thinking_blocks", "tool_plan"),
    *("additional_kwargs", "artifact", "example", "metadata", "createdAt"),
    *("provider_specific_fields", "response_metadata", "usage_metadata"),
)
"""Fields that say nothing about the conversation: the model's run, and thoughts."""

_TEXTS = ("text", "input_text", "output_text")
_SAID = ("text", "refusal", "transcript")
_ENCLOSING = (
    *("document", "search_result", "web_fetch_result"),
    *("citationsContent", "guardContent", "text-plain"),
)
"""Parts that may have a text inside."""
_UNSAID = (
    *("thinking", "redacted_thinking", "reasoning", "reasoningContent"),
    *("cachePoint", "compaction", "item_reference", "step-start"),
    *("mcp_list_tools", "mcp_approval_request", "mcp_approval_response"),
)
"""Parts that nobody said."""
_CALLS = (
    *("tool_use", "server_tool_use", "mcp_tool_use", "toolUse", "tool_call", "tool-call"),
    *("invalid_tool_call", "dynamic-tool"),
    *("function_call", "functionCall", "executable_code", "executableCode"),
)
_RESULTS = ("function_response", "toolResult", "functionResponse", "tool-result")
_PROVIDERS_TOOLS = dict.fromkeys(("executable_code", "executableCode"), "code_execution")
_EXECUTED = ("code_execution_result", "codeExecutionResult")
_CALL_END, _RESULT_ENDS = "_call", ("tool_result", "_call_output")
"""Ends of the words for the calls and results of tools that providers run, as `web_search_call`."""

_CALL_IDS = ("tool_use_id", "toolUseId", "toolCallId", "tool_call_id", "call_id", "id", "name")
_TOOLS = ("name", "toolName")
_ARGUMENTS = ("arguments", "input", "args")
_OUTPUTS = ("output", "outputs", "result", "results", "error", "errorText")
_ABOUT_CALLS = ("type", "state", "status", *_CALL_IDS, *_TOOLS, *_OUTPUTS)
"""Fields of a call that are no arguments."""
_CONTENTS = ("content", "response", *_OUTPUTS)

_IN_RESULTS = (
    *("image", "image_url", "input_image", "computer_screenshot"),
    *("web_search_result", "web_fetch_result", *_TEXTS),
)
"""Parts that are known in a result; anything else is a value of the tool, and stays as it is."""
_WITH_SOURCE = ("document", "search_result", "video", "image")
"""Parts that are known in a result by their `source`."""
_WRAPPED = ("text", "json", "error-text", "error-json", "content")
"""Vercel's words for the `value` of a result."""
_WRAPPING = {"type", "data", "lc", "kwargs", "id"}
_LISTS_BESIDE = {
    "images": "image",
    "invalid_tool_calls": "invalid_tool_call",
    "toolInvocations": "dynamic-tool",
}
"""Lists beside the content of a message, of Ollama, LangChain and Vercel, by what an element is."""


class _Parts(NamedTuple):
    """The parts of a message, by what becomes of each."""

    texts: list[str]
    calls: list[JsonObject]
    results: list[JsonObject]
    """Messages of the role `tool`."""


def read_message(given: JsonObject) -> JsonObject:
    """The fields of a message; content with an unknown part stays a list.

    Of a message that is skipped the role is left: no limit or form holds for the rest.
    """
    message = _with_role(_without_wrapping(given))
    if message.get("role") in (*INSTRUCTIONS, Role.REASONING):
        return {"role": message["role"]}
    if isinstance(calls := message.get("tool_calls"), list):
        message["tool_calls"] = [_tool_call(each) for each in calls]
    content = message.pop("content", message.pop("parts", None))
    beside = list(_parts_beside(message))
    if beside or isinstance(content, list):
        content = [*(content if isinstance(content, list) else [content or ""]), *beside]
        if (parts := _parts_in(content)) is not None:
            return _with_parts(message, parts)
    is_silent = content is None or (isinstance(content, str) and not content.strip())
    if is_silent and not given.keys().isdisjoint(("content", "parts")):
        if message.get("role") == Role.TOOL:
            content = content or ""
        elif message.get("role") == Role.ASSISTANT and not message.get("tool_calls"):
            return {"role": Role.REASONING}
    return message if content is None else {**message, "content": content}


def _without_wrapping(given: JsonObject) -> JsonObject:
    """The fields that are there, also where LangChain wraps a message or keeps some apart."""
    message = {name: each for name, each in given.items() if each is not None}
    for kind, wrapped in (("type", "data"), ("lc", "kwargs")):
        is_whole = not message.keys().isdisjoint(("role", "content", "parts"))
        if not is_whole and kind in message and isinstance(message.get(wrapped), dict):
            classes = message.get("id")
            named = classes[-1] if isinstance(classes, list) and classes else message.get("type")
            beside = {name: message[name] for name in message.keys() - _WRAPPING}
            message = {"type": named} | beside | _without_wrapping(message[wrapped])
    said_at = message.get("createdAt")
    if "at" not in message and isinstance(said_at, str):  # of Vercel
        with suppress(ValueError):
            message["at"] = normalise(said_at)
    if isinstance(apart := message.get("additional_kwargs"), dict):
        for name in ("function_call", "refusal", "tool_calls"):
            if apart.get(name) and not message.get(name):
                message[name] = apart[name]
    return message


def _with_role(message: JsonObject) -> JsonObject:
    """The message with the role in a word of this service; of an item without a role, its own."""
    kept = {name: each for name, each in message.items() if name not in LEFT_OUT}
    kind = kept.get("type")
    if "role" in kept or not isinstance(kind, str):
        if kind in ("message", "chat"):
            del kept["type"]
    elif (speaker := _speaker(kind)) in _SPEAKERS:
        del kept["type"]
        kept["role"] = speaker
    elif _is_part(kind, kept):
        kept = {"role": Role.ASSISTANT, "content": [message]}
    if isinstance(role := kept.get("role"), str):
        word = role.strip().casefold()
        kept["role"] = _ROLES.get(word, word)
    return kept


def _speaker(kind: str) -> str:
    named = _MESSAGE_CLASS.fullmatch(kind)
    return named[1].lower() if named else ""


def _parts_beside(message: JsonObject) -> Iterator[JsonObject]:
    """The parts that some clients give beside the content, taken out of the message."""
    if refusal := message.pop("refusal", None):
        yield {"type": "refusal", "refusal": refusal}
    if audio := message.pop("audio", None):
        named = {"file_id": audio.get("id"), **audio} if isinstance(audio, dict) else audio
        yield {"type": "audio", "audio": named}
    if call := message.pop("function_call", None):
        yield {"type": "function_call", "function_call": call}
    if tool := message.pop("tool_name", None):  # of Ollama
        message.setdefault("name", tool)
    for name, kind in _LISTS_BESIDE.items():
        for each in message.pop(name) if isinstance(message.get(name), list) else ():
            yield {"type": kind, **(each if isinstance(each, dict) else {"data": each})}


def _with_parts(message: JsonObject, parts: _Parts) -> JsonObject:
    """The message with the parts; of several results, or a result beside a text, texts are made."""
    calls = message.get("tool_calls") or []
    is_silent = not (parts.calls or parts.results or any(each.strip() for each in parts.texts))
    if is_silent and not calls and message.get("role") == Role.ASSISTANT:
        return {"role": Role.REASONING}
    if parts.calls and isinstance(calls, list):
        message = {**message, "tool_calls": [*calls, *parts.calls]}
    if len(parts.results) == 1 and not any(parts.texts) and not parts.calls:
        return {**message, **parts.results[0]}
    results = [f"[tool_result {each['tool_call_id']}] {each['content']}" for each in parts.results]
    text = "\n".join(each for each in (*results, *parts.texts) if each)
    is_known = text or message.get("role") == Role.TOOL
    return {**message, "content": text} if is_known else message


def _parts_in(listed: Iterable[Any]) -> _Parts | None:
    """None for a list with an unknown part."""
    found = _Parts([], [], [])
    for part in listed:
        kind, body = _kind_and_body(part)
        if kind in _UNSAID or body.get("thought") is True:
            continue
        read: list[tuple[list[Any], Any]]
        if _is_call(kind, body):
            read = [(found.calls, _call(body, kind))]
            if any(body.get(name) not in (None, False) for name in _OUTPUTS):  # the tool ran
                read.append((found.results, _result(_with_image(kind, body))))
        elif _is_result(kind):
            read = [(found.results, _result(body))]
        else:
            read = [(found.texts, _text(kind, body))]
        for into, one in read:
            if one is None:
                return None
            into.append(one)
    return found


def _with_image(kind: str, body: JsonObject) -> JsonObject:
    """The call with the name of the image that the provider made in place of the image."""
    if kind != "image_generation_call":
        return body
    return {"id": body.get("id"), "output": named_file("image", {"data": body.get("result")})}


def _is_part(kind: str, body: JsonObject) -> bool:
    """Whether OpenAI gives such a part as an item beside the messages."""
    return kind in _UNSAID or _is_call(kind, body) or _is_result(kind)


def _is_call(kind: str, body: JsonObject) -> bool:
    by_name = kind.endswith(_CALL_END) or kind.startswith("tool-")
    is_said = any(isinstance(body.get(name), str) for name in _SAID)
    return kind in _CALLS or (by_name and not is_said and not _is_result(kind))


def _is_result(kind: str) -> bool:
    return kind in _RESULTS or kind.endswith(_RESULT_ENDS)


def _text(kind: str, body: JsonObject) -> str | None:
    if kind.startswith("data-"):  # of a program with Vercel's SDK
        return f"[{kind}] {compact_json(body.get('data'))}"
    said = ("text",) if kind in _TEXTS else _SAID[1:]
    if kind in _EXECUTED:
        said = ("output", "outcome")
    text = first(body, said)
    if text is None and kind in _ENCLOSING:
        text = _text_inside(kind, body)
    if text is None and kind not in _TEXTS:
        return named_file(kind, body)
    return text if isinstance(text, str) else None


def _text_inside(kind: str, body: JsonObject) -> str | None:
    """The text inside a document or a search result, after the name; None without a text."""
    source = body.get("source")
    holder = source if isinstance(source, dict) else body
    names = ("data",) if holder.get("type") == "text" else ("content", "text")
    held = first(holder, names)
    parts = _parts_in(held if isinstance(held, list) else [held])
    text = "\n".join(parts.texts) if parts else ""
    name = first(body, NAMES)
    return f"[{kind}: {name}]\n{text}" if text and isinstance(name, str) else text or None


def _kind_and_body(part: Any) -> tuple[str, JsonObject]:
    """The word for the part, with the fields; no fields for an unknown form."""
    if isinstance(part, str):
        return "text", {"text": part}
    if not isinstance(part, dict):
        return "", {}
    kind = part.get("type")
    if kind == "non_standard":  # of LangChain
        return _kind_and_body(part.get("value"))
    if not isinstance(kind, str):
        named = (name for name, each in part.items() if isinstance(each, dict))
        kind = "text" if isinstance(part.get("text"), str) else next(named, "")
    body = part.get(kind)
    return kind, body if isinstance(body, dict) else part


def _call(body: JsonObject, kind: str = "") -> JsonObject | None:
    """A tool call of Chat Completions; None without a name, but for a tool that its kind names."""
    name = first(body, _TOOLS) or _PROVIDERS_TOOLS.get(kind)
    if name is None and kind not in _CALLS:
        name = kind.removeprefix("tool-").removesuffix(_CALL_END)
    if not name or not isinstance(name, str):
        return None
    call_id = first(body, _CALL_IDS) or name
    return {"id": call_id, "function": {"name": name, "arguments": _arguments(body, kind)}}


def _arguments(body: JsonObject, kind: str) -> Any:
    """An object or a text as the call has it; of a tool that its kind names, all other fields."""
    whole = first(body, _ARGUMENTS)
    if whole is not None:
        return whole if isinstance(whole, dict | str) else {"input": whole}
    if kind in _CALLS and kind not in _PROVIDERS_TOOLS:
        return None
    return {name: each for name, each in body.items() if name not in _ABOUT_CALLS}


def _tool_call(given: Any) -> Any:
    """A call in the form of Chat Completions; a custom tool has a text as input.

    Of a call without an id, as of Ollama, the name is the id.
    """
    if not isinstance(given, dict):
        return given
    if isinstance(function := given.get("function"), dict):
        called = {name: function[name] for name in ("name", "arguments") if name in function}
        kind = {"type": given["type"]} if given.get("type") else {}
        return {"id": first(given, ("id",)) or called.get("name"), **kind, "function": called}
    custom = given.get("custom")
    return _call({**given, **custom} if isinstance(custom, dict) else given) or given


def _result(body: JsonObject) -> JsonObject | None:
    call_id = first(body, _CALL_IDS)
    if not isinstance(call_id, str):
        return None
    content = _result_text(first(body, _CONTENTS))
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def _result_text(content: Any) -> str:
    """A text, the texts of known parts, or the JSON of anything else."""
    if content is None or isinstance(content, str):
        return content or ""
    if isinstance(content, dict) and content.get("type") in _WRAPPED and "value" in content:
        return _result_text(content["value"])
    listed = content if isinstance(content, list) else [content]
    if all(map(_is_known_in_result, listed)):
        parts = _parts_in(listed)
        if parts is not None:
            return "\n".join(parts.texts)
    return compact_json(content)


def _is_known_in_result(part: Any) -> bool:
    kind, body = _kind_and_body(part)
    if kind in _WITH_SOURCE and "source" in body:
        return True
    is_typed = isinstance(part, dict) and "type" in part
    return kind in _IN_RESULTS and (is_typed or kind in _TEXTS)
