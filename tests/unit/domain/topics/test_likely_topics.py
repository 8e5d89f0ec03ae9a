"""Which topic something may be told of."""

import pytest

from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.search.entries import Entry, pack_dense
from membrane.domain.topics.placing.observations import similarity, titles_contradict
from membrane.domain.topics.titles import is_kept_apart, says_nothing


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada", "ada"),
        ("Ada", "Ada Lovelace"),
        ("The billing service", "Billing Services"),
        ("Apollo project", "project apollo"),
        ("Invoice 17", "invoice no. 17"),
        ("", "Ada"),
        ("untitled", "Ada"),
        ("It", "it"),
    ],
)
def test_titles_that_can_be_of_one_thing(one: str, other: str) -> None:
    assert not titles_contradict(one, other)
    assert not titles_contradict(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada", "Grace"),
        ("Alice Smith", "Bob Smith"),
        ("Invoice 17", "Invoice 18"),
        ("Invoice 17", "Invoice"),
        ("Q3 roadmap", "Q4 roadmap"),
        ("It", "Her"),
        ("It", "Ada"),
    ],
)
def test_titles_that_cannot(one: str, other: str) -> None:
    assert titles_contradict(one, other)
    assert titles_contradict(other, one)


@pytest.mark.parametrize(
    ("dense", "likeness"),
    [((1.0, 0.0), 1.0), ((0.0, 1.0), 0.0), ((-1.0, 0.0), -1.0), ((0.0, 0.0), 0.0)],
)
def test_similarity_is_the_cosine(dense: tuple[float, ...], likeness: float) -> None:
    packed = pack_dense((1.0, 0.0))
    entry = Entry("t", "", MemoryType.ENTITY, Sensitivity.LOW, b"", packed, 0.0)

    assert similarity(dense, entry) == pytest.approx(likeness)


@pytest.mark.parametrize(
    ("kind", "is_apart"),
    [
        ("document:1", True),
        ("Document:1", True),
        ("study:1", True),
        ("document", True),
        (" Document", True),
        ("documents", False),
        ("", False),
    ],
)
def test_the_kinds_of_studies_are_kept_apart(kind: str, *, is_apart: bool) -> None:
    assert is_kept_apart(kind) is is_apart


@pytest.mark.parametrize(
    ("name", "nothing"), [("p0001", True), ("p0001-2", True), ("names", True), ("price", False)]
)
def test_a_number_says_nothing(name: str, *, nothing: bool) -> None:
    assert says_nothing(name) is nothing
