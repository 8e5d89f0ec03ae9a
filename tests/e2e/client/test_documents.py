"""Keyed documents of the client against a running service."""

import asyncio
from typing import Any

import pytest

from membrane_client import AsyncMembrane, BadRequest, Membrane
from tests.e2e.stack import Stack

NAMES = [
    "a b", "a/b", "ü", "%", "%2F", "?", "#", "*", "+", ":", "x\ny", "\\", "&=", "~", "..a",
    "items", "search", "😀",
]  # fmt: skip
"""Labels and keys with signs that a URL gives a meaning to."""


def test_a_document_is_read_back_under_every_name(memory: Membrane) -> None:
    for name in NAMES:
        memory.put_document(["n", name], name, {"name": name})
        memory.append_items(["n", name], name, [name])

    for name in NAMES:
        found = memory.get_document(["n", name], name, items=1)
        assert (found.namespace, found.key, found.value) == (["n", name], name, {"name": name})
        assert [each.value for each in found.items] == [name]
    assert [labels for _, labels in memory.list_namespaces(limit=4)] == sorted(NAMES)
    assert [list(memory.list_namespaces(suffix=[name])) for name in NAMES if name != "*"] == [
        [["n", name]] for name in NAMES if name != "*"
    ]
    for name in NAMES:
        assert memory.delete_document(["n", name], name).existed
    assert list(memory.list_namespaces()) == []


def test_a_batch_answers_in_order_and_may_be_checked_first(memory: Membrane) -> None:
    operations: list[dict[str, Any]] = [
        {"op": "put", "namespace": ["notes"], "key": "n1", "value": {"score": 1}},
        {"op": "get", "namespace": ["notes"], "key": "n1"},
        {"op": "get", "namespace": ["notes"], "key": "n2"},
        {"op": "append", "namespace": ["notes"], "key": "n1", "items": ["a"]},
        {"op": "search", "namespace_prefix": ["notes"]},
        {"op": "namespaces"},
        {"op": "delete", "namespace": ["notes"], "key": "n1"},
    ]

    put, got, absent, appended, found, listed, deleted = memory.batch_documents(operations)

    assert [each.status for each in (put, got, deleted)] == [200, 200, 200]
    assert got.document is not None
    assert got.document.value == {"score": 1}
    assert absent.error is not None
    assert (absent.status, absent.error.code) == (404, "NOT_FOUND")
    assert appended.end == 1
    assert [each.key for each in found.documents] == ["n1"]
    assert listed.namespaces == [["notes"]]
    with pytest.raises(BadRequest, match=r"operations\.1"):
        memory.batch_documents([operations[0], {"op": "lose"}], check_first=True)
    assert list(memory.search_documents()) == []


def test_values_that_no_request_or_reply_carries_come_back_whole(memory: Membrane) -> None:
    log, longer = {"log": "line\n" * 1_000_000}, {"log": "line\n" * 1_500_000}

    memory.put_document(["logs"], "build", log)
    memory.put_document(["logs"], "build", longer)
    put, got = memory.batch_documents(
        [
            {"op": "put", "namespace": ["logs"], "key": "other", "value": log},
            {"op": "get", "namespace": ["logs"], "key": "build"},
        ]
    )

    found = memory.get_document(["logs"], "build", history=1)
    assert (found.value, found.history[0].value) == (longer, log)
    assert put.status == 200
    assert got.document is not None
    assert got.document.value == longer
    assert [each.value for each in memory.search_documents(["logs"])] == [longer, log]


def test_the_awaited_form_reads_what_the_user_wrote(stack: Stack) -> None:
    async def kept() -> tuple[str, list[str]]:
        async with AsyncMembrane(stack.url, stack.secret, user="ada") as memory:
            await memory.put_document(["drinks"], "tea", {"sugar": 1})
            found = await memory.get_document(["drinks"], "tea")
            return found.scope, [each.key async for each in memory.search_documents(["drinks"])]

    assert asyncio.run(kept()) == ("user:ada", ["tea"])
