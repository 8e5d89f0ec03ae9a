"""Communities as they are kept."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.topics.graph.partitions import MAX_TOPICS, Partition

MADE_AT = "2026-03-01T09:00:00Z"
MAX_ITEM_BYTES = 390_000

NUMBERS = st.one_of(st.none(), st.integers(0, MAX_TOPICS - 1))


@given(
    st.dictionaries(st.text(min_size=1, max_size=8), NUMBERS, max_size=20),
    st.sampled_from(Sensitivity),
)
def test_what_is_kept_says_what_it_was_made_of(
    numbers: dict[str, int | None], level: Sensitivity
) -> None:
    made = Partition.of(MADE_AT, list(numbers), {level: list(numbers.values())})

    read = Partition.from_json(json.loads(json.dumps(made.as_json())))

    assert read.made_at == MADE_AT
    assert {each: read.community_of(each, level) for each in numbers} == numbers


def test_a_reader_is_told_of_the_communities_up_to_the_own_ceiling() -> None:
    levels: dict[Sensitivity, list[int | None]] = {
        Sensitivity.LOW: [0, None, 0],
        Sensitivity.HIGH: [0, 1, 1],
    }
    made = Partition.of(MADE_AT, ["a", "b", "c"], levels)

    told = {
        ceiling: [made.community_of(each, ceiling) for each in ("a", "b", "c")]
        for ceiling in Sensitivity
    }

    assert told == {
        Sensitivity.PUBLIC: [None, None, None],
        Sensitivity.LOW: [0, None, 0],
        Sensitivity.MEDIUM: [0, None, 0],
        Sensitivity.HIGH: [0, 1, 1],
        Sensitivity.HYPER: [0, 1, 1],
    }


def test_a_topic_that_came_later_is_in_no_community() -> None:
    made = Partition.of(MADE_AT, ["a"], {Sensitivity.LOW: [0]})

    assert made.community_of("later", Sensitivity.LOW) is None


def test_as_many_topics_as_there_may_be_stay_within_an_item() -> None:
    ids = [f"topic-{number}" for number in range(MAX_TOPICS)]
    numbers = [number * 7_919 % MAX_TOPICS for number in range(MAX_TOPICS)]

    made = Partition.of(MADE_AT, ids, dict.fromkeys(Sensitivity, numbers))

    assert len(json.dumps(made.as_json())) < MAX_ITEM_BYTES


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"made_at": MADE_AT, "marks": "?", "levels": {}},
        {"made_at": MADE_AT, "marks": "", "levels": {"low": "AAAA"}},
        {"made_at": MADE_AT, "marks": "", "levels": {"secret": ""}},
    ],
)
def test_what_is_damaged_is_not_read(document: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"damaged|Sensitivity"):
        Partition.from_json(document)
