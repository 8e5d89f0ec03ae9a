"""Filters on the fields of a value: their operators, and what is refused."""

from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import PydanticCustomError

from membrane.domain.documents.filters import (
    MAX_FILTER_DEPTH,
    MAX_FILTER_KEYS,
    MAX_FILTER_VALUES,
    matches,
    require_filter,
)

ANN = {
    "kind": "note",
    "score": 3,
    "open": True,
    "tags": ["red", "blue"],
    "user": {"name": "Ann", "age": 40, "city": None},
    "v.1": "dotted",
}

NAMES = st.text("abc", min_size=1, max_size=2)
LEAVES = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from((0.0, 1.0, 1.5, "", "a"))
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=4)


@pytest.mark.parametrize(
    "conditions",
    [
        {},
        {"kind": "note"},
        {"kind": "note", "score": 3},
        {"score": 3.0},
        {"score": {"$eq": 3}},
        {"score": {"$ne": 4}},
        {"score": {"$gt": 2, "$lt": 4}},
        {"score": {"$gte": 3, "$lte": 3.0}},
        {"kind": {"$gte": "nota", "$lt": "o"}},
        {"user": {"name": "Ann"}},
        {"user": {"name": "Ann", "age": {"$gt": 39}}},
        {"user.name": "Ann"},
        {"user.age": {"$lt": 41}},
        {"user": {}},
        {"user": {"city": None}},
        {"v.1": "dotted"},
        {"tags": ["red", "blue"]},
        {"absent": {"$ne": "anything"}},
        {"user.absent": {"$ne": None}},
        {"absent.deeper": {"$ne": 1}},
        {"kind.deeper": {"$ne": 1}},
        {"absent": {"deeper": {"$ne": 1}}},
        {"open": True},
        {"open": {"$ne": 1}},
    ],
)
def test_a_value_meets(conditions: dict[str, Any]) -> None:
    require_filter(conditions)

    assert matches(conditions, ANN)


@pytest.mark.parametrize(
    "conditions",
    [
        {"kind": "Note"},
        {"kind": "note", "score": 4},
        {"score": "3"},
        {"score": {"$gt": 2, "$lt": 3}},
        {"score": {"$gt": "2"}},
        {"kind": {"$gt": 1}},
        {"open": 1},
        {"open": {"$gte": 0}},
        {"open": {"$gte": False}},
        {"tags": ["blue", "red"]},
        {"tags": ["red"]},
        {"tags": "red"},
        {"tags": {}},
        {"user": {"name": "Bob"}},
        {"user": {"absent": None}},
        {"user": {"$eq": {"name": "Ann"}}},
        {"user.name.first": "Ann"},
        {"absent": None},
        {"absent": {"$eq": None}},
        {"absent": {"$lte": 5}},
        {"absent": {}},
        {"user": {"city": {"$ne": None}}},
    ],
)
def test_a_value_does_not_meet(conditions: dict[str, Any]) -> None:
    require_filter(conditions)

    assert not matches(conditions, ANN)


def test_a_key_with_a_dot_goes_before_the_field_within_the_field() -> None:
    value = {"user.name": "exact", "user": {"name": "nested", "a.b": 1}}

    assert matches({"user.name": "exact"}, value)
    assert not matches({"user.name": "nested"}, value)
    assert matches({"user.a.b": 1}, value)


@pytest.mark.parametrize("value", [None, "text", 3, ["kind"], True])
def test_a_value_that_is_no_object_has_no_fields(value: Any) -> None:
    assert matches({}, value)
    assert matches({"kind": {"$ne": "note"}}, value)
    assert not matches({"kind": "note"}, value)


def test_an_operator_may_stand_for_the_whole_value() -> None:
    require_filter({"$gte": 3})

    assert matches({"$gte": 3}, 4)
    assert not matches({"$gte": 3}, {"score": 4})


def test_the_operand_of_an_equality_is_taken_literally() -> None:
    conditions = {"link": {"$eq": {"$ref": "x"}}}
    require_filter(conditions)

    assert matches(conditions, {"link": {"$ref": "x"}})
    assert not matches(conditions, {"link": {"$ref": "x", "more": 1}})


@given(OBJECTS)
def test_every_value_equals_itself_and_only_with_equality(value: dict[str, Any]) -> None:
    for key, inner in value.items():
        assert matches({key: {"$eq": inner}}, value)
        assert not matches({key: {"$ne": inner}}, value)


@given(OBJECTS, NAMES, VALUES)
def test_unequal_is_the_opposite_of_equal(value: dict[str, Any], key: str, operand: Any) -> None:
    assert matches({key: {"$eq": operand}}, value) != matches({key: {"$ne": operand}}, value)


@given(OBJECTS, NAMES, NAMES, LEAVES)
def test_a_dotted_key_means_the_same_as_a_nested_object(
    value: dict[str, Any], outer: str, inner: str, operand: Any
) -> None:
    for condition in (operand, {"$ne": operand}, {"$gte": operand}):
        assert matches({f"{outer}.{inner}": condition}, value) == matches(
            {outer: {inner: condition}}, value
        )


@given(st.integers() | st.floats(allow_nan=False), st.integers() | st.floats(allow_nan=False))
def test_numbers_are_ordered_as_in_python(first: float, second: float) -> None:
    value = {"n": first}

    assert matches({"n": {"$lt": second}}, value) == (first < second)
    assert matches({"n": {"$gte": second}}, value) == (first >= second)
    assert matches({"n": second}, value) == (first == second)


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        ([], "must be an object of conditions"),
        ("kind", "must be an object of conditions"),
        ({"score": {"$near": 3}}, "unknown operator $near"),
        ({"$or": []}, "unknown operator $or"),
        ({"user": {"name": {"$regex": "A"}}}, "unknown operator $regex"),
        ({"score": {"$gt": 3, "name": 1}}, "operators such as $gt"),
        ({"k" * 513: 1}, "is too long"),
        ({str(number): 1 for number in range(MAX_FILTER_KEYS + 1)}, "at most 50 keys"),
        ({"a": {str(number): 1 for number in range(MAX_FILTER_KEYS)}}, "at most 50 keys"),
        ({"a": [{"b": 1}] * (MAX_FILTER_KEYS + 1)}, "at most 50 keys"),
        ({"a": [1] * (MAX_FILTER_VALUES + 1)}, "at most 1000 values"),
    ],
)
def test_a_filter_is_refused(conditions: Any, message: str) -> None:
    with pytest.raises(PydanticCustomError) as refused:
        require_filter(conditions)

    assert message in str(refused.value)


def test_a_message_does_not_repeat_a_long_key() -> None:
    with pytest.raises(PydanticCustomError) as refused:
        require_filter({"$" + "x" * 10_000: 1})

    assert len(str(refused.value)) < 200


def nested(depth: int) -> dict[str, Any]:
    """A filter of so many levels."""
    conditions: dict[str, Any] = {"a": 1}
    for _ in range(depth - 1):
        conditions = {"a": conditions}
    return conditions


def test_a_filter_of_the_greatest_depth_is_taken_and_a_deeper_filter_refused() -> None:
    require_filter(nested(MAX_FILTER_DEPTH))
    for depth in (MAX_FILTER_DEPTH + 1, 64, 100_000):
        with pytest.raises(PydanticCustomError, match="at most 8 levels"):
            require_filter(nested(depth))


def test_a_huge_filter_is_refused_at_the_first_levels() -> None:
    wide = {"a": [[[[1] * 10] * 10] * 10] * 100_000}
    before = process_time()

    with pytest.raises(PydanticCustomError, match="at most"):
        require_filter(wide)

    assert process_time() - before < 0.5
