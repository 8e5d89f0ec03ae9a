"""How large a record may become."""

import pytest

from membrane.domain.language.errors import InvalidArgument, TooLarge
from membrane.domain.language.values import LargeValue
from membrane.domain.records.payloads import EpisodicPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.sizes import (
    GROWTH_BYTES,
    MAX_REPLY_BYTES,
    require_returnable,
    require_still_returnable,
)
from tests.builders.interpretations import an_interpretation
from tests.builders.records import a_record_of, a_tool_output


def a_record_with(result: str) -> MemoryRecord:
    return a_record_of(a_tool_output(result=result))


@pytest.mark.parametrize(
    "result",
    [
        "",
        "x" * 1_000_000,
        "x" * (MAX_REPLY_BYTES - 2_000),
        "\n" * 1_000_000,
        "é" * 3_000_000,
        "\N{GRINNING FACE}" * 1_500_000,
    ],
    ids=["empty", "a million", "just below", "line breaks", "two bytes each", "four bytes each"],
)
def test_a_record_that_a_reply_can_carry_is_accepted(result: str) -> None:
    record = a_record_with(result)

    require_returnable(record)


@pytest.mark.parametrize(
    "result",
    [
        "x" * MAX_REPLY_BYTES,
        '"' * 1_600_000,
        "\x00" * 900_000,
        "é" * 3_200_000,
        "\N{GRINNING FACE}" * 1_600_000,
    ],
    ids=["ASCII", "quotes", "control characters", "two bytes each", "four bytes each"],
)
def test_a_record_that_no_reply_could_carry_is_refused(result: str) -> None:
    record = a_record_with(result)

    with pytest.raises(TooLarge) as caught:
        require_returnable(record)

    assert str(caught.value) == "the record would be larger than 6225920 bytes in a reply"


def test_an_interpretation_counts_like_the_content() -> None:
    record = a_record_with("x" * (MAX_REPLY_BYTES - 2_000))
    interpreted = record.model_copy(update={"interpretation": an_interpretation("y" * 2_000)})

    with pytest.raises(TooLarge):
        require_returnable(interpreted)


def test_an_interpretation_may_grow_within_the_room_for_growth_alone() -> None:
    record = a_record_with("x" * (MAX_REPLY_BYTES - 2_000))

    def interpreted(characters: int) -> MemoryRecord:
        return record.model_copy(update={"interpretation": an_interpretation("y" * characters)})

    require_still_returnable(record, interpreted(GROWTH_BYTES))
    with pytest.raises(TooLarge):
        require_still_returnable(record, interpreted(GROWTH_BYTES + 2_000))


def test_being_too_large_is_one_way_of_being_invalid() -> None:
    record = a_record_with("x" * MAX_REPLY_BYTES)

    with pytest.raises(InvalidArgument):
        require_returnable(record)


def test_links_to_large_values_count_as_long_as_they_may_become() -> None:
    record = a_record_with("")
    assert isinstance(record.payload, EpisodicPayload)
    (node,) = record.payload.tool_graph
    large = LargeValue(record.id, "0" * 64, 200_000)

    def with_values(count: int) -> MemoryRecord:
        nodes = tuple(node.model_copy(update={"result": large}) for _ in range(count))
        return record.model_copy(
            update={"payload": record.payload.model_copy(update={"tool_graph": nodes})}
        )

    require_returnable(with_values(1_000))
    with pytest.raises(TooLarge):
        require_returnable(with_values(1_700))
