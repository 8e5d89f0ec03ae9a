"""Which changes of a record give it another vector, and which end its vector."""

from dataclasses import replace
from typing import Any

import pytest

from membrane.domain.ingest.builder import Why, with_outcome
from membrane.domain.language.vocabulary import (
    DeletionPolicy,
    OutcomeStatus,
    RevisionStatus,
    Sensitivity,
)
from membrane.domain.lifecycle.changes import erased_record, expired_record
from membrane.domain.records.evidence import REFERENCES_RECORD, SUBJECT_ENTITY
from membrane.domain.records.payloads import (
    CompetencePayload,
    EpisodicPayload,
    PerformanceStats,
    ProvenanceRef,
    RevisionState,
)
from membrane.domain.records.records import Relation
from membrane.domain.records.standing import is_found, loses_vector, needs_vector, with_state
from membrane.domain.records.stored import ERASED, AnyRecord, StoredRecord, Tombstone
from tests.builders.records import (
    NOW_TEXT,
    a_candidate,
    a_fact_in_store,
    a_lifecycle,
    a_making,
    an_episode_in_store,
    an_interpretation,
    an_outcome,
    in_store,
)

EVIDENCE = (ProvenanceRef(source_type="eval", source_id="1", timestamp=NOW_TEXT),)

LIVING = a_fact_in_store()
DELETED = replace(LIVING, tombstone=Tombstone(1.0, "deleted", due_s=2, expires_at_s=3))
FORGOTTEN = expired_record(LIVING, a_making(), Tombstone(1.0, "deleted", None, 3))
ERASED_ONE = erased_record(LIVING, Tombstone(1.0, ERASED, 2, 3), Why("me", "law"), a_making())


def with_fields(stored: StoredRecord = LIVING, **fields: Any) -> StoredRecord:
    """The record with other fields."""
    return replace(stored, record=stored.record.model_copy(update=fields))


def saying(**fields: Any) -> StoredRecord:
    """The record with another payload."""
    return with_fields(payload=LIVING.record.payload.model_copy(update=fields))


def standing(status: RevisionStatus) -> StoredRecord:
    """The record in another state."""
    state = RevisionState(status=status, since=NOW_TEXT)
    return with_fields(payload=with_state(LIVING.record.payload, state))


def about(predicate: str) -> Relation:
    return Relation(predicate=predicate, target_id="other", weight=1.0, created_at=NOW_TEXT)


def kept(**fields: Any) -> StoredRecord:
    """The record under another lifecycle."""
    return with_fields(lifecycle=a_lifecycle(**fields))


RETRACTED, CONTESTED = (
    standing(each) for each in (RevisionStatus.RETRACTED, RevisionStatus.CONTESTED)
)
NOT_FOUND = {
    "retracted": RETRACTED,
    "deleted": DELETED,
    "forgotten": FORGOTTEN,
    "erased": ERASED_ONE,
}


@pytest.mark.parametrize("gone", NOT_FOUND.values(), ids=NOT_FOUND)
def test_what_is_deleted_or_retracted_is_not_found(gone: AnyRecord) -> None:
    assert is_found(LIVING)
    assert is_found(CONTESTED)
    assert not is_found(gone)


@pytest.mark.parametrize(
    "after",
    [
        saying(object="coffee"),
        saying(subject="guest"),
        with_fields(scope="other"),
        with_fields(sensitivity=Sensitivity.HIGH),
        with_fields(tags=("new",)),
        with_fields(relations=(about(SUBJECT_ENTITY),)),
        with_fields(interpretation=an_interpretation("Orion")),
        with_fields(interpretation=an_interpretation(summary="short")),
    ],
    ids=["object", "subject", "scope", "sensitivity", "tags", "entity", "mention", "summary"],
)
def test_a_record_that_is_found_otherwise_needs_another_vector(after: StoredRecord) -> None:
    assert needs_vector(LIVING, after, is_mistimed=False)
    assert not loses_vector(LIVING, after, 0.0)


@pytest.mark.parametrize(
    "after",
    [
        LIVING,
        with_fields(salience=0.1),
        with_fields(confidence=0.1),
        CONTESTED,
        saying(evidence=EVIDENCE),
        kept(pinned=True),
        kept(deletion_policy=DeletionPolicy.NEVER),
        with_fields(relations=(about(REFERENCES_RECORD),)),
        with_fields(interpretation=an_interpretation(extraction_confidence=0.5)),
    ],
    ids=[
        "nothing",
        "salience",
        "confidence",
        "contested",
        "evidence",
        "pinned",
        "never pruned",
        "reference",
        "confidence of interpretation",
    ],
)
def test_a_record_that_is_found_as_before_keeps_its_vector(after: StoredRecord) -> None:
    assert not needs_vector(LIVING, after, is_mistimed=False)
    assert not loses_vector(LIVING, after, 0.0)


def test_a_second_outcome_of_the_same_status_changes_no_vector() -> None:
    def completed(stored: StoredRecord, status: OutcomeStatus) -> StoredRecord:
        payload = stored.record.payload
        assert isinstance(payload, EpisodicPayload)
        told = a_candidate(an_outcome(outcome_status=status))
        return stored.next_version(with_outcome(stored.record, payload, status, told, a_making()))

    first = completed(an_episode_in_store(), OutcomeStatus.SUCCESS)

    assert needs_vector(an_episode_in_store(), first, is_mistimed=False)
    assert not needs_vector(first, completed(first, OutcomeStatus.SUCCESS), is_mistimed=False)
    assert needs_vector(first, completed(first, OutcomeStatus.FAILURE), is_mistimed=False)


def test_how_often_a_skill_worked_changes_no_vector() -> None:
    before = in_store("competence")
    payload = before.record.payload
    assert isinstance(payload, CompetencePayload)
    stats = PerformanceStats(success_count=3)

    after = with_fields(before, payload=payload.model_copy(update={"performance": stats}))

    assert not needs_vector(before, after, is_mistimed=False)


def test_a_record_whose_vector_ttl_ends_at_no_time_or_too_early_needs_another() -> None:
    assert needs_vector(LIVING, LIVING, is_mistimed=True)
    assert not needs_vector(LIVING, RETRACTED, is_mistimed=True)


@pytest.mark.parametrize("gone", NOT_FOUND.values(), ids=NOT_FOUND)
def test_a_record_loses_its_vector_when_it_ends_and_needs_one_when_it_is_back(
    gone: AnyRecord,
) -> None:
    assert loses_vector(LIVING, gone, 0.0)
    assert not needs_vector(LIVING, gone, is_mistimed=False)
    assert needs_vector(gone, LIVING, is_mistimed=False)
    assert not loses_vector(gone, LIVING, 0.0)


@pytest.mark.parametrize("gone", [RETRACTED, DELETED, FORGOTTEN])
def test_an_erasure_ends_a_vector_that_waits_for_ttl(gone: AnyRecord) -> None:
    assert loses_vector(gone, ERASED_ONE, 0.0)


@pytest.mark.parametrize(
    ("before", "after"),
    [(RETRACTED, DELETED), (DELETED, FORGOTTEN), (ERASED_ONE, ERASED_ONE)],
)
def test_what_has_no_vector_loses_none_and_needs_none(before: AnyRecord, after: AnyRecord) -> None:
    assert not loses_vector(before, after, 0.0)
    assert not needs_vector(before, after, is_mistimed=False)
