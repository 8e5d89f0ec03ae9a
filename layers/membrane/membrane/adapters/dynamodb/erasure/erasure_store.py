"""Erasures in DynamoDB: per erasure a partition with job, findings and certificate."""

import zlib
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass

from membrane.adapters.dynamodb.documents.items import (
    VALUES,
    VERSIONS,
    document_in,
    named_place,
)
from membrane.adapters.dynamodb.erasure import fences
from membrane.adapters.dynamodb.erasure.documents import DocumentErasures
from membrane.adapters.dynamodb.indexes.names import buckets_in, entities_in, write_without
from membrane.adapters.dynamodb.records.beside import head_in
from membrane.adapters.dynamodb.records.queues import head_key
from membrane.adapters.dynamodb.search.answer_receipts import receipt_in
from membrane.adapters.dynamodb.topics.topic_items import blobs_of, json_in
from membrane.adapters.dynamodb.topics.topic_store import REPLY
from membrane.domain.archive.exports import Export
from membrane.domain.erasure.jobs import Finding
from membrane.domain.erasure.targets import Kind, document_id
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.records.standing import thread_key
from membrane.domain.study.jobs import Job
from membrane.table import keys
from membrane.table.blobs import BlobStore
from membrane.table.dynamo import key_at, place_of, scan_page
from membrane.table.items import (
    Checkpoint,
    CorruptItem,
    Item,
    LostRace,
    Write,
    binary,
    lost_race,
    number,
    parse_text,
    put_new,
    read_binary,
    read_integer,
    read_number,
    read_text,
    text,
)
from membrane.table.keys import UPLOADS, scope_at
from membrane.table.progress import progress_at, progress_in, put_progress
from membrane.table.walk import ItemKind, kind_of, name_of
from membrane.usecases.ports.erasure import Trace, WalkPage
from membrane.usecases.ports.records import NamePlace

ITEMS = 200
"""Items of a page of the walk at most; an erasure keeps its progress after each page."""

SPELLINGS_S = 7 * 86_400
"""The life of a listing with names of a person, from the end."""


@dataclass(frozen=True, slots=True)
class DynamoErasures(DocumentErasures):
    """Erasures over one table and bucket. May raise ResourceExhausted or Unavailable."""

    def walk(self, after: str | None) -> WalkPage:
        """The page after `after`, strongly consistent.

        A walk visits every item that exists throughout the walk. One strongly consistent Scan of
        ITEMS items or a megabyte.
        """
        items, following = scan_page(
            self.client, self.table, after, ConsistentRead=True, Limit=ITEMS
        )
        traces: list[Trace] = []
        changes = [item for item in items if kind_of(item) is ItemKind.CHANGE]
        unsettled = [(name_of(item), read_number(item, "due_sk")) for item in changes]
        unreadable = 0
        for item in items:
            try:
                trace = trace_of(item, self.blobs)
            except CorruptItem:
                unreadable += 1
                if kind_of(item) is ItemKind.DOCUMENTS:  # a scope is erased with damaged documents
                    traces.append(Trace(Kind.DOCUMENT, place_of(item), scope_at(name_of(item))))
            else:
                traces += [] if trace is None else [trace]
        return WalkPage(traces, unsettled, unreadable, following)

    def remove(self, trace: Trace, until_s: float) -> None:
        """Delete the item of a trace that is neither record nor topic, with its blobs.

        A DeleteItem; before, a GetItem if the item names objects of the bucket. Former versions of
        a document lose the texts alone, by a GetItem and a PutItem, and go at `until_s` if the item
        has no end.
        """
        key = key_at(trace.id)
        item = self.item_at(key) if trace.kind in _WITH_OBJECTS else None
        if item is not None:
            for name in _objects_of(item, trace.kind):
                self.blobs.erase(name)
        if trace.kind is Kind.DOCUMENT and read_text(key, "sk").startswith(VERSIONS):
            item = self.item_at(key)
            if item is not None:
                self.clear_versions(item, until_s)
            return
        condition, values = "attribute_exists(pk)", {}
        if item is not None and trace.kind in _MOVING:
            # a run that has gone on meanwhile keeps the item for the next walk
            condition, values = "version = :read", {":read": item["version"]}
        if trace.kind is Kind.VECTOR:
            condition += " AND attribute_exists(search_pk)"
        with suppress(LostRace):  # in place of the vector is a marker, which refuses a late vector
            self.commit_all(Write("Delete", lost_race, condition, key=key, values=values))

    def named_at(self, place: str) -> Sequence[str]:
        """The entities that names lead to, by the id of the names' trace. A GetItem."""
        item = self.item_at(key_at(place))
        return () if item is None else entities_in(item)

    def drop_names(self, place: str, entity_ids: Collection[str]) -> None:
        """Remove the names of the entities; raises LostRace. A GetItem, and a write."""
        item = self.item_at(key_at(place))
        buckets = {} if item is None else buckets_in(item, NamePlace("", ""))
        write = write_without(entity_ids, buckets, key_at(place))
        if write is not None:
            self.commit_all(write)

    def thread_head(self, scope: str, thread_id: str) -> str:
        """The id of the trace for the next turn of a thread."""
        return place_of(head_key(thread_key(scope, thread_id)))

    def find(self, erasure_id: str) -> Checkpoint | None:
        """The job of an erasure, as JSON."""
        now_s = epoch_seconds(self.now())
        return progress_at(self.client, self.table, fences.job_key(erasure_id), now_s)

    def keep(self, job: JsonObject, before: Checkpoint | None, *, is_open: bool) -> Checkpoint:
        """Replace `before`; raises LostRace if the stored job has changed since."""
        item = fences.job_key(job["id"])
        if is_open:
            item |= {"due_pk": text(fences.OPEN), "due_sk": number(int(epoch_seconds(self.now())))}
        elif job.get("spellings"):
            item["expires_at"] = number(int(epoch_seconds(self.now())) + SPELLINGS_S)
        return put_progress(self.client, self.table, item, job, before)

    def open_erasures(self, kept_by_s: float) -> Sequence[str]:
        """The ids of erasures under way, kept last at the instant or before. A Query."""
        values = {":open": text(fences.OPEN), ":by": number(kept_by_s)}
        found = self.query("due_pk = :open AND due_sk <= :by", values, index="due")
        return [fences.erasure_id_of(item) for item in found]

    def keep_findings(self, erasure_id: str, part: int, findings: Sequence[Finding]) -> None:
        """Put a list of findings; repeatable."""
        listed = compact_json([each.as_json() for each in findings])
        item = fences.part_key(erasure_id, part) | {"found": binary(zlib.compress(listed.encode()))}
        put = Write("Put", lost_race, _FREE_OR_LIST, item=item, names={"#found": "found"})
        self.commit_all(put)

    def findings(self, erasure_id: str, part: int) -> Sequence[Finding]:
        """The findings of a list; empty for a list that was never kept."""
        item = self.item_at(fences.part_key(erasure_id, part))
        if item is None:
            return ()
        listed = zlib.decompress(read_binary(item, "found")).decode()
        return [Finding.of_json(each) for each in parse_text(item, "found", listed, list)]

    def keep_certificate(self, erasure_id: str, certificate: JsonObject) -> None:
        """Put the signed certificate; a certificate that is there stays."""
        item = fences.erasure_key(erasure_id, fences.CERTIFICATE) | {
            fences.CERTIFICATE: text(compact_json(certificate))
        }
        with suppress(LostRace):
            self.commit_all(put_new(item))

    def certificate(self, erasure_id: str) -> JsonObject | None:
        item = self.item_at(fences.erasure_key(erasure_id, fences.CERTIFICATE))
        if item is None:
            return None
        return parse_text(item, fences.CERTIFICATE, read_text(item, fences.CERTIFICATE), dict)


_FREE_OR_LIST = "attribute_not_exists(pk) OR attribute_exists(#found)"

_MOVING = frozenset({Kind.EXPORT, Kind.STUDY})
"""Jobs whose runs write objects."""

_WITH_OBJECTS = _MOVING | {Kind.UPLOAD, Kind.TOPIC_REPLY}


def _objects_of(item: Item, kind: Kind) -> list[str]:
    if kind is Kind.TOPIC_REPLY:
        return [*blobs_of(item)]
    if kind is Kind.EXPORT:
        return [*Export.of_json(progress_in(item)).objects]
    if kind is Kind.STUDY:
        return [*Job.of_json(progress_in(item)).objects]
    upload_id = name_of(item)
    return [f"{UPLOADS}{upload_id}/{read_integer(item, 'expires_at')}"]


def trace_of(item: Item, blobs: BlobStore) -> Trace | None:
    """The trace; None for a part of a record or topic. Raises CorruptItem."""
    kind, place, name = kind_of(item), place_of(item), name_of(item)
    match kind:
        case None | ItemKind.CHANGE | ItemKind.THREAD:
            return None
        case ItemKind.VECTOR | ItemKind.TOPIC_VECTOR if "search_pk" not in item:  # a marker
            return None
        case ItemKind.ANSWER:
            receipt = receipt_in(item, name)
            names = tuple(each.record_id for each in receipt.explained)
            scopes = tuple(receipt.trust.get("scopes") or ())
            return Trace(Kind.ANSWER_RECEIPT, place, None, names, scopes, receipt.query)
        case ItemKind.EXPORT:
            scopes = tuple(progress_in(item)["selection"].get("scopes") or ())
            return Trace(Kind.EXPORT, place, scopes=scopes)
        case ItemKind.TOPIC_RECEIPT:
            topics = json_in(item, REPLY, blobs, dict)["topic_ids"]
            return Trace(Kind.TOPIC_REPLY, place, names=tuple(topics))
        case ItemKind.DOCUMENTS:
            document = document_in(item)
            if document.place.erased_id:
                return None
            own_id = document_id(document.place)
            return Trace(Kind.DOCUMENT, own_id, document.scope, document=document)
        case ItemKind.DOCUMENT if "p" in item:
            where = named_place(item)
            is_own = read_text(item, "sk") == VALUES  # whether or not there is a head
            own_id = document_id(where) if is_own else place
            return Trace(Kind.DOCUMENT, own_id, where.scope, place=where)
        case _:
            return _plain_trace(item, kind)


def _plain_trace(item: Item, kind: ItemKind) -> Trace:
    """The trace of an item that is read no further than the scope and the ids that it names."""
    place, name = place_of(item), name_of(item)
    scope = read_text(item, "scope") if "scope" in item else ""
    match kind:
        case ItemKind.RECORD | ItemKind.TOPIC:
            return Trace(Kind[kind.name], name, scope)
        case ItemKind.RECEIPT:
            return Trace(Kind.IDEMPOTENCY_KEY, place, names=(read_text(item, "receipt_for"),))
        case ItemKind.HEAD:
            holders = head_in(b"", item).holders
            return Trace(Kind.HEAD, place, names=tuple(each.record_id for each in holders))
        case ItemKind.NAMES:
            return Trace(Kind.ENTITY_NAMES, place, scope_at(name), tuple(entities_in(item)))
        case ItemKind.VECTOR | ItemKind.TOPIC_VECTOR:
            space = keys.RECORDS if kind is ItemKind.VECTOR else keys.TOPICS
            return Trace(Kind.VECTOR, place, keys.scope_searched(item, space), (name,))
        case ItemKind.UPLOAD:
            names = (read_text(item, "claimed_by"),) if "claimed_by" in item else ()
            return Trace(Kind.UPLOAD, place, scope, names)
        case ItemKind.STUDY:
            return Trace(Kind.STUDY, place, scope, (progress_in(item)["document"],))
        case ItemKind.DOCUMENT:
            return Trace(Kind.DOCUMENT, place, scope)
        case _:  # what is kept of a scope
            named = read_text(item, "sk") if kind is ItemKind.SCOPES else name
            return Trace(Kind.SCOPE_STATE, place, scope_at(named))
