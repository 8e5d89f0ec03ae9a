"""What went wrong in a trace, and what helped."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.records.payloads import EpisodicPayload, ToolNode

ERROR = "error"

_ERROR_KEYS = (ERROR, "errors", "exception")
_ERROR_FLAGS = ("is_error", "isError")
_SUCCESS_FLAGS = ("ok", "success")
_EXIT_CODES = ("exit_code", "exitCode", "returncode")
_FAILED = frozenset({"error", "failed", "failure"})
_MESSAGE_KEYS = ("message", "stderr", "detail", "reason", "content")
_BEGINNINGS = ("error", "traceback")

_SOME_ERROR = "failed"
"""The text of an error that says nothing."""


def error_of(result: Any) -> str | None:
    """The text of the error that a result reports; None for a result without an error.

    Known forms: an object with a non-empty `error`, a flag of MCP (`isError`), `ok: false`, an exit
    code other than 0, a status such as `failed`; a text that begins with `Error` or `Traceback`.
    """
    match result:
        case str() if result.lstrip().casefold().startswith(_BEGINNINGS):
            return result.strip()
        case dict() if _has_failed(result):
            return _message(result)
        case _:
            return None


def _has_failed(result: JsonObject) -> bool:
    status = result.get("status")
    return (
        any(result.get(key) for key in _ERROR_KEYS)
        or any(result.get(key) is True for key in _ERROR_FLAGS)
        or any(result.get(key) is False for key in _SUCCESS_FLAGS)
        or any(type(result.get(key)) is int and result[key] != 0 for key in _EXIT_CODES)
        or (isinstance(status, str) and status.casefold() in _FAILED)
    )


def _message(result: JsonObject) -> str:
    for key in (*_ERROR_KEYS, *_MESSAGE_KEYS):
        match result.get(key):
            case str(text) if text.strip():
                return text.strip()
            case {"message": str(text)} if text.strip():
                return text.strip()
            case (dict() | list()) as value if value:
                return compact_json(value)
            case _:
                continue
    return _SOME_ERROR


MAX_MODES = 8
"""Failure modes, and fallbacks, of a skill; a new one takes the place of the oldest."""

MAX_MODE_CHARACTERS = 200

_NUMBERS = re.compile(r"\d+")


def failure_modes(trace: EpisodicPayload) -> Sequence[str]:
    """The last call with an error; without one, the last call before the reason of the outcome."""
    failed = [(call, error_of(call.result)) for call in trace.tool_graph]
    with_errors = [(call, error) for call, error in failed if error is not None]
    if with_errors:
        call, error = with_errors[-1]
        return (f"{call.tool}: {error}",)
    if not trace.tool_graph:
        return (trace.outcome_reason,) if trace.outcome_reason else ()
    last = trace.tool_graph[-1].tool
    return (f"ended after {last}: {trace.outcome_reason}".removesuffix(": "),)


def fallbacks(trace: EpisodicPayload) -> Sequence[str]:
    """What a success did after each call with an error."""
    calls = trace.tool_graph
    return tuple(
        _fallback(failed, error, then)
        for failed, then in pairwise(calls)
        if (error := error_of(failed.result)) is not None and error_of(then.result) is None
    )


def _fallback(failed: ToolNode, error: str, then: ToolNode) -> str:
    again = " again" if then.tool == failed.tool else ""
    return f"call {then.tool}{again} when {failed.tool} fails: {error}"


def with_modes(known: Sequence[str], found: Sequence[str]) -> tuple[str, ...]:
    """The texts with the new ones; texts that differ in numbers alone are the same."""
    distinct = {_NUMBERS.sub("0", text): text for text in known}
    for text in found:
        short = text[:MAX_MODE_CHARACTERS]
        distinct.setdefault(_NUMBERS.sub("0", short), short)
    return tuple(distinct.values())[-MAX_MODES:]
