"""Where a record stands after revisions, and what may still become of it."""

import pytest

from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.vocabulary import RevisionStatus
from membrane.domain.records.payloads import RevisionState
from membrane.domain.records.states import (
    is_contested,
    is_retracted,
    require_not_retracted,
    require_revisable,
    state_of,
    successor_of,
    with_state,
)
from membrane.domain.records.stored import StoredRecord
from tests.builders.records import NOW_TEXT, RECORD_ID
from tests.builders.revised_records import EVERY_TYPE, a_fact_in_store, an_episode_in_store

ACTIVE, CONTESTED, RETRACTED = (
    RevisionState(status=status, since=NOW_TEXT)
    for status in (RevisionStatus.ACTIVE, RevisionStatus.CONTESTED, RevisionStatus.RETRACTED)
)


@pytest.mark.parametrize("stored", EVERY_TYPE.values(), ids=EVERY_TYPE)
def test_a_record_of_any_type_but_the_episodic_stands_somewhere(stored: StoredRecord) -> None:
    payload = with_state(stored.record.payload, RETRACTED)

    assert is_retracted(payload)
    assert not is_contested(payload)
    assert state_of(payload) == RETRACTED
    assert with_state(payload, None) == stored.record.payload


def test_an_episode_stands_nowhere() -> None:
    payload = an_episode_in_store().record.payload

    assert with_state(payload, RETRACTED) == payload
    assert state_of(payload) == RevisionState()


@pytest.mark.parametrize("state", [None, RevisionState(), ACTIVE, CONTESTED])
def test_what_is_not_retracted_may_be_revised(state: RevisionState | None) -> None:
    stored = a_fact_in_store(revision=state)

    require_revisable(stored, "supersede")
    require_not_retracted(stored)

    assert not is_retracted(stored.record.payload)


def test_what_is_retracted_may_not() -> None:
    stored = a_fact_in_store(revision=RETRACTED)

    with pytest.raises(FailedPrecondition, match=f"^fork: record {RECORD_ID} is retracted$"):
        require_revisable(stored, "fork")
    with pytest.raises(FailedPrecondition, match=f"^record {RECORD_ID} is retracted$"):
        require_not_retracted(stored)


@pytest.mark.parametrize(("operation", "prefix"), [("merge", "merge: "), ("", "")])
def test_an_episode_may_not_be_revised_but_its_salience_may_move(
    operation: str, prefix: str
) -> None:
    episode = an_episode_in_store()

    require_not_retracted(episode)
    with pytest.raises(FailedPrecondition) as caught:
        require_revisable(episode, operation)

    words = "episodic memory is immutable and cannot be revised: record"
    assert str(caught.value) == f"{prefix}{words} {RECORD_ID}"


@pytest.mark.parametrize(("superseded_by", "successor"), [("", None), ("rec-2", "rec-2")])
def test_the_successor_is_the_one_that_is_named(superseded_by: str, successor: str | None) -> None:
    state = RETRACTED.model_copy(update={"superseded_by": superseded_by})

    assert successor_of(a_fact_in_store(revision=state).record.payload) == successor
