"""The certificate of an erasure, as the table keeps it."""

from membrane.adapters.dynamodb.erasure.erasure_store import DynamoErasures
from tests.worlds.stores import Store


def test_a_certificate_that_is_there_stays(table: Store) -> None:
    erasures = DynamoErasures(table.client, table.table, table.blobs, lambda: table.clock.now)
    first, second = {"certificate": "first"}, {"certificate": "second"}

    for each in (first, second):
        erasures.keep_certificate("erasure", each)

    assert erasures.certificate("erasure") == first
