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
from membrane.usecases.ports.world import World

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
    world: World,
) -> Accepted:
    """The part of the model's proposal that counts.

    Raises OutOfTokens; ResourceExhausted for a busy model; Unavailable; MalformedProposal.
    """
    offered, read = candidates[:MAX_CANDIDATES], content_text[:MAX_CONTENT_CHARACTERS]
    prompt = prompt_of(read, context_text, offered, world.new_salt())
    proposed = _ask(interpreter, prompt, world)
    accepted = accept_proposal(proposed.proposal, [each.id for each in offered], read)
    for reason, number in accepted.dropped.items():
        world.measure(DROPPED, number, "Count", reason=reason)
    return accepted


def _ask(interpreter: Interpreter, prompt: InterpreterPrompt, world: World) -> Proposed:
    """The answer; tokens are reserved before the question, and corrected after the answer.

    A busy model and a refused question took none of the reserved tokens. A model that did not
    answer may have taken all.
    """
    day = f"{world.now():%Y-%m-%d}"
    reserved = prompt.tokens + _schema_tokens() + MAX_ANSWER_TOKENS
    if not world.token_budget.spend(day, reserved, world.daily_tokens):
        world.measure(OUT_OF_TOKENS, 1, "Count")
        raise OutOfTokens("the interpreting model has no tokens left today")
    try:
        proposed = interpreter.interpret(prompt)
    except (ResourceExhausted, NotAsked):
        world.token_budget.correct(day, -reserved)
        raise
    except MalformedProposal as error:
        world.measure(MALFORMED, 1, "Count")
        _count(day, reserved, error.tokens or reserved, world)
        raise
    _count(day, reserved, proposed.tokens, world)
    return proposed


def _count(day: str, reserved: int, taken: int, world: World) -> None:
    world.measure(TOKENS, taken, "Count")
    world.token_budget.correct(day, taken - reserved)


@cache
def _schema_tokens() -> int:
    return tokens_in(compact_json(proposal_schema()))
