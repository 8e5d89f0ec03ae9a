"""Ingest the outcome of an episode, which completes the episode's record."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from membrane.domain.ingest import policy
from membrane.domain.ingest.builder import Making, Why, with_outcome
from membrane.domain.ingest.policy import candidate_from, require_present
from membrane.domain.ingest.reports import IngestOutcome
from membrane.domain.language.errors import (
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    TooLarge,
)
from membrane.domain.language.fields import RECORD_ID
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import OutcomeStatus, Permission
from membrane.domain.lifecycle.credit import (
    MOST_BY_RECEIPT,
    Award,
    amount_of,
    credited_version,
    shares_of,
)
from membrane.domain.records.evidence import DERIVED_COMPETENCE
from membrane.domain.records.learning_mark import Stage, is_step
from membrane.domain.records.payloads import EpisodicPayload
from membrane.domain.records.sizes import require_still_returnable
from membrane.domain.records.standing import is_retracted
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.records.usefulness import DIGITS, SMALLEST, CreditLedger, giver_of
from membrane.domain.search.answer_receipts import NO_RECEIPT, AnswerReceipt
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.machinery.visibility import require_alive, require_visible
from membrane.usecases.ports.records import Change, Spending
from membrane.usecases.ports.world import World
from membrane.usecases.records.write import Step, change

NOT_HANDED_OUT = "used_ids must be among the records that the receipt shows as handed out"


class Credit(NamedTuple):
    """What the transaction of an outcome changes beside the episode."""

    changes: Sequence[Change] = ()
    spending: Spending | None = None


def credit_for(outcome: IngestOutcome, episode: StoredRecord, call: Call, world: World) -> Credit:
    """The credited records, before and after, and what the receipt has spent.

    No credit goes to the episode itself, to a record that the key may not write, to a record that
    the same principal wrote (unless the key has `revise`), and to a removed or retracted record.
    The share of such a record is lost. Raises NotFound for a missing, expired or foreign receipt
    and, without a receipt, for a record that is missing or hidden; InvalidArgument for a named
    record that the receipt does not show as handed out.
    """
    crediting = _Crediting(outcome, episode, call, world)
    return crediting.by_receipt() if outcome.receipt_id else crediting.by_ids()


class _Crediting(NamedTuple):
    """The credit of one outcome."""

    outcome: IngestOutcome
    episode: StoredRecord
    call: Call
    world: World

    @property
    def status(self) -> OutcomeStatus:
        return require_present(self.outcome.outcome_status)

    def by_receipt(self) -> Credit:
        receipt = self._own_receipt()
        scores = {each.record_id: each.score for each in receipt.explained if each.handed_out}
        for position, record_id in enumerate(self.outcome.used_ids):
            if record_id not in scores:
                raise InvalidArgument(NOT_HANDED_OUT).at(f"used_ids.{position}")
        spent = self.world.records.spent_of(receipt.id)
        amount = round(min(amount_of(self.status), MOST_BY_RECEIPT - spent), DIGITS)
        if amount < SMALLEST or not scores:
            return Credit()
        shares = shares_of(scores, self.outcome.used_ids)
        held = self.world.records.load_each([*shares])
        spending = Spending(receipt.id, spent, round(spent + amount, DIGITS))
        return Credit(self._changes(shares, held, amount), spending)

    def by_ids(self) -> Credit:
        record_ids = self.outcome.used_ids
        possible = [each for each in record_ids if RECORD_ID.fullmatch(each)]
        held = self.world.records.load_each(possible)
        for record_id in record_ids:
            require_alive(require_visible(held.get(record_id), self.call.principal))
        shares = shares_of(dict.fromkeys(record_ids, 1.0), record_ids)
        return Credit(self._changes(shares, held, amount_of(self.status)))

    def _own_receipt(self) -> AnswerReceipt:
        receipt_id = self.outcome.receipt_id
        is_id = RECORD_ID.fullmatch(receipt_id)
        found = self.world.receipts.find(receipt_id) if is_id else None
        if found is None or found.identity != self.call.principal.identity:
            raise NotFound(NO_RECEIPT)
        return found

    def _changes(
        self, shares: Mapping[str, float], loaded: Mapping[str, AnyRecord], amount: float
    ) -> list[Change]:
        return [
            (held, after)
            for record_id, share in shares.items()
            if (held := self._creditable(loaded.get(record_id))) is not None
            and (after := self._version_with_credit(held, share * amount)) is not None
        ]

    def _creditable(self, held: AnyRecord | None) -> StoredRecord | None:
        if not isinstance(held, StoredRecord) or held.tombstone is not None:
            return None
        if is_retracted(held.record.payload) or held.id == self.episode.id:
            return None
        return held if self.call.principal.may_write(held.scope, held.sensitivity) else None

    def _version_with_credit(self, held: StoredRecord, amount: float) -> StoredRecord | None:
        """The record after; None for an own record, and for a record without room."""
        principal, world = self.call.principal, self.world
        ledger = held.credit or CreditLedger(writer=giver_of(_writer_of(held, world)))
        is_own = ledger.writer == giver_of(principal.actor_id)
        if is_own and Permission.REVISE not in principal.permissions:
            return None
        award = Award(ledger, amount, self.status)
        why = Why(principal.actor_id, self._rationale(held))
        making = self.call.making(held.id, world.now(), world)
        after = credited_version(held, award, why, making)
        return after if after is not None and _is_returnable(held, after) else None

    def _rationale(self, held: StoredRecord) -> str:
        """The rationale names the episode only if every reader of the record may read both."""
        episode, receipt_id = self.episode, self.outcome.receipt_id
        is_below = episode.sensitivity.level <= held.sensitivity.level
        words = [f"credit for an outcome: {self.status}"]
        words += [f"episode {episode.id}"] if is_below and episode.scope == held.scope else []
        words += [f"receipt {receipt_id}"] if receipt_id else []
        return ", ".join(words)


def _is_returnable(before: StoredRecord, after: StoredRecord) -> bool:
    try:
        require_still_returnable(before.record, after.record)
    except TooLarge:
        return False
    return True


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
        credit = credit_for(outcome, stored, call, world)
        changes = [each for each in credit.changes if trace is None or each[0].id != trace.id]
        return Step(after, also=[*of_trace, *changes], spending=credit.spending)

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
    if not isinstance(held, StoredRecord) or held.tombstone is not None:
        return None
    try:
        call.principal.require_write(held.scope, held.sensitivity)
    except PermissionDenied:
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
