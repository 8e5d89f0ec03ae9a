"""A request makes a skill across scopes only for a key that may write every scope."""

from typing import Any

import pytest

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.language.json_text import Body
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.domain.learning.requests import Consolidate
from membrane.domain.records.learning_mark import Stage
from membrane.usecases.learning.consolidate import consolidate_thread
from membrane.usecases.learning.consolidate_by_request import consolidate
from membrane.usecases.ports.services import Services
from tests.builders.episodes import add_release
from tests.builders.requests import OWNER, call
from tests.worlds.crossing import (
    consolidate_later,
    crossing,
    learn_across,
    release_in,
    scopes_of,
    sources_of,
)
from tests.worlds.learned import stored
from tests.worlds.stores import Store

OF_TWO = principal_of("of-two", Permission, ["a", "b"], "hyper")
LOW = principal_of("low", Permission, ["*"], "low")
LISTS = ("traces", "skills", "plans", "grown", "unmatched")


def consolidated(services: Services, scope: str, principal: Principal, **asked: Any) -> Body:
    request = Consolidate(scope=scope, **{"dry_run": False, "quiet_minutes": 0, **asked})
    return consolidate(request, call(request, principal), services).body


def test_a_key_of_two_scopes_leaves_their_like_traces_to_the_schedule(store: Store) -> None:
    services = crossing(store)
    release_in("a", "t-1", services=services)
    release_in("b", "t-2", services=services)

    for scope in ("a", "b", "a"):
        done = consolidated(services, scope, OF_TWO)
        assert (done["skills"], len(done["unmatched"])) == ([], 1)
        (trace,) = done["unmatched"]
        assert stored(trace["id"], services).learning.awaits is Stage.TRACE

    (skill_id,) = consolidate_later(store, services).skills
    assert scopes_of(sources_of(skill_id, services)) == ["a", "b"]


def test_a_key_of_two_scopes_founds_nothing_with_a_trace_that_waits_no_longer(store: Store) -> None:
    services = crossing(store)
    release_in("a", "t-1", services=services)
    consolidate_later(store, services)
    release_in("b", "t-2", services=services)

    assert consolidated(services, "b", OF_TWO, dry_run=True)["skills"] == []
    assert consolidated(services, "b", OF_TWO)["skills"] == []

    assert len(consolidate_later(store, services).skills) == 1


def test_a_key_of_one_scope_grows_no_unscoped_skill(store: Store) -> None:
    services = crossing(store)
    skill_id = learn_across(store, services, "b", "c")
    before = services.records.load(skill_id)
    release_in("a", "t-1", services=services)

    done = consolidated(services, "a", OF_TWO)

    assert (done["grown"], len(done["unmatched"])) == ([], 1)
    assert services.records.load(skill_id) == before
    assert consolidate_later(store, services).grown == [skill_id]


@pytest.mark.parametrize("principal", [OWNER, LOW])
def test_a_key_for_all_scopes_founds_and_grows_unscoped_skills(
    store: Store, principal: Principal
) -> None:
    services = crossing(store)
    release_in("a", "t-1", services=services)
    consolidate_later(store, services)
    release_in("b", "t-2", services=services)

    shown = consolidated(services, "b", principal, dry_run=True)
    founded = consolidated(services, "b", principal)
    release_in("c", "t-3", services=services)
    grown = consolidated(services, "c", principal)

    assert {each: shown[each] for each in LISTS} == {each: founded[each] for each in LISTS}
    (skill,) = founded["skills"]
    assert skill["why"] == "Learned from 2 traces of 2 scopes"
    assert len(founded["plans"]) == 1
    assert [each["id"] for each in grown["grown"]] == [skill["id"]]


def test_a_dry_run_across_scopes_changes_no_item_of_the_table(table: Store) -> None:
    services = crossing(table)
    release_in("a", "t-1", services=services)
    consolidate_later(table, services)
    release_in("b", "t-2", services=services)
    before = table.everything()

    assert len(consolidated(services, "b", OWNER, dry_run=True)["skills"]) == 1

    assert table.everything() == before


def test_a_trace_that_waits_in_another_scope_is_left_to_its_own_scope(store: Store) -> None:
    services = crossing(store)
    release_in("a", "t-1", services=services)
    consolidate_thread("a", "t-1", services)
    release_in("b", "t-2", services=services)

    assert consolidated(services, "b", OWNER)["skills"] == []
    (skill,) = consolidated(services, "a", OWNER)["skills"]

    assert stored(skill["id"], services).scope == ""


def test_a_trace_above_the_ceiling_founds_nothing(store: Store) -> None:
    services = crossing(store)
    add_release("t-1", "1.2", services, scope="a", sensitivity=Sensitivity.MEDIUM)
    consolidate_later(store, services)
    release_in("b", "t-2", services=services)

    done = consolidated(services, "b", LOW)

    assert (done["skills"], len(done["unmatched"])) == ([], 1)
    assert len(consolidate_later(store, services).skills) == 1
