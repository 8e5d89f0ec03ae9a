"""What a query may ask for."""

from typing import Any

import pytest

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.violations import validate
from membrane.domain.topics.requests.query import QueryTopics, Stage


def test_a_question_is_enough() -> None:
    request = validate(QueryTopics, {"q": ""})

    assert request.q == ""
    assert set(request.stages) == set(Stage)
    assert (request.explain, request.top_k, request.reinforce) == (False, 8, True)
    assert (request.topic_ids, request.field_names, request.as_of) == (None, None, None)


def test_any_number_of_unknown_keys_is_passed_over() -> None:
    unknown = {f"key {number}": number for number in range(1_000)}

    assert validate(QueryTopics, {"q": "", **unknown}) == QueryTopics(q="")


def test_unknown_keys_are_ignored() -> None:
    assert validate(QueryTopics, {"q": "a", "idempotency_key": 5, "depth": 2}).q == "a"


@pytest.mark.parametrize("nullable", ["topic_ids", "field_names", "as_of"])
def test_null_is_taken_where_something_may_be_left_out(nullable: str) -> None:
    assert getattr(validate(QueryTopics, {"q": "a", nullable: None}), nullable) is None


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"q": None},
        {"q": 5},
        {"q": "x" * 100_001},
        {"top_k": 0},
        {"top_k": 101},
        {"top_k": "3"},
        {"top_k": 3.0},
        {"top_k": True},
        {"top_k": None},
        {"explain": 1},
        {"explain": None},
        {"stages": None},
        {"stages": "semantic"},
        {"stages": ["Semantic"]},
        {"stages": [None]},
        {"topic_ids": "ada"},
        {"topic_ids": [5]},
        {"topic_ids": ["a"] * 1_001},
        {"field_names": ["a"] * 201},
        {"field_names": ["x" * 1_001]},
        {"as_of": "yesterday"},
        {"trust": {"scope": "a"}},
        {"trust": None},
        {"reinforce": "yes"},
        {"include_archived": 1},
        {"consistency_tokens": ["a"] * 101},
    ],
)
def test_what_is_not_well_formed_is_refused(bad: dict[str, Any]) -> None:
    asked = bad if "q" in bad or not bad else {"q": "a", **bad}

    with pytest.raises(InvalidArgument):
        validate(QueryTopics, asked)
