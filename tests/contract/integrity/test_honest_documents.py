"""Whatever the service does with keyed documents, the verification finds nothing."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from membrane.domain.documents.requests import (
    AppendItems,
    DeleteDocument,
    GetDocument,
    PutDocument,
)
from membrane.domain.integrity.leaves import WIDTH
from membrane.domain.language.errors import DomainError
from membrane.domain.language.timestamps import epoch_seconds
from membrane.usecases.documents.deleting import delete_document
from membrane.usecases.documents.reading import read_document
from membrane.usecases.documents.writing import append_items, put_document
from tests.builders.requests import call
from tests.worlds.anchored_tables import anchored, findings
from tests.worlds.depth import examples
from tests.worlds.stores import Store, table_store

SCOPE = "project:whales"
LARGE = "x" * 40_000
Do = Callable[[Store, str, int], Any]
"""An operation on the document of a key, varied by a number."""


def put(table: Store, key: str, value: Any = "dark", **fields: Any) -> None:
    asked = PutDocument(namespace=("users",), key=key, scope=SCOPE, value=value, **fields)
    put_document(asked, call(asked), table.services)


def append(table: Store, key: str, *items: Any, once: str | None = None, **fields: Any) -> None:
    asked = AppendItems(namespace=("users",), key=key, scope=SCOPE, items=items, **fields)
    append_items(asked, call(asked, key=once), table.services)


def delete(table: Store, key: str, **fields: Any) -> None:
    asked = DeleteDocument(namespace=("users",), key=key, scope=SCOPE, **fields)
    delete_document(asked, call(asked), table.services)


def read(table: Store, key: str) -> None:
    asked = GetDocument(namespace=("users",), key=key, scope=SCOPE, refresh=True)
    read_document(asked, call(asked), table.services)


def expire(table: Store, every: int = 1) -> None:
    """TTL removes items whose time is over, in no order: here one in `every`."""
    now_s = epoch_seconds(table.clock())
    over = [each for each in table.everything() if "expires_at" in each]
    over = [each for each in over if float(each["expires_at"]["N"]) <= now_s]
    for item in over[::every]:
        table.remove(item)


def let_pass(table: Store, **time: int) -> None:
    """An anchor sees each deletion: anchors are daily, and tombstones last longer."""
    anchored(table.services)
    table.clock.advance(**time)
    expire(table)


def wait(table: Store, _key: str, minutes: int) -> None:
    """Too short for an anchor."""
    table.clock.advance(minutes=minutes)
    expire(table, 1 + minutes % 2)


PERIODS = (None, 60, 600, 3_600, 86_400)
OPERATIONS: Sequence[Do] = (
    *(wait, wait, lambda table, _, number: let_pass(table, hours=number)),
    lambda table, _, number: let_pass(table, days=number % 29),
    lambda table, key, number: put(table, key, f"value {number}" * 30, rationale="so"),
    lambda table, key, number: put(table, key, number, ttl_seconds=PERIODS[number % 5]),
    lambda table, key, number: put(table, key, number, half_life_seconds=60 + 60 * number),
    lambda table, key, number: put(table, key, f"{number}{LARGE}", sensitivity="high"),
    lambda table, key, _: put(table, key, "for all", sensitivity="public", index=True),
    lambda table, key, number: append(table, key, number, once=f"{number}"),
    lambda table, key, number: append(table, key, number, "b", ttl_seconds=PERIODS[number % 5]),
    lambda table, key, number: delete(table, key, items=1 + number % 4),
    lambda table, key, _: delete(table, key),
    lambda table, key, _: delete(table, key, erase=True),
    lambda table, key, _: read(table, key),
)
STEPS = st.lists(
    st.tuples(st.sampled_from(OPERATIONS), st.sampled_from("ab"), st.integers(0, 45)),
    min_size=10,
    max_size=60,
)


@given(steps=STEPS)
@settings(max_examples=examples(60), deadline=None, phases=[Phase.generate])
def test_a_mix_of_all_operations_on_documents_with_anchors_between_verifies_clean(
    steps: Sequence[tuple[Do, str, int]],
) -> None:
    table = table_store()
    for do, key, number in steps:
        with suppress(DomainError):
            do(table, key, number)

    assert findings(table.services, table.topics) == []


def test_an_anchor_has_a_leaf_of_144_bytes_for_each_document_and_each_append(table: Store) -> None:
    put(table, "a")
    append(table, "b", 1)
    append(table, "b", 2)

    assert (anchored(table.services).leaves, WIDTH) == (4, 144)


@pytest.mark.parametrize("is_late", [True, False])
def test_a_document_that_gets_an_end_between_two_anchors_is_not_missed(
    table: Store, *, is_late: bool
) -> None:
    born_s = epoch_seconds(table.clock())
    put(table, "a")
    anchored(table.services)
    table.clock.advance(hours=1)
    put(table, "a", ttl_seconds=60)
    if is_late:
        anchored(table.services)

    table.clock.advance(hours=1)
    expire(table)

    assert [each["sk"]["S"] for each in table.everything() if "h" in each] == [f"ending#{born_s}"]
    assert findings(table.services, table.topics) == []


def test_an_end_that_moves_on_again_before_an_anchor_sees_it_is_not_missed(table: Store) -> None:
    put(table, "a")
    anchored(table.services)
    for _ in range(2):
        table.clock.advance(minutes=30)
        put(table, "a", ttl_seconds=3_600)
    anchored(table.services)

    table.clock.advance(hours=2)
    expire(table)

    assert findings(table.services, table.topics) == []


def test_a_document_made_anew_after_an_unseen_end_begins_another_chain(table: Store) -> None:
    put(table, "a")
    put(table, "a", "light")
    anchored(table.services)
    table.clock.advance(hours=1)
    put(table, "a", ttl_seconds=60)
    table.clock.advance(hours=1)
    expire(table)

    put(table, "a", "anew")

    assert findings(table.services, table.topics) == []


def test_an_unseen_end_is_not_missed_after_a_later_document_of_the_place_gets_an_end_too(
    table: Store,
) -> None:
    put(table, "a")
    anchored(table.services)
    for hours in (1, 2, 3):
        put(table, "a", "again", ttl_seconds=60)
        table.clock.advance(hours=hours)
        expire(table)
        put(table, "a", "anew")
    put(table, "a", "again", ttl_seconds=60)

    assert findings(table.services, table.topics) == []


def test_items_that_end_before_an_anchored_empty_append_leave_the_append_in_place(
    table: Store,
) -> None:
    append(table, "a", 1)
    anchored(table.services)
    delete(table, "a", items=1)
    put(table, "a", ttl_seconds=60)
    append(table, "a", 2)

    table.clock.advance(hours=1)
    expire(table)

    assert findings(table.services, table.topics) == []


def test_former_versions_that_have_expired_are_not_missed(table: Store) -> None:
    for number in range(20):
        put(table, "a", number)
        let_pass(table, days=40)

    beside = [each["sk"]["S"] for each in table.everything() if "n" not in each and "v" in each]
    assert beside == ["versions#0000000008"]
    assert findings(table.services, table.topics) == []
