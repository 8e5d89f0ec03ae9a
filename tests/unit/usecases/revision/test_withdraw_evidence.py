"""A derived fact lasts as long as its evidence: it goes with the last capture that states it."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeGuard

import pytest

from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.vocabulary import ConflictPolicy, MemoryType, RevisionStatus
from membrane.domain.lifecycle.requests import DeleteRecord, Pin
from membrane.domain.records import audit, evidence
from membrane.domain.records.history import content_before, content_of
from membrane.domain.records.states import is_retracted, state_of
from membrane.domain.records.stored import AnyRecord, RemovedRecord
from membrane.domain.revision.requests import Contest, Reclassify, Resolve, Retract
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.lifecycle.sweep_due import sweep_due
from membrane.usecases.revision import stating_captures
from tests.builders.derived_facts import capture, derive, evidence_in, link
from tests.builders.ingesting import ingest
from tests.builders.observations import CONTEST, FORK, REPLACE, Beliefs
from tests.builders.requests import (
    ALPHA,
    call,
    change,
    full_record,
    working_state,
    written,
)
from tests.worlds.faults import Killed, lose_races, mortal


def delete(record_id: str, beliefs: Beliefs, *, key: str | None = None, **fields: Any) -> None:
    change(DeleteRecord(id=record_id, **fields), beliefs.services, key=key)


def erase(record_id: str, beliefs: Beliefs, *, key: str | None = None, **fields: Any) -> None:
    delete(record_id, beliefs, key=key, erase=True, **fields)


def is_erased(record_id: str, beliefs: Beliefs) -> bool:
    held = beliefs.records.load(record_id)
    return isinstance(held, RemovedRecord) and held.tombstone.is_erased


def test_a_fact_is_retracted_when_its_only_capture_is_deleted() -> None:
    beliefs = Beliefs()
    made = capture("tea", beliefs.services)

    delete(made.capture_id, beliefs, actor="curator", rationale="misheard")

    fact = beliefs.now(made.fact_id).record
    assert is_retracted(fact.payload)
    entry = fact.audit_log[-1]
    assert (entry.action, entry.actor, entry.rationale, entry.principal) == (
        "delete",
        "curator",
        "last evidence withdrawn: misheard",
        "owner",
    )
    assert audit.first_broken(fact.id, fact.audit_log) is None


def test_a_fact_is_erased_when_its_only_capture_is_erased() -> None:
    beliefs = Beliefs()
    made = capture("tea", beliefs.services)

    erase(made.capture_id, beliefs, rationale="by law")

    assert is_erased(made.fact_id, beliefs)
    held = beliefs.records.load(made.fact_id)
    assert held is not None
    assert held.trail[-1].rationale == "last evidence withdrawn: by law"


@pytest.mark.parametrize("end", [delete, erase])
def test_a_fact_with_other_evidence_loses_the_capture_alone(
    end: Callable[[str, Beliefs], None],
) -> None:
    beliefs = Beliefs()
    first, second = (capture("tea", beliefs.services) for _ in range(2))
    before = content_of(beliefs.now(first.fact_id).record)

    end(first.capture_id, beliefs)

    stored = beliefs.now(first.fact_id)
    assert evidence_in(stored.record) == [second.capture_id]
    assert stored.record.audit_log[-1].rationale == "evidence withdrawn"
    assert content_before(content_of(stored.record), stored.history[-1]) == before
    assert beliefs.active() == ["tea"]

    end(second.capture_id, beliefs)

    assert beliefs.active() == []


@pytest.mark.parametrize("end", [delete, erase])
def test_a_fact_that_unlisted_captures_state_gains_them_as_evidence(
    end: Callable[[str, Beliefs], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (evidence, stating_captures):
        monkeypatch.setattr(module, "MAX_EVIDENCE", 10)
    beliefs = Beliefs()
    made = [capture("tea", beliefs.services) for _ in range(23)]
    fact_id = made[0].fact_id
    listed = evidence_in(beliefs.now(fact_id).record)
    unlisted = [each.capture_id for each in made if each.capture_id not in listed]
    change(DeleteRecord(id=unlisted[0]), beliefs.services)

    for capture_id in listed:
        end(capture_id, beliefs)

    found = evidence_in(beliefs.now(fact_id).record)
    assert len(found) == 9, "of ten, one was deleted"
    assert set(found) < set(unlisted[1:])
    assert beliefs.active() == ["tea"]

    for capture_id in unlisted[1:]:
        end(capture_id, beliefs)

    assert beliefs.active() == []


@pytest.mark.parametrize("end", [delete, erase])
def test_a_fact_that_an_agent_reported_stays(end: Callable[[str, Beliefs], None]) -> None:
    beliefs = Beliefs()
    beliefs.made("tea")
    made = capture("tea", beliefs.services)

    end(made.capture_id, beliefs)

    assert beliefs.active() == ["tea"]
    assert evidence_in(beliefs.now(made.fact_id).record) == ["agent"]


@pytest.mark.parametrize("end", [delete, erase])
@pytest.mark.parametrize("policy", [REPLACE, FORK])
def test_the_facts_that_a_derived_fact_replaces_or_varies_are_no_evidence(
    policy: ConflictPolicy, end: Callable[[str, Beliefs], None]
) -> None:
    beliefs = Beliefs()
    beliefs.made("tea")
    made = capture("coffee", beliefs.services, on_conflict=policy)

    end(made.capture_id, beliefs)

    assert "coffee" not in beliefs.active()


def test_a_fact_that_is_contested_goes_with_its_evidence() -> None:
    beliefs = Beliefs()
    made = capture("tea", beliefs.services)
    change(Contest(id=made.fact_id, contesting_ref="a letter"), beliefs.services)

    delete(made.capture_id, beliefs)

    assert is_retracted(beliefs.now(made.fact_id).record.payload)


def test_a_fact_without_the_capture_as_evidence_stays_as_it_is() -> None:
    beliefs = Beliefs()
    made, other = capture("tea", beliefs.services), capture("milk", beliefs.services)
    link(made.capture_id, other.fact_id, beliefs.services)
    before = beliefs.now(other.fact_id)

    delete(made.capture_id, beliefs)

    assert beliefs.now(other.fact_id) == before


def test_a_refused_deletion_leaves_the_facts() -> None:
    beliefs = Beliefs()
    asked = full_record(lifecycle={"deletion_policy": "never"})
    kept = written(ingest_record(asked, call(asked), beliefs.services))
    derive("tea", kept, beliefs.services)

    with pytest.raises(FailedPrecondition):
        delete(kept.id, beliefs)

    assert beliefs.active() == ["tea"]


def test_a_fact_outlives_a_faded_capture() -> None:
    beliefs = Beliefs()
    made = capture("tea", beliefs.services)
    change(Pin(id=made.fact_id), beliefs.services)
    beliefs.clock.advance(days=4_000)

    sweep_due(beliefs.services, lambda: False)

    assert is_buried(made.capture_id, beliefs)
    assert beliefs.active() == ["tea"]


def test_a_fact_that_the_caller_may_not_see_or_change_is_passed_over() -> None:
    beliefs = Beliefs()
    hidden, unwritable = (
        capture(value, beliefs.services, principal=ALPHA, scope="project:alpha")
        for value in ("tea", "milk")
    )
    for made, scope in ((hidden, "project:beta"), (unwritable, "")):
        change(Reclassify(id=made.fact_id, scope=scope), beliefs.services)

    for made in (hidden, unwritable):
        change(DeleteRecord(id=made.capture_id), beliefs.services, ALPHA)

    assert beliefs.active() == ["tea", "milk"]
    assert all(is_buried(each.capture_id, beliefs) for each in (hidden, unwritable))


def test_an_absent_fact_is_passed_over() -> None:
    beliefs = Beliefs()
    made = capture("tea", beliefs.services)
    del beliefs.records.places[made.fact_id]

    delete(made.capture_id, beliefs)

    assert is_buried(made.capture_id, beliefs)


def test_a_deleted_capture_takes_the_retracted_fact_along_when_it_is_erased() -> None:
    beliefs = Beliefs()
    made = capture("tea", beliefs.services)
    delete(made.capture_id, beliefs)

    erase(made.capture_id, beliefs)

    assert is_erased(made.fact_id, beliefs)


@pytest.mark.parametrize("left", [0, 1])
def test_an_expired_capture_takes_its_fact_along_when_it_is_erased(left: int) -> None:
    beliefs = Beliefs()
    made = capture("tea", beliefs.services)
    others = [capture("tea", beliefs.services) for _ in range(left)]
    change(Pin(id=made.fact_id), beliefs.services)
    for other in others:
        change(Pin(id=other.capture_id), beliefs.services)
    expire(made.capture_id, beliefs)

    erase(made.capture_id, beliefs, rationale="by law")

    assert is_erased(made.capture_id, beliefs)
    assert is_erased(made.fact_id, beliefs) == (not others)
    if others:
        assert evidence_in(beliefs.now(made.fact_id).record) == [others[0].capture_id]


def test_an_erased_capture_names_its_facts_no_longer() -> None:
    beliefs = Beliefs()
    made = capture("tea", beliefs.services)
    change(Pin(id=made.fact_id), beliefs.services)
    expire(made.capture_id, beliefs)
    held = beliefs.records.load(made.capture_id)
    assert isinstance(held, RemovedRecord)
    assert held.facts == (made.fact_id,)

    erase(made.capture_id, beliefs)

    held = beliefs.records.load(made.capture_id)
    assert isinstance(held, RemovedRecord)
    assert held.facts == ()


def test_a_deleted_fact_is_erased_too_and_not_retracted() -> None:
    beliefs = Beliefs()
    deleted, erased = (capture(value, beliefs.services) for value in ("tea", "milk"))
    beliefs.delete(deleted.fact_id)
    beliefs.delete(erased.fact_id)
    before = beliefs.now(deleted.fact_id)

    delete(deleted.capture_id, beliefs)
    erase(erased.capture_id, beliefs)

    assert beliefs.now(deleted.fact_id) == before
    assert is_erased(erased.fact_id, beliefs)


@pytest.mark.parametrize("resolved", [False, True])
def test_a_working_state_that_is_retracted_takes_its_fact_along(resolved: bool) -> None:  # noqa: FBT001
    beliefs = Beliefs()
    state = written(ingest(working_state(), call(working_state()), beliefs.services))
    fact_id = derive("tea", state, beliefs.services)

    if resolved:
        change(Contest(id=state.id, contesting_ref="a letter"), beliefs.services)
        change(Resolve(id=state.id, resolution="retract"), beliefs.services)
    else:
        change(Retract(id=state.id, rationale="wrong"), beliefs.services)

    assert is_retracted(beliefs.now(fact_id).record.payload)


@pytest.mark.parametrize("end", [delete, erase])
def test_a_repeat_under_the_same_key_changes_nothing_more(
    end: Callable[..., None],
) -> None:
    beliefs = Beliefs()
    made = capture("tea", beliefs.services)
    end(made.capture_id, beliefs, key="k")
    after = beliefs.records.everything()

    end(made.capture_id, beliefs, key="k")

    assert beliefs.records.everything() == after


def with_three_facts() -> tuple[Beliefs, str]:
    """A capture with three facts, one of which has other evidence; the id of the capture."""
    beliefs = Beliefs()
    made = capture("tea", beliefs.services)
    primary = beliefs.now(made.capture_id).record
    capture("milk", beliefs.services)
    derive("milk", primary, beliefs.services)
    derive("water", primary, beliefs.services)
    return beliefs, made.capture_id


@pytest.mark.parametrize("key", [None, "k"])
@pytest.mark.parametrize("end", [delete, erase])
@pytest.mark.parametrize("writes", range(4))
def test_what_is_killed_before_any_write_is_finished_by_a_repeat(
    end: Callable[..., None], writes: int, key: str | None
) -> None:
    beliefs, capture_id = with_three_facts()
    life = mortal(beliefs.records.client, writes)

    with pytest.raises(Killed):
        end(capture_id, beliefs, key=key)
    assert not is_buried(capture_id, beliefs), "the capture goes last"
    life.writes_left = 1_000
    end(capture_id, beliefs, key=key)

    assert is_buried(capture_id, beliefs)
    assert beliefs.active() == ["milk"]
    assert all(len(each.trail) <= 3 for each in beliefs.records.places.values() if is_fact(each)), (
        "nothing was done twice"
    )


@pytest.mark.parametrize("end", [delete, erase])
def test_a_change_of_a_fact_that_loses_a_race_is_tried_again(end: Callable[..., None]) -> None:
    beliefs, capture_id = with_three_facts()
    lose_races(beliefs.records.client, 3)

    end(capture_id, beliefs)

    assert is_buried(capture_id, beliefs)
    assert beliefs.active() == ["milk"]


@pytest.mark.parametrize("end", [delete, erase])
def test_what_a_withdrawn_fact_replaced_comes_back(end: Callable[[str, Beliefs], None]) -> None:
    beliefs = Beliefs(REPLACE)
    tea = beliefs.made("tea")
    made = capture("coffee", beliefs.services, on_conflict=REPLACE)
    assert beliefs.active() == ["coffee"]

    end(made.capture_id, beliefs)

    assert beliefs.active() == ["tea"]
    state = state_of(beliefs.now(tea.id).record.payload)
    assert (state.status, state.superseded_by) == (RevisionStatus.ACTIVE, "")
    assert beliefs.now(tea.id).trail[-1].rationale == (
        "no longer retracted: the newer fact was withdrawn"
    )
    assert beliefs.observe("tea").reinforced, "the head names the fact again"


@pytest.mark.parametrize("end", [delete, erase])
def test_a_contest_by_a_withdrawn_fact_ends(end: Callable[[str, Beliefs], None]) -> None:
    beliefs = Beliefs(CONTEST)
    tea, water = beliefs.made("tea"), beliefs.made("water", subject="nobody")
    made = capture("coffee", beliefs.services, on_conflict=CONTEST)
    assert beliefs.status(tea.id) is RevisionStatus.CONTESTED

    end(made.capture_id, beliefs)

    assert beliefs.status(tea.id) is RevisionStatus.ACTIVE
    assert beliefs.status(water.id) is None


@pytest.mark.parametrize("other", ["letter", "fact"])
def test_a_contest_by_others_too_goes_on(other: str) -> None:
    beliefs = Beliefs(CONTEST)
    tea = beliefs.made("tea")
    made = capture("coffee", beliefs.services, on_conflict=CONTEST)
    if other == "fact":
        beliefs.made("milk")
    else:
        change(Contest(id=tea.id, contesting_ref="a letter"), beliefs.services)

    delete(made.capture_id, beliefs)

    assert beliefs.status(tea.id) is RevisionStatus.CONTESTED


def test_what_a_third_fact_displaces_stays_replaced() -> None:
    beliefs = Beliefs(REPLACE)
    beliefs.made("tea")
    made = capture("coffee", beliefs.services, on_conflict=REPLACE)
    beliefs.made("milk")

    erase(made.capture_id, beliefs)

    assert beliefs.active() == ["milk"]


@pytest.mark.parametrize("end", [delete, erase])
@pytest.mark.parametrize("writes", range(4))
def test_a_withdrawal_killed_before_any_write_gives_back_by_a_repeat(
    end: Callable[..., None], writes: int
) -> None:
    beliefs = Beliefs(REPLACE)
    beliefs.made("tea")
    made = capture("coffee", beliefs.services, on_conflict=REPLACE)
    life = mortal(beliefs.records.client, writes)

    with suppress(Killed):
        end(made.capture_id, beliefs)
    life.writes_left = 1_000
    if not is_buried(made.capture_id, beliefs):
        end(made.capture_id, beliefs)

    assert beliefs.active() == ["tea"]


def expire(record_id: str, beliefs: Beliefs) -> None:
    """Let the record fade, and let the time for a restore go by, with a sweep after each."""
    for days in (4_000, 40):
        beliefs.clock.advance(days=days)
        sweep_due(beliefs.services, lambda: False)
    assert isinstance(beliefs.records.load(record_id), RemovedRecord)


def is_buried(record_id: str, beliefs: Beliefs) -> bool:
    held = beliefs.records.load(record_id)
    return held is not None and held.tombstone is not None


def is_fact(held: object) -> TypeGuard[AnyRecord]:
    return isinstance(held, AnyRecord) and held.type is MemoryType.SEMANTIC
