"""Credit: an outcome reinforces or penalises the records that the task rested on."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from membrane.domain.ingest.builder import Making, Why, anchored_version, with_entry
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import AuditAction, OutcomeStatus
from membrane.domain.lifecycle import changes
from membrane.domain.records import usefulness
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.function import salience_at

MAX_CREDITED = 10
"""The most records that share the credit of an outcome."""

MOST_BY_RECEIPT = 0.2
"""The credit of a receipt, in the unit of salience, however many outcomes name the receipt."""

PARTIAL = 1 / 3
"""The part of the credit that a partial success gives."""

NAMED_WEIGHT = 3.0
"""How much more a record that the caller names as used weighs than its score."""


def amount_of(status: OutcomeStatus) -> float:
    """The credit that an outcome asks for."""
    part = PARTIAL if status is OutcomeStatus.PARTIAL else 1.0
    return round(MOST_BY_RECEIPT * part, usefulness.DIGITS)


def shares_of(scores: Mapping[str, float], used: Sequence[str]) -> Mapping[str, float]:
    """The shares of at most MAX_CREDITED records, with the sum 1: the named ones, then the best.

    Records share by score, a named record with NAMED_WEIGHT; equally if every score is 0.
    """
    named = dict.fromkeys(each for each in used if each in scores)
    best = sorted((each for each in scores if each not in named), key=lambda each: -scores[each])
    chosen = [*named, *best][:MAX_CREDITED]
    weights = {each: scores[each] * (NAMED_WEIGHT if each in named else 1.0) for each in chosen}
    total = sum(weights.values())
    if total <= 0.0:
        return {each: 1.0 / len(chosen) for each in chosen}
    return {each: weight / total for each, weight in weights.items()}


class Award(NamedTuple):
    """The credit of an outcome for one record, before the limit of the day."""

    ledger: usefulness.CreditLedger
    """The credit of the record so far."""
    amount: float
    status: OutcomeStatus


def credited_version(
    stored: StoredRecord, award: Award, why: Why, making: Making
) -> StoredRecord | None:
    """The record with as much of the award as the day has room for; None without any."""
    giver = usefulness.giver_of(making.principal)
    room = award.ledger.room(giver, usefulness.day_of(making.timestamp))
    granted = round(min(award.amount, room), usefulness.DIGITS)
    if granted < usefulness.SMALLEST:
        return None
    failed = award.status is OutcomeStatus.FAILURE
    grant = usefulness.Grant(granted, granted / MOST_BY_RECEIPT, failed)
    after = _with_salience(stored, grant, why, making)
    return replace(after, credit=award.ledger.after(grant, giver, making.timestamp))


def _with_salience(
    stored: StoredRecord, grant: usefulness.Grant, why: Why, making: Making
) -> StoredRecord:
    lifecycle = stored.record.lifecycle
    if lifecycle.pinned:
        action = AuditAction.DECAY if grant.failed else AuditAction.REINFORCE
        return stored.next_version(with_entry(stored.record, action, why, making))
    if grant.failed:
        return changes.penalized_version(stored, grant.amount, why, making)
    return anchored_version(
        stored,
        _with_reinforcement(stored, grant.amount, making),
        why,
        making,
        action=AuditAction.REINFORCE,
    )


def _with_reinforcement(stored: StoredRecord, amount: float, making: Making) -> MemoryRecord:
    """The document with a higher salience; a salience of 1 or more stays."""
    lifecycle, now_s = stored.record.lifecycle, epoch_seconds(making.now)
    held = salience_at(now_s, stored.anchor, lifecycle, making.policy.custom_curves)
    salience = max(held, min(changes.MOST_BY_REINFORCEMENT, held + amount))
    lifecycle = lifecycle.model_copy(update={"last_reinforced_at": making.timestamp})
    return stored.record.model_copy(update={"lifecycle": lifecycle, "salience": salience})
