"""Cursors and consistency tokens: sealed text that serves the same reader and request alone."""

import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from membrane.domain.language.cursors import (
    KEY_BYTES,
    MAX_CURSOR_CHARACTERS,
    MAX_STATE_BYTES,
    decode,
    encode,
    seal,
)
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import MAX_TOKEN_CHARACTERS, RECORD_ID, record_named, token_of

ME = b"me"
KEY = b"k" * KEY_BYTES
PLAIN, DEFLATED = b"\x03", b"\x04"
NOT_OURS = "the cursor is not one of ours"

_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=50),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc"), inner, max_size=4),
    max_leaves=20,
)
STATES = st.dictionaries(st.text("abc"), _values, max_size=5)


def cursor(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def forged(body: bytes, form: bytes = PLAIN, binding: bytes = ME) -> str:
    """A cursor of whatever somebody likes who knows the key."""
    head = form + sha256(binding).digest()[:12]
    return cursor(head + seal(body, head, KEY))


@given(STATES, st.binary(max_size=40))
def test_a_cursor_brings_back_its_state(state: dict[str, Any], binding: bytes) -> None:
    assert decode(encode(state, binding, KEY), binding, KEY) == state


@given(STATES, st.binary(max_size=10), st.binary(max_size=10))
def test_a_cursor_is_of_no_use_for_another_request(
    state: dict[str, Any], binding: bytes, other: bytes
) -> None:
    text = encode(state, binding, KEY)

    if binding != other:
        with pytest.raises(InvalidArgument, match="the cursor belongs to another request"):
            decode(text, other, KEY)


def test_a_cursor_can_stand_in_an_address() -> None:
    text = encode({"letters": "öäü" * 50, "number": 0.1}, ME, KEY)

    assert set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


def test_a_long_state_is_deflated_and_a_short_one_is_not() -> None:
    short, long = (encode(state, ME, KEY) for state in ({"a": 1}, {"a": [1] * 1_000}))

    assert [urlsafe_b64decode(text + "==")[:1] for text in (short, long)] == [PLAIN, DEFLATED]
    assert len(long) < 100


def test_a_state_that_is_too_much_for_a_cursor_is_refused_with_the_way_out() -> None:
    numbers = [number**0.5 for number in range(5_000)]

    with pytest.raises(InvalidArgument, match="name fewer scopes or memory types"):
        encode({"numbers": numbers}, ME, KEY)


def test_a_cursor_tells_its_reader_nothing() -> None:
    text = encode({"place": "a-hidden-record"}, ME, KEY)

    assert b"hidden" not in urlsafe_b64decode(text + "==")


@given(STATES, st.integers(0), st.integers(1, 255))
def test_a_cursor_that_was_altered_is_refused(
    state: dict[str, Any], place: int, change: int
) -> None:
    content = bytearray(urlsafe_b64decode(encode(state, ME, KEY) + "=="))
    content[place % len(content)] ^= change

    with pytest.raises(InvalidArgument):
        decode(cursor(bytes(content)), ME, KEY)


def test_a_cursor_of_another_table_is_not_ours() -> None:
    text = encode({"a": 1}, ME, b"o" * KEY_BYTES)

    with pytest.raises(InvalidArgument, match=NOT_OURS):
        decode(text, ME, KEY)


def test_what_is_sealed_under_the_key_is_taken_for_what_it_says() -> None:
    assert decode(forged(b'{"a":1}'), ME, KEY) == {"a": 1}
    assert decode(forged(zlib.compress(b'{"a":1}'), DEFLATED), ME, KEY) == {"a": 1}


BOMB = zlib.compress(b"[" + b" " * (MAX_STATE_BYTES * 8) + b"]", 9)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "not base64!",
        "====",
        "äöü",
        "a" * (MAX_CURSOR_CHARACTERS + 1),
        forged(b'{"a":1}') + "=",
        forged(b'{"a":1}') + "\n",
        forged(b'{"a":1}', b"\x00"),
        forged(b'{"a":1}', b"\x01"),
        forged(b'{"a":1}', b"\x05"),
        forged(b""),
        forged(b"{"),
        forged(b"\xff\xfe"),
        forged(b"[]"),
        forged(b"null"),
        forged(b'"text"'),
        forged(b'{"a":NaN}'),
        forged(b'{"a":1e999}'),
        forged(b'{"a":-Infinity}'),
        forged(b'{"a":1,"a":2}'),
        forged(b'{"a":"\\ud800"}'),
        forged(b'{"a":' + b"9" * 5_000 + b"}"),
        forged(b"[" * 9 + b"]" * 9),
        forged(b"[" * 10_000),
        forged(b"not deflated", DEFLATED),
        forged(zlib.compress(b'{"a":1}')[:-4], DEFLATED),
        forged(zlib.compress(b'{"a":1}') + b"more", DEFLATED),
        forged(BOMB, DEFLATED),
        cursor(PLAIN),
        cursor(PLAIN + b"short"),
    ],
)
def test_what_is_no_cursor_of_ours_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument, match=NOT_OURS):
        decode(text, ME, KEY)


@given(st.text(max_size=200) | st.binary(max_size=100).map(cursor))
def test_no_text_makes_anything_but_a_refusal(text: str) -> None:
    with pytest.raises(InvalidArgument):
        decode(text, ME, KEY)


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
