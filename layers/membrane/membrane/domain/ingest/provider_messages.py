"""Messages in the forms of model providers, read as the fields of a message.

The forms are those of OpenAI (Chat Completions and Responses), Anthropic, Google and Bedrock, as
their clients dump them: with null for an absent field, and with a list of parts as content.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.vocabulary import Role

_ROLES = {"human": "user", "ai": "assistant", "model": "assistant", "function": "tool"}

INSTRUCTIONS = (Role.SYSTEM, Role.DEVELOPER)
"""Roles whose messages are skipped at the beginning of a conversation, and refused elsewhere."""

LEFT_OUT = (
    *("annotations", "container", "id", "model", "phase", "prefix", "status"),
    *("stop_details", "stop_reason", "stop_sequence", "usage"),
    *("reasoning", "reasoning_content", "reasoning_details", "thinking"),
)
"""Fields that say nothing about the conversation: the model's run, and thoughts."""

_TEXTS = ("text", "input_text", "output_text")
_THOUGHTS = ("thinking", "redacted_thinking", "reasoning", "reasoningContent")
"""Parts that nobody said."""
_CALLS = ("tool_use", "function_call", "custom_tool_call", "toolUse", "functionCall")
_RESULTS = (
    *("tool_result", "function_response", "toolResult", "functionResponse"),
    *("function_call_output", "custom_tool_call_output"),
)

_CALL_IDS = ("tool_use_id", "toolUseId", "call_id", "id", "name")
_ARGUMENTS = ("arguments", "input", "args")
_CONTENTS = ("content", "response", "output")

_NAMES = ("filename", "title", "display_name", "displayName", "name")
_MEDIA_TYPES = ("media_type", "mime_type", "mimeType", "format")
_DATA = ("data", "bytes", "file_data", "fileData")
_ADDRESSES = ("url", "uri", "file_uri", "fileUri", "file_url", "image_url", "file_id", "fileId")
_LABELS = {
    "image_url": "image",
    "input_image": "image",
    "input_audio": "audio",
    **dict.fromkeys(("input_file", "file_data", "fileData", "inline_data", "inlineData"), "file"),
}
_MAX_ADDRESS_CHARACTERS = 2_000
_LEVELS = 3
"""Levels of a part in which a file may be named: `source`, `s3Location`, `uri`."""


class _Parts(NamedTuple):
    """The parts of a message, by what becomes of each."""

    texts: list[str]
    calls: list[JsonObject]
    results: list[JsonObject]
    """Messages of the role `tool`."""


def read_message(given: JsonObject) -> JsonObject:
    """The fields of a message; content with an unknown part stays a list.

    Of instructions the role is left: no limit or form holds for a message that is skipped.
    """
    message = {name: each for name, each in given.items() if each is not None}
    for name in LEFT_OUT:
        message.pop(name, None)
    if message.get("type") == "message":
        del message["type"]
    if "role" not in message and message.get("type") in (*_CALLS, *_RESULTS):
        message = {"role": Role.ASSISTANT, "content": [message]}
    if isinstance(role := message.get("role"), str):
        word = role.strip().casefold()
        message["role"] = _ROLES.get(word, word)
    if message.get("role") in INSTRUCTIONS:
        return {"role": message["role"]}
    if isinstance(calls := message.get("tool_calls"), list):
        message["tool_calls"] = [_tool_call(each) for each in calls]
    beside = list(_parts_beside(message))
    content = message.pop("content", message.pop("parts", None))
    if beside or isinstance(content, list):
        parts = _parts_in([*(content if isinstance(content, list) else [content or ""]), *beside])
        if parts is not None:
            return _with_parts(message, parts)
    return message if content is None else {**message, "content": content}


def _parts_beside(message: JsonObject) -> Iterator[JsonObject]:
    """The parts that OpenAI gives beside the content, taken out of the message."""
    if refusal := message.pop("refusal", None):
        yield {"type": "refusal", "refusal": refusal}
    if audio := message.pop("audio", None):
        yield {"type": "audio", "audio": audio}
    if call := message.pop("function_call", None):
        yield {"type": "function_call", "function_call": call}


def _with_parts(message: JsonObject, parts: _Parts) -> JsonObject:
    """The message with the parts; of several results, or a result beside a text, texts are made."""
    calls = message.get("tool_calls") or []
    if parts.calls and isinstance(calls, list):
        message = {**message, "tool_calls": [*calls, *parts.calls]}
    if len(parts.results) == 1 and not any(parts.texts) and not parts.calls:
        return {**message, **parts.results[0]}
    results = [f"[tool_result {each['tool_call_id']}] {each['content']}" for each in parts.results]
    text = "\n".join(each for each in (*results, *parts.texts) if each)
    return {**message, "content": text} if text else message


def _parts_in(listed: Iterable[Any]) -> _Parts | None:
    """None for a list with an unknown part."""
    found = _Parts([], [], [])
    for part in listed:
        kind, body = _kind_and_body(part)
        if kind in _THOUGHTS or body.get("thought") is True:
            continue
        into: list[Any] = found.texts
        read: Any = None
        if kind in _CALLS:
            into, read = found.calls, _call(body)
        elif kind in _RESULTS:
            into, read = found.results, _result(body)
        else:
            read = _text(kind, body)
        if read is None:
            return None
        into.append(read)
    return found


def _text(kind: str, body: JsonObject) -> str | None:
    """The text of a part, or the name of a file."""
    said = ("text",) if kind in _TEXTS else ("refusal", "transcript")
    text = _first(body, said)
    if text is None and kind not in _TEXTS:
        return _named_file(kind, body)
    return text if isinstance(text, str) else None


def _kind_and_body(part: Any) -> tuple[str, JsonObject]:
    """The word for the part, with the fields; no fields for an unknown form."""
    if isinstance(part, str):
        return "text", {"text": part}
    if not isinstance(part, dict):
        return "", {}
    kind = part.get("type")
    if not isinstance(kind, str):
        named = (name for name, each in part.items() if isinstance(each, dict))
        kind = "text" if isinstance(part.get("text"), str) else next(named, "")
    body = part.get(kind)
    return kind, body if isinstance(body, dict) else part


def _call(body: JsonObject) -> JsonObject | None:
    """A tool call of Chat Completions; None without a name."""
    name = body.get("name")
    if not isinstance(name, str):
        return None
    function = {"name": name, "arguments": _first(body, _ARGUMENTS)}
    return {"id": _first(body, _CALL_IDS), "function": function}


def _tool_call(given: Any) -> Any:
    """A call in the form of Chat Completions; a custom tool has a text as input.

    Of a call without an id, as of Ollama, the name is the id.
    """
    if not isinstance(given, dict):
        return given
    if isinstance(function := given.get("function"), dict):
        return given if "id" in given else {**given, "id": function.get("name")}
    custom = given.get("custom")
    return _call({**given, **custom} if isinstance(custom, dict) else given) or given


def _result(body: JsonObject) -> JsonObject | None:
    """A message with the result of a call; None without the id of the call."""
    call_id, content = _first(body, _CALL_IDS), _first(body, _CONTENTS)
    if not isinstance(call_id, str):
        return None
    if isinstance(content, list):
        parts = _parts_in(content)
        content = compact_json(content) if parts is None else "\n".join(parts.texts)
    elif not isinstance(content, str):
        content = "" if content is None else compact_json(content)
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def _named_file(kind: str, body: JsonObject) -> str | None:
    """`[image: image/png, 4500 bytes]`; None for a part that names no file."""
    leaves = dict(_leaves(body, _LEVELS))
    media_type, data = _first(leaves, _MEDIA_TYPES), _first(leaves, _DATA)
    address = _first(leaves, _ADDRESSES)
    inline = next((each for each in (address, data) if each and each.startswith("data:")), None)
    if inline:
        about, _, data = inline.removeprefix("data:").partition(",")
        media_type = about.partition(";")[0]
        address = None if inline is address else address
    size = f"{len(data.rstrip('=')) * 3 // 4} bytes" if data else None
    said = (_first(leaves, _NAMES), media_type, size, address and address[:_MAX_ADDRESS_CHARACTERS])
    words = ", ".join(each for each in said if each)
    label = _LABELS.get(kind, kind)
    return f"[{label}: {words}]" if words else None


def _leaves(body: JsonObject, levels: int) -> Iterator[tuple[str, str]]:
    """The texts in the object by name, the outermost last."""
    for each in body.values():
        if isinstance(each, dict) and levels:
            yield from _leaves(each, levels - 1)
    yield from ((name, each) for name, each in body.items() if isinstance(each, str))


def _first(body: JsonObject, names: Iterable[str]) -> Any:
    return next((body[name] for name in names if body.get(name) is not None), None)
