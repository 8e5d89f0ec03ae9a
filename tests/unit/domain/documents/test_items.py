"""Chunks of a list: positions, what is taken off, and the newest items."""

from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.documents.items import (
    Chunk,
    append_behind,
    is_shown,
    items_below,
    newest_first,
    without_newest,
)
from tests.builders.stored_documents import chunk, place

STEPS = st.lists(st.integers(1, 4) | st.integers(-4, -1), max_size=30)
"""Appends of so many items, and removals of so many from the newest chunk."""


@given(STEPS)
def test_appends_and_removals_leave_the_items_of_a_stack(steps: list[int]) -> None:
    kept: dict[int, Chunk] = {}
    expected: list[int] = []
    positions: dict[int, int] = {}
    """By item: the position that the append took."""
    made = 0
    for step in steps:
        newest = kept[max(kept)] if kept else None
        if step > 0:
            items = [*range(made, made + step)]
            made += step
            expected += items
            replaced, after = append_behind(newest, chunk(place(), items=items))
            assert replaced is None or replaced == kept[after.start]
            assert replaced is not None or after.start not in kept
            kept[after.start] = after
            positions |= zip(items, range(after.next_start - step, after.next_start), strict=True)
        elif newest is not None and newest.items:
            count = min(-step, len(newest.items))
            del expected[len(expected) - count :]
            kept[newest.start] = without_newest(newest, -step)

    found = list(newest_first([kept[start] for start in sorted(kept, reverse=True)], None))

    assert [each.item for each in reversed(found)] == expected
    assert [positions[each.item] for each in found] == [each.position for each in found]


@given(STEPS)
def test_every_append_takes_new_positions(steps: list[int]) -> None:
    newest: Chunk | None = None
    for step in steps:
        end = 1 if newest is None else newest.next_start
        if step > 0:
            _, newest = append_behind(newest, chunk(place(), items=[0] * step))
            assert newest.next_start == end + step
        elif newest is not None:
            newest = without_newest(newest, -step)
            assert newest.next_start == end


def test_more_than_there_is_leaves_an_empty_chunk() -> None:
    assert without_newest(chunk(place(), items=["a"]), 9).items == ()


def test_items_of_another_document_at_the_place_and_expired_ones_are_not_shown() -> None:
    made = chunk(place(), generation="2026-03-01T00:00:00Z", expires_at_s=100.0)

    assert is_shown(made, "2026-03-01T00:00:00Z", 99.9)
    assert not is_shown(made, "2026-03-01T00:00:00Z", 100.0)
    assert not is_shown(made, "2026-03-02T00:00:00Z", 99.9)


def test_the_items_come_newest_first_with_positions_and_only_below_a_given_one() -> None:
    older, newer = chunk(place(), 1, ["a", "b"]), chunk(place(), 5, ["c", "d"], taken=4, skipped=2)
    d, c, b, a = ("d", 8, newer), ("c", 7, newer), ("b", 2, older), ("a", 1, older)

    assert list(newest_first([newer, older], None)) == [d, c, b, a]
    assert list(newest_first([newer, older], 8)) == [c, b, a]
    assert list(newest_first([newer, older], 7)) == [b, a]
    assert list(newest_first([newer, older], 2)) == [a]
    assert [items_below(newer, below) for below in (None, 9, 8, 7, 1)] == [2, 2, 1, 0, 0]
