"""What a record was before a change, and the standing of a record."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.ingest.builder import Why, with_outcome
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import (
    DeletionPolicy,
    OutcomeStatus,
    RevisionStatus,
    Sensitivity,
)
from membrane.domain.lifecycle.changes import erased_record, expired_record
from membrane.domain.records.evidence import REFERENCES_RECORD, SUBJECT_ENTITY
from membrane.domain.records.history import (
    ABSENT,
    Delta,
    EarlierValue,
    content_before,
    content_of,
    delta_between,
)
from membrane.domain.records.payloads import (
    CompetencePayload,
    EpisodicPayload,
    PerformanceStats,
    ProvenanceRef,
    RevisionState,
)
from membrane.domain.records.records import MemoryRecord, Relation
from membrane.domain.records.standing import is_found, loses_vector, needs_vector, with_state
from membrane.domain.records.stored import ERASED, AnyRecord, StoredRecord, Tombstone
from tests.builders.records import (
    NOW_TEXT,
    a_candidate,
    a_fact,
    a_fact_in_store,
    a_given_record,
    a_lifecycle,
    a_making,
    a_record_given,
    a_stored_record,
    an_episode_in_store,
    an_interpretation,
    an_outcome,
    in_store,
    interpretations,
)


def a_record(**fields: Any) -> MemoryRecord:
    """A record of a fact."""
    return a_record_given(a_given_record(**fields))


def was_of(before: MemoryRecord, after: MemoryRecord) -> tuple[EarlierValue, ...]:
    """What of the content the change touched."""
    delta = delta_between(before, after, 1)
    return () if delta is None else delta.was


def undone(after: MemoryRecord, delta: Delta) -> MemoryRecord:
    """What the record was, by a delta that came back from a store."""
    told = json.loads(compact_json(delta.as_json()))
    content = content_before(content_of(after), Delta.of_json(told))
    content["lifecycle"] = {
        **content["lifecycle"],
        "last_reinforced_at": after.lifecycle.last_reinforced_at,
    }
    content["relations"] = tuple(content.get("relations", ()))
    content["payload"] = json.loads(compact_json(content["payload"]))
    others = {
        name: getattr(after, name)
        for name in ("id", "type", "salience", "created_at", "updated_at", "audit_log")
    }
    return MemoryRecord.model_validate({**content, **others}, context=after.id)


def test_a_change_that_leaves_the_content_leaves_no_delta() -> None:
    record = a_record(tags=["a"])
    reinforced = record.lifecycle.model_copy(update={"last_reinforced_at": NOW_TEXT})

    later = record.model_copy(update={"salience": 0.1, "lifecycle": reinforced})

    assert delta_between(record, later, 1) is None


def test_a_list_that_only_grew_is_told_by_how_long_it_was() -> None:
    cited = Relation(predicate="cites", target_id="b", weight=1.0, created_at=NOW_TEXT)
    record = a_record().model_copy(update={"relations": (cited,)})
    later = record.model_copy(
        update={"relations": (cited, cited.model_copy(update={"target_id": "c"}))}
    )

    was = was_of(record, later)

    assert was == (EarlierValue(("relations",), kept=1),)


def test_a_list_that_changed_otherwise_is_kept_as_it_was() -> None:
    record = a_record(tags=["a", "b"])

    was = was_of(record, record.model_copy(update={"tags": ("b",)}))

    assert was == (EarlierValue(("tags",), ["a", "b"]),)


def test_of_a_part_only_the_fields_that_changed_are_kept() -> None:
    record = a_record().model_copy(update={"lifecycle": a_lifecycle()})
    later = record.model_copy(update={"lifecycle": a_lifecycle(pinned=True, half_life_seconds=9)})

    was = was_of(record, later)

    assert was == (
        EarlierValue(("lifecycle", "decay", "half_life_seconds"), 3_600),
        EarlierValue(("lifecycle", "pinned")),
    )


def test_an_interpretation_that_is_new_was_absent_and_one_that_grew_was_shorter() -> None:
    record = a_record()
    first = record.model_copy(update={"interpretation": an_interpretation("Orion")})
    later = record.model_copy(update={"interpretation": an_interpretation("Orion", "Ann")})

    assert was_of(record, first) == (EarlierValue(("interpretation",)),)
    assert was_of(first, later) == (EarlierValue(("interpretation", "mentions"), kept=1),)


def test_what_was_null_is_not_what_was_not_there() -> None:
    record = a_record(payload=a_fact(object={"size": None}))
    later = a_record(payload=a_fact(object={"size": 4, "colour": None}))

    delta = delta_between(record, later, 1)

    assert delta is not None
    path = ("payload", "object")
    assert delta.was == (
        EarlierValue((*path, "colour"), ABSENT),
        EarlierValue((*path, "size"), None),
    )
    assert undone(later, delta) == record


def test_a_large_value_stays_what_it_is() -> None:
    large = LargeValue("rec-1", "0" * 64, 200_000)
    record = a_record()
    record = record.model_copy(
        update={"payload": record.payload.model_copy(update={"object": large})}
    )
    later = record.model_copy(update={"confidence": 0.1})

    delta = delta_between(record, later, 1)

    assert delta is not None
    assert undone(later, delta) == record


@pytest.mark.parametrize(
    "told",
    [{}, {"entry": 1}, {"entry": 1, "was": [{}]}, {"entry": 1, "was": 3}, {"entry": 1, "was": [3]}],
)
def test_what_is_no_delta_is_refused(told: Any) -> None:
    with pytest.raises((KeyError, TypeError)):
        Delta.of_json(told)


def test_a_record_adds_its_delta_by_itself_with_the_place_of_its_audit_entry() -> None:
    stored = a_stored_record()
    later = stored.record.model_copy(update={"tags": ("new",)})

    changed = stored.next_version(later.model_copy(update={"audit_log": stored.trail * 3}))

    assert changed.history == (Delta(1, (EarlierValue(("tags",), kept=0),)),)
    assert changed.next_version(changed.record).history == changed.history


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab", max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)
RECORDS = st.builds(
    lambda tags, confidence, value, conditions, sensitivity, interpretation: a_record(
        tags=tags,
        confidence=confidence,
        sensitivity=sensitivity,
        payload=a_fact(object=value, validity={"mode": "conditional", "conditions": conditions}),
    ).model_copy(update={"interpretation": interpretation}),
    st.lists(st.sampled_from("abc"), unique=True),
    st.sampled_from([0.0, 0.5, 1.0]),
    JSON,
    st.dictionaries(st.text("ab", max_size=2), JSON, max_size=3),
    st.sampled_from(["public", "low", "hyper"]),
    st.none() | interpretations(st.text("ab", max_size=2)),
)


@given(RECORDS, RECORDS)
def test_from_what_a_record_became_its_delta_leads_back(
    earlier: MemoryRecord, later: MemoryRecord
) -> None:
    later = later.model_copy(update={"provenance": earlier.provenance})

    delta = delta_between(earlier, later, 1)

    assert (later if delta is None else undone(later, delta)) == earlier


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
