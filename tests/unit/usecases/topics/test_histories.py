"""A history is read from all lines of a field, from the table and from the bucket."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.timestamps import rfc3339
from membrane.domain.topics.revisions import FieldType, Revision
from membrane.domain.topics.topic import Field, Line
from membrane.usecases.topics.histories import histories_of, history_of, value_as_of
from tests.fakes.topics import FakeTopics

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


LINES = st.lists(
    st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=8), min_size=1, max_size=4
)
"""Of each line the revisions: since which day each is so, and whether it is in an archive."""


def stored(
    lines: Sequence[Sequence[tuple[int, bool]]],
) -> tuple[FakeTopics, Field, list[Revision]]:
    """A field of these lines, and all its revisions, the newest first."""
    topics = FakeTopics()
    every: list[Revision] = []
    named: list[Line] = []
    for position, told in enumerate(lines):
        line = Line("topic", str(position))
        kept: list[Revision] = []
        old: list[Revision] = []
        for valid, is_archived in told:
            made = revision(len(every), valid)
            every.append(made)
            (old if is_archived else kept).append(made)
        topics.revisions["topic", line.id] = kept
        archives = [topics.archive(line, part) for part in (old[::2], old[1::2]) if part]
        archives.sort(key=lambda archive: archive.newest)
        named.append(Line("topic", line.id, len(kept), tuple(archives)))
    every.sort(key=lambda each: each.place, reverse=True)
    current = every[0] if every else None
    return topics, Field(type=FieldType.INT, current=current, lines=tuple(named)), every


@given(LINES, st.none() | st.integers(1, 30), st.none() | st.integers(-1, 10))
def test_a_history_has_the_newest_of_all_lines_and_archives(
    lines: Sequence[Sequence[tuple[int, bool]]], limit: int | None, until: int | None
) -> None:
    topics, field, every = stored(lines)
    instant = None if until is None else day(until)

    found = history_of(field, topics, limit=limit, until=instant, archived=True)

    expected = [each for each in every if instant is None or each.valid_from <= instant]
    assert found == expected[:limit]


@given(LINES, st.integers(-1, 10))
def test_a_value_as_of_an_instant_is_the_newest_that_was_so_by_then(
    lines: Sequence[Sequence[tuple[int, bool]]], at: int
) -> None:
    topics, field, every = stored(lines)

    found = value_as_of(field, day(at), topics)

    so_far = [each for each in every if each.valid_from <= day(at)]
    assert found == (so_far[0] if so_far else None)


def test_without_archives_a_history_is_what_the_table_has() -> None:
    topics, field, every = stored([[(1, True), (2, False)], [(3, False), (0, True)]])

    (found,) = histories_of([field], topics)

    assert found == [every[0], every[1]]
    assert [each.value for each in found] == [2, 1]
