"""Ingest the outcome of an episode, which completes the episode's record."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from membrane.domain.ingest import policy
from membrane.domain.ingest.builder import Making, Why, with_outcome
from membrane.domain.ingest.policy import candidate_from, require_present
from membrane.domain.ingest.reports import IngestOutcome
from membrane.domain.language.errors import FailedPrecondition, InvalidArgument, NotFound, TooLarge
from membrane.domain.language.fields import RECORD_ID
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import Permission
from membrane.domain.lifecycle import credit
from membrane.domain.records.evidence import DERIVED_COMPETENCE
from membrane.domain.records.learning_mark import Stage, is_step
from membrane.domain.records.payloads import EpisodicPayload
from membrane.domain.records.sizes import require_still_returnable
from membrane.domain.records.standing import is_found
from membrane.domain.records.stored import StoredRecord, is_alive
from membrane.domain.records.usefulness import DIGITS, SMALLEST, CreditLedger, giver_of
from membrane.domain.search.answer_receipts import NO_RECEIPT, AnswerReceipt
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.machinery.visibility import require_alive, require_visible
from membrane.usecases.ports.records import Change, Spending
from membrane.usecases.ports.world import World
from membrane.usecases.records.write import Step, change

NOT_HANDED_OUT = "used_ids must be among the records that the receipt shows as handed out"


def credit_for(
    outcome: IngestOutcome, episode: StoredRecord, call: Call, world: World
) -> tuple[Sequence[Change], Spending | None]:
    """The credited records, before and after, and what the receipt has spent.

    No credit goes to the episode itself, to a record that the key may not write, to a record that
    the same principal wrote (unless the key has `revise`), and to a removed or retracted record.
    The share of such a record is lost. Raises NotFound for a missing, expired or foreign receipt
    and, without a receipt, for a record that is missing or hidden; InvalidArgument for a named
    record that the receipt does not show as handed out.
    """
    amount = credit.amount_of(require_present(outcome.outcome_status))
    scores, spending = dict.fromkeys(outcome.used_ids, 1.0), None
    if outcome.receipt_id:
        receipt = _own_receipt(outcome.receipt_id, call, world)
        scores = {each.record_id: each.score for each in receipt.explained if each.handed_out}
        for position, record_id in enumerate(outcome.used_ids):
            if record_id not in scores:
                raise InvalidArgument(NOT_HANDED_OUT).at(f"used_ids.{position}")
        spent = world.records.spent_of(receipt.id)
        amount = round(min(amount, credit.MOST_BY_RECEIPT - spent), DIGITS)
        if amount < SMALLEST or not scores:
            return [], None
        spending = Spending(receipt.id, spent, round(spent + amount, DIGITS))
    shares = credit.shares_of(scores, outcome.used_ids)
    held = world.records.load_each([each for each in shares if RECORD_ID.fullmatch(each)])
    if spending is None:
        for record_id in outcome.used_ids:
            require_alive(require_visible(held.get(record_id), call.principal))
    changes = list[Change]()
    for record_id, share in shares.items():
        before = held.get(record_id)
        if not is_found(before) or before.id == episode.id:
            continue
        after = _version_with_credit(before, share * amount, outcome, call, world, episode=episode)
        if after is not None:
            changes.append((before, after))
    return changes, spending


def _own_receipt(receipt_id: str, call: Call, world: World) -> AnswerReceipt:
    found = world.receipts.find(receipt_id) if RECORD_ID.fullmatch(receipt_id) else None
    if found is None or found.identity != call.principal.identity:
        raise NotFound(NO_RECEIPT)
    return found


def _version_with_credit(
    held: StoredRecord,
    amount: float,
    outcome: IngestOutcome,
    call: Call,
    world: World,
    *,
    episode: StoredRecord,
) -> StoredRecord | None:
    """The record after; None for a foreign or an own record, and for a record without room."""
    principal, status = call.principal, require_present(outcome.outcome_status)
    if not principal.may_write(held.scope, held.sensitivity):
        return None
    ledger = held.credit or CreditLedger(writer=giver_of(_writer_of(held, world)))
    is_own = ledger.writer == giver_of(principal.actor_id)
    if is_own and Permission.REVISE not in principal.permissions:
        return None
    words = [f"credit for an outcome: {status}"]
    if episode.sensitivity.level <= held.sensitivity.level and episode.scope == held.scope:
        words.append(f"episode {episode.id}")  # every reader of the record may read both
    if outcome.receipt_id:
        words.append(f"receipt {outcome.receipt_id}")
    why = Why(principal.actor_id, ", ".join(words))
    making = call.making(held.id, world.now(), world)
    after = credit.credited_version(held, credit.Award(ledger, amount, status), why, making)
    with suppress(TooLarge):
        if after is not None:
            require_still_returnable(held.record, after.record)
        return after
    return None


def _writer_of(held: StoredRecord, world: World) -> str:
    """The principal of the first audit entry, which is read singly for a long trail."""
    if len(held.trail) == held.written_entries:
        return held.trail[0].principal
    first = next((entry for _, entry in world.records.entries(held, 0, 1)), None)
    return "" if first is None else first.principal


NO_TARGET = "ingestion: get target record for outcome: record not found"


def ingest_outcome(outcome: IngestOutcome, call: Call, world: World) -> Result:
    """Note the outcome in the target record, and in the trace that the target is a step of.

    The records that the outcome rests on get credit in the same transaction. Raises the errors of
    `change` and `credit_for`, and FailedPrecondition for a target that is not episodic.
    """
    outcome = outcome.by(call.principal.actor_id)
    candidate = candidate_from(outcome, rfc3339(world.now()))
    policy.check(candidate)
    status = require_present(outcome.outcome_status)

    def complete(stored: StoredRecord, making: Making) -> Step:
        after = with_result(stored, making)
        trace = _trace_of(stored, call, world)
        of_trace = [] if trace is None else [trace_with_result(trace)]
        if not outcome.receipt_id and not outcome.used_ids:
            return Step(after, of_trace)
        credited, spending = credit_for(outcome, stored, call, world)
        changes = [each for each in credited if trace is None or each[0].id != trace.id]
        return Step(after, also=[*of_trace, *changes], spending=spending)

    def trace_with_result(trace: StoredRecord) -> Change:
        """The trace is of the same task as the outcome, so it gets no credit of the task."""
        return trace, with_result(trace, call.making(trace.id, world.now(), world))

    def with_result(stored: StoredRecord, making: Making) -> StoredRecord:
        payload = stored.record.payload
        if not isinstance(payload, EpisodicPayload):
            raise FailedPrecondition(f"ingestion: target record {stored.id} is not episodic")
        record = with_outcome(
            stored.record, payload, status, candidate, making, reason=outcome.reason
        )
        return _waiting_again(stored.next_version(record))

    return change(outcome.target_record_id, complete, call, world, missing=NO_TARGET)


def _trace_of(step: StoredRecord, call: Call, world: World) -> StoredRecord | None:
    """The living trace that the step is part of, if the caller may change the trace."""
    if not step.learning.trace_id:
        return None
    held = world.records.load(step.learning.trace_id)
    if not is_alive(held) or not call.principal.may_write(held.scope, held.sensitivity):
        return None
    return held


def _waiting_again(after: StoredRecord) -> StoredRecord:
    """The episode, waiting again where the outcome makes it evidence.

    That is a trace from which no skill was learned yet, and a single step that came to nothing.
    """
    mark, payload = after.learning, after.record.payload
    relations = after.record.relations
    if mark.awaits is not None or mark.trace_id:
        return after
    if is_step(payload):
        return replace(after, learning=replace(mark, awaits=Stage.STEP))
    is_learned = any(each.predicate == DERIVED_COMPETENCE for each in relations)
    if not mark.lookups or is_learned:
        return after
    return replace(after, learning=replace(mark, awaits=Stage.TRACE))
