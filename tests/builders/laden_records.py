"""Records with all that may lie beside their own item, and looking for what is left of it."""

import hashlib
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from membrane.domain.language.values import LARGE_VALUE_BYTES, LargeValue, references_in
from membrane.domain.records.history import Delta, EarlierValue
from membrane.domain.records.payloads import EpisodicPayload, TimelineEvent, ToolNode
from membrane.domain.records.records import AuditEntry, Relation
from membrane.domain.records.stored import StoredRecord
from membrane.table.entity import RESIDENT
from tests.builders.stored_records import NOW, changed, entry, noise, stored
from tests.worlds.stores import Store

SECRET = "s3cret"
"""In all that the record says, and in every free text of its audit."""

TARGETS = ("target-1", "target-2")
CONTENT = f'"{SECRET} {noise(LARGE_VALUE_BYTES)}"'.encode()


def laden(store: Store, record_id: str = "record-1", *, entries: int = 20) -> StoredRecord:
    """A record with edges, a large document, a large value, and so many audit entries.

    Two entries have texts so large that theirs lie in a blob: an early one, that spills first, and
    the last. Another record points at it.
    """
    targets = [standing(store, name) or created(store, stored(name)) for name in TARGETS]
    relations = tuple(
        Relation(predicate=predicate, target_id=target.id, weight=0.5, created_at=NOW)
        for target in targets
        for predicate in ("cites", "p" * 256)
    )
    large = LargeValue(record_id, hashlib.sha256(CONTENT).hexdigest(), len(CONTENT))
    payload = EpisodicPayload(
        kind="episodic",
        timeline=(
            TimelineEvent(
                t=NOW, event_kind="tool_call", ref="node", summary=f"{SECRET} {noise(90_000)}"
            ),
        ),
        tool_graph=(ToolNode(id="node", tool="cat", result=large),),
    )
    trail: list[AuditEntry] = []
    for number in range(min(entries, RESIDENT)):
        trail.append(entry(record_id, trail, actor=_actor(number, entries)))
    new = stored(record_id, payload=payload, relations=relations, fingerprint=b"f" * 32)
    new = replace(new, record=new.record.model_copy(update={"audit_log": tuple(trail)}))
    store.records.create(new, targets=targets, values={large: CONTENT})
    whole = the(store, record_id)
    pointing = Relation(predicate="after", target_id=record_id, weight=1.0, created_at=NOW)
    store.records.create(stored(f"pointer-{record_id}", relations=(pointing,)), targets=[whole])
    for number in range(RESIDENT, entries):
        whole = the(store, record_id)
        store.records.replace(whole, changed(whole, actor=_actor(number, entries)))
    return the(store, record_id)


def _actor(number: int, entries: int) -> str:
    return f"{SECRET} {noise(60_000, seed=number) if number in (3, entries - 1) else number}"


def created(store: Store, new: StoredRecord) -> StoredRecord:
    """The record, stored and read again."""
    store.records.create(new)
    return the(store, new.id)


def standing(store: Store, record_id: str) -> StoredRecord | None:
    found = store.records.load(record_id, whole=True)
    return found if isinstance(found, StoredRecord) else None


def the(store: Store, record_id: str = "record-1") -> StoredRecord:
    """The record with its document, as it is stored now."""
    found = standing(store, record_id)
    assert found is not None
    return found


def values_of(stored: StoredRecord) -> list[LargeValue]:
    """The large values of a record."""
    return [each for each in references_in(stored.record.payload) if isinstance(each, LargeValue)]


def edges_of(table: Store) -> Counter[tuple[str, str]]:
    """How many edges the table has from each source to each target."""
    return Counter(
        (item["source_id"]["S"], item["pk"]["S"].removeprefix("record#"))
        for item in table.everything()
        if "source_id" in item
    )


def texts(table: Store) -> Iterator[str]:
    """All that the table and the bucket hold, in clear."""
    for item in table.everything():
        for value in item.values():
            yield from _texts_in(value)
    for blob in table.blobs.list_blobs():
        yield _clear(table.blobs.get(blob.name) or b"")


def _texts_in(value: Mapping[str, Any]) -> Iterator[str]:
    ((kind, content),) = value.items()
    yield _clear(content) if kind == "B" else str(content)


def _clear(content: bytes) -> str:
    with suppress(zlib.error):
        content = zlib.decompress(content)
    return content.decode(errors="replace")


def formerly_tagged(held: StoredRecord, tags: list[str]) -> StoredRecord:
    """The record with one former version, which differs in the tags."""
    return replace(held, history=(Delta(1, (EarlierValue(("tags",), tags),)),))
