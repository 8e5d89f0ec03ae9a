"""Receipts: what a write with an operation id did."""

import pytest

from membrane.domain.language.errors import AlreadyExists, NotFound, VersionMismatch
from tests.fakes.clock import FakeClock
from tests.fakes.document_world import keeping
from tests.worlds.documents import DocumentCaller


@pytest.fixture
def ann() -> DocumentCaller:
    return DocumentCaller(keeping(now=FakeClock()))


def test_a_receipt_says_where_a_write_went_and_which_version_it_made(ann: DocumentCaller) -> None:
    ann.put("prefs", 1)
    ann.put("prefs", 2, operation_id="op 1")
    ann.put("prefs", 3)

    receipt = ann.receipt("op 1")

    assert (receipt["namespace"], receipt["key"]) == (["users", "ann"], "prefs")
    assert (receipt["version"], receipt["existed"]) == (2, True)


def test_a_deletion_has_a_receipt(ann: DocumentCaller) -> None:
    ann.put("prefs", 1)
    ann.delete("prefs", operation_id="op 1")

    assert ann.receipt("op 1")["version"] == 2


def test_a_refused_write_leaves_no_receipt_and_its_id_is_free(ann: DocumentCaller) -> None:
    with pytest.raises(VersionMismatch):
        ann.put("prefs", 1, expected_version=7, operation_id="op 1")
    with pytest.raises(NotFound):
        ann.receipt("op 1")

    ann.put("prefs", 1, operation_id="op 1")

    assert ann.receipt("op 1")["version"] == 1


def test_an_operation_id_stands_for_one_write_at_one_place(ann: DocumentCaller) -> None:
    ann.put("prefs", 1, operation_id="op 1")

    with pytest.raises(AlreadyExists):
        ann.put("other", 1, operation_id="op 1")
    with pytest.raises(AlreadyExists):
        ann.put("prefs", 2, operation_id="op 1")

    assert ann.put("prefs", 1, operation_id="op 1")["replayed"]
    assert ann.receipt("op 1")["key"] == "prefs"


def test_a_receipt_is_for_the_caller_of_the_write(ann: DocumentCaller) -> None:
    ann.put("prefs", 1, operation_id="op 1")

    with pytest.raises(NotFound):
        ann.as_(actor_id="bob").receipt("op 1")
