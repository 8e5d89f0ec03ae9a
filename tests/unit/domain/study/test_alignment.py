"""Paragraphs of two editions are taken for each other in order, equal ones first."""

from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.study.alignment import align

TEXTS = st.lists(st.sampled_from("abcdef"), max_size=12)


def test_equal_editions_fit_one_to_one() -> None:
    alignment = align(["a", "b", "a"], ["a", "b", "a"])

    assert alignment.pairs == [(0, 0), (1, 1), (2, 2)]
    assert not alignment.gone
    assert not alignment.new


def test_a_changed_paragraph_keeps_its_place() -> None:
    assert align(["a", "b", "c"], ["a", "B", "c"]).pairs == [(0, 0), (1, 1), (2, 2)]


def test_an_inserted_paragraph_has_no_partner() -> None:
    alignment = align(["a", "b"], ["a", "new", "b"])

    assert alignment.pairs == [(0, 0), (1, 2)]
    assert alignment.new == [1]


def test_a_removed_paragraph_is_gone() -> None:
    alignment = align(["a", "b", "c"], ["a", "c"])

    assert alignment.pairs == [(0, 0), (2, 1)]
    assert alignment.gone == [1]


def test_a_moved_paragraph_is_new_at_its_new_place() -> None:
    alignment = align(["a", "b", "c", "d"], ["b", "c", "d", "a"])

    assert alignment.pairs == [(1, 0), (2, 1), (3, 2)]
    assert (alignment.gone, alignment.new) == ([0], [3])


@given(TEXTS, TEXTS)
def test_every_paragraph_is_paired_gone_or_new_and_pairs_keep_the_order(
    before: list[str], after: list[str]
) -> None:
    alignment = align(before, after)

    old, new = [each for each, _ in alignment.pairs], [each for _, each in alignment.pairs]
    assert old == sorted(set(old))
    assert new == sorted(set(new))
    assert sorted([*old, *alignment.gone]) == [*range(len(before))]
    assert sorted([*new, *alignment.new]) == [*range(len(after))]


@given(TEXTS)
def test_an_edition_fits_itself(texts: list[str]) -> None:
    assert align(texts, texts).pairs == [(each, each) for each in range(len(texts))]
