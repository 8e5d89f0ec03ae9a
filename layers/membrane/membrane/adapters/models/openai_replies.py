"""The exchange with OpenAI-compatible chat endpoints: a POST of JSON, the reply, and refusals."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from membrane.adapters.https import Endpoint, NoReply, NotConnected, Reply, Request, exchange
from membrane.domain.language.errors import InvalidArgument, Unavailable
from membrane.domain.language.json_text import JsonObject, compact_json, parse_json
from membrane.domain.model_failures import NotAsked


@dataclass(frozen=True, slots=True)
class OpenAIModel:
    """A model behind an OpenAI-compatible chat endpoint."""

    endpoint: Endpoint
    model: str
    secret: Callable[[], str] | None
    """Returns the bearer token, made of visible ASCII characters; None = no authorisation."""
    elapsed_s: Callable[[], float]
    """Seconds of a monotonic clock."""

    def post(self, body: JsonObject, timeout_s: float, named: str) -> Reply:
        """The reply to one request, see `exchange`; `named` is the endpoint in the errors.

        Raises NotAsked without a connection; Unavailable if the endpoint does not answer in time;
        TooLong.
        """
        headers = {"Content-Type": "application/json"}
        if self.secret is not None:
            headers["Authorization"] = f"Bearer {self.secret()}"
        request = Request("POST", headers, compact_json(body).encode())
        try:
            return exchange(self.endpoint, request, self.elapsed_s, timeout_s)
        except NotConnected as error:
            raise NotAsked(f"{named} cannot be reached") from error
        except NoReply as error:
            raise Unavailable(f"{named} did not answer") from error


_TOO_MANY_REQUESTS, _OVERLOADED = 429, 503
_FIRST_SUCCESS, _FIRST_REDIRECT, _FIRST_FAILURE = 200, 300, 500
_TIMED_OUT = 408
"""A gateway may answer so although the model has read the question."""


def is_success(reply: Reply) -> bool:
    return _FIRST_SUCCESS <= reply.status < _FIRST_REDIRECT


def is_busy(reply: Reply) -> bool:
    """Whether the endpoint throttles; an overloaded endpoint must name a wait."""
    is_overloaded = reply.status == _OVERLOADED and reply.retry_after_s > 0
    return reply.status == _TOO_MANY_REQUESTS or is_overloaded


def refusal(reply: Reply, endpoint: str) -> Unavailable:
    """The error for a redirect, a refused question, or a failure of the endpoint.

    The message has the status and `endpoint`, and nothing of the body: a body may come from a
    server behind the endpoint, for which the reader has no right.
    """
    message = f"{endpoint} answered {reply.status}"
    is_refused = _FIRST_REDIRECT <= reply.status < _FIRST_FAILURE and reply.status != _TIMED_OUT
    return NotAsked(message) if is_refused else Unavailable(message)


def text_in(body: Any) -> str:
    """The text of the first choice; empty without a text."""
    match body:
        case {"choices": [{"message": {"content": str(text)}}, *_]}:
            return text
        case {"choices": [{"message": {"content": list(parts)}}, *_]}:
            return "\n".join(part["text"] for part in parts if _has_text(part))
        case _:
            return ""


def _has_text(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str)


def counted_tokens(body: Any) -> int | None:
    """The tokens that the endpoint counted; None without a count."""
    match body:
        case {"usage": {"total_tokens": int(total)}} if total > 0:
            return total
        case {"usage": {"prompt_tokens": int(asked), "completion_tokens": int(answered)}}:
            return max(asked, 0) + max(answered, 0)
        case _:
            return None


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
