"""Stores that refuse writes to a fenced scope; deletions and erasures pass."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.ports.records import NO_VALUES

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.erasure.fences import DynamoFences
    from membrane.adapters.dynamodb.records.store import DynamoRecords
    from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics
    from membrane.domain.language.values import LargeValue
    from membrane.usecases.ports.records import Turns
    from membrane.usecases.ports.topics import TopicChange


def fence_records(records: "DynamoRecords", fences: "DynamoFences") -> "DynamoRecords":
    return cast("DynamoRecords", _FencedRecords(records, fences))


def fence_topics(topics: "DynamoTopics", fences: "DynamoFences") -> "DynamoTopics":
    return cast("DynamoTopics", _FencedTopics(topics, fences))


def unfenced_records(records: "DynamoRecords") -> "DynamoRecords":
    """The store behind the fences; for the erasure itself."""
    return records.unfenced if isinstance(records, _FencedRecords) else records


def unfenced_topics(topics: "DynamoTopics") -> "DynamoTopics":
    """The store behind the fences; for the erasure itself."""
    return topics.unfenced if isinstance(topics, _FencedTopics) else topics


class _FencedRecords:
    """Passes every method on; the methods that write live records ask the fences first."""

    def __init__(self, records: "DynamoRecords", fences: "DynamoFences") -> None:
        self.unfenced = records
        self._fences = fences

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unfenced, name)

    def create(
        self,
        new: StoredRecord,
        *,
        also: Sequence[StoredRecord] = (),
        changed: Sequence[tuple[AnyRecord, AnyRecord]] = (),
        **beside: Any,
    ) -> None:
        self._require_open([new, *also, *(after for _, after in changed)])
        self.unfenced.create(new, also=also, changed=cast("Any", changed), **beside)

    def create_all(
        self,
        new: Sequence[StoredRecord],
        turns: "Turns",
        *,
        values: "Mapping[LargeValue, bytes]" = NO_VALUES,
    ) -> None:
        self._require_open(new)
        self.unfenced.create_all(new, turns, values=values)

    def replace(self, before: AnyRecord, after: AnyRecord, *, due_by_s: int | None = None) -> None:
        self._require_open([after])
        self.unfenced.replace(before, after, due_by_s=due_by_s)

    def replace_all(self, changed: Sequence[tuple[AnyRecord, AnyRecord]], **also: Any) -> None:
        self._require_open(after for _, after in changed)
        self.unfenced.replace_all(changed, **also)

    def _require_open(self, written: Iterable[AnyRecord]) -> None:
        scopes = {
            held.scope
            for held in written
            if isinstance(held, StoredRecord) and held.tombstone is None
        }
        if scopes:
            self._fences.require_open(scopes)


class _FencedTopics:
    """Passes every method on; `commit` asks the fences before a write of topics.

    A change that takes a revision out for good passes.
    """

    def __init__(self, topics: "DynamoTopics", fences: "DynamoFences") -> None:
        self.unfenced = topics
        self._fences = fences

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unfenced, name)

    def commit(self, change: "TopicChange") -> None:
        scopes = {after.scope for _, after in change.topics}
        if scopes and not change.departed:
            self._fences.require_open(scopes)
        self.unfenced.commit(change)
