"""Let a model interpret a capture after the write, once, and add what counts to the record.

The model sees and links only records in the scope of the capture or unscoped, up to the
sensitivity of the capture, whatever the key of the capture may see.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import cache

from membrane.domain.access.principals import INTERPRETER
from membrane.domain.capture.acceptance import Accepted, accept_proposal
from membrane.domain.capture.additions import added_relations, with_additions
from membrane.domain.capture.proposals import (
    MAX_CANDIDATES,
    MAX_CONTENT_CHARACTERS,
    Candidate,
    InterpreterPrompt,
    MalformedProposal,
    prompt_of,
    proposal_schema,
)
from membrane.domain.ingest.builder import Making, Why, with_entry
from membrane.domain.language.errors import Aborted, NotFound, ResourceExhausted
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.models.failures import NotAsked, OutOfTokens
from membrane.domain.records.interpretation import Interpretation
from membrane.domain.records.stored import StoredRecord, is_alive
from membrane.domain.search.prompts import tokens_in
from membrane.usecases.capture.interpreting_call import (
    CaptureGoneError,
    candidate_of,
    find_candidates,
    interpreting_call,
    is_interpreted,
    linkable_to,
    load_standing,
    read_material,
    require_same_place,
)
from membrane.usecases.capture.write_facts import resolve_mentions, write_facts
from membrane.usecases.ports.models import MAX_ANSWER_TOKENS, Interpreter, Proposed
from membrane.usecases.ports.world import World
from membrane.usecases.records.write import Step, change

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


CLAIM_S = 240
"""Seconds for which a worker claims a capture: longer than the function can run."""

INTERPRETED = "InterpretedCaptures"
"""The metric of captures that a model interpreted."""


class Outcome(StrEnum):
    INTERPRETED = "interpreted"
    REPEATED = "repeated"
    """The capture was interpreted before."""
    GONE = "gone"
    """The record is deleted, retracted or absent, or has no interpretation."""
    POSTPONED = "postponed"
    """No tokens are left today, and a copy of the message waits."""
    SWITCHED_OFF = "switched_off"
    """No model interprets."""


def interpret_capture(record_id: str, version: int, world: World) -> Outcome:
    """Ask the model about the capture that was written as `version` of the record.

    Raises MalformedProposal; ResourceExhausted, also without tokens left today; Unavailable;
    Aborted, also while another worker interprets the capture; the errors of
    `write_facts`. Nothing is marked then, so a repeat asks again.
    """
    interpreter = world.interpreter
    if interpreter is None:
        return Outcome.SWITCHED_OFF
    held = world.records.load(record_id)
    if not is_alive(held) or held.version < version or held.record.interpretation is None:
        return Outcome.GONE
    if is_interpreted(held):
        return Outcome.REPEATED
    with _claim(held, world):
        material = read_material(held, world)
        near = linkable_to(held, find_candidates(held, material, world))
        candidates = [candidate_of(each) for each in near.values()]
        accepted = ask_interpreter(interpreter, *material, candidates, world)
        try:
            _add(accepted, held, interpreter.name, world)
        except CaptureGoneError:  # while the model was thinking, or since
            return Outcome.GONE
        world.measure(INTERPRETED, 1, "Count")
        return Outcome.INTERPRETED


@contextmanager
def _claim(held: StoredRecord, world: World) -> Iterator[None]:
    """A claim to the capture; raises Aborted while another worker has one.

    A failure ends the claim, so that the next try need not wait. A success lets the claim run out:
    a worker that loaded the capture before the success still meets the claim.
    """
    worker = world.new_id()
    if not world.claims.take(held.id, worker, CLAIM_S):
        raise Aborted("another worker interprets the capture")
    try:
        yield
    except Exception:
        world.claims.release(held.id, worker)
        raise


def _add(accepted: Accepted, asked_about: StoredRecord, model: str, world: World) -> None:
    """Write entities, facts and the next version of the capture.

    Every write fails once the capture is gone or reclassified. Raises CaptureGoneError; Aborted.
    """
    held = load_standing(asked_about, world)
    mentions = resolve_mentions(accepted.mentions, held, world) if accepted.mentions else ()
    facts = write_facts(accepted.facts, mentions, held, world) if accepted.facts else {}
    linked = (
        *facts,
        *(each.canonical_entity_id for each in mentions),
        *(each.target_id for each in accepted.references),
        *(each.target_id for each in accepted.relations),
    )
    ids = [each for each in dict.fromkeys(linked) if each]

    def step(newest: StoredRecord, making: Making) -> Step:
        """The next version of the capture, with the targets as stored now; raises Aborted."""
        require_same_place(held, newest)
        targets = linkable_to(newest, world.records.load_each(ids).values() if ids else ())
        types = {each.id: each.type for each in targets.values()}
        before = newest.record.interpretation or Interpretation()
        interpretation = with_additions(before, mentions, accepted, types, facts)
        relations = added_relations(newest.record, interpretation, facts, types, making.timestamp)
        every = (*newest.record.relations, *relations)
        parts = {"interpretation": interpretation, "relations": every}
        record = newest.record.model_copy(update=parts)
        why = Why(INTERPRETER, f"interpreted by {model}")
        after = newest.next_version(with_entry(record, AuditAction.REVISE, why, making))
        return Step(
            after, targets=[targets[each] for each in dict.fromkeys(r.target_id for r in relations)]
        )

    try:
        change(held.id, step, interpreting_call(held), world)
    except NotFound:  # gone, or out of the sight of the call: `load_standing` knows which
        load_standing(held, world)
        raise
