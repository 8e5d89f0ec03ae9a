"""Interpretations of captures by a model behind an OpenAI-compatible chat endpoint."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from membrane.adapters.https.endpoints import Endpoint
from membrane.adapters.https.exchange import TooLong
from membrane.adapters.models.posting import TIMEOUT_S, post_json
from membrane.domain.capture.interpreter_prompt import InterpreterPrompt
from membrane.domain.capture.proposals import MalformedProposal, proposal_in, proposal_schema
from membrane.domain.language.errors import InvalidArgument, Unavailable
from membrane.domain.language.json_text import JsonObject, compact_json, parse_json
from membrane.domain.models.failures import BusyModel, NotAsked
from membrane.domain.search.prompts import tokens_in
from membrane.usecases.ports.interpreters import MAX_ANSWER_TOKENS, Proposed

_TOO_MANY_REQUESTS, _OVERLOADED = 429, 503
_FIRST_SUCCESS, _FIRST_REDIRECT, _FIRST_FAILURE = 200, 300, 500
_TIMED_OUT = 408
"""A gateway may answer so although the model has read the question."""
_FENCE = "```"


@dataclass(frozen=True, slots=True)
class OpenAIInterpreter:
    """An Interpreter by one request for an answer of a strict schema."""

    endpoint: Endpoint
    model: str
    secret: Callable[[], str] | None
    """Returns the bearer token, made of visible ASCII characters; None = no authorisation."""
    elapsed_s: Callable[[], float]
    """Seconds of a monotonic clock."""
    timeout_s: float = TIMEOUT_S

    @property
    def name(self) -> str:
        return f"openai-{self.model}"

    def interpret(self, prompt: InterpreterPrompt) -> Proposed:
        body = self._ask(prompt)
        try:
            text = _text_in(body)
        except MalformedProposal as error:
            raise error.after(_tokens_in(body)) from None
        tokens = _tokens_in(body) or prompt.tokens + tokens_in(text)
        try:
            return Proposed(proposal_in(_parse(_without_fence(text))), tokens)
        except MalformedProposal as error:
            raise error.after(tokens) from None

    def _ask(self, prompt: InterpreterPrompt) -> Any:
        """The JSON of the reply; raises MalformedProposal."""
        request = compact_json(self._request(prompt)).encode()
        try:
            reply = post_json(
                self.endpoint,
                request,
                self._headers(),
                self.elapsed_s,
                timeout_s=self.timeout_s,
            )
        except TooLong as error:
            raise MalformedProposal("the model's answer is longer than 1 MiB") from error
        is_overloaded = reply.status == _OVERLOADED and reply.retry_after_s > 0
        if reply.status == _TOO_MANY_REQUESTS or is_overloaded:
            raise BusyModel("the interpreting model is busy; try again later", reply.retry_after_s)
        if not _FIRST_SUCCESS <= reply.status < _FIRST_REDIRECT:
            raise _refusal(reply.status)
        return _parse(reply.content)

    def _headers(self) -> Mapping[str, str]:
        return {} if self.secret is None else {"Authorization": f"Bearer {self.secret()}"}

    def _request(self, prompt: InterpreterPrompt) -> JsonObject:
        return {
            "model": self.model,
            "messages": [
                {"role": "system", "content": prompt.system},
                {"role": "user", "content": prompt.user},
            ],
            "temperature": 0,
            "max_tokens": MAX_ANSWER_TOKENS,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "form", "strict": True, "schema": proposal_schema()},
            },
        }


def _refusal(status: int) -> Unavailable:
    """The error for a redirect, a refused question, or a failure of the endpoint."""
    message = f"the endpoint of the interpreter answered {status}"
    is_refused = _FIRST_REDIRECT <= status < _FIRST_FAILURE and status != _TIMED_OUT
    return NotAsked(message) if is_refused else Unavailable(message)


def _text_in(body: Any) -> str:
    """The text of the first choice; raises MalformedProposal if there is none."""
    match body:
        case {"choices": [{"message": {"content": str(text)}}, *_]}:
            pass
        case {"choices": [{"message": {"content": list(parts)}}, *_]}:
            text = "\n".join(part["text"] for part in parts if _has_text(part))
        case _:
            text = ""
    if not text.strip():
        raise MalformedProposal("the model answered no text")
    return text


def _has_text(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str)


def _tokens_in(body: Any) -> int | None:
    """The tokens that the endpoint counted; None without a count."""
    match body:
        case {"usage": {"total_tokens": int(total)}} if total > 0:
            return total
        case {"usage": {"prompt_tokens": int(asked), "completion_tokens": int(answered)}}:
            return max(asked, 0) + max(answered, 0)
        case _:
            return None


def _without_fence(text: str) -> str:
    """The content of the Markdown fence in a text that does not begin as JSON."""
    text = text.strip()
    _, fence, inside = text.partition(_FENCE)
    if text.startswith("{") or not fence:
        return text
    _language, _, content = inside.partition("\n")
    return content.rpartition(_FENCE)[0] or content


def _parse(text: str | bytes) -> Any:
    """The parsed JSON; the error repeats nothing of the text."""
    try:
        return parse_json(text)
    except InvalidArgument:
        raise MalformedProposal("the model's answer is no JSON") from None
