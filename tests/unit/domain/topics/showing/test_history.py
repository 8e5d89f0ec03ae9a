"""The history of a field is that of all its lines, wherever they stand."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.timestamps import rfc3339
from membrane.domain.topics.revisions import FieldType, Revision
from membrane.domain.topics.showing.history import fair_limit, is_needed, newest_first
from membrane.domain.topics.topic import Archive

DAY_0 = datetime(2026, 1, 1, tzinfo=UTC)


def day(number: int) -> str:
    """So many days after the first."""
    return rfc3339(DAY_0 + timedelta(days=number))


def revision(order: int, valid: int) -> Revision:
    """One that was told as the `order`th of what was so since that day."""
    return Revision(
        id=str(order),
        value=order,
        field_type=FieldType.INT,
        valid_from=day(valid),
        recorded_at=day(100),
        order=order,
        provenance="test",
    )


def test_several_lines_are_one_history() -> None:
    one, other = [revision(2, 5), revision(0, 1)], [revision(3, 3), revision(1, 1)]

    assert [each.order for each in newest_first([one, other])] == [2, 3, 1, 0]
    assert [each.order for each in newest_first([one, other], 2)] == [2, 3]


def test_an_archive_of_what_is_older_than_all_that_is_wanted_is_not_read() -> None:
    archive = Archive("name", 2, day(1), day(3))

    assert not is_needed(archive, [revision(9, 8), revision(8, 4)], 2, None)
    assert not is_needed(archive, [], None, day(0))
    assert is_needed(archive, [revision(9, 8)], 2, None)
    assert is_needed(archive, [revision(9, 8), revision(8, 2)], 2, None)


@given(st.lists(st.integers(0, 1_000), max_size=20), st.integers(1, 1_000), st.integers(0, 5_000))
def test_histories_share_the_room_that_there_is(lengths: list[int], most: int, room: int) -> None:
    limit = fair_limit(lengths, most, room)

    def taken(each: int) -> int:
        return sum(min(length, each) for length in lengths)

    assert 1 <= limit <= most
    assert limit == 1 or taken(limit) <= room
    assert limit == most or taken(limit + 1) > room
