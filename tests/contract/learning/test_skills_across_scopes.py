"""Skills across scopes on every store: the scope first, then what several scopes leave over."""

import pytest

from membrane.domain.language.vocabulary import MemoryType, OutcomeStatus, Sensitivity
from membrane.domain.learning.counted_traces import unmatched_trace
from membrane.domain.lifecycle.requests import DeleteRecord, RestoreRecord
from membrane.domain.records.learning_mark import Stage
from membrane.domain.records.payloads import SemanticPayload
from membrane.usecases.learning.consolidate import consolidate_thread
from membrane.usecases.learning.consolidating_call import making_for
from membrane.usecases.learning.make_trace import MAX_STEPS
from membrane.usecases.ports.services import Services
from tests.builders.episodes import add_call, add_event, add_release, end, triple
from tests.builders.requests import change
from tests.worlds.captures import services_over
from tests.worlds.crossing import (
    consolidate_later,
    content_shown,
    crossing,
    learn_across,
    plan_of,
    release_for,
    release_in,
    scopes_of,
    sources_of,
    successes_of,
    within_scopes,
)
from tests.worlds.learned import stored
from tests.worlds.stores import Store


def test_like_traces_of_several_scopes_make_an_unscoped_skill_and_plan(store: Store) -> None:
    services = crossing(store)

    skill_id = learn_across(store, services, "a", "b")

    skill, plan = stored(skill_id, services), plan_of(skill_id, services)
    assert (skill.scope, plan.scope) == ("", "")
    assert scopes_of(sources_of(skill_id, services)) == ["a", "b"]
    assert scopes_of(sources_of(plan.id, services)) == ["a", "b"]
    assert skill.trail[0].rationale == "Learned from 2 traces of 2 scopes"
    assert skill.learning.is_across


def test_the_scopes_of_one_prefix_make_no_unscoped_skill_and_show_nothing_in_one(
    store: Store,
) -> None:
    services = crossing(store)
    for user in ("ann", "bob:1", "cat:2"):
        release_for("evilcmd", f"e:{user}", services)
    assert consolidate_later(store, services).skills == []

    release_in("t:dan", "of-dan", services=services)
    (skill_id,) = consolidate_later(store, services).skills

    assert "evilcmd" not in content_shown(skill_id, services)


def test_an_unscoped_skill_and_plan_show_nothing_that_one_scope_alone_has(store: Store) -> None:
    services = crossing(store)
    release_for("zedekiah", "a", services)
    release_for("obadiah", "b", services)
    (skill_id,) = consolidate_later(store, services).skills
    founded = content_shown(skill_id, services)
    release_for("habakkuk", "c", services)
    assert consolidate_later(store, services).grown == [skill_id]
    grown = content_shown(skill_id, services)

    for shown in (founded, grown):
        single = ("zedekiah", "obadiah", "habakkuk", "examples", "'task':")
        assert [each for each in single if each in shown] == []
        assert "{'const': 'unit'}" in shown
        assert "release parser version: run_tests" in shown
    assert successes_of(skill_id, services) == 3


def test_a_skill_of_a_scope_keeps_examples(store: Store) -> None:
    services = crossing(store)
    release_for("zedekiah", "a", services)
    release_for("obadiah", "a", services)

    (skill_id,) = consolidate_later(store, services).skills

    shown = content_shown(skill_id, services)
    assert shown.count("'examples': ['") == 4  # two arguments, in the skill and in the plan
    assert [each for each in ("zedekiah", "obadiah") if each not in shown] == []


def test_without_the_parameter_scopes_share_nothing(store: Store) -> None:
    services = services_over(store)
    release_in("a", "t-1", services=services)
    release_in("b", "t-2", services=services)

    done = consolidate_later(store, services)

    assert (done.skills, len(done.unmatched)) == ([], 2)
    for each in done.traces:
        assert stored(each, services).learning.lookups_across == ()


def test_a_scope_with_enough_traces_keeps_the_skill(store: Store) -> None:
    services = crossing(store)
    release_in("a", "t-1", "t-2", services=services)
    release_in("b", "t-3", services=services)

    done = consolidate_later(store, services)

    (skill_id,) = done.skills
    assert stored(skill_id, services).scope == "a"
    assert stored(skill_id, services).learning.lookups_across == ()
    assert scopes_of(sources_of(skill_id, services)) == ["a", "a"]
    assert [stored(each, services).scope for each in done.unmatched] == ["b"]


def test_a_trace_that_was_left_over_is_found_from_another_scope_later(store: Store) -> None:
    services = crossing(store)
    release_in("b", "t-1", services=services)
    assert len(consolidate_later(store, services).unmatched) == 1
    release_in("a", "t-2", services=services)

    (skill_id,) = consolidate_later(store, services).skills

    assert scopes_of(sources_of(skill_id, services)) == ["a", "b"]
    assert consolidate_later(store, services).skills == []


def test_a_trace_waits_for_the_comparison_with_its_own_scope(store: Store) -> None:
    services = crossing(store)
    release_in("b", "t-1", services=services)
    release_in("a", "t-2", services=services)
    consolidate_thread("b", "t-1", services)
    consolidate_thread("a", "t-2", services)
    release_in("b", "t-3", services=services)

    (skill_id,) = consolidate_later(store, services).skills

    assert scopes_of(sources_of(skill_id, services)) == ["b", "b"]


def test_the_end_of_a_thread_counts_in_the_skill_of_the_scope_first(store: Store) -> None:
    services = crossing(store)
    across = learn_across(store, services, "a", "b")
    release_in("c", "t-1", services=services)

    done = consolidate_thread("c", "t-1", services)

    assert done.grown == [across]
    assert successes_of(across, services) == 3
    assert stored(across, services).scope == ""
    assert stored(across, services).learning.is_across
    assert len(sources_of(plan_of(across, services).id, services)) == 3

    with_own = within_scopes(services)
    release_in("d", "t-2", "t-3", services=with_own)
    (own,) = consolidate_later(store, with_own).skills
    release_in("d", "t-4", services=services)

    assert consolidate_thread("d", "t-4", services).grown == [own]
    assert successes_of(across, services) == 3


@pytest.mark.parametrize("scope", ["a", "c", ""])
def test_after_the_parameter_is_off_the_unscoped_skill_stays_as_it_is(
    store: Store, scope: str
) -> None:
    services = crossing(store)
    skill_id = learn_across(store, services, "", "a")
    before = services.records.load(skill_id)
    release_in(scope, "t-1", services=services)
    release_in(scope, "t-2", services=within_scopes(services))

    done = consolidate_later(store, within_scopes(services))

    assert done.grown == []
    assert services.records.load(skill_id) == before


def test_unscoped_traces_are_a_scope_of_their_own(store: Store) -> None:
    services = crossing(store)
    release_in("", "t-1", "t-2", services=services)
    release_in("a", "t-3", services=services)

    done = consolidate_later(store, services)

    (skill_id,) = done.skills
    skill = stored(skill_id, services)
    assert (skill.scope, skill.learning.is_across) == ("", False)
    assert scopes_of(sources_of(skill_id, services)) == ["", ""]
    assert [stored(each, services).scope for each in done.unmatched] == ["a"]


def test_a_skill_across_scopes_is_as_sensitive_as_the_most_sensitive_trace(store: Store) -> None:
    services = crossing(store)
    add_release("t-1", "1.2", services, scope="a", sensitivity=Sensitivity.LOW)
    add_release("t-2", "1.3", services, scope="b", sensitivity=Sensitivity.MEDIUM)
    (skill_id,) = consolidate_later(store, services).skills
    add_release("t-3", "1.4", services, scope="c", sensitivity=Sensitivity.LOW)

    done = consolidate_later(store, services)

    assert stored(skill_id, services).sensitivity is Sensitivity.MEDIUM
    assert (done.grown, len(done.unmatched)) == ([], 1)


def test_a_failure_of_another_scope_founds_nothing_and_counts_beside_successes(
    store: Store,
) -> None:
    services = crossing(store)
    add_release("t-1", "1.2", services, scope="a")
    add_release("t-2", "1.3", services, OutcomeStatus.FAILURE, scope="b")
    assert consolidate_later(store, services).skills == []
    add_release("t-3", "1.4", services, scope="c")

    (skill_id,) = consolidate_later(store, services).skills

    assert scopes_of(sources_of(skill_id, services)) == ["a", "b", "c"]


def test_facts_stay_in_the_scope_of_the_trace(store: Store) -> None:
    services = crossing(store)
    for scope in ("a", "b"):
        owner = triple("parser", f"Ada of {scope}")
        add_event(f"of-{scope}", "Look up the owner of the parser", services, scope=scope)
        found = add_call(f"of-{scope}", "owners", {"path": "p"}, [owner], services, scope=scope)
        end(found.id, services)

    done = consolidate_later(store, services)

    facts = [stored(each, services) for each in dict.fromkeys(done.facts)]
    stated = {(each.scope, each.record.payload.object) for each in facts if _is_fact(each.type)}  # type: ignore[union-attr]  # facts alone
    assert stated == {("a", "Ada of a"), ("b", "Ada of b")}
    assert len(done.skills) == 1
    for each in facts:
        payload = each.record.payload
        assert isinstance(payload, SemanticPayload)
        assert {stored(ref.source_id, services).scope for ref in payload.evidence} == {each.scope}


def _is_fact(memory_type: MemoryType) -> bool:
    return memory_type is MemoryType.SEMANTIC


def test_a_skill_that_a_scope_has_dismissed_comes_not_back_unscoped(store: Store) -> None:
    services = crossing(store)
    release_in("a", "t-1", "t-2", services=services)
    (dismissed,) = consolidate_later(store, services).skills
    change(DeleteRecord(id=dismissed, rationale="wrong"), services)
    release_in("a", "t-3", services=services)
    assert len(consolidate_later(store, services).unmatched) == 1
    release_in("b", "t-4", services=services)

    done = consolidate_later(store, services)

    assert (done.skills, done.grown) == ([], [])


def dismiss_own_skill(scope: str, store: Store, services: Services) -> str:
    """The id of a skill of the scope that a caller has deleted."""
    release_in(scope, f"first-of-{scope}", f"second-of-{scope}", services=services)
    (skill_id,) = consolidate_later(store, services).skills
    change(DeleteRecord(id=skill_id, rationale="wrong"), services)
    return skill_id


def test_a_trace_that_a_dismissed_skill_keeps_back_is_no_longer_found_across(
    store: Store,
) -> None:
    services = crossing(store)
    dismissed = dismiss_own_skill("a", store, services)
    release_in("a", "t-1", services=services)
    (trace_id,) = consolidate_later(store, services).unmatched
    kept_back = stored(trace_id, services).learning
    change(RestoreRecord(id=dismissed), services)
    release_in("b", "t-2", services=services)

    done = consolidate_later(store, services)

    assert (done.skills, done.grown) == ([], [])
    assert kept_back.lookups_across == ()
    assert len(kept_back.lookups_within) == 3


def test_many_traces_are_kept_back_at_once(table: Store) -> None:
    services = crossing(table)
    dismiss_own_skill("a", table, services)
    release_in("a", *(f"t-{number}" for number in range(24)), services=services)

    done = consolidate_later(table, services)

    assert len(done.unmatched) == 24
    assert not any(stored(each, services).learning.lookups_across for each in done.unmatched)


@pytest.mark.parametrize("first", ["a", "b"])
def test_a_trace_kept_back_in_a_run_is_not_found_by_the_next_scope_of_the_run(
    store: Store, first: str
) -> None:
    services = crossing(store)
    dismiss_own_skill(first, store, services)
    for scope in ("a", "b"):
        release_in(scope, f"of-{scope}", services=services)

    done = consolidate_later(store, services)

    assert (done.skills, len(done.unmatched)) == ([], 2)


def test_a_dismissed_skill_across_scopes_comes_not_back_but_in_a_scope(store: Store) -> None:
    services = crossing(store)
    dismissed = learn_across(store, services, "a", "b")
    change(DeleteRecord(id=dismissed, rationale="wrong"), services)
    release_in("c", "t-3", services=services)
    release_in("d", "t-4", services=services)
    assert consolidate_later(store, services).skills == []
    release_in("d", "t-5", services=services)

    (skill_id,) = consolidate_later(store, services).skills

    assert scopes_of(sources_of(skill_id, services)) == ["d", "d"]


def test_the_tags_are_those_of_all_traces(store: Store) -> None:
    services = crossing(store)
    for scope in ("a", "b"):
        add_release(f"of-{scope}", "1.2", services, scope=scope, tags=("release", f"of-{scope}"))

    (skill_id,) = consolidate_later(store, services).skills

    assert stored(skill_id, services).record.tags == ("release",)


def test_a_fence_around_one_scope_holds_the_skill_back(store: Store) -> None:
    services = crossing(store)
    release_in("a", "t-1", services=services)
    assert len(consolidate_later(store, services).unmatched) == 1
    release_in("b", "t-2", services=services)
    store.clock.advance(hours=1)
    services.fences.put("a", "erasure")

    done = consolidate_thread("b", "t-2", services)

    (trace_id,) = done.traces
    assert stored(trace_id, services).learning.awaits is Stage.TRACE


def test_the_longest_trace_fits_in_a_transaction(table: Store) -> None:
    services = crossing(table)
    for number in range(MAX_STEPS):
        add_call("t-1", f"poll_{number}", {"n": number}, "ok", services, scope="a")

    (trace_id,) = consolidate_later(table, services).traces

    assert len(stored(trace_id, services).learning.lookups_across) == 3


def test_a_failure_founds_no_skill_for_the_successes_of_another_scope(store: Store) -> None:
    services = crossing(store)
    for thread in ("t-1", "t-2"):
        release_in("b", thread, services=services)
        (trace_id,) = consolidate_thread("b", thread, services).traces
        trace = stored(trace_id, services)  # as a run that was killed leaves it
        store.records.replace(trace, unmatched_trace(trace, making_for(trace_id, services)))
    add_release("t-3", "1.4", services, OutcomeStatus.FAILURE, scope="a")

    done = consolidate_later(store, services)

    assert (done.skills, len(done.unmatched)) == ([], 1)
