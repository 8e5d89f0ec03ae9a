"""What becomes of an observation that says of a fact what is known, or something else."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from membrane.domain.access.principals import principal_of
from membrane.domain.language.errors import AlreadyExists, InvalidArgument, PermissionDenied
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import (
    ConflictPolicy,
    RevisionStatus,
    Sensitivity,
    ValidityMode,
)
from membrane.domain.records.payloads import SemanticPayload, Validity
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.states import is_retracted, state_of
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.successors import MAX_SOURCES
from membrane.usecases.machinery.calls import Gone
from tests.builders.ingesting import ingest
from tests.builders.observations import CONTEST, FORK, REPLACE, Beliefs
from tests.builders.requests import ALPHA, call, observation, refused
from tests.worlds.faults import Killed, before_writes, mortal, win_unheard

WATCHER = principal_of("watcher", ["ingest"], ["*"], "low")
"""May tell what it sees, and no more."""


def relations_of(record: MemoryRecord) -> list[tuple[str, str]]:
    """Predicate and target of each."""
    return [(each.predicate, each.target_id) for each in record.relations]


def test_by_default_facts_that_conflict_stand_side_by_side_and_no_head_is_read() -> None:
    beliefs = Beliefs()

    beliefs.made("tea")
    beliefs.made("coffee")
    beliefs.made("coffee")

    assert beliefs.active() == ["tea", "coffee", "coffee"]
    assert beliefs.records.heads == []


def test_the_first_observation_of_a_fact_is_made_and_takes_its_place() -> None:
    beliefs = Beliefs(REPLACE)

    record = beliefs.made("tea")

    assert record.relations == ()
    assert state_of(record.payload).status is None
    assert record.audit_log[0].rationale == "Ingested observation from agent"
    assert beliefs.holders() == [{record.id}]


def test_another_object_replaces_the_active_fact_and_both_name_each_other() -> None:
    beliefs = Beliefs(REPLACE)
    old = beliefs.made("tea")

    new = beliefs.made("coffee", source="survey")

    before = beliefs.now(old.id).record
    assert (state_of(before.payload).superseded_by, before.salience) == (new.id, 0.0)
    assert state_of(before.payload).status is RevisionStatus.RETRACTED
    assert (before.audit_log[-1].actor, before.audit_log[-1].rationale) == (
        "survey",
        f"superseded by {new.id}: observed otherwise",
    )
    assert state_of(new.payload).supersedes == old.id
    assert state_of(new.payload).status is RevisionStatus.ACTIVE
    assert relations_of(new) == [("supersedes", old.id)]
    assert [each.ref for each in new.provenance.sources] == ["survey", old.id]
    assert beliefs.holders() == [{new.id}]
    stored = beliefs.records.load(new.id)
    assert isinstance(stored, StoredRecord)
    assert stored.with_newest_entries() == new


def test_one_observation_replaces_all_the_facts_that_it_conflicts_with() -> None:
    beliefs = Beliefs()
    several = [beliefs.made(value).id for value in ("tea", "milk", "water")]
    beliefs.switch(REPLACE)

    new = beliefs.made("coffee")

    assert beliefs.active() == ["coffee"]
    assert state_of(new.payload).supersedes == several[0]
    assert relations_of(new) == [("supersedes", each) for each in several]
    for each in several:
        assert state_of(beliefs.now(each).record.payload).superseded_by == new.id


@pytest.mark.parametrize("policy", [REPLACE, FORK, CONTEST])
def test_the_same_object_reinforces_the_fact_that_is_there(policy: ConflictPolicy) -> None:
    beliefs = Beliefs(policy)
    known = beliefs.made({"hot": True, "sweet": [1, None]})
    beliefs.clock.advance(days=30)

    result = beliefs.observe({"sweet": [1, None], "hot": True}, source="survey")

    assert (result.record.id, result.reinforced, result.replayed) == (known.id, True, False)
    assert result.record.salience == pytest.approx(0.7, abs=1e-6)
    entry = result.record.audit_log[-1]
    assert (entry.action, entry.actor, entry.rationale) == (
        "reinforce",
        "survey",
        "observed again",
    )
    assert list(beliefs.records.places) == [known.id]


def test_a_fact_that_is_observed_again_replaces_those_that_say_otherwise() -> None:
    beliefs = Beliefs()
    tea, milk, water = (beliefs.made(value).id for value in ("tea", "milk", "water"))
    beliefs.switch(REPLACE)

    result = beliefs.observe("milk")

    assert (result.record.id, result.reinforced) == (milk, True)
    assert beliefs.active() == ["milk"]
    assert relations_of(result.record) == [("supersedes", tea), ("supersedes", water)]
    assert state_of(result.record.payload).supersedes == tea
    for each in (tea, water):
        assert state_of(beliefs.now(each).record.payload).superseded_by == milk
    assert beliefs.now(milk).with_newest_entries().model_dump(exclude={"salience"}) == (
        result.record.model_dump(exclude={"salience"})
    )


def test_a_fork_stands_beside_the_fact_that_it_varies() -> None:
    beliefs = Beliefs(FORK)
    tea = beliefs.made("tea", sensitivity="medium")

    coffee = beliefs.made("coffee")

    assert beliefs.active() == ["tea", "coffee"]
    assert relations_of(coffee) == [("derived_from", tea.id)]
    assert coffee.sensitivity is Sensitivity.MEDIUM
    assert beliefs.now(tea.id).record.audit_log[-1].action == "fork"
    assert beliefs.holders() == [{tea.id, coffee.id}]


def test_a_contesting_observation_stands_and_contests_the_facts_against_it() -> None:
    beliefs = Beliefs(CONTEST)
    tea = beliefs.made("tea")

    coffee = beliefs.made("coffee")

    assert beliefs.status(coffee.id) is None
    contested = beliefs.now(tea.id).record
    assert beliefs.status(tea.id) is RevisionStatus.CONTESTED
    assert relations_of(contested) == [("contested_by", coffee.id)]
    assert contested.audit_log[-1].rationale == f"contested by {coffee.id}: observed otherwise"
    assert beliefs.holders() == [{tea.id, coffee.id}]


def test_a_contested_fact_still_stands_and_can_be_replaced() -> None:
    beliefs = Beliefs(CONTEST)
    tea = beliefs.made("tea")
    beliefs.made("coffee")

    beliefs.switch(REPLACE)
    water = beliefs.made("water")

    assert beliefs.active() == ["water"]
    assert ("supersedes", tea.id) in relations_of(water)


@pytest.mark.parametrize("policy", [REPLACE, FORK, CONTEST])
@pytest.mark.parametrize(
    "apart",
    [
        {"scope": "project:beta"},
        {"subject": "guest"},
        {"predicate": "drinks"},
        {"conditions": {"time": "morning"}},
        {"start": "2026-01-01T00:00:00Z"},
    ],
    ids=lambda apart: next(iter(apart)),
)
def test_facts_apart_do_not_conflict(policy: ConflictPolicy, apart: dict[str, Any]) -> None:
    beliefs = Beliefs(policy)
    tea = beliefs.made("tea", end="2026-01-01T00:00:00Z")

    other = beliefs.made("coffee", **{"end": "2027-01-01T00:00:00Z", **apart})

    assert beliefs.active() == ["tea", "coffee"]
    assert (other.relations, beliefs.now(tea.id).version) == ((), 1)


def test_facts_conflict_under_the_same_conditions_however_they_are_spelled() -> None:
    beliefs = Beliefs(REPLACE)
    beliefs.made("tea", conditions={"day": 1, "time": "morning"})

    beliefs.made("coffee", conditions={"time": "morning", "day": 1.0})

    assert beliefs.active() == ["coffee"]


def test_an_observation_that_holds_for_longer_is_not_the_one_that_is_known() -> None:
    beliefs = Beliefs(REPLACE)
    year = beliefs.made("tea", start="2026-01-01T00:00:00Z", end="2027-01-01T00:00:00Z")

    within = beliefs.observe("tea", start="2026-02-01T00:00:00Z", end="2026-03-01T00:00:00Z")
    longer = beliefs.made("tea", start="2026-01-01T00:00:00Z")

    assert (within.record.id, within.reinforced) == (year.id, True)
    assert relations_of(longer) == [("supersedes", year.id)]
    assert beliefs.active() == ["tea"]


def test_what_replaces_a_fact_is_at_least_as_sensitive() -> None:
    beliefs = Beliefs(REPLACE)
    beliefs.made("tea", sensitivity="high")

    new = beliefs.made("coffee", sensitivity="low")

    assert new.sensitivity is Sensitivity.HIGH


@pytest.mark.parametrize("policy", [REPLACE, FORK, CONTEST])
def test_a_fact_above_the_callers_ceiling_neither_counts_nor_is_told_of(
    policy: ConflictPolicy,
) -> None:
    beliefs = Beliefs(policy)
    secret = beliefs.made("tea", sensitivity="high")

    same, other = beliefs.made("tea", WATCHER), beliefs.observe("coffee", WATCHER).record

    assert secret.id not in {each.target_id for each in (*same.relations, *other.relations)}
    assert other.sensitivity is Sensitivity.LOW
    assert beliefs.now(secret.id).version == 1
    assert secret.id in beliefs.holders()[0]


def test_whoever_may_not_revise_has_the_policy_of_the_setting() -> None:
    beliefs = Beliefs(REPLACE)
    beliefs.made("tea", WATCHER)

    with refused(beliefs.records, PermissionDenied, "the permission revise is required"):
        beliefs.observe("coffee", WATCHER, on_conflict="keep")
    beliefs.made("coffee", WATCHER, on_conflict="replace")

    assert beliefs.active() == ["coffee"]


def test_a_request_may_say_otherwise_than_the_setting() -> None:
    beliefs = Beliefs(REPLACE)
    tea = beliefs.made("tea")

    beside = beliefs.made("coffee", on_conflict="keep")

    assert beliefs.active() == ["tea", "coffee"]
    assert beliefs.holders() == [{tea.id, beside.id}]


def test_a_request_that_replaces_finds_what_was_ingested_without_a_head() -> None:
    beliefs = Beliefs()
    beliefs.made("tea")
    beliefs.made("coffee", on_conflict="replace")
    beliefs.made("milk")

    beliefs.made("water", on_conflict="replace")

    assert beliefs.active() == ["water"]


def crowded(several: Sequence[Any], **fields: Any) -> Beliefs:
    """A world in which all of these stand side by side, and from now on replace each other."""
    beliefs = Beliefs()
    for each in several:
        beliefs.made(each, **fields)
    beliefs.switch(REPLACE)
    return beliefs


def require_links(beliefs: Beliefs) -> None:
    """Whatever was retracted is named by its successor, and none names more than a write holds."""
    for each in list(beliefs.records.places):
        record = beliefs.now(each).record
        assert len(record.relations) <= MAX_SOURCES
        if is_retracted(record.payload):
            successor = beliefs.now(state_of(record.payload).superseded_by).record
            assert ("supersedes", each) in relations_of(successor)


@pytest.mark.parametrize("said", ["coffee", 70])
def test_facts_that_are_too_many_for_one_write_replace_each_other_first(said: Any) -> None:
    beliefs = crowded(range(150))

    result = beliefs.observe(said)

    assert beliefs.active() == [said]
    assert result.reinforced is (said == 70)
    assert len(beliefs.records.places) == (150 if result.reinforced else 151)
    require_links(beliefs)


def test_a_fact_that_was_told_often_is_one_where_facts_replace_each_other() -> None:
    beliefs = crowded(["tea"] * 150)

    result = beliefs.observe("tea")

    assert result.reinforced
    assert beliefs.active() == ["tea"]
    require_links(beliefs)


def test_what_says_the_same_at_other_times_stays() -> None:
    beliefs = Beliefs()
    early = beliefs.made("tea", end="2026-06-01T00:00:00Z").id
    late = beliefs.made("tea", start="2026-02-01T00:00:00Z").id
    beliefs.made("tea", end="2026-05-01T00:00:00Z")
    beliefs.switch(REPLACE)

    result = beliefs.observe("tea", start="2026-03-01T00:00:00Z", end="2026-04-01T00:00:00Z")

    assert result.record.id == early
    assert beliefs.status(late) is None
    assert beliefs.active() == ["tea", "tea"]


def test_of_several_that_say_the_same_the_one_that_holds_for_the_longest_is_reinforced() -> None:
    beliefs = Beliefs()
    beliefs.made("tea", end="2026-06-01T00:00:00Z")
    always = beliefs.made("tea").id
    beliefs.switch(REPLACE)

    result = beliefs.observe("tea", end="2026-05-01T00:00:00Z")

    assert result.record.id == always
    assert beliefs.active() == ["tea"]


def test_facts_that_replace_each_other_first_are_of_one_sensitivity() -> None:
    beliefs = crowded(range(40))
    secret = beliefs.made("tea", sensitivity="high", on_conflict="keep").id

    coffee = beliefs.observe("coffee").record

    assert beliefs.active() == ["coffee"]
    assert coffee.sensitivity is Sensitivity.HIGH
    assert state_of(beliefs.now(secret).record.payload).superseded_by == coffee.id


@pytest.mark.parametrize("writes", [0, 1, 3])
def test_what_is_killed_between_its_writes_is_finished_by_a_retry(writes: int) -> None:
    beliefs = crowded(range(150))
    beliefs.switch(REPLACE)
    life = mortal(beliefs.records.client, writes)

    with pytest.raises(Killed):
        beliefs.observe("coffee", key="k")
    require_links(beliefs)
    left = len(beliefs.active())
    life.writes_left = 1_000
    result = beliefs.observe("coffee", key="k")

    assert left == 150 - writes * MAX_SOURCES
    assert (result.reinforced, result.replayed) == (False, False)
    assert beliefs.active() == ["coffee"]
    require_links(beliefs)


def test_a_repeat_replaces_nothing_however_much_came_since() -> None:
    beliefs = Beliefs()
    first = beliefs.observe("tea", key="k", on_conflict="replace")
    for number in range(40):
        beliefs.made(number)
    before = beliefs.records.everything()

    repeat = beliefs.observe("tea", key="k", on_conflict="replace")

    assert (repeat.record.id, repeat.replayed) == (first.record.id, True)
    assert beliefs.records.everything() == before


def test_of_more_conflicts_than_one_write_holds_the_newest_are_contested() -> None:
    beliefs = crowded(range(40))
    made = list(beliefs.records.places)

    coffee = beliefs.made("coffee", on_conflict="contest")
    water = beliefs.made("water", on_conflict="fork")

    contested = [each for each in made if beliefs.status(each) is RevisionStatus.CONTESTED]
    assert contested == made[-MAX_SOURCES:]
    assert relations_of(water) == [("derived_from", made[0])]
    assert len(beliefs.active()) == 42
    assert coffee.id in beliefs.holders()[0]


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (REPLACE, "superseded: observed otherwise"),
        (FORK, "forked: observed otherwise"),
        (CONTEST, "contested: observed otherwise"),
    ],
)
def test_the_audit_of_a_fact_does_not_name_one_that_is_more_sensitive(
    policy: ConflictPolicy, words: str
) -> None:
    beliefs = Beliefs(policy)
    tea = beliefs.made("tea", sensitivity="low")

    secret = beliefs.made("coffee", sensitivity="high")

    assert beliefs.now(tea.id).record.audit_log[-1].rationale == words
    if policy is REPLACE:
        assert state_of(beliefs.now(tea.id).record.payload).superseded_by == secret.id


def test_a_fact_that_is_observed_again_does_not_tell_of_a_more_sensitive_one() -> None:
    beliefs = Beliefs()
    tea = beliefs.made("tea", sensitivity="low")
    secret = beliefs.made("coffee", sensitivity="high")
    beliefs.switch(REPLACE)

    again = beliefs.observe("tea").record

    assert again.audit_log[-1].rationale == "supersedes another: observed again"
    assert beliefs.now(secret.id).record.audit_log[-1].rationale == (
        f"superseded by {tea.id}: observed again"
    )


def test_thirty_conflicts_are_not_too_many() -> None:
    beliefs = Beliefs()
    for number in range(30):
        beliefs.made(number)
    beliefs.switch(REPLACE)

    beliefs.made("coffee")

    assert beliefs.active() == ["coffee"]


@pytest.mark.parametrize("policy", [REPLACE, FORK, CONTEST])
def test_a_repeat_under_the_same_key_changes_nothing_more(policy: ConflictPolicy) -> None:
    beliefs = Beliefs(policy)
    tea = beliefs.observe("tea", key="first")
    coffee = beliefs.observe("coffee", key="second")
    again = beliefs.observe("coffee", key="third")
    after = beliefs.records.everything()

    repeats = [
        beliefs.observe(value, key=key)
        for value, key in (("tea", "first"), ("coffee", "second"), ("coffee", "third"))
    ]

    assert again.record.id == coffee.record.id
    assert [each.record.id for each in repeats] == [tea.record.id, *[coffee.record.id] * 2]
    assert all(each.replayed for each in repeats)
    assert beliefs.records.everything() == after


def test_a_key_that_reinforced_is_not_to_be_used_with_another_request() -> None:
    beliefs = Beliefs(REPLACE)
    beliefs.made("tea")
    beliefs.observe("tea", key="k")

    with refused(beliefs.records, AlreadyExists, "used before with another request"):
        beliefs.observe("milk", key="k")


@pytest.mark.parametrize("key", [None, "k"])
@pytest.mark.parametrize("policy", [REPLACE, FORK, CONTEST])
def test_a_write_whose_reply_is_lost_is_not_done_twice(
    policy: ConflictPolicy, key: str | None
) -> None:
    beliefs = Beliefs(policy)
    beliefs.made("tea")
    won = win_unheard(beliefs.records.client)

    made = beliefs.observe("coffee", key=key)

    assert won
    assert (made.reinforced, made.replayed) == (False, False)
    assert len(beliefs.records.ids) == 2


@pytest.mark.parametrize("key", [None, "k"])
def test_a_reinforcement_whose_reply_is_lost_is_not_done_twice(key: str | None) -> None:
    beliefs = Beliefs(REPLACE)
    tea = beliefs.made("tea")
    won = win_unheard(beliefs.records.client)

    result = beliefs.observe("tea", key=key)

    assert won
    assert (result.record.id, result.reinforced, result.replayed) == (tea.id, True, False)
    assert [each.action for each in beliefs.now(tea.id).trail] == ["create", "reinforce"]


def test_what_was_deleted_since_is_answered_as_gone() -> None:
    beliefs = Beliefs(REPLACE)
    beliefs.made("tea")
    beliefs.observe("tea", key="k")
    known = next(iter(beliefs.records.places))
    beliefs.delete(known)

    asked = observation(object="tea")
    result = ingest(asked, call(asked, key="k"), beliefs.services)

    assert isinstance(result, Gone)


def test_a_deleted_fact_is_in_nobodys_way() -> None:
    beliefs = Beliefs(REPLACE)
    tea = beliefs.made("tea")
    beliefs.delete(tea.id)

    coffee = beliefs.made("coffee")

    assert coffee.relations == ()
    assert beliefs.holders() == [{coffee.id}]


def test_the_new_record_keeps_its_id_and_time_over_all_tries() -> None:
    beliefs = Beliefs(REPLACE)
    beliefs.made("tea")
    rivals = ["milk", "water"]
    before_writes(beliefs.records.client, lambda: rivals and beliefs.observe(rivals.pop(0)))

    coffee = beliefs.observe("coffee").record

    assert beliefs.active() == ["coffee"]
    assert coffee.created_at == coffee.audit_log[0].timestamp
    milk, water = (
        each.record
        for each in beliefs.records.places.values()
        if isinstance(each, StoredRecord)
        and isinstance(each.record.payload, SemanticPayload)
        and each.record.payload.object in ("milk", "water")
    )
    assert state_of(milk.payload).superseded_by == water.id
    assert state_of(water.payload).superseded_by == coffee.id
    assert [each.timestamp for each in water.audit_log] == sorted(
        each.timestamp for each in water.audit_log
    )


def test_large_objects_are_compared_by_their_values() -> None:
    beliefs = Beliefs(REPLACE)
    large = {"text": "x" * 200_000, "more": [1, 2]}
    known = beliefs.made(large)

    again = beliefs.observe({"more": [1, 2], "text": "x" * 200_000})
    other = beliefs.made({"more": [1, 3], "text": "x" * 200_000})

    payload = beliefs.now(known.id).record.payload
    assert isinstance(payload, SemanticPayload)
    assert isinstance(payload.object, LargeValue)
    assert (again.record.id, again.reinforced) == (known.id, True)
    assert relations_of(other) == [("supersedes", known.id)]


def test_an_upload_is_compared_by_its_value_however_it_is_spelled() -> None:
    beliefs = Beliefs(REPLACE)
    known = beliefs.made({"text": "x" * 200_000, "more": 1})
    spelled = json.dumps({"more": 1, "text": "x" * 200_000}, indent=4).encode()

    again = beliefs.observe({"$upload": beliefs.uploaded(spelled)})
    repeat = beliefs.observe({"$upload": beliefs.uploaded(b'{"more": 2}')})

    assert (again.record.id, again.reinforced) == (known.id, True)
    assert not repeat.reinforced
    assert beliefs.active() == [{"more": 2}]


def test_conditions_may_be_large() -> None:
    beliefs = Beliefs(REPLACE)
    conditions = {"text": "x" * 200_000}
    beliefs.made("tea", conditions=conditions)

    beliefs.made("coffee", conditions=conditions)
    uploaded = beliefs.uploaded(json.dumps(conditions, indent=1).encode())
    beliefs.made("milk", conditions={"$upload": uploaded})
    beliefs.made("water", conditions={"text": "y" * 200_000})

    assert beliefs.active() == ["milk", "water"]


@pytest.mark.parametrize(
    ("given", "validity"),
    [
        ({}, Validity(mode=ValidityMode.GLOBAL)),
        ({"conditions": {}}, Validity(mode=ValidityMode.GLOBAL)),
        ({"start": "0001-01-01T00:00:00Z"}, Validity(mode=ValidityMode.GLOBAL)),
        ({"conditions": {"a": 1}}, Validity(mode=ValidityMode.CONDITIONAL, conditions={"a": 1})),
        (
            {"end": "2026-01-01T00:00:00Z"},
            Validity(mode=ValidityMode.TIMEBOXED, end="2026-01-01T00:00:00Z"),
        ),
        (
            {"conditions": {"a": 1}, "start": "2026-01-01T01:00:00+01:00"},
            Validity(
                mode=ValidityMode.CONDITIONAL, conditions={"a": 1}, start="2026-01-01T00:00:00Z"
            ),
        ),
    ],
)
def test_a_fact_holds_under_the_conditions_and_in_the_window_that_were_reported(
    given: dict[str, Any], validity: Validity
) -> None:
    record = Beliefs().made("tea", **given)

    assert isinstance(record.payload, SemanticPayload)
    assert record.payload.validity == validity


def test_a_window_that_ends_before_it_begins_is_refused() -> None:
    beliefs = Beliefs()

    with refused(beliefs.records, InvalidArgument, "end must be after start"):
        beliefs.observe("tea", start="2026-01-02T00:00:00Z", end="2026-01-01T00:00:00Z")


def test_a_principal_of_one_scope_replaces_there_alone() -> None:
    beliefs = Beliefs(REPLACE)
    beliefs.made("tea", scope="project:beta")
    beliefs.made("milk", ALPHA)

    beliefs.made("coffee", ALPHA)

    assert beliefs.active() == ["tea", "coffee"]
