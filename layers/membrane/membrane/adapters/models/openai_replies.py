"""Forms that all questions to OpenAI-compatible chat endpoints share, and the replies."""

from collections.abc import Callable, Mapping
from typing import Any

from membrane.adapters.https.exchange import Reply
from membrane.domain.language.errors import Unavailable
from membrane.domain.models.failures import NotAsked

_TOO_MANY_REQUESTS, _OVERLOADED = 429, 503
_FIRST_SUCCESS, _FIRST_REDIRECT, _FIRST_FAILURE = 200, 300, 500
_TIMED_OUT = 408
"""A gateway may answer so although the model has read the question."""


def authorization(secret: Callable[[], str] | None) -> Mapping[str, str]:
    """The header with the bearer token; nothing without a secret."""
    return {} if secret is None else {"Authorization": f"Bearer {secret()}"}


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
