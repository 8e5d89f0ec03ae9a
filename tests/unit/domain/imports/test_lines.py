"""Lines of a file: the same wherever the text is cut, in order where they share a name."""

from collections import Counter
from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.imports import Line, in_waves, lines_of, names_in
from membrane.domain.records.stored import MAX_OPERATIONS
from membrane.usecases.imports.work import (
    WINDOW_BYTES,
    WINDOW_CHANGES,
    WINDOW_LINES,
    Entry,
    Step,
    windows,
)

LONGEST = 8
texts = st.lists(st.sampled_from([b"a", b"\n", b"\r\n", b"{}", b" ", b"12345678", b"x" * 20])).map(
    b"".join
)


def contents(text: bytes) -> list[bytes | None]:
    return [line.content for line in lines_of([text], LONGEST)]


def cut(text: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[start:end] for start, end in pairwise(edges)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", []),
        (b"\n", [b""]),
        (b"a\nb\n", [b"a", b"b"]),
        (b"a\nb", [b"a", b"b"]),
        (b"a\r\n\r\nb\r\n", [b"a", b"", b"b"]),
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb", [b"a", b"\xef\xbb\xbfb"]),
        (b"a\rb\n", [b"a\rb"]),
    ],
)
def test_a_line_has_neither_its_end_nor_the_mark_at_the_beginning_of_the_text(
    text: bytes, expected: list[bytes]
) -> None:
    assert contents(text) == expected


def test_of_a_line_that_is_too_long_nothing_is_kept_but_its_number() -> None:
    lines = list(lines_of([b"a\n", b"x" * 5, b"x" * 5, b"x\nb"], LONGEST))

    assert lines == [Line(1, 2, b"a"), Line(2, 14, None), Line(3, 15, b"b")]


@pytest.mark.parametrize(("content", "blank"), [(b"", True), (b" \t", True), (b"{}", False)])
def test_white_space_alone_is_a_blank_line(content: bytes, blank: bool) -> None:  # noqa: FBT001 - the expectation
    assert Line(1, 9, content).is_blank is blank


def test_a_line_that_is_too_long_is_not_blank() -> None:
    assert not Line(1, 9, None).is_blank


@given(texts, st.lists(st.integers(min_value=0)))
def test_the_lines_do_not_depend_on_where_the_text_is_cut(text: bytes, places: list[int]) -> None:
    whole = list(lines_of([text], LONGEST))

    assert list(lines_of(cut(text, places), LONGEST)) == whole


@given(texts, st.integers(min_value=0))
def test_reading_can_go_on_after_any_line(text: bytes, stop: int) -> None:
    whole = list(lines_of([text], LONGEST))
    before = whole[: stop % (len(whole) + 1)]
    start = before[-1].end if before else 0

    rest = list(lines_of([text[start:]], LONGEST, number=len(before), start=start))

    assert before + rest == whole


@given(texts)
def test_the_last_line_ends_with_the_text(text: bytes) -> None:
    lines = list(lines_of([text], LONGEST))

    assert (lines[-1].end if lines else 0) == len(text)


def names_of(*steps: str) -> list[frozenset[str]]:
    return [frozenset(each) for each in steps]


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
    assert in_waves(names_of("a", "b", "", "c")) == [[0, 1, 2, 3]]


def test_a_step_comes_after_every_earlier_one_whose_name_it_shares() -> None:
    assert in_waves(names_of("a", "b", "ab", "c", "b")) == [[0, 1, 3], [2], [4]]


@given(st.lists(st.text("abcd", max_size=3)))
def test_every_step_runs_once_and_common_names_keep_their_order(steps: list[str]) -> None:
    names = names_of(*steps)

    waves = in_waves(names)

    wave_of = {position: index for index, wave in enumerate(waves) for position in wave}
    assert sorted(each for wave in waves for each in wave) == list(range(len(names)))
    for earlier, later in combinations(range(len(names)), 2):
        if names[earlier] & names[later]:
            assert wave_of[earlier] < wave_of[later]


def entries(changes: list[str | None], length: int = 1) -> list[Entry]:
    return [
        Entry(number, number * length, Step("", frozenset(), bool, record))
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
