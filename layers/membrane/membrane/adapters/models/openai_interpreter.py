"""Interpretations of captures by a model behind an OpenAI-compatible chat endpoint."""

from dataclasses import dataclass
from typing import Any

from membrane.adapters.https import TooLong
from membrane.adapters.models import openai_replies
from membrane.domain.capture import proposals
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject, parse_json
from membrane.domain.model_failures import BusyModel
from membrane.domain.search.prompts import tokens_in
from membrane.usecases.ports.models import MAX_ANSWER_TOKENS, Proposed

TIMEOUT_S = 30.0
INTERPRETER = "the endpoint of the interpreter"
_FENCE = "```"


@dataclass(frozen=True, slots=True)
class OpenAIInterpreter(openai_replies.OpenAIModel):
    """An Interpreter by one request for an answer of a strict schema."""

    timeout_s: float = TIMEOUT_S

    @property
    def name(self) -> str:
        return f"openai-{self.model}"

    def interpret(self, prompt: proposals.InterpreterPrompt) -> Proposed:
        body = self._ask(prompt)
        try:
            text = _written_text(body)
        except proposals.MalformedProposal as error:
            raise error.after(openai_replies.counted_tokens(body)) from None
        tokens = openai_replies.counted_tokens(body) or prompt.tokens + tokens_in(text)
        try:
            return Proposed(proposals.proposal_in(_parse(_without_fence(text))), tokens)
        except proposals.MalformedProposal as error:
            raise error.after(tokens) from None

    def _ask(self, prompt: proposals.InterpreterPrompt) -> Any:
        """The JSON of the reply; raises MalformedProposal."""
        try:
            reply = self.post(self._request(prompt), self.timeout_s, INTERPRETER)
        except TooLong as error:
            raise proposals.MalformedProposal("the model's answer is longer than 1 MiB") from error
        if openai_replies.is_busy(reply):
            raise BusyModel("the interpreting model is busy; try again later", reply.retry_after_s)
        if not openai_replies.is_success(reply):
            raise openai_replies.refusal(reply, INTERPRETER)
        return _parse(reply.content)

    def _request(self, prompt: proposals.InterpreterPrompt) -> JsonObject:
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
                "json_schema": {
                    "name": "form",
                    "strict": True,
                    "schema": proposals.proposal_schema(),
                },
            },
        }


def _written_text(body: Any) -> str:
    """The text of the first choice; raises MalformedProposal if there is none."""
    text = openai_replies.text_in(body)
    if not text.strip():
        raise proposals.MalformedProposal("the model answered no text")
    return text


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
        raise proposals.MalformedProposal("the model's answer is no JSON") from None
