"""Let a model interpret a capture after the write, once, and add what counts to the record.

The model sees and links only records in the scope of the capture or unscoped, up to the
sensitivity of the capture, whatever the key of the capture may see. A failed try waits in the
queue, and the last failure is noted in the capture.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum
from functools import cache, partial
from typing import NamedTuple

from membrane.domain.access.principals import INTERPRETER
from membrane.domain.capture import additions, proposals
from membrane.domain.capture.acceptance import accept_proposal
from membrane.domain.ingest.builder import Making, Why, with_entry
from membrane.domain.language.errors import Aborted, NotFound, ResourceExhausted, ScopeFenced
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.model_failures import BusyModel, NotAsked, OutOfTokens
from membrane.domain.records.interpretation import (
    Interpretation,
    InterpretationFailure,
    InterpretationStatus,
)
from membrane.domain.records.standing import is_retracted
from membrane.domain.records.stored import AnyRecord, StoredRecord, is_alive
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
from membrane.usecases.machinery.calls import Written
from membrane.usecases.ports.models import MAX_ANSWER_TOKENS, Interpreter, Proposed
from membrane.usecases.ports.world import World
from membrane.usecases.records.write import Step, change, change_any

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
    candidates: list[proposals.Candidate],
    world: World,
) -> proposals.Proposal:
    """The part of the model's proposal that counts.

    Raises OutOfTokens; ResourceExhausted for a busy model; Unavailable; MalformedProposal.
    """
    offered, read = (
        candidates[: proposals.MAX_CANDIDATES],
        content_text[: proposals.MAX_CONTENT_CHARACTERS],
    )
    prompt = proposals.prompt_of(read, context_text, offered, world.new_salt())
    proposed = _ask(interpreter, prompt, world)
    offered_ids = [each.id for each in offered]
    accepted, dropped = accept_proposal(proposed.proposal, offered_ids, read)
    for reason, number in dropped.items():
        world.measure(DROPPED, number, "Count", reason=reason)
    return accepted


def _ask(interpreter: Interpreter, prompt: proposals.InterpreterPrompt, world: World) -> Proposed:
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
    except proposals.MalformedProposal as error:
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
    return tokens_in(compact_json(proposals.proposal_schema()))


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


def _add(accepted: proposals.Proposal, asked_about: StoredRecord, model: str, world: World) -> None:
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
        interpretation = additions.with_additions(before, mentions, accepted, types, facts)
        relations = additions.added_relations(
            newest.record, interpretation, facts, types, making.timestamp
        )
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


COPY_DELAY_S = 900
"""The delay of a copy, the longest that SQS knows."""


FAILED = "FailedInterpretations"
"""The metric of captures that no model could interpret, by reason."""


class Received(NamedTuple):
    """A message with a capture, as delivered."""

    record_id: str
    version: int
    receipt: str
    tries: int
    """The deliveries of the message so far, this one among them."""


def interpret_received(received: Received, world: World) -> Outcome:
    """Interpret the capture; an error leaves the message in the queue, for a next try.

    After the last try, the queue moves the message to the dead letters, and the capture says so.
    A capture that lacks tokens never gets there before PATIENCE: a copy replaces the message, with
    the tries counted anew. Raises the errors of `interpret_capture`.
    """
    try:
        return interpret_capture(received.record_id, received.version, world)
    except ScopeFenced:  # the message is dropped
        raise
    except OutOfTokens as stop:
        if received.tries < world.most_tries:
            wait_s = additions.wait_for_tokens(world.now(), world.draw(additions.SPREAD_S))
            world.hold_back(received.receipt, wait_s)
            raise
        if not _is_copied(received, world):
            note_failure(received.record_id, additions.failure_of(stop), world)
            raise
        return Outcome.POSTPONED
    except Exception as error:
        if received.tries < world.most_tries:
            asked_s = error.retry_after_s if isinstance(error, BusyModel) else 0
            world.hold_back(received.receipt, additions.wait_after(received.tries, asked_s))
        else:
            note_failure(received.record_id, additions.failure_of(error), world)
        raise


def _is_copied(received: Received, world: World) -> bool:
    """Whether a copy of the message was sent; not for a capture older than PATIENCE."""
    send, held = world.send_to_interpreter, world.records.load(received.record_id)
    if send is None or not is_alive(held):
        return False
    if world.now() - datetime.fromisoformat(held.record.created_at) > additions.PATIENCE:
        return False
    send(received.record_id, received.version, COPY_DELAY_S)
    return True


def note_failure(record_id: str, reason: InterpretationFailure, world: World) -> None:
    """Set the status `failed` with the reason, unless the capture is interpreted or gone by now.

    A later success replaces the status. Raises Aborted; ResourceExhausted; Unavailable.
    """
    held = world.records.load(record_id)
    if not is_alive(held):
        return
    call = interpreting_call(held)._replace(key=None)  # no mark: a repeat may interpret the capture
    try:
        result = change_any(record_id, partial(_failed_version, reason), call, world)
    except NotFound:  # removed since
        return
    noted = result.record.interpretation if isinstance(result, Written) else None
    if noted is not None and noted.status is InterpretationStatus.FAILED:
        world.measure(FAILED, 1, "Count", reason=reason)


def _failed_version(
    reason: InterpretationFailure, newest: AnyRecord, making: Making
) -> AnyRecord | None:
    """The next version of the capture; None for a capture that nothing is noted on."""
    if not is_alive(newest) or is_retracted(newest.record.payload) or is_interpreted(newest):
        return None
    before = newest.record.interpretation
    if before is None or before.failure is reason:
        return None
    noted = newest.record.model_copy(
        update={"interpretation": additions.with_failure(before, reason)}
    )
    why = Why(INTERPRETER, f"not interpreted: {reason}")
    return newest.next_version(with_entry(noted, AuditAction.REVISE, why, making))
