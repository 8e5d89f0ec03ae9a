"""A caller consolidates a scope, or sees what a consolidation would make, on every store."""

from dataclasses import replace
from typing import Any

import pytest

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.language.errors import InvalidArgument, PermissionDenied, ScopeFenced
from membrane.domain.language.json_text import Body
from membrane.domain.language.vocabulary import OutcomeStatus, Sensitivity
from membrane.domain.learning.requests import Consolidate
from membrane.domain.records.records import as_json
from membrane.usecases.learning.consolidate import SKILLS, TRACES
from membrane.usecases.learning.consolidate_by_request import consolidate
from membrane.usecases.ports.services import Services
from tests.builders.episodes import add_call, add_event, add_release
from tests.builders.requests import OWNER, call
from tests.worlds.captures import services_over
from tests.worlds.stores import Store

MEMBER = principal_of("member", ["ingest", "read", "revise"], ["team"], "low")
LISTS = ("traces", "skills", "plans", "grown", "unmatched")


def consolidated(services: Services, principal: Principal = OWNER, **asked: Any) -> Body:
    request = Consolidate(**{"scope": "team", **asked})
    return consolidate(request, call(request, principal), services).body


def made(body: Body) -> dict[str, Any]:
    return {name: body[name] for name in LISTS}


def test_a_dry_run_shows_what_the_run_then_makes(store: Store) -> None:
    services = services_over(store)
    add_release("t-1", "1.2", services)
    add_release("t-2", "1.3", services)
    store.clock.advance(hours=1)

    shown = consolidated(services)
    done = consolidated(services, dry_run=False)

    assert (shown["dry_run"], done["dry_run"]) == (True, False)
    assert made(shown) == made(done)
    assert sorted(each["thread_id"] for each in done["traces"]) == ["t-1", "t-2"]
    assert {each["steps"] for each in done["traces"]} == {4}
    assert {each["outcome"] for each in done["traces"]} == {"success"}
    (skill,) = done["skills"]
    assert sorted(skill["traces"]) == sorted(each["id"] for each in done["traces"])
    assert (skill["successes"], skill["failures"], skill["success_rate"]) == (2, 0, 0.75)
    assert skill["why"] == "Learned from 2 traces"
    assert all("counted in skill" in each["why"] for each in done["traces"])


def test_a_dry_run_changes_no_item_of_the_table(table: Store) -> None:
    services = services_over(table)
    add_release("t-1", "1.2", services)
    add_release("t-2", "1.3", services)
    table.clock.advance(hours=1)
    consolidated(services, dry_run=False)
    add_release("t-3", "1.4", services, OutcomeStatus.FAILURE)
    add_event("t-4", "Water the plants", services)
    add_call("t-4", "pump", {"litres": 2}, "ok", services, status="success")
    add_event("t-5", "Alone", services)
    table.clock.advance(hours=1)
    before = table.everything()

    body = consolidated(services)

    assert (len(body["traces"]), len(body["grown"])) == (2, 1)
    assert (body["grown"][0]["successes"], body["grown"][0]["failures"]) == (2, 1)
    assert len(body["unmatched"]) == 1
    assert table.everything() == before


def test_a_second_run_makes_nothing(store: Store) -> None:
    services = services_over(store)
    add_release("t-1", "1.2", services)
    store.clock.advance(hours=1)
    consolidated(services, dry_run=False)

    again = consolidated(services, dry_run=False)

    assert made(again) == {name: [] for name in LISTS}
    assert (again["is_left"], again["failed"]) == (False, 0)


def test_the_caller_says_when_a_thread_has_ended(store: Store) -> None:
    services = services_over(store)
    add_release("t-1", "1.2", services)

    assert consolidated(services)["traces"] == []
    assert len(consolidated(services, quiet_minutes=0)["traces"]) == 1
    store.clock.advance(minutes=10)
    assert consolidated(services, quiet_minutes=11)["traces"] == []
    assert len(consolidated(services, quiet_minutes=10)["traces"]) == 1


def test_only_what_is_made_is_measured(store: Store) -> None:
    measured = list[tuple[str, float]]()

    def measure(metric: str, value: float, _unit: str, /, **_: str) -> None:
        measured.append((metric, value))

    services = replace(services_over(store), measure=measure)
    add_release("t-1", "1.2", services)
    add_release("t-2", "1.3", services)

    consolidated(services, quiet_minutes=0)
    assert measured == []

    consolidated(services, quiet_minutes=0, dry_run=False)
    assert measured[:2] == [(TRACES, 2), (SKILLS, 1)]


def test_a_scope_is_consolidated_alone(store: Store) -> None:
    services = services_over(store)
    add_event("t-1", "Water the plants", services, scope="other")
    add_call("t-1", "pump", {"litres": 2}, "ok", services, scope="other")
    store.clock.advance(hours=1)

    of_team = consolidated(services, MEMBER, scope=None)
    of_other = consolidated(services, scope="other")
    unscoped = consolidated(services, scope=None)

    assert (of_team["scope"], of_team["traces"]) == ("team", [])
    assert [each["thread_id"] for each in of_other["traces"]] == ["t-1"]
    assert (unscoped["scope"], unscoped["traces"]) == ("", [])


def test_a_key_consolidates_no_scope_that_it_may_not_write(store: Store) -> None:
    services = services_over(store)
    prefixes = principal_of("users", ["revise"], ["user:*"], "low")

    with pytest.raises(PermissionDenied):
        consolidated(services, MEMBER, scope="other")
    with pytest.raises(InvalidArgument):
        consolidated(services, prefixes, scope=None)


def test_a_thread_with_a_step_above_the_ceiling_is_left_alone(store: Store) -> None:
    services = services_over(store)
    add_event("t-1", "Release version 1.1", services, sensitivity=Sensitivity.MEDIUM)
    add_call("t-1", "build", {"tag": "1.1"}, "ok", services)
    add_release("t-2", "1.2", services)
    store.clock.advance(hours=1)

    done = consolidated(services, MEMBER, dry_run=False)
    later = consolidated(services, dry_run=False)

    assert [each["thread_id"] for each in done["traces"]] == ["t-2"]
    assert [each["thread_id"] for each in later["traces"]] == ["t-1"]
    assert later["traces"][0]["steps"] == 2


def test_a_skill_above_the_ceiling_gains_nothing_now_or_later(store: Store) -> None:
    services = services_over(store)
    for thread, version in (("t-1", "1.2"), ("t-2", "1.3")):
        add_release(thread, version, services)
        add_event(thread, "secret", services, ref="s", sensitivity=Sensitivity.MEDIUM)
    store.clock.advance(hours=1)
    (skill,) = consolidated(services, dry_run=False)["skills"]
    held = services.records.load(skill["id"])
    add_release("t-3", "1.4", services)
    store.clock.advance(hours=1)

    done = consolidated(services, MEMBER, dry_run=False)
    unchanged = services.records.load(skill["id"])
    later = consolidated(services, dry_run=False)

    assert [each["thread_id"] for each in done["unmatched"]] == ["t-3"]
    assert (done["skills"], done["grown"]) == ([], [])
    assert held is not None
    assert unchanged is not None
    assert as_json(unchanged.record) == as_json(held.record)  # type: ignore[union-attr]  # living
    assert later["grown"] == []
    assert [each["thread_id"] for each in later["unmatched"]] == ["t-3"]


def test_a_call_ends_before_the_gateway_ends_it(store: Store) -> None:
    services = services_over(store)
    add_release("t-1", "1.2", services)
    store.clock.advance(hours=1)
    instants = iter((0.0, 20.0, 20.0, 20.0))
    late = replace(services, elapsed_s=lambda: next(instants))

    done = consolidated(late, dry_run=False)
    rest = consolidated(services, dry_run=False)

    assert (done["is_left"], done["traces"]) == (True, [])
    assert (rest["is_left"], len(rest["traces"])) == (False, 1)


def test_a_fenced_scope_is_not_consolidated(store: Store) -> None:
    services = services_over(store)
    services.fences.put("team", "erasure")

    with pytest.raises(ScopeFenced):
        consolidated(services, dry_run=False)
