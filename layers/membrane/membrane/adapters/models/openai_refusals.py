"""The reason that an OpenAI-compatible endpoint gives for a refused question."""

import math
import re
from typing import NamedTuple

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import parse_json

_RATE_LIMITED = "rate_limit_exceeded"
_RATE_WORDS = re.compile(r"rate[ _-]limit|tokens per minute", re.IGNORECASE)

_GARBLED = frozenset({"output_parse_failed", "tool_use_failed"})
"""Codes of Groq for an answer in which the endpoint could not read the calls of tools."""

_OF_NEWER_FORM = frozenset({"unsupported_parameter", "unsupported_value"})
"""Codes of OpenAI for a limit or a temperature that a model does not know."""

_WAIT = re.compile(
    r"try again in (?:(\d{1,3}) ?h(?![a-z]) ?)?(?:(\d{1,5}) ?m(?![a-z]) ?)?"
    r"(?:(\d{1,6}(?:\.\d+)?) ?(m?)s)?",
    re.IGNORECASE,
)
"""A wait such as `7.66s`, `1m26.4s`, `450ms` or `20 seconds`."""


class Reason(NamedTuple):
    """The endpoint's words; for decisions only, because no error may repeat the words."""

    code: str = ""
    message: str = ""

    @property
    def is_rate(self) -> bool:
        return self.code == _RATE_LIMITED or _RATE_WORDS.search(self.message) is not None

    @property
    def is_garbled(self) -> bool:
        return self.code in _GARBLED

    @property
    def asks_for_newer_form(self) -> bool:
        return self.code in _OF_NEWER_FORM

    @property
    def wait_s(self) -> int:
        """The wait in the message in whole seconds, rounded up; 0 without a wait."""
        found = _WAIT.search(self.message)
        if found is None:
            return 0
        hours, minutes, amount, milli = found.groups()
        seconds = float(amount or 0) / (1_000 if milli else 1)
        return int(hours or 0) * 3_600 + int(minutes or 0) * 60 + math.ceil(seconds)


def reason_in(content: bytes) -> Reason:
    """The reason in the body of a reply; empty for a body of a different form."""
    try:
        body = parse_json(content)
    except InvalidArgument:
        return Reason()
    match body:
        case {"error": {**error}}:
            return Reason(_text(error.get("code")), _text(error.get("message")))
        case {"error": str(message)}:
            return Reason(message=message)
        case _:
            return Reason()


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
