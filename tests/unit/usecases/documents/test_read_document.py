"""Lists and histories beyond one reply."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.documents.document import Version
from membrane.domain.documents.places import Place
from membrane.domain.documents.requests import MAX_APPEND_BYTES
from membrane.domain.language.errors import InvalidArgument
from membrane.usecases.documents.room import ROOM_BYTES
from tests.fakes.clock import FakeClock
from tests.fakes.document_world import keeping
from tests.fakes.documents import FakeDocuments
from tests.worlds.documents import DocumentCaller


@dataclass(slots=True)
class CountingDocuments(FakeDocuments):
    """Counts the reads of the history."""

    reads: int = 0

    def versions(self, place: Place, before: int, limit: int) -> Sequence[Version]:
        """See DynamoDocuments."""
        self.reads += 1
        return FakeDocuments.versions(self, place, before, limit)


@pytest.fixture
def ann() -> DocumentCaller:
    return DocumentCaller(keeping())


def pages_of_items(ann: DocumentCaller, key: str, count: int) -> Iterator[list[Any]]:
    """The items, a list for each page, the newest page first."""
    more: dict[str, int] = {}
    while True:
        document = ann.get(key, items=count, **more)
        yield [each["value"] for each in document["items"]]
        if "next_items_before" not in document:
            return
        more = {"items_before": document["next_items_before"]}


def pages_of_history(
    ann: DocumentCaller, key: str, count: int, **asked: int
) -> Iterator[list[int]]:
    """The numbers of the former versions, a list for each page, the newest page first."""
    more: dict[str, int] = {}
    while True:
        document = ann.get(key, history=count, **asked, **more)
        yield [each["version"] for each in document["history"]]
        if "next_history_before" not in document:
            return
        more = {"history_before": document["next_history_before"]}


@given(st.lists(st.integers(-3, 3), max_size=12), st.integers(1, 4))
def test_the_pages_of_a_list_are_the_list(steps: list[int], count: int) -> None:
    """Steps are appends of so many items, and removals of so many."""
    ann = DocumentCaller(keeping())
    ann.append("chat", 0)
    expected = [0]
    for number, step in enumerate(steps, 1):
        if step > 0:
            items = [number * 10 + each for each in range(step)]
            ann.append("chat", *items)
            expected += items
        elif step < 0:
            ann.delete("chat", items=-step)
            del expected[max(0, len(expected) + step) :]

    pages = list(pages_of_items(ann, "chat", count))

    assert [item for page in reversed(pages) for item in page] == expected
    assert all(len(page) == count for page in pages[:-1])


def test_a_page_leaves_out_what_came_since_the_page_before(ann: DocumentCaller) -> None:
    ann.append("chat", 1, 2, 3, 4)
    newest = ann.get("chat", items=2)

    ann.append("chat", 5)
    ann.delete("chat", items=2)
    ann.append("chat", 6)
    older = ann.get("chat", items=9, items_before=newest["next_items_before"])

    assert [each["value"] for each in older["items"]] == [1, 2]
    assert "next_items_before" not in older


def test_a_list_larger_than_a_reply_comes_in_pages_that_fit(ann: DocumentCaller) -> None:
    for number in range(100):
        ann.append("chat", f"{number:02}" + "x" * (MAX_APPEND_BYTES - 16))

    pages = list(pages_of_items(ann, "chat", 1_000))

    numbers = [int(item[:2]) for page in reversed(pages) for item in page]
    assert numbers == list(range(100))
    assert max(len(page) for page in pages) * MAX_APPEND_BYTES <= ROOM_BYTES
    assert len(pages) == 3


def test_a_document_without_items_has_no_further_page(ann: DocumentCaller) -> None:
    ann.put("chat", 1)

    assert list(pages_of_items(ann, "chat", 5)) == [[]]
    assert list(pages_of_history(ann, "chat", 5)) == [[]]


def cut_off_deletion(ann: DocumentCaller) -> None:
    """Append an item and delete the document, but leave the item, as a function that was killed."""
    ann.append("chat", "left behind")
    (document,) = ann.services.documents.page("team", "", None, 1).documents
    place, generation = document.place, document.created_at
    (left,) = ann.services.documents.chunks(place, None, generation=generation, now_s=0)
    ann.delete("chat")
    (emptied,) = ann.services.documents.chunks(
        place, None, generation=generation, now_s=0, below=left.start + 1
    )
    ann.services.documents.put_chunk(emptied, replace(left, revision=emptied.revision + 1))


def test_items_of_a_document_before_at_the_place_are_on_no_page() -> None:
    clock = FakeClock()
    ann = DocumentCaller(keeping(now=clock))
    cut_off_deletion(ann)
    clock.advance(seconds=1)
    ann.append("chat", "new")

    assert list(pages_of_items(ann, "chat", 1)) == [["new"], []]
    assert ann.get("chat", items=5, items_before=2)["items"] == []


def test_a_deleted_document_shows_no_items(ann: DocumentCaller) -> None:
    cut_off_deletion(ann)

    shown = ann.get("chat", history=1, items=9, items_before=2)

    assert shown["deleted"]
    assert shown["items"] == []


def test_the_last_page_of_a_whole_list_says_that_nothing_is_left(ann: DocumentCaller) -> None:
    ann.append("chat", 1, 2, 3, 4)

    assert list(pages_of_items(ann, "chat", 2)) == [[3, 4], [1, 2]]


def test_a_version_that_is_in_the_history_before_it_left_the_document_comes_once(
    ann: DocumentCaller,
) -> None:
    for number in range(3):
        ann.put("prefs", number)
    (document,) = ann.services.documents.page("team", "", None, 1).documents
    documents = ann.services.documents
    assert isinstance(documents, FakeDocuments)
    moved = {each.entry.version: each for each in document.former}
    documents.history[document.place] = moved  # and the write of the document was lost

    assert list(pages_of_history(ann, "prefs", 9)) == [[2, 1]]


@given(st.integers(1, 30), st.integers(1, 7))
def test_the_pages_of_a_history_are_the_history(versions: int, count: int) -> None:
    ann = DocumentCaller(keeping())
    for number in range(versions):
        ann.put("prefs", number)

    pages = list(pages_of_history(ann, "prefs", count))

    assert [number for page in pages for number in page] == [*range(versions - 1, 0, -1)]
    assert all(len(page) == count for page in pages[:-1])


def test_a_history_larger_than_a_reply_comes_in_pages_that_fit(ann: DocumentCaller) -> None:
    for number in range(65):
        ann.put("prefs", f"{number}" + "x" * 100_000)

    pages = list(pages_of_history(ann, "prefs", 100))

    assert [number for page in pages for number in page] == [*range(64, 0, -1)]
    assert len(pages) == 2


def test_items_and_versions_share_the_room_of_a_reply(ann: DocumentCaller) -> None:
    for _ in range(35):
        ann.put("prefs", "x" * 100_000)
        ann.append("prefs", "y" * 100_000)

    document = ann.get("prefs", items=100, history=100)

    assert len(document["items"]) == 35
    assert 0 < len(document["history"]) < 34
    rest = ann.get("prefs", history=100, history_before=document["next_history_before"])
    shown = [each["version"] for each in (*document["history"], *rest["history"])]
    assert shown == [*range(34, 0, -1)]


def test_a_history_comes_to_an_end_beside_items_that_fill_the_reply(ann: DocumentCaller) -> None:
    for number in range(4):
        ann.put("prefs", f"{number}" * 100_000)
    for _ in range(60):
        ann.append("prefs", "y" * 100_000)

    pages = pages_of_history(ann, "prefs", 100, items=1_000)

    assert list(islice(pages, 9)) == [[3], [2], [1]]


def test_verified_versions_are_the_versions_of_the_page() -> None:
    documents = CountingDocuments()
    ann = DocumentCaller(keeping(documents=documents))
    for number in range(20):
        ann.put("prefs", number)
    documents.reads = 0

    document = ann.get("prefs", history=10, verify=True)
    older = ann.get("prefs", history=10, verify=True, history_before=10)

    assert [each["version"] for each in document["history"]] == [*range(19, 9, -1)]
    assert [each["version"] for each in older["history"]] == [*range(9, 0, -1)]
    assert document["verified"]
    assert documents.reads == 2


def test_a_history_ends_where_a_document_began_anew(ann: DocumentCaller) -> None:
    for number in range(4):
        ann.put("prefs", number)
    ann.delete("prefs")
    ann.put("prefs", "anew")
    ann.put("prefs", "again")

    assert list(pages_of_history(ann, "prefs", 1)) == [[6]]
    assert ann.get("prefs", history=9, history_before=6)["history"] == []


@pytest.mark.parametrize("name", ["items", "history"])
def test_a_page_begins_below_a_position(ann: DocumentCaller, name: str) -> None:
    ann.put("prefs", 1)

    with pytest.raises(InvalidArgument, match=f"{name}_before"):
        ann.get("prefs", **{name: 5, f"{name}_before": 0})
