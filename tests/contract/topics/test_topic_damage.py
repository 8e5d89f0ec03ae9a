"""Items of topics that are corrupt or foreign: an error that names the key, never another answer.

Reading them is the codec's work, the same over every store: so one store is enough.
"""

import zlib
from typing import Any

import pytest

from membrane.adapters.dynamodb.table.attributes import CorruptItem
from membrane.domain.topics.access import Access
from membrane.usecases.ports.topics import TopicReceipt
from tests.builders.stored_records import noise
from tests.builders.stored_topics import LINE, created, edge, revision, topic, with_field
from tests.fakes.bucket import FakeBlobs
from tests.worlds.stores import Store

RECEIPT = TopicReceipt(b"i" * 12, b"f" * 32, ("topic-1",), {"topic_id": "topic-1"})
ABSENT: Any = object()

DAMAGE: dict[str, tuple[str, str, Any]] = {
    "head without version": ("topic", "version", ABSENT),
    "head of no sensitivity of ours": ("topic", "sensitivity", {"S": "secret"}),
    "head of no status of ours": ("topic", "status", {"S": "asleep"}),
    "head without document": ("topic", "document", ABSENT),
    "head whose document is no JSON": ("topic", "document", {"S": "{"}),
    "head whose document is of another shape": ("topic", "document", {"S": '{"title": "a"}'}),
    "head whose document is cut off": ("topic", "document", {"B": zlib.compress(b"{}" * 99)[:-9]}),
    "head in a blob that is gone": ("topic", "document", {"M": {"sha256": {"S": "0" * 64}}}),
    "head without trail": ("topic", "trail", ABSENT),
    "head with a trail of another shape": ("topic", "trail", {"S": '[{"who": "me"}]'}),
    "revision without document": ("rev#", "document", ABSENT),
    "revision without value": ("rev#", "document", {"S": '{"id": "a"}'}),
    "revision that is a list": ("rev#", "document", {"S": "[]"}),
    "edge without target": ("out#", "to_id", ABSENT),
    "edge with a number for its kind": ("out#", "kind", {"N": "1"}),
    "reads without version": ("access", "version", ABSENT),
    "reads of another shape": ("access", "document", {"S": '{"topic": 1}'}),
    "receipt without fingerprint": ("receipt", "fingerprint", ABSENT),
    "receipt without its end": ("receipt", "expires_at", ABSENT),
    "receipt of another shape": ("receipt", "reply", {"S": "{}"}),
}


def read_all(table: Store) -> None:
    """Read everything there is of the topic."""
    table.topics.load("topic-1")
    table.topics.history(LINE)
    table.topics.edges(["topic-1"], 10)
    table.topics.accesses(["topic-1"])
    table.topics.find_receipt(RECEIPT.identity)


@pytest.mark.parametrize(("kind", "name", "value"), DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_attribute_is_an_error_that_names_the_item(
    table: Store, kind: str, name: str, value: Any
) -> None:
    told = revision()
    new = with_field(topic(), told, 1)
    created(table, new, revisions=[(LINE, told)], edges=[edge()], receipt=RECEIPT)
    table.topics.keep_access("topic-1", Access(), Access())
    read_all(table)
    (item,) = [each for each in table.everything() if each["sk"]["S"].startswith(kind)]
    damaged = {key: each for key, each in item.items() if key != name}
    table.put(damaged if value is ABSENT else {**damaged, name: value})

    with pytest.raises(CorruptItem, match=f"topic#.*{kind}"):
        read_all(table)


@pytest.mark.parametrize("kind", ["rev#", "out#"])
def test_a_mark_of_no_change_is_an_error_that_names_the_item(table: Store, kind: str) -> None:
    created(table, topic(), revisions=[(LINE, revision())], edges=[edge()])
    (item,) = [each for each in table.everything() if each["sk"]["S"].startswith(kind)]
    table.put({**item, "mark": {"S": "gone"}})

    with pytest.raises(CorruptItem, match=f"topic#.*{kind}.*marked with no change"):
        read_all(table)


@pytest.mark.parametrize(
    "damage", [None, b"", zlib.compress(b"[]")], ids=["gone", "empty", "other"]
)
def test_a_missing_or_altered_blob_is_an_error(table: Store, damage: bytes | None) -> None:
    created(table, topic(summary=noise(100_000)))
    archive = table.topics.archive(LINE, [revision()])
    assert isinstance(table.blobs, FakeBlobs)
    for name in list(table.blobs.blobs):
        table.blobs.remove(name)
        if damage is not None:
            table.blobs.write(name, damage)

    with pytest.raises(CorruptItem, match="topic#topic-1"):
        table.topics.load("topic-1")
    with pytest.raises(CorruptItem, match=r"topic#topic-1.*stored#"):
        table.topics.load_archive(LINE, archive)
