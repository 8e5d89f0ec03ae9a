"""What a revision makes of the records that it touches; the audit uses Membrane's words."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from membrane.domain.ingest.builder import Why
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import RevisionStatus
from membrane.domain.records.audit import first_broken
from membrane.domain.records.history import content_before, content_of
from membrane.domain.records.payloads import RevisionState
from membrane.domain.records.states import state_of
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.next_versions import (
    contested_version,
    forked_version,
    kept_version,
    merged_version,
    reactivated_version,
    retracted_version,
    superseded_version,
    superseding_version,
    with_relation,
)
from membrane.domain.salience.decay_defaults import PolicyDefaults
from tests.builders.records import NOW, RECORD_ID, a_lifecycle, a_making
from tests.builders.revised_records import a_fact_in_store

WHY = Why("eval", "why")
POLICY = PolicyDefaults()
LATER = a_making(now=NOW + timedelta(hours=1), salt="6b")
LATER_TEXT = rfc3339(LATER.now)

A_FACT = a_fact_in_store()
FADING = replace(
    A_FACT, record=A_FACT.record.model_copy(update={"lifecycle": a_lifecycle(min_salience=0.1)})
)
RETRACTED = retracted_version(FADING, WHY, a_making(salt="5b"), POLICY)
CONTESTED = contested_version(FADING, None, WHY, a_making(salt="5b"))

TAKEN_BACK: dict[str, tuple[StoredRecord, str, str, str]] = {
    "superseded": (
        superseded_version(FADING, "rec-2", WHY, LATER, POLICY),
        "rec-2",
        "revise",
        "superseded by rec-2: why",
    ),
    "merged": (
        merged_version(FADING, "rec-2", WHY, LATER, POLICY),
        "rec-2",
        "merge",
        "merged into rec-2: why",
    ),
    "retracted": (retracted_version(FADING, WHY, LATER, POLICY), "", "delete", "why"),
}
"""The record, its successor, and action and reason of its last audit entry."""

EVERY: dict[str, tuple[StoredRecord, StoredRecord]] = {
    **{name: (FADING, after) for name, (after, *_) in TAKEN_BACK.items()},
    "taken up": (RETRACTED, reactivated_version(RETRACTED, RETRACTED.record, WHY, LATER, POLICY)),
    "forked": (FADING, forked_version(FADING, "rec-2", WHY, LATER)),
    "contested": (FADING, contested_version(FADING, "rec-2", WHY, LATER)),
    "doubted": (FADING, contested_version(FADING, None, WHY, LATER, evidence="msg-7")),
    "kept": (CONTESTED, kept_version(CONTESTED, WHY, LATER)),
    "replacing": (FADING, superseding_version(FADING, "rec-0", WHY, LATER)),
}
"""Before and after."""

each = pytest.mark.parametrize(("earlier", "after"), EVERY.values(), ids=EVERY)


@each
def test_it_is_the_next_version_with_one_more_entry(
    earlier: StoredRecord, after: StoredRecord
) -> None:
    assert after.version == earlier.version + 1
    assert after.trail[:-1] == earlier.trail
    assert first_broken(RECORD_ID, after.trail) is None
    assert (after.trail[-1].actor, after.record.updated_at) == ("eval", LATER_TEXT)


@each
def test_its_history_leads_back_to_what_was_before(
    earlier: StoredRecord, after: StoredRecord
) -> None:
    content = content_of(after.record)
    for delta in reversed(after.history[len(earlier.history) :]):
        content = content_before(content, delta)

    content["relations"] = tuple(content.get("relations", ()))
    assert content == {"relations": (), **content_of(earlier.record)}


@pytest.mark.parametrize(
    ("after", "successor", "action", "reason"), TAKEN_BACK.values(), ids=TAKEN_BACK
)
def test_what_is_taken_back_has_no_salience_from_now_on(
    after: StoredRecord, successor: str, action: str, reason: str
) -> None:
    assert state_of(after.record.payload) == RevisionState(
        superseded_by=successor, status=RevisionStatus.RETRACTED, since=LATER_TEXT
    )
    assert (after.anchor.salience, after.anchor.at_s) == (0.0, epoch_seconds(LATER.now))
    assert (after.trail[-1].action, after.trail[-1].rationale) == (action, reason)
    assert after.trail[-1].salience_before == pytest.approx(0.5)


def test_what_replaced_another_still_says_so_when_it_is_taken_back() -> None:
    stored = superseding_version(FADING, "rec-0", WHY, LATER)

    after = superseded_version(stored, "rec-2", WHY, LATER, POLICY)

    state = state_of(after.record.payload)
    assert (state.supersedes, state.superseded_by) == ("rec-0", "rec-2")


def test_what_is_taken_up_is_as_salient_as_a_new_record() -> None:
    after = reactivated_version(
        RETRACTED, RETRACTED.record, WHY, LATER, PolicyDefaults(initial_salience=0.8)
    )

    assert after.anchor.salience == 0.8
    assert state_of(after.record.payload).status is RevisionStatus.ACTIVE
    assert after.trail[-1].rationale == "no longer retracted: why"


OLD = replace(
    FADING, record=FADING.record.model_copy(update={"lifecycle": a_lifecycle(max_age_seconds=3600)})
)


@pytest.mark.parametrize(
    ("by_default", "told"),
    [
        (False, "no longer retracted, max_age_seconds 3600 -> 0: why"),
        (True, "no longer retracted, half_life_seconds 3600 -> 2592000"),
    ],
)
def test_what_has_outlived_its_max_age_is_taken_up_without_it(
    told: str, *, by_default: bool
) -> None:
    dead = retracted_version(OLD, WHY, a_making(salt="5b"), POLICY)

    after = reactivated_version(dead, dead.record, WHY, LATER, POLICY, by_default=by_default)

    assert after.trail[-1].salience_after == 1.0
    assert after.record.lifecycle.decay.max_age_seconds == 0
    assert after.trail[-1].rationale.startswith(told)


@pytest.mark.parametrize("by_default", [False, True])
def test_a_max_age_that_has_not_passed_stays(*, by_default: bool) -> None:
    dead = retracted_version(OLD, WHY, a_making(salt="5b"), POLICY)
    making = a_making(now=NOW + timedelta(seconds=3599), salt="6b")

    after = reactivated_version(dead, dead.record, WHY, making, POLICY, by_default=by_default)

    assert after.record.lifecycle == OLD.record.lifecycle
    assert after.trail[-1].rationale == "no longer retracted: why"


def test_a_fork_leaves_the_content_alone() -> None:
    after = forked_version(FADING, "rec-2", WHY, LATER)

    assert content_of(after.record) == content_of(FADING.record)
    assert after.history == ()
    assert after.trail[-1].rationale == "forked to rec-2: why"


@pytest.mark.parametrize(
    ("by", "evidence", "reason"),
    [("rec-2", "", "why"), (None, "", "why"), (None, "msg-7", "contested by msg-7: why")],
)
def test_a_contest_says_what_is_known_of_its_cause(
    by: str | None, evidence: str, reason: str
) -> None:
    after = contested_version(FADING, by, WHY, LATER, evidence=evidence)

    record = after.record
    assert [each.target_id for each in record.relations] == ([by] if by else [])
    added = record.provenance.sources[len(FADING.record.provenance.sources) :]
    assert [source.ref for source in added] == ([evidence] if evidence else [])
    assert after.trail[-1].rationale == reason
    assert after.anchor == FADING.anchor


def test_a_contest_that_is_open_goes_on() -> None:
    once = contested_version(FADING, "rec-2", WHY, a_making(salt="5b"))

    twice = contested_version(once, "rec-3", WHY, LATER)

    assert state_of(twice.record.payload) == state_of(once.record.payload)
    assert [each.target_id for each in twice.record.relations] == ["rec-2", "rec-3"]


def test_who_contests_again_is_named_once_and_as_of_the_last_time() -> None:
    once = contested_version(FADING, "rec-2", WHY, a_making(salt="5b"))
    twice = contested_version(once, "rec-3", WHY, a_making(salt="5c"))

    again = contested_version(twice, "rec-2", WHY, LATER)

    first, second = again.record.relations
    assert (first.target_id, first.created_at) == ("rec-2", LATER_TEXT)
    assert second == twice.record.relations[1]
    assert content_before(content_of(again.record), again.history[-1]) == content_of(twice.record)


def test_the_same_evidence_is_kept_once() -> None:
    once = contested_version(FADING, None, WHY, a_making(salt="5b"), evidence="msg-7")

    again = contested_version(once, None, WHY, LATER, evidence="msg-7")

    assert again.record.provenance == once.record.provenance
    assert again.trail[-1].rationale == "contested by msg-7: why"


def test_what_replaces_another_keeps_the_first_that_it_replaced() -> None:
    once = superseding_version(FADING, "rec-0", WHY, LATER)

    twice = superseding_version(once, "rec-7", WHY, LATER)

    assert state_of(twice.record.payload).supersedes == "rec-0"
    assert [each.target_id for each in twice.record.relations] == ["rec-0", "rec-7"]


def test_what_is_contested_stays_so_when_it_replaces_another() -> None:
    after = superseding_version(CONTESTED, "rec-0", WHY, LATER)

    assert state_of(after.record.payload).status is RevisionStatus.CONTESTED


@pytest.mark.parametrize(
    ("predicate", "target_id", "count"),
    [("cites", "rec-2", 1), ("cites", "rec-3", 2), ("quotes", "rec-2", 2)],
)
def test_a_relation_is_given_once(predicate: str, target_id: str, count: int) -> None:
    record: Any = with_relation(FADING.record, "cites", "rec-2", LATER)

    record = with_relation(record, predicate, target_id, LATER)

    assert len(record.relations) == count
    assert {each.weight for each in record.relations} == {1.0}
