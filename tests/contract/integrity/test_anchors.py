"""Anchors as the table keeps them: of an instant there is one."""

import pytest

from membrane.adapters.dynamodb.integrity.integrity_store import DynamoIntegrity
from membrane.domain.integrity.anchors import Anchor, SignedAnchor
from membrane.table.items import LostRace
from tests.worlds.stores import Store

ANCHOR = Anchor("2026-03-01T09:00:00Z", 1, "a" * 64, None, "")


def signed(anchor: Anchor) -> SignedAnchor:
    return SignedAnchor(anchor, ("key", "algorithm", "value"))


def test_an_anchor_of_an_instant_is_kept_once_and_stands(table: Store) -> None:
    integrity = DynamoIntegrity(table.client, table.table, table.records.codec, table.blobs)
    for _ in range(2):
        integrity.keep_anchor(signed(ANCHOR))

    with pytest.raises(LostRace):
        integrity.keep_anchor(signed(ANCHOR._replace(root="b" * 64)))

    assert [each.signed for each in integrity.newest_anchors()] == [signed(ANCHOR)]
