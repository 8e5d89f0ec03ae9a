"""A retracted record is kept for its time, and never pruned for having no salience."""

import math
from dataclasses import replace
from datetime import timedelta

import pytest

from membrane.domain.ingest.builder import Why
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import RevisionStatus
from membrane.domain.lifecycle.changes import restored_version
from membrane.domain.lifecycle.pruning import due_of, prunable_from
from membrane.domain.lifecycle.retention import RETRACTED_PERIOD
from membrane.domain.records.payloads import RevisionState
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.next_versions import reactivated_version, retracted_version
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.domain.salience.function import prunable_at
from tests.builders.records import NOW, a_lifecycle, a_making
from tests.builders.revised_records import a_fact_in_store

WHY = Why("eval", "why")
POLICY = PolicyDefaults()
NOW_S = epoch_seconds(NOW)
PERIOD = timedelta(days=10)


def fact(*, pinned: bool = False, deletion_policy: str = "auto_prune") -> StoredRecord:
    """One that halves every hour."""
    stored = a_fact_in_store()
    lifecycle = a_lifecycle(pinned=pinned, deletion_policy=deletion_policy)
    return replace(stored, record=stored.record.model_copy(update={"lifecycle": lifecycle}))


def test_what_is_not_retracted_is_due_when_it_has_faded() -> None:
    stored = fact()

    instant = prunable_from(stored, {}, retracted=PERIOD)

    assert instant == prunable_at(stored.anchor, stored.record.lifecycle, {})
    assert due_of(stored, {}, retracted=PERIOD) == math.ceil(instant or 0)


@pytest.mark.parametrize("period", [PERIOD, RETRACTED_PERIOD, timedelta(seconds=0.5)])
def test_what_is_retracted_is_due_so_long_after_that(period: timedelta) -> None:
    stored = retracted_version(fact(), WHY, a_making(now=NOW + timedelta(hours=1)), POLICY)

    instant = prunable_from(stored, {}, retracted=period)

    assert instant == NOW_S + 3_600 + period.total_seconds()
    assert due_of(stored, {}, retracted=period) == math.ceil(instant)


def test_a_record_that_says_not_since_when_is_kept_from_its_anchor_on() -> None:
    stored = retracted_version(fact(), WHY, a_making(), POLICY)
    state = RevisionState(status=RevisionStatus.RETRACTED)
    payload = stored.record.payload.model_copy(update={"revision": state})
    undated = replace(stored, record=stored.record.model_copy(update={"payload": payload}))

    assert prunable_from(undated, {}, retracted=PERIOD) == NOW_S + PERIOD.total_seconds()


@pytest.mark.parametrize(
    "stored",
    [fact(deletion_policy="manual_only"), fact(deletion_policy="never")],
    ids=["manual_only", "never"],
)
def test_what_the_sweep_may_never_take_stays_when_it_is_retracted(stored: StoredRecord) -> None:
    assert due_of(retracted_version(stored, WHY, a_making(), POLICY), {}, retracted=PERIOD) is None


def test_a_pin_held_its_salience_and_holds_nothing_once_it_is_retracted() -> None:
    stored = retracted_version(fact(pinned=True), WHY, a_making(), POLICY)

    assert due_of(stored, {}, retracted=PERIOD) == NOW_S + PERIOD.total_seconds()


def test_what_is_taken_up_again_fades_as_before() -> None:
    dead = retracted_version(fact(), WHY, a_making(), POLICY)

    alive = reactivated_version(
        dead, dead.record, WHY, a_making(now=NOW + timedelta(days=5)), POLICY
    )

    assert due_of(alive, {}) == math.ceil(
        prunable_at(alive.anchor, alive.record.lifecycle, {}) or 0
    )


def test_a_retracted_record_that_is_restored_is_kept_as_if_it_were_retracted_then() -> None:
    dead = retracted_version(fact(), WHY, a_making(), POLICY)

    back = restored_version(dead, WHY, a_making(now=NOW + timedelta(days=3)), POLICY)

    assert back.anchor.salience == 0.0
    assert prunable_from(back, {}, retracted=PERIOD) == NOW_S + 13 * 86_400
