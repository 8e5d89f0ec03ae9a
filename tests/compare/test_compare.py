"""The comparison finds what differs, and takes names made by chance for one another."""

from pathlib import Path
from typing import Any

import pytest

from tests.compare.__main__ import ROOT
from tests.compare.differences import Comparison
from tests.compare.planted import CHANGES, copy_with
from tests.compare.routes import route_of, routes_without_success
from tests.compare.runs import run
from tests.compare.sides import Side, Step

ONE, OTHER = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"


def step(body: Any, *, units: float = 1, status: int = 200) -> Step:
    units_by_kind = {"read units": units}
    return Step("GET", "/v1/records", status, {"date": f"{id(body)}"}, body, units_by_kind, {})


def places(left: list[Step], right: list[Step]) -> list[str]:
    return [each.place for each in Comparison().of_runs(left, right).found]


def test_ids_and_tokens_made_by_chance_stand_for_one_another() -> None:
    left = [step({"id": ONE, "next_cursor": "a"}), step([f"record {ONE}"])]
    right = [step({"id": OTHER, "next_cursor": "b"}), step([f"record {OTHER}"])]

    assert places(left, right) == []


@pytest.mark.parametrize(
    ("left", "right", "place"),
    [
        ([ONE, ONE], [ONE, OTHER], "body[1]"),
        ([ONE, OTHER], [OTHER, OTHER], "body[1]"),
        ({"next_cursor": "a"}, {}, "body.next_cursor"),
        ({"state": "a"}, {"state": "b"}, "body.state"),
        ({"value": 1}, {"value": 1.0}, "body.value"),
        (["a"], ["a", None], "body[1]"),
        (["a", ONE, "c"], ["a", "b", OTHER, "c"], "body[1]"),
        (["a", "b", {"at": ONE}], ["a", {"at": OTHER}], "body[1]"),
        ({"scores": {ONE: 1}}, {"scores": {ONE: 2}}, f"body.scores.{ONE}"),
    ],
)
def test_each_other_difference_is_found_where_it_is(left: Any, right: Any, place: str) -> None:
    assert places([step(left)], [step(right)]) == [place]


def test_status_units_and_further_requests_are_compared() -> None:
    assert places([step(1)], [step(1, status=201)]) == ["status"]
    assert places([step(1)], [step(1, units=1.5)]) == ["units.read units"]
    assert places([step(1)], [step(1), step(1)]) == ["request"]


def test_a_request_belongs_to_the_route_with_the_fewest_parameters() -> None:
    assert route_of("POST", "/v1/records/merge") == "POST /v1/records/merge"
    assert route_of("GET", "/v1/documents/users/ada/note") == "GET /v1/documents/{path}"
    assert "GET /v1/records" not in routes_without_success([step(1)])
    assert "GET /v1/records" in routes_without_success([step(1, status=404)])


def test_a_planted_change_is_all_that_two_stacks_differ_by(tmp_path: Path) -> None:
    def report(side: Side) -> None:
        event = {"source": "agent", "event_kind": "build", "ref": "1"}
        side.ask("POST", "/v1/ingest/event", event)

    sound, changed = run(ROOT, report), run(copy_with(CHANGES[0], ROOT, tmp_path), report)

    assert (sound.failure, changed.failure) == ("", "")
    (found,) = Comparison().of_runs(sound.steps, changed.steps).found
    assert found.place == "body.record.lifecycle.decay.half_life_seconds"
    assert (found.left, found.right) == (3600, 3601)
    assert sound.steps[0].units["write units"] > 0
