"""Consistency tokens name a record, and nothing else passes for one."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import MAX_TOKEN_CHARACTERS, RECORD_ID, record_named, token_of

IDS = st.from_regex(RECORD_ID, fullmatch=True)


@given(IDS, st.integers(min_value=1, max_value=2**63))
@example("x" * 128, 2**63)
def test_a_token_names_the_record_that_it_was_made_for(record_id: str, version: int) -> None:
    token = token_of(record_id, version)

    assert record_named(token) == record_id
    assert len(token) <= MAX_TOKEN_CHARACTERS


def test_writes_of_one_record_have_tokens_of_their_own() -> None:
    assert token_of("a", 1) != token_of("a", 2)


@pytest.mark.parametrize(
    "token",
    [
        "",
        "?",
        "a",
        "====",
        "MS5h=",
        "MS5h\n",
        "é",
        "MQ",
        "MS4",
        "LmE",
        "MDEuYQ",
        "4pGgLmE",
        "MS5hL2I",
    ],
    ids=[
        "empty",
        "not base64",
        "a lone character",
        "padding alone",
        "padded",
        "with a line break",
        "not ASCII",
        "no id",
        "an empty id",
        "no version",
        "a version with a leading zero",
        "a version in other digits",
        "no id of ours",
    ],
)
def test_anything_else_is_refused(token: str) -> None:
    with pytest.raises(InvalidArgument, match="consistency token"):
        record_named(token)


@given(st.text(max_size=MAX_TOKEN_CHARACTERS))
def test_whatever_is_taken_is_the_token_of_the_record_that_it_names(text: str) -> None:
    try:
        named = record_named(text)
    except InvalidArgument:
        return
    assert RECORD_ID.fullmatch(named)
