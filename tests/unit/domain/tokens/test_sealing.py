"""Sealing: what goes in comes out again, and to nobody who has not the key."""

from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.tokens.sealing import KEY_BYTES, TAG_BYTES, opened, sealed

KEYS = st.binary(min_size=KEY_BYTES, max_size=KEY_BYTES)
KEY = bytes(range(KEY_BYTES))


@given(st.binary(max_size=300), st.binary(max_size=20), KEYS)
def test_what_was_sealed_opens(content: bytes, belonging_to: bytes, key: bytes) -> None:
    text = sealed(content, belonging_to, key)

    assert opened(text, belonging_to, key) == content
    assert len(text) == len(content) + TAG_BYTES


@given(st.binary(max_size=80), st.binary(max_size=5), st.binary(max_size=5), KEYS, KEYS)
def test_it_opens_under_its_own_key_and_for_what_it_belongs_to_alone(
    content: bytes, mine: bytes, other: bytes, key: bytes, another: bytes
) -> None:
    text = sealed(content, mine, key)

    assert mine == other or opened(text, other, key) is None
    assert key == another or opened(text, mine, another) is None


@given(st.binary(max_size=80), st.integers(0), st.integers(1, 255))
def test_what_was_altered_does_not_open(content: bytes, place: int, change: int) -> None:
    text = bytearray(sealed(content, b"", KEY))
    text[place % len(text)] ^= change

    assert opened(bytes(text), b"", KEY) is None


@given(st.binary(max_size=TAG_BYTES - 1))
def test_what_is_too_short_does_not_open(text: bytes) -> None:
    assert opened(text, b"", KEY) is None


def test_the_form_stays_as_it_is_for_cursors_outlive_a_deployment() -> None:
    text = sealed(b"a place in an index, longer than one block of the stream" * 2, b"mine", KEY)

    assert text.hex() == (
        "662a5ba8aae8c3f25330a3c6cb85ec4e025a050b344a987127ef0d2dbc5193962e9339fab4e920b9"
        "3f8b74bf45ce6f2640f9e2d4a9e00d6e181528c4e3cc8cc4648cc49d7a05145765d7ff72b4422037"
        "5c1bf23efd6d73a3a256a2d6a8d191b0578dd4e9c181e5c903b65ecd1f0efc5b863a9d56afff19e1"
        "7bcc844b04ebbc2c"
    )


def test_contents_that_begin_alike_do_not_look_alike() -> None:
    one, other = (sealed(b"the same beginning " + end, b"", KEY) for end in (b"a", b"b"))

    assert one[:TAG_BYTES] != other[:TAG_BYTES]
    assert one[TAG_BYTES:][:8] != other[TAG_BYTES:][:8]
