"""Corrupt and foreign items: an error that names the key, never an empty or altered answer.

Reading them is the codec's work, the same over every store: so one store is enough.
"""

import json
import zlib
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from membrane.domain.access.principals import principal_of
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.records import Relation, first_broken
from membrane.domain.records.stored import StoredRecord
from membrane.table.items import CorruptItem
from membrane.usecases.ports.keys import ApiKey
from membrane.usecases.ports.records import Head, Holder
from tests.builders.generated_records import PROFILES
from tests.builders.stored_records import (
    NOW,
    buried,
    changed,
    event,
    lifecycle,
    noise,
    stored,
)
from tests.fakes.bucket import FakeBlobs
from tests.fakes.clock import MORNING
from tests.worlds.stores import Store

ABSENT: Any = object()


def squeezed(content: str) -> dict[str, bytes]:
    """A compressed attribute."""
    return {"B": zlib.compress(content.encode())}


DAMAGE: dict[str, tuple[str, Any]] = {
    "type absent": ("type", ABSENT),
    "type unknown": ("type", {"S": "poem"}),
    "sensitivity absent": ("sensitivity", ABSENT),
    "sensitivity unknown": ("sensitivity", {"S": "secret"}),
    "scope a number": ("scope", {"N": "1"}),
    "salience absent": ("salience", ABSENT),
    "salience a string": ("salience", {"S": "1"}),
    "salience negative": ("salience", {"N": "-1"}),
    "first salience a string": ("initial_salience", {"S": "1"}),
    "confidence absent": ("conf", ABSENT),
    "confidence a string": ("conf", {"S": "1"}),
    "anchored_at absent": ("anchored_at", ABSENT),
    "anchored_at a string": ("anchored_at", {"S": NOW}),
    "created_at absent": ("created_at", ABSENT),
    "created_at a string": ("created_at", {"S": NOW}),
    "created_at beyond all calendars": ("created_at", {"N": "1e30"}),
    "version absent": ("version", ABSENT),
    "version not whole": ("version", {"N": "1.5"}),
    "audit_spilled absent": ("audit_spilled", ABSENT),
    "fingerprint a string": ("fingerprint", {"S": "f"}),
    "operations a string": ("operations", {"S": "o"}),
    "operations cut off": ("operations", {"B": b"o" * 15}),
    "lifecycle absent": ("lifecycle", ABSENT),
    "lifecycle of another shape": ("lifecycle", {"S": '{"half_life": 3600}'}),
    "document absent": ("document", ABSENT),
    "document a number": ("document", {"N": "1"}),
    "document not JSON": ("document", {"S": "{"}),
    "document a list": ("document", {"S": "[]"}),
    "document without its payload": ("document", {"S": "{}"}),
    "document not compressed": ("document", {"B": b"\x00\x01"}),
    "document cut off": ("document", {"B": zlib.compress(b'{"a": 1}' * 99)[:-9]}),
    "document not text": ("document", {"B": zlib.compress(b"\xff\xfe\xfd")}),
    "document compressed, but not JSON": ("document", squeezed("{")),
    "document in a blob without a digest": ("document", {"M": {}}),
    "document in a blob that is not there": ("document", {"M": {"sha256": {"S": "0" * 64}}}),
    "audit absent": ("audit", ABSENT),
    "audit empty": ("audit", {"S": "[]"}),
    "audit an object": ("audit", {"S": "{}"}),
    "audit of another shape": ("audit", {"S": '[{"who": "me"}]'}),
    "tombstone without reason": ("deleted_at", {"N": "1"}),
}


@pytest.mark.parametrize(("name", "value"), DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_attribute_is_an_error_that_names_the_item(
    table: Store, name: str, value: Any
) -> None:
    table.records.create(stored(fingerprint=b"f" * 32))
    item = table.own_item("record-1")
    item.pop(name, None)
    table.put(item if value is ABSENT else {**item, name: value})

    with pytest.raises(CorruptItem, match="record#record-1"):
        table.records.load("record-1")


@pytest.mark.parametrize(
    "claimed",
    [{"scope": "elsewhere"}, {"sensitivity": "public"}, {"id": "other"}, {"salience": 9.0}],
    ids=["scope", "sensitivity", "id", "salience"],
)
def test_a_document_cannot_speak_for_the_items_own_attributes(
    table: Store, claimed: dict[str, Any]
) -> None:
    table.records.create(stored())
    item = table.own_item("record-1")
    document = {**json.loads(_opened(item["document"])), **claimed}
    table.put({**item, "document": {"S": json.dumps(document)}})

    with suppress(CorruptItem):
        found = table.records.load("record-1")
        assert found == stored()


def test_a_strangers_item_in_a_records_place_is_an_error(table: Store) -> None:
    table.put({"pk": {"S": "record#record-1"}, "sk": {"S": "record"}, "hello": {"S": "world"}})

    with pytest.raises(CorruptItem, match="record#record-1"):
        table.records.load("record-1")


def test_a_receipt_without_its_fingerprint_is_an_error(table: Store) -> None:
    table.put({"pk": {"S": "record#record-1"}, "sk": {"S": "record"}, "receipt_for": {"S": "x"}})

    with pytest.raises(CorruptItem, match="record#record-1"):
        table.records.create(stored())


@pytest.mark.parametrize(
    "relations",
    [
        '[["cites","target",7.0,"2026-01-02T03:04:05Z"]]',
        '[["cites","target","1","2026-01-02T03:04:05Z"]]',
        '[["cites","target",1.0,"then"]]',
        '[["cites","target"]]',
        "[7]",
        "{}",
        "relations",
    ],
)
def test_relations_that_are_none_are_an_error(table: Store, relations: str) -> None:
    table.records.create(stored())
    own = table.own_item("record-1")

    table.put({**own, "relations": {"S": relations}})

    for read in (table.records.load, lambda each: table.records.load_own([each])):
        with pytest.raises(CorruptItem, match=r"record#record-1"):
            read("record-1")


def test_an_edge_that_is_no_edge_is_an_error(table: Store) -> None:
    table.records.create(stored("target"))
    target = table.records.load("target")
    assert isinstance(target, StoredRecord)
    relations = (Relation(predicate="cites", target_id="target", weight=1.0, created_at=NOW),)
    table.records.create(stored(relations=relations), targets=[target])
    (edge,) = [item for item in table.partition("record#target") if "source_id" in item]

    for damage in ({"weight": {"S": "1"}}, {"source_id": {"N": "1"}}, {"sensitivity": {"S": "?"}}):
        table.put({**edge, **damage})
        with pytest.raises(CorruptItem, match=r"record#target.*source#"):
            list(table.records.incoming("target"))


@pytest.mark.parametrize(
    "damage", [None, b"", b"altered", zlib.compress(b"{}")], ids=["gone", "empty", "no", "other"]
)
def test_a_missing_or_altered_blob_is_an_error(table: Store, damage: bytes | None) -> None:
    table.records.create(stored(payload=event(summary=noise(100_000))))
    assert isinstance(table.blobs, FakeBlobs)
    (name,) = table.blobs.blobs
    del table.blobs.blobs[name]
    if damage is not None:
        table.blobs.write(name, damage)

    with pytest.raises(CorruptItem, match="record#record-1"):
        table.records.load("record-1")


def with_spilled(table: Store) -> StoredRecord:
    """A record of 25 entries, 16 of them in two items of their own."""
    table.records.create(stored())
    for _ in range(24):
        newest = table.records.load("record-1")
        assert isinstance(newest, StoredRecord)
        table.records.replace(newest, changed(newest))
    found = table.records.load("record-1")
    assert isinstance(found, StoredRecord)
    return found


def broken_at(table: Store) -> int | None:
    """Where verification of the record's trail finds the first fault."""
    found = table.records.load("record-1")
    assert found is not None
    return first_broken("record-1", found.trail)


@pytest.mark.parametrize(("gone", "position"), [(0, 0), (1, 8)])
def test_missing_audit_entries_show(table: Store, gone: int, position: int) -> None:
    whole = with_spilled(table)
    spilled = [item for item in table.partition("record#record-1") if "entries" in item]

    table.remove(spilled[gone])

    assert broken_at(table) == position
    damaged = table.records.load("record-1")
    assert damaged is not None
    assert len(damaged.trail) == len(whole.trail) - 8


def test_a_record_with_missing_audit_entries_can_still_be_changed(table: Store) -> None:
    with_spilled(table)
    spilled = [item for item in table.partition("record#record-1") if "entries" in item]
    table.remove(spilled[0])

    for _ in range(10):
        newest = table.records.load("record-1")
        assert isinstance(newest, StoredRecord)
        table.records.replace(newest, changed(newest))

    assert broken_at(table) == 0


def _altered(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [*entries[:2], {**entries[2], "actor": "someone else"}, *entries[3:]]


def _without_one(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [*entries[:2], *entries[3:]]


def _swapped(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [*entries[:2], entries[3], entries[2], *entries[4:]]


@pytest.mark.parametrize("tamper", [_altered, _without_one, _swapped])
@pytest.mark.parametrize("resident", [False, True], ids=["spilled", "resident"])
def test_a_tampered_trail_shows_where(
    table: Store, tamper: Callable[[Any], Any], *, resident: bool
) -> None:
    with_spilled(table)
    items = [
        item
        for item in table.partition("record#record-1")
        if ("audit" if resident else "entries") in item
    ]
    name = "audit" if resident else "entries"
    entries = json.loads(_opened(items[0][name]))

    table.put({**items[0], name: {"S": json.dumps(tamper(entries))}})

    assert broken_at(table) == (16 if resident else 0) + 2


def _opened(attribute: dict[str, Any]) -> str:
    if "S" in attribute:
        return str(attribute["S"])
    return zlib.decompress(attribute["B"]).decode()


def test_spilled_entries_that_are_no_entries_are_an_error(table: Store) -> None:
    with_spilled(table)
    spilled = [item for item in table.partition("record#record-1") if "entries" in item]

    for damage in ({"N": "1"}, {"S": "{}"}, {"S": '[{"who": "me"}]'}, {"B": b"no"}):
        table.put({**spilled[1], "entries": damage})
        with pytest.raises(CorruptItem, match=r"record#record-1.*audit#"):
            table.records.load("record-1")


def test_a_damaged_tombstone_is_an_error(table: Store) -> None:
    table.records.create(stored())
    before = table.records.load("record-1")
    assert isinstance(before, StoredRecord)
    table.records.replace(before, buried(before))
    item = table.own_item("record-1")

    for name in ("deleted_reason", "expires_at"):
        damaged = {key: value for key, value in item.items() if key != name}
        damaged.pop("due_pk", None)
        table.put(damaged)
        with pytest.raises(CorruptItem, match="record#record-1"):
            table.records.load("record-1")


def test_a_head_without_holders_of_ours_is_an_error(table: Store) -> None:
    holder = Holder("record-1", Sensitivity.LOW)
    table.records.create(stored(), heads=[Head(b"key", 0, (holder,))])
    (head,) = [item for item in table.everything() if "holders" in item]

    damages: list[Any] = [{"N": "1"}, {"S": "{}"}, {"S": "["}, {"S": "[1]"}, {"S": '[{"id": "a"}]'}]
    for damage in damages:
        table.put({**head, "holders": damage})
        with pytest.raises(CorruptItem, match="head#"):
            table.records.head(b"key")


@pytest.mark.parametrize("damage", [{"S": "a"}, {"L": []}, {"NS": ["1"]}])
def test_a_list_of_decay_classes_that_is_none_is_an_error(table: Store, damage: Any) -> None:
    table.records.create(stored(scope="s", kept=lifecycle(PROFILES[1])))
    (registry,) = [item for item in table.everything() if item["pk"]["S"].startswith("scope#")]
    table.put({**registry, "episodic": damage})

    with pytest.raises(CorruptItem, match="scope#"):
        table.elsewhere().create(stored("record-2", scope="s", kept=lifecycle(PROFILES[3])))


KEY = ApiKey("a" * 64, principal_of("agent", ["ingest"], ["a"], "low"), MORNING)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("actor_id", ABSENT),
        ("actor_id", {"S": ""}),
        ("permissions", ABSENT),
        ("permissions", {"SS": ["everything"]}),
        ("permissions", {"L": [{"S": "ingest"}]}),
        ("scopes", ABSENT),
        ("scopes", {"L": []}),
        ("scopes", {"L": [{"N": "1"}]}),
        ("scopes", {"S": "*"}),
        ("max_sensitivity", {"S": "secret"}),
        ("created_at", ABSENT),
        ("created_at", {"N": "1e30"}),
        ("expiry", {"S": "never"}),
        ("revoked_at", {"S": "no"}),
    ],
)
def test_a_damaged_key_is_an_error_and_opens_nothing(table: Store, name: str, value: Any) -> None:
    table.keys.add(KEY)
    (item,) = table.everything()
    damaged = {key: each for key, each in item.items() if key != name}
    table.put(damaged if value is ABSENT else {**damaged, name: value})

    with pytest.raises(CorruptItem, match=f"keys.*{KEY.digest}"):
        table.keys.find(KEY.digest)
    with pytest.raises(CorruptItem, match=f"keys.*{KEY.digest}"):
        table.keys.list_keys()
