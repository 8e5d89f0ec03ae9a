"""The score of a document: meaning and words, and the weight of rare words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.documents.matching import (
    MEANING_SHARE,
    found_stems,
    query_stems,
    score,
    word_shares,
)

STEMS = st.frozensets(st.sampled_from("abcdef"), max_size=5)
FRACTIONS = st.floats(0.0, 1.0)
KNOWN = FRACTIONS | st.none()


def test_words_match_by_their_stems_and_without_regard_to_case() -> None:
    stems = query_stems("Which cats were running?")

    assert found_stems(stems, ["A CAT runs away"]) == stems
    assert found_stems(stems, ["dogs", "the cat"]) == query_stems("cat")
    assert found_stems(stems, []) == frozenset()


def test_a_query_of_stop_words_has_no_stems() -> None:
    assert query_stems("what is it?") == frozenset()
    assert word_shares(frozenset(), [frozenset()]) == [None]


def test_a_rare_stem_weighs_more_than_a_common_stem() -> None:
    stems = query_stems("zebra house")
    rare, common = query_stems("zebra"), query_stems("house")

    shares = word_shares(stems, [rare, common, common, common, stems, frozenset()])

    assert shares[0] is not None
    assert shares[1] is not None
    assert shares[0] > 0.5 > shares[1]
    assert shares[4:] == [pytest.approx(1.0), 0.0]


def test_a_word_that_no_document_has_lowers_every_share() -> None:
    stems = query_stems("zebra house")

    (share,) = word_shares(stems, [query_stems("house")])

    assert share is not None
    assert 0.0 < share < 0.5


@given(STEMS, st.lists(STEMS, max_size=5))
def test_a_share_is_a_fraction_and_grows_with_the_stems(
    stems: frozenset[str], documents: list[frozenset[str]]
) -> None:
    found = [each & stems for each in documents]

    shares = word_shares(stems, found)

    for share, own in zip(shares, found, strict=True):
        assert share is None or (0.0 <= share <= 1.0 + 1e-9 and (share > 0.0) == bool(own))
    for first, own in zip(shares, found, strict=True):
        for second, wider in zip(shares, found, strict=True):
            if first is not None and second is not None and own < wider:
                assert first < second


def test_meaning_and_words_are_blended() -> None:
    assert score(1.0, 1.0) == pytest.approx(1.0)
    assert score(1.0, 0.0) == pytest.approx(MEANING_SHARE)
    assert score(0.0, 1.0) == pytest.approx(1.0 - MEANING_SHARE)


def test_an_unknown_part_does_not_count() -> None:
    assert score(None, 0.4) == 0.4
    assert score(0.4, None) == 0.4
    assert score(None, None) == 0.0
    assert score(-0.8, None) == 0.0
    assert score(-0.8, 1.0) == score(0.0, 1.0)


@given(st.floats(-1.0, 1.0) | st.none(), KNOWN)
def test_a_score_is_a_fraction(meaning: float | None, words: float | None) -> None:
    assert 0.0 <= score(meaning, words) <= 1.0


@given(FRACTIONS, FRACTIONS, FRACTIONS)
def test_more_of_a_part_never_lowers_the_score(low: float, high: float, fixed: float) -> None:
    low, high = sorted((low, high))

    assert score(low, fixed) <= score(high, fixed)
    assert score(fixed, low) <= score(fixed, high)
