"""Lines of a text that arrives in pieces: numbered, and the same wherever the pieces are cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.imports.ndjson import Line, lines_of

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
