"""Windows hold every line once, in order, and never too many changes of one record."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.records.idempotency import MAX_OPERATIONS
from membrane.usecases.imports.work import (
    WINDOW_BYTES,
    WINDOW_CHANGES,
    WINDOW_LINES,
    Entry,
    windows,
)


def entries(changes: list[str | None], length: int = 1) -> list[Entry]:
    return [
        Entry(number, number * length, changes=record)
        for number, record in enumerate(changes, start=1)
    ]


@given(st.lists(st.sampled_from([None, "a", "a", "b"]), max_size=400))
def test_every_line_is_in_one_window_and_none_changes_a_record_too_often(
    changes: list[str | None],
) -> None:
    given = entries(changes)

    cut = list(windows(given, 0))

    assert [entry for window in cut for entry in window] == given
    for window in cut:
        often = Counter(entry.changes for entry in window if entry.changes is not None)
        assert all(count <= WINDOW_CHANGES for count in often.values())


def test_a_record_remembers_more_operations_than_a_window_has() -> None:
    assert WINDOW_CHANGES <= MAX_OPERATIONS // 2


def test_a_window_ends_with_the_last_change_that_a_record_is_sure_to_remember() -> None:
    cut = list(windows(entries(["a"] * (2 * WINDOW_CHANGES + 1)), 0))

    assert [len(window) for window in cut] == [WINDOW_CHANGES, WINDOW_CHANGES, 1]


def test_lines_that_change_no_record_or_each_another_one_fill_windows() -> None:
    changes = [None, *map(str, range(WINDOW_LINES))] * 2

    cut = list(windows(entries(changes), 0))

    assert [len(window) for window in cut] == [WINDOW_LINES, WINDOW_LINES, 2]


def test_a_window_is_not_much_longer_than_its_bytes() -> None:
    length = WINDOW_BYTES // 4

    cut = list(windows(entries([None] * 9, length), 0))

    assert [len(window) for window in cut] == [4, 4, 1]
