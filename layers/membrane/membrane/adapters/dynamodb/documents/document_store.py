"""Keyed documents over one table and bucket."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from membrane.adapters.dynamodb.documents.document_history import DocumentHistory
from membrane.adapters.dynamodb.documents.document_items import (
    expiry,
    from_item,
    hash_value,
    to_item,
)
from membrane.adapters.dynamodb.documents.document_keys import (
    EXPIRES,
    HASH,
    REFRESHED,
    documents_partition,
    head_key,
)
from membrane.adapters.dynamodb.documents.document_lists import DocumentLists
from membrane.adapters.dynamodb.documents.document_values import DocumentValues
from membrane.adapters.dynamodb.documents.once_items import OnceItems, OperationReceipts
from membrane.domain.documents.items import Chunk
from membrane.domain.documents.model import Document, Version, leaving
from membrane.domain.documents.places import Place
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.values import LargeValue
from membrane.domain.lifecycle.pruning import Retention
from membrane.table.blobs import BlobStore
from membrane.table.dynamo import OverTable, page_of
from membrane.table.items import Query, number, read_text, text
from membrane.table.keys import primary_key
from membrane.table.writes import LostRace, Write, lost_race
from membrane.usecases.ports.documents import DocumentPage, Once, Receipt
from membrane.usecases.ports.records import NO_VALUES
from membrane.usecases.ports.surroundings import Clock

_SURROGATE = "\ud800"
"""No text has the characters from here up to U+DFFF."""


@dataclass(frozen=True, slots=True)
class DynamoDocuments(OverTable):
    """Every write is conditional, and alone but under a key; every read is strongly consistent.

    Any method may raise ResourceExhausted or Unavailable.
    """

    blobs: BlobStore
    now: Clock
    retention: Retention

    def load(self, place: Place) -> Document | None:
        """The document at the place, also a deleted or expired one, read consistently.

        One GetItem.
        """
        found = self.item_at(head_key(place))
        return None if found is None else from_item(found)

    def replace(
        self,
        before: Document | None,
        after: Document,
        large: Mapping[LargeValue, bytes] = NO_VALUES,
        once: Once | None = None,
    ) -> None:
        """Write the document, after the versions that leave its item.

        Raises LostRace if the stored document is no longer `before`, or if the key of `once` is
        known. Repeatable: a version that an earlier attempt moved is left as it is. `large` has the
        JSON texts of new large values. A PutItem of the head; before that, a PutItem for history
        and the large values. Under a key the head and what the write did are one transaction.
        """
        self._values.write(before, after, large)
        left = leaving(before, after)
        if left:
            self._history.move(after.place, left, self._until_s())
        condition: dict[str, Any] = {"condition": "attribute_not_exists(pk)"}
        if before is not None:
            condition = _condition_for(before)
        put = Write("Put", lost_race, item=to_item(after), **condition)
        self.commit_all(put, *self._onces.writes(once))

    def refresh(self, before: Document, after: Document) -> bool:
        """Write the new expiry; False without a write if the document has changed since.

        An UpdateItem; never brings the expiry forward.
        """
        ends = expiry(after.expires_at_s)
        unchanged = _condition_for(before)
        change = f"SET {REFRESHED} = :refreshed" + (f", {EXPIRES} = :ends" if ends else "")
        values = unchanged["values"] | {":refreshed": number(after.refreshed_at_s)}
        if ends:
            values[":ends"] = ends[EXPIRES]
        write = Write(
            "Update",
            lost_race,
            f"{unchanged['condition']} AND {REFRESHED} <= :refreshed",
            key=head_key(after.place),
            update=change,
            values=values,
        )
        try:
            self.commit_all(write)
        except LostRace:
            return False
        return True

    def page(self, scope: str, prefix: str, after: str | None, limit: int) -> DocumentPage:
        """One request for the documents whose ordered places begin with `prefix`.

        `after`: an ordered place, or a text between two of them, to begin behind. At most `limit`
        documents, and at most 1 MB. One Query, by borders: `begins_with` of dynoxide does not tell
        capital letters apart.
        """
        if after and not after.startswith(prefix):
            if after > prefix:
                return DocumentPage((), None)
            after = None
        items, last = page_of(self.client, self._page_query(scope, prefix, after, limit))
        following = None if last is None else read_text(last, "sk")
        documents = [from_item(each) for each in items if read_text(each, "sk").startswith(prefix)]
        return DocumentPage(documents, following)

    def versions(self, place: Place, before: int, limit: int) -> Sequence[Version]:
        """Versions that left the document's item, with numbers below `before`, newest first."""
        return self._history.before(place, before, limit)

    def erase_history(self, after: Document) -> None:
        """Remove every value and text of the versions that left the item, and the large values.

        Repeatable. The audit entries stay, and no late write brings a value back. Versions that
        were made after the erasure keep their values, also if they were under way.
        """
        self._history.seal(after, self._until_s())
        self._values.erase(after)

    def chunks(
        self,
        place: Place,
        limit: int | None,
        *,
        generation: str,
        now_s: float,
        below: int | None = None,
    ) -> Iterator[Chunk]:
        """The newest chunks of the list, newest first.

        The chunks are read as the caller takes them, because a list may be larger than the memory
        of a function. Taking a chunk may raise the errors of the store. `below`: only chunks that
        begin below this position; None = all. `limit`: the chunks end with the chunk that completes
        this number of shown items below `below`; None = no end. At least the newest chunk comes,
        whatever the limit. The chunks also end with the first chunk of an earlier document at the
        place. A chunk may be empty, because its items were taken off, and may be hidden by
        `items.is_shown`.
        """
        return self._lists.newest(place, limit, generation, now_s, below)

    def put_chunk(self, before: Chunk | None, after: Chunk, once: Once | None = None) -> None:
        """Write a chunk; raises LostRace if the stored chunk is no longer `before`, or as above."""
        self._lists.put([(before, after)], self._onces.writes(once))

    def take_off(self, cut: Sequence[tuple[Chunk, Chunk]], once: Once | None) -> None:
        """Write all chunks or none, each as `put_chunk` does; at most MAX_CUT."""
        self._lists.put(cut, self._onces.writes(once))

    def remove_list(self, place: Place, generation: str) -> None:
        """Remove every item, and refuse every append that was under way before; repeatable.

        The items that keyed removals took off go, too. The place behind the newest item stays taken
        for a while. Chunks of a later generation stay: the document may be made anew during the
        removal.
        """
        self._lists.remove(place, self.now(), self._until_s(), generation)
        self._onces.forget_taken(place)

    def remember(self, once: Once) -> None:
        """Store what a write did that had nothing to change; raises LostRace for a known key."""
        self.commit_all(*self._onces.writes(once))

    def find_once(self, place: Place, identity: bytes) -> Once | None:
        """What the write under the key did, read consistently; None for an unknown key."""
        return self._onces.find(place, identity)

    def note(self, identity: str, operation_id: str, receipt: Receipt, until_s: float) -> None:
        """Keep where a keyed write goes; a later note of the same operation replaces it."""
        self._receipts.note(identity, operation_id, receipt, until_s)

    def find_receipt(self, identity: str, operation_id: str) -> Receipt | None:
        """Read consistently; None for an absent or expired note."""
        return self._receipts.find_receipt(identity, operation_id)

    def blob_names(self, place_id: str) -> frozenset[str]:
        """The names of the objects in the bucket that the versions of a document need."""
        return self._values.names_of(place_id)

    def forget_values(self, place_id: str, before_s: float) -> None:
        """Forget where the document with large values is, unless a put has such a value since.

        `before_s`: in seconds since 1970. For a document whose versions name no object.
        """
        self._values.forget(place_id, before_s)

    def is_erased(self, place_id: str) -> bool:
        """Whether versions of the document were erased, as long as the audit entries are kept."""
        return self._history.is_sealed(place_id)

    def _page_query(self, scope: str, prefix: str, after: str | None, limit: int) -> Query:
        partition = documents_partition(scope)
        query: Query = {
            "TableName": self.table,
            "ConsistentRead": True,
            "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": {":pk": text(partition)},
            "Limit": limit,
        }
        if prefix:
            query["KeyConditionExpression"] = "pk = :pk AND sk BETWEEN :first AND :last"
            query["ExpressionAttributeValues"] = {
                ":pk": text(partition),
                ":first": text(prefix),
                ":last": text(_behind(prefix)),
            }
        if after:
            query["ExclusiveStartKey"] = primary_key(partition, after)
        return query

    def _until_s(self) -> float:
        """Until when a former version that leaves its item now is kept."""
        return epoch_seconds(self.now() + self.retention.tombstone)

    @property
    def _history(self) -> DocumentHistory:
        return DocumentHistory(self.client, self.table)

    @property
    def _values(self) -> DocumentValues:
        return DocumentValues(self.client, self.table, self.blobs, self._history)

    @property
    def _lists(self) -> DocumentLists:
        return DocumentLists(self.client, self.table)

    @property
    def _onces(self) -> OnceItems:
        return OnceItems(self.client, self.table, self.now)

    @property
    def _receipts(self) -> OperationReceipts:
        return OperationReceipts(self.client, self.table, self.now)


def _behind(prefix: str) -> str:
    """The first text behind all texts that begin with the prefix, which has a `/`."""
    known = prefix.rstrip(chr(sys.maxunicode))
    following = chr(ord(known[-1]) + 1)
    return known[:-1] + ("\ue000" if following == _SURROGATE else following)


def _condition_for(before: Document) -> dict[str, Any]:
    """The condition that the newest version is still that of `before`."""
    return {
        "condition": f"{HASH} = :hash",
        "values": {":hash": hash_value(before.current.entry.hash)},
    }
