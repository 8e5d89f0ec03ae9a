"""Steps that name the same thing keep their order; the others may run side by side."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.imports.ordering import in_waves, names_in


@dataclass(frozen=True, slots=True)
class Step:
    number: int
    names: frozenset[str]


def steps(*names: str) -> list[Step]:
    return [Step(number, frozenset(each)) for number, each in enumerate(names)]


def numbers(waves: list[list[Step]]) -> list[list[int]]:
    return [[step.number for step in wave] for wave in waves]


@pytest.mark.parametrize(
    ("request_", "names"),
    [
        ({"target_record_id": "r"}, ["r"]),
        ({"thread_id": "t"}, ["t"]),
        ({"ref": "build:1"}, ["build:1"]),
        ({"subject": "user", "predicate": "likes"}, ["user likes"]),
        ({"subject": "user"}, []),
        (
            {"record": {"id": "a", "relations": [{"target_id": "b"}, {"target_id": "c"}]}},
            ["a", "b", "c"],
        ),
        ({"record": {"payload": {"thread_id": "t"}}}, ["t"]),
        ({"record": {"payload": {"subject": "user", "predicate": "likes"}}}, ["user likes"]),
        ({"record": {"payload": {"timeline": [{"ref": "a"}, {"ref": "b"}]}}}, ["a", "b"]),
        ({"tool_name": "grep"}, []),
    ],
)
def test_a_request_names_records_and_what_its_report_is_about(
    request_: dict[str, Any], names: list[str]
) -> None:
    assert list(names_in(request_)) == names


@pytest.mark.parametrize(
    "request_",
    [
        {"target_record_id": 1, "thread_id": [], "ref": None, "subject": {}, "predicate": 1.5},
        {"record": "text"},
        {"record": {"id": 5, "relations": "text"}},
        {"record": {"relations": [1, None, {"target_id": {}}]}},
        {"record": {"payload": []}},
        {"record": {"payload": {"timeline": {"ref": "a"}, "subject": "user"}}},
        {"ref": ""},
    ],
)
def test_what_is_not_well_formed_names_nothing(request_: dict[str, Any]) -> None:
    assert list(names_in(request_)) == []


def test_steps_without_a_common_name_are_one_wave() -> None:
    assert numbers(in_waves(steps("a", "b", "", "c"))) == [[0, 1, 2, 3]]


def test_a_step_comes_after_every_earlier_one_whose_name_it_shares() -> None:
    assert numbers(in_waves(steps("a", "b", "ab", "c", "b"))) == [[0, 1, 3], [2], [4]]


@given(st.lists(st.text("abcd", max_size=3)))
def test_every_step_runs_once_and_common_names_keep_their_order(names: list[str]) -> None:
    every = steps(*names)

    waves = in_waves(every)

    wave_of = {step: index for index, wave in enumerate(waves) for step in wave}
    assert sorted(wave_of, key=lambda step: step.number) == every
    for earlier, later in combinations(every, 2):
        if earlier.names & later.names:
            assert wave_of[earlier] < wave_of[later]
