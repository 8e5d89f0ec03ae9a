"""A table that is anchored, edited behind the service's back, and verified."""

import json
import zlib
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics
from membrane.domain.integrity.anchors import SHARDS, SignedAnchor
from membrane.domain.integrity.findings import Finding, FindingKind
from membrane.domain.language.json_text import hash_of, text_hash_of
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.integrity.anchor_table import AnchorProgress, anchor_table
from membrane.usecases.integrity.verify_table import PARTS, verify_gone, verify_pages
from membrane.usecases.machinery.calls import never
from membrane.wiring.world import World
from tests.builders.stored_records import changed
from tests.worlds.stores import Item, Store


def anchored(services: World) -> AnchorProgress:
    """One anchor more, made in one run."""
    progress = anchor_table(services, never)
    assert progress.is_done
    return progress


def findings(services: World, topics: DynamoTopics, *, repair: bool = False) -> list[Finding]:
    """All that a verification finds, page by page, but for vectors: nobody follows the stream."""
    after, given, found = None, list[SignedAnchor](), list[Finding]()
    seen = set[bytes]()
    while True:
        pages = verify_pages(after, given, services.but(topics=topics), lambda: True, repair=repair)
        found += pages.findings
        seen.update(pages.seen)
        after, given = pages.next, list(pages.anchors)
        if after is None:
            break
    for part in range(PARTS):
        of_part = {each for each in seen if each[0] * PARTS // SHARDS == part}
        gone, left_out = verify_gone(part, of_part, given, services)
        assert not left_out
        found += gone
    return [each for each in found if each.kind is not FindingKind.VECTOR_MISSING]


def change_record(table: Store, record_id: str) -> None:
    """One audit entry more."""
    held = table.records.load(record_id)
    assert isinstance(held, StoredRecord)
    table.records.replace(held, changed(held))


def newest(services: World) -> SignedAnchor | None:
    """The newest anchor of the table."""
    return next((each.signed for each in services.integrity.newest_anchors(1)), None)


def kinds(found: Sequence[Finding], source_id: str) -> set[FindingKind]:
    """The kinds of what was found of a record, a topic or an anchor."""
    return {each.kind for each in found if each.id == source_id}


# --- Edits of items -----------------------------------------------------------------------------

Entries = list[dict[str, Any]]


def opened(attribute: Any) -> Any:
    """The JSON of an attribute."""
    text = attribute["S"] if "S" in attribute else zlib.decompress(bytes(attribute["B"])).decode()
    return json.loads(text)


def own_item(table: Store, partition: str) -> dict[str, Any]:
    """The item of the record or topic itself."""
    found = [each for each in table.partition(partition) if each["sk"]["S"] in ("record", "topic")]
    return deepcopy(dict(found[0]))


def edit(table: Store, partition: str, name: str, change: Callable[[Any], Any]) -> None:
    """Change a JSON attribute of the item of a record or topic."""
    item = own_item(table, partition)
    table.put({**item, name: {"S": json.dumps(change(opened(item[name])))}})


def put_count(table: Store, partition: str, name: str, count: int) -> None:
    """Change the stored number of entries."""
    table.put({**own_item(table, partition), name: {"N": str(count)}})


def forged_record_trail(record_id: str, entries: Entries) -> Entries:
    """The trail with another rationale in the second entry, and all hashes right again."""
    entries = deepcopy(entries)
    entries[1]["rationale"] = "forged"
    previous = ""
    for entry in entries:
        text_hash = text_hash_of(entry["salt"], entry["actor"], entry["rationale"])
        entry["previous_hash"] = previous
        saliences = [entry[name] for name in ("salience_before", "salience_after") if name in entry]
        parts = (record_id, previous, entry["action"], entry["timestamp"], entry["principal"])
        entry["hash"] = previous = hash_of(*parts, text_hash, *saliences)
    return entries


def forged_topic_trail(topic_id: str, trail: Entries) -> Entries:
    """The trail with another reason in the second event, and all hashes right again."""
    trail = deepcopy(trail)
    trail[1]["why"] = "forged"
    previous = ""
    for event in trail:
        text_hash = text_hash_of(event["salt"], event["detail"], event["why"])
        event["previous_hash"] = previous
        parts = (topic_id, previous, event["kind"], event["ts"], event["principal"])
        event["hash"] = previous = hash_of(*parts, text_hash)
    return trail


def put_back(table: Store, items: Sequence[Item]) -> None:
    """Make the table an older copy of itself."""
    for item in table.everything():
        table.remove(item)
    for item in items:
        table.put(item)
