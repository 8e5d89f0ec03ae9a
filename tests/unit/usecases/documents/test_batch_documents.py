"""Batches: answers in order, each operation alone, or all checked first."""

import pytest

from membrane.domain.language.errors import InvalidArgument, PermissionDenied
from tests.fakes.clock import FakeClock
from tests.fakes.document_world import keeping
from tests.worlds.documents import DocumentCaller

PUT = {"op": "put", "namespace": ["a"], "key": "k", "value": 1}
GET = {"op": "get", "namespace": ["a"], "key": "k"}


@pytest.fixture
def ann() -> DocumentCaller:
    return DocumentCaller(keeping(now=FakeClock()))


def test_the_answers_come_in_the_order_of_the_operations(ann: DocumentCaller) -> None:
    results = ann.batch(
        GET,
        PUT,
        GET,
        {"op": "append", "namespace": ["a"], "key": "list", "items": [1, 2]},
        {"op": "search", "namespace_prefix": ["a"]},
        {"op": "namespaces"},
        {"op": "delete", "namespace": ["a"], "key": "k"},
        GET,
    )

    assert [each["status"] for each in results] == [404, 200, 200, 200, 200, 200, 200, 404]
    assert results[2]["document"]["value"] == 1
    assert [each["key"] for each in results[4]["documents"]] == ["k", "list"]
    assert results[5]["namespaces"] == [["a"]]
    assert results[6]["existed"]


def test_a_bad_operation_fails_alone(ann: DocumentCaller) -> None:
    results = ann.batch(PUT | {"key": ""}, {"op": "copy"}, "no object", PUT)

    assert [each["status"] for each in results] == [400, 400, 400, 200]
    assert results[0]["error"]["errors"][0]["field"] == "key"
    assert "put, get, delete" in results[1]["error"]["detail"]


def test_a_bad_operation_refuses_a_batch_that_is_checked_first(ann: DocumentCaller) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        ann.batch(PUT, PUT | {"namespace": []}, check_first=True)

    assert refusal.value.violations[0].field == "operations.1.namespace"
    assert ann.search()["documents"] == []


def test_a_missing_permission_refuses_a_batch_that_is_checked_first(ann: DocumentCaller) -> None:
    reader = ann.as_(permissions=("read",))
    with pytest.raises(PermissionDenied, match=r"operations\.1"):
        reader.batch(GET, PUT, check_first=True)

    assert [each["status"] for each in reader.batch(GET, PUT)] == [404, 403]


def test_a_repeated_batch_under_the_key_writes_nothing_again(ann: DocumentCaller) -> None:
    append = {"op": "append", "namespace": ["a"], "key": "list", "items": [1]}
    ann.batch(PUT, append, append, idempotency_key="b1")

    ann.batch(PUT, append, append, idempotency_key="b1")

    [put, listed] = ann.batch(GET, GET | {"key": "list", "items": 9})
    assert put["document"]["version"] == 1
    assert [each["value"] for each in listed["document"]["items"]] == [1, 1]


@pytest.mark.parametrize(
    "bad",
    [
        PUT | {"scope": "other"},
        PUT | {"sensitivity": "hyper"},
        {"op": "delete", "namespace": ["a"], "key": "k", "erase": True},
    ],
)
def test_a_right_that_needs_no_document_is_checked_first(
    bad: dict[str, object], ann: DocumentCaller
) -> None:
    with pytest.raises(PermissionDenied, match=r"operations\.1"):
        ann.batch(PUT, bad, check_first=True)

    assert ann.search()["documents"] == []


def test_reads_give_way_where_the_reply_is_full_and_writes_never(ann: DocumentCaller) -> None:
    for number in range(60):
        ann.batch(PUT | {"key": str(number), "value": "x" * 120_000})
    ann.batch({"op": "append", "namespace": ["a"], "key": "list", "items": ["kept"]})
    gets = [GET | {"key": str(number)} for number in range(60)]

    *read, taken = ann.batch(*gets, {"op": "delete", "namespace": ["a"], "key": "list", "items": 1})

    assert [each["value"] for each in taken["items"]] == ["kept"]
    statuses = [each["status"] for each in read]
    assert statuses == sorted(statuses)
    assert set(statuses) == {200, 413}
