"""Whether the result of a tool call tells of an error, and what the error says."""

from typing import Any

from membrane.domain.language.json_text import JsonObject, compact_json

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
