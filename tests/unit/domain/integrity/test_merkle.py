"""Merkle roots, against RFC 9162 and against the confusion of values and pairs."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.integrity.anchors import EMPTY, merkle_root


def test_the_root_of_nothing_is_the_hash_of_nothing() -> None:
    assert merkle_root([]) == EMPTY == hashlib.sha256(b"").digest()


def test_the_root_of_three_values_is_that_of_the_standard() -> None:
    one, two, three = (hashlib.sha256(b"\x00" + each).digest() for each in (b"1", b"2", b"3"))
    pair = hashlib.sha256(b"\x01" + one + two).digest()

    assert merkle_root([b"1", b"2", b"3"]) == hashlib.sha256(b"\x01" + pair + three).digest()


@given(st.lists(st.binary(max_size=3), max_size=9), st.lists(st.binary(max_size=3), max_size=9))
def test_two_lists_of_values_never_have_the_same_root(one: list[bytes], other: list[bytes]) -> None:
    assert (merkle_root(one) == merkle_root(other)) is (one == other)
