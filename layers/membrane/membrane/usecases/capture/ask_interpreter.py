"""Ask a model about a capture, within the tokens of the day."""

from functools import cache

from membrane.domain.capture.acceptance import Accepted, accept_proposal
from membrane.domain.capture.interpreter_prompt import (
    MAX_CANDIDATES,
    MAX_CONTENT_CHARACTERS,
    Candidate,
    InterpreterPrompt,
    prompt_of,
)
from membrane.domain.capture.proposals import MalformedProposal, proposal_schema
from membrane.domain.language.errors import ResourceExhausted
from membrane.domain.language.json_text import compact_json
from membrane.domain.models.failures import NotAsked, OutOfTokens
from membrane.domain.search.prompts import tokens_in
from membrane.usecases.ports.interpreters import MAX_ANSWER_TOKENS, Interpreter, Proposed
from membrane.usecases.ports.services_capture import InterpretingServices

TOKENS = "InterpreterTokens"
"""The metric of the tokens that questions and answers took."""

OUT_OF_TOKENS = "InterpreterOutOfTokens"
"""The metric of captures that the tokens of the day did not suffice for."""

MALFORMED = "MalformedProposals"
DROPPED = "DroppedProposals"
"""The metric of parts of proposals that do not count, by reason."""


def ask_interpreter(
    interpreter: Interpreter,
    content_text: str,
    context_text: str,
    candidates: list[Candidate],
    services: InterpretingServices,
) -> Accepted:
    """The part of the model's proposal that counts.

    Raises OutOfTokens; ResourceExhausted for a busy model; Unavailable; MalformedProposal.
    """
    offered, read = candidates[:MAX_CANDIDATES], content_text[:MAX_CONTENT_CHARACTERS]
    prompt = prompt_of(read, context_text, offered, services.new_salt())
    proposed = _ask(interpreter, prompt, services)
    accepted = accept_proposal(proposed.proposal, [each.id for each in offered], read)
    for reason, number in accepted.dropped.items():
        services.measure(DROPPED, number, "Count", reason=reason)
    return accepted


def _ask(
    interpreter: Interpreter, prompt: InterpreterPrompt, services: InterpretingServices
) -> Proposed:
    """The answer; tokens are reserved before the question, and corrected after the answer.

    A busy model and a refused question took none of the reserved tokens. A model that did not
    answer may have taken all.
    """
    day = f"{services.now():%Y-%m-%d}"
    reserved = prompt.tokens + _schema_tokens() + MAX_ANSWER_TOKENS
    if not services.token_budget.spend(day, reserved, services.daily_tokens):
        services.measure(OUT_OF_TOKENS, 1, "Count")
        raise OutOfTokens("the interpreting model has no tokens left today")
    try:
        proposed = interpreter.interpret(prompt)
    except (ResourceExhausted, NotAsked):
        services.token_budget.correct(day, -reserved)
        raise
    except MalformedProposal as error:
        services.measure(MALFORMED, 1, "Count")
        _count(day, reserved, error.tokens or reserved, services)
        raise
    _count(day, reserved, proposed.tokens, services)
    return proposed


def _count(day: str, reserved: int, taken: int, services: InterpretingServices) -> None:
    services.measure(TOKENS, taken, "Count")
    services.token_budget.correct(day, taken - reserved)


@cache
def _schema_tokens() -> int:
    return tokens_in(compact_json(proposal_schema()))
