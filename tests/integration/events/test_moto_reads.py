"""Reads of the table in memory: they cost what they return, and return what moto returned."""

import sys
from collections.abc import Callable
from typing import Any

import pytest
from moto.core.serialize import BaseJSONSerializer
from moto.dynamodb.models.table import Table

from membrane_local.dev_options import TEMPLATE
from membrane_local.storage.stores import TABLE, Store, open_store
from membrane_local.template import read_template

USUAL_QUERY = Table.query
USUAL_STRUCTURE = BaseJSONSerializer._serialize_type_structure  # noqa: SLF001 - moto has no other way


def filled(store: Store, partitions: range) -> None:
    """Put one item into each partition; all of them share one natural key."""
    for number in partitions:
        item: Any = {
            "pk": {"S": f"record#{number:04}"},
            "sk": {"S": "record"},
            "natural_pk": {"B": b"key"},
            "natural_sk": {"N": f"{number}"},
            "kinds": {"L": [{"S": "a"}, {"M": {"n": {"N": "1"}, "b": {"BOOL": False}}}]},
            "marks": {"SS": ["x", "y"]},
            "raw": {"B": b"\x00\xff"},
        }
        store.dynamodb.put_item(TableName=TABLE, Item=item)


def one_partition(store: Store) -> Any:
    """Query one partition."""
    return store.dynamodb.query(
        TableName=TABLE,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": {"S": "record#0001"}},
    )


def steps_of(act: Callable[[], object]) -> int:
    """How many functions of Python the act calls in this thread."""
    called = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal called
        called += event == "call"

    sys.setprofile(count)
    try:
        act()
    finally:
        sys.setprofile(None)
    return called


def test_a_query_takes_as_many_steps_in_a_full_table_as_in_an_empty_one() -> None:
    with open_store(None, read_template(TEMPLATE, {}).table) as store:
        filled(store, range(10))
        one_partition(store)
        few = steps_of(lambda: one_partition(store))

        filled(store, range(10, 300))
        many = steps_of(lambda: one_partition(store))

    assert many < 1.1 * few


@pytest.mark.parametrize("asked", ["partition", "index"])
def test_light_reads_return_what_moto_returns(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(None, read_template(TEMPLATE, {}).table) as store:
        filled(store, range(10))

        def read() -> Any:
            if asked == "partition":
                return one_partition(store)["Items"]
            return store.dynamodb.query(
                TableName=TABLE,
                IndexName="natural",
                KeyConditionExpression="natural_pk = :key",
                ExpressionAttributeValues={":key": {"B": b"key"}},
                ScanIndexForward=False,
            )["Items"]

        light = read()
        with monkeypatch.context() as moto:
            moto.setattr(Table, "query", USUAL_QUERY)
            moto.setattr(BaseJSONSerializer, "_serialize_type_structure", USUAL_STRUCTURE)
            usual = read()

    assert light == usual
    assert light
