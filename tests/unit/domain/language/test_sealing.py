"""Sealing: what goes in comes out again, and to nobody who has not the key."""

from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.cursors import KEY_BYTES, TAG_BYTES, seal, unseal

KEYS = st.binary(min_size=KEY_BYTES, max_size=KEY_BYTES)
KEY = bytes(range(KEY_BYTES))


@given(st.binary(max_size=300), st.binary(max_size=20), KEYS)
def test_what_was_sealed_opens(content: bytes, belonging_to: bytes, key: bytes) -> None:
    text = seal(content, belonging_to, key)

    assert unseal(text, belonging_to, key) == content
    assert len(text) == len(content) + TAG_BYTES


@given(st.binary(max_size=80), st.binary(max_size=5), st.binary(max_size=5), KEYS, KEYS)
def test_it_opens_under_its_own_key_and_for_what_it_belongs_to_alone(
    content: bytes, mine: bytes, other: bytes, key: bytes, another: bytes
) -> None:
    text = seal(content, mine, key)

    assert mine == other or unseal(text, other, key) is None
    assert key == another or unseal(text, mine, another) is None


@given(st.binary(max_size=80), st.integers(0), st.integers(1, 255))
def test_what_was_altered_does_not_open(content: bytes, place: int, change: int) -> None:
    text = bytearray(seal(content, b"", KEY))
    text[place % len(text)] ^= change

    assert unseal(bytes(text), b"", KEY) is None


@given(st.binary(max_size=TAG_BYTES - 1))
def test_what_is_too_short_does_not_open(text: bytes) -> None:
    assert unseal(text, b"", KEY) is None


def test_the_form_is_aes_siv_and_stays_as_it_is_for_cursors_outlive_a_deployment() -> None:
    """The key, the associated data, the content and the result of RFC 5297, appendix A.1."""
    key = bytes.fromhex("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
    belonging_to = bytes.fromhex("101112131415161718191a1b1c1d1e1f2021222324252627")
    content = bytes.fromhex("112233445566778899aabbccddee")

    assert seal(content, belonging_to, key).hex() == (
        "85632d07c6e8f37f950acd320a2ecc9340c02b9690c4dc04daef7f6afe5c"
    )


def test_contents_that_begin_alike_do_not_look_alike() -> None:
    one, other = (seal(b"the same beginning " + end, b"", KEY) for end in (b"a", b"b"))

    assert one[:TAG_BYTES] != other[:TAG_BYTES]
    assert one[TAG_BYTES:][:8] != other[TAG_BYTES:][:8]
