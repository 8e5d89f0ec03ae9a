"""A plan for a fact goes into a larger transaction: a capture writes evidence and fact at once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.vocabulary import ConflictPolicy
from membrane.domain.records.evidence import MAX_EVIDENCE
from membrane.domain.records.history import content_before, content_of
from membrane.domain.records.states import is_contested, is_retracted
from membrane.usecases.ports.records import LostRace
from membrane.usecases.revision.plan_observation import plan_observation
from tests.builders.derived_facts import capture, derivation, evidence_in, write
from tests.builders.ingesting import ingest
from tests.builders.observations import CONTEST, REPLACE, Beliefs
from tests.builders.requests import call, event, observation, written


def test_a_plan_writes_nothing() -> None:
    beliefs = Beliefs()
    beliefs.made("tea")
    primary = written(ingest(event(), call(event()), beliefs.services))
    before = beliefs.records.everything()

    seen = derivation("coffee", primary, beliefs.services, REPLACE)
    plan = plan_observation(seen, call(observation()), beliefs.services)

    assert plan.created is not None
    assert plan.reinforced is None
    assert [is_retracted(after.record.payload) for _, after in plan.changed] == [True]
    assert len(plan.heads) == 1
    assert beliefs.records.everything() == before


def test_a_derived_fact_has_its_capture_as_evidence() -> None:
    beliefs = Beliefs()

    made = capture("tea", beliefs.services)

    fact = beliefs.now(made.fact_id).record
    assert evidence_in(fact) == [made.capture_id]
    assert beliefs.holders() == [{fact.id}]


@pytest.mark.parametrize("policy", ConflictPolicy)
def test_an_equal_fact_of_a_second_capture_is_the_first_with_more_evidence(
    policy: ConflictPolicy,
) -> None:
    beliefs = Beliefs()

    first = capture("tea", beliefs.services, on_conflict=policy)
    second = capture("tea", beliefs.services, on_conflict=policy)

    assert second.fact_id == first.fact_id
    assert beliefs.active() == ["tea"]
    fact = beliefs.now(first.fact_id).record
    assert evidence_in(fact) == [first.capture_id, second.capture_id]
    entry = fact.audit_log[-1]
    assert (entry.action, entry.actor, entry.rationale) == (
        "reinforce",
        "harness",
        "observed again",
    )


def test_the_evidence_of_a_reinforcement_is_a_change_in_the_history() -> None:
    beliefs = Beliefs()
    first = capture("tea", beliefs.services)
    before = content_of(beliefs.now(first.fact_id).record)

    capture("tea", beliefs.services)

    stored = beliefs.now(first.fact_id)
    assert [each.entry for each in stored.history] == [1]
    assert content_before(content_of(stored.record), stored.history[-1]) == before


def test_a_fact_that_an_agent_reported_gains_the_capture_as_evidence() -> None:
    beliefs = Beliefs()
    reported = beliefs.made("tea")

    made = capture("tea", beliefs.services)

    assert made.fact_id == reported.id
    assert evidence_in(beliefs.now(reported.id).record) == ["agent", made.capture_id]


def test_an_observation_without_evidence_leaves_the_evidence() -> None:
    beliefs = Beliefs(REPLACE)
    made = capture("tea", beliefs.services)

    beliefs.observe("tea")

    stored = beliefs.now(made.fact_id)
    assert evidence_in(stored.record) == [made.capture_id]
    assert stored.history == ()


def test_the_same_capture_is_evidence_once() -> None:
    beliefs = Beliefs()
    primary = written(ingest(event(), call(event()), beliefs.services))

    ids = set()
    for _ in range(2):
        seen = derivation("tea", primary, beliefs.services)
        plan = plan_observation(seen, call(observation()), beliefs.services)
        ids.add(write(plan, seen, beliefs.services))

    assert [evidence_in(beliefs.now(each).record) for each in ids] == [[primary.id]]


def test_of_more_evidence_than_a_fact_names_the_newest_stays() -> None:
    beliefs = Beliefs()

    made = [capture("tea", beliefs.services) for _ in range(MAX_EVIDENCE + 3)]

    named = evidence_in(beliefs.now(made[0].fact_id).record)
    assert named == [each.capture_id for each in made[3:]]


def test_a_contradiction_under_keep_stands_beside_the_known_fact() -> None:
    beliefs = Beliefs()

    capture("tea", beliefs.services)
    capture("coffee", beliefs.services)

    assert beliefs.active() == ["tea", "coffee"]


def test_a_contradiction_under_contest_contests_the_known_fact() -> None:
    beliefs = Beliefs()
    tea = beliefs.made("tea")

    capture("coffee", beliefs.services, on_conflict=CONTEST)

    assert is_contested(beliefs.now(tea.id).record.payload)


def test_too_many_rivals_are_thinned_out_while_planning() -> None:
    beliefs = Beliefs()
    for number in range(60):
        beliefs.made(number)

    capture("tea", beliefs.services, on_conflict=REPLACE)

    assert beliefs.active() == ["tea"]


def test_of_two_plans_for_equal_facts_the_second_to_be_written_loses() -> None:
    beliefs = Beliefs()
    primaries = [written(ingest(event(), call(event()), beliefs.services)) for _ in range(2)]
    several = [derivation("tea", each, beliefs.services) for each in primaries]
    plans = [plan_observation(each, call(observation()), beliefs.services) for each in several]

    write(plans[0], several[0], beliefs.services)
    with pytest.raises(LostRace):
        write(plans[1], several[1], beliefs.services)

    again = plan_observation(several[1], call(observation()), beliefs.services)
    assert again.created is None
    assert again.reinforced is not None


SAYINGS = st.tuples(st.sampled_from(["tea", "milk"]), st.sampled_from(ConflictPolicy))


@given(st.lists(SAYINGS, max_size=6))
def test_no_two_equal_facts_are_active_whatever_is_captured(
    several: list[tuple[str, ConflictPolicy]],
) -> None:
    beliefs = Beliefs()

    for value, policy in several:
        beliefs.clock.advance(seconds=1)
        capture(value, beliefs.services, on_conflict=policy)

    active = beliefs.active()
    assert len(active) == len(set(active))
