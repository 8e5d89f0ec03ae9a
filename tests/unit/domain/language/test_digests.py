"""SHA-256 over several texts."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.digests import digest

LISTS_OF_TEXTS = st.lists(st.text(max_size=5), max_size=5)


def test_a_digest_covers_each_text_after_its_length_in_bytes() -> None:
    hashed = digest("é", "", "ab")

    assert (
        hashed
        == hashlib.sha256(b"\x00\x00\x00\x02\xc3\xa9\x00\x00\x00\x00\x00\x00\x00\x02ab").digest()
    )


@given(LISTS_OF_TEXTS, LISTS_OF_TEXTS)
def test_no_two_lists_of_texts_have_the_same_digest(one: list[str], other: list[str]) -> None:
    digests = {digest(*one), digest(*other)}

    assert (len(digests) == 1) == (one == other)


def test_texts_do_not_run_into_one_another() -> None:
    digests = {digest("ab", "c"), digest("a", "bc"), digest("abc"), digest("abc", "")}

    assert len(digests) == 4
